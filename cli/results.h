/* All that a command writes about one answer or choice: its files, then its report. */
#ifndef HABITAT_CLI_RESULTS_H
#define HABITAT_CLI_RESULTS_H

#include "html.h"

/* Write request->timeline and request->html where asked for, then the report to standard output,
 * which belongs to a page of `--html -` alone. Where there are files, the report is tried first:
 * a command line that it refuses leaves no file behind.
 * @param report writes one report or page of `of`.
 * @return CLI_DONE, or an exit code after a message. */
int cli_results_write(const cli_request *request, const cli_input *input, cli_page report,
                      const void *of);

#endif
