/* Files that a command writes. */
#ifndef HABITAT_CLI_OUTPUT_H
#define HABITAT_CLI_OUTPUT_H

#include "request.h"

/* Whether the file of `option` is none that the command reads: a recording may be the only one.
 * @return CLI_DONE, or CLI_USAGE after a message. */
int cli_output_check(const cli_request *request, const char *option, const char *path);

/* Whether two files to be written are one, whatever they are called; they need not be there yet. */
bool cli_output_same(const char *a, const char *b);

#endif
