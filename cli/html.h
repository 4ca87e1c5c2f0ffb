/* --html FILE: the report as a page, in a file that is whole or not there. */
#ifndef HABITAT_CLI_HTML_H
#define HABITAT_CLI_HTML_H

#include "input.h"

/* Write one report with these options; `of` is the answer or the choice. */
typedef habitat_status (*cli_page)(const void *of, const habitat_report_options *options,
                                   habitat_error *err);

/* Whether the options go together. @return CLI_DONE, or CLI_USAGE after a message. */
int cli_html_check(const cli_request *request);

/* Write request->html ("-": standard output). @return CLI_DONE, or an exit code after a message. */
int cli_html_write(const cli_request *request, const cli_input *input, cli_page page,
                   const void *of);

/* Whether standard output is the page's: then nothing else goes there. */
bool cli_html_alone(const cli_request *request);

#endif
