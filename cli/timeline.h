/* The predicted iteration as a Chrome trace, in a file. */
#ifndef HABITAT_CLI_TIMELINE_H
#define HABITAT_CLI_TIMELINE_H

#include "input.h"

/* Whether the options go together. @return CLI_DONE, or CLI_USAGE after a message. */
int cli_timeline_check(const cli_request *request);

/* The same of request->timeline beside a report on standard output; without it there is nothing to
 * check. one_gpu: --to names the GPU; else the command chooses it. */
int cli_timeline_check_beside(const cli_request *request, bool one_gpu);

/* Write request->timeline ("-": standard output). @return CLI_DONE, or an exit code after a
 * message. */
int cli_timeline_write(const cli_request *request, const cli_input *input);

#endif
