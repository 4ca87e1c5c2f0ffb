/* The predicted iteration as Chakra execution traces, in a file or a folder. */
#ifndef HABITAT_CLI_CHAKRA_H
#define HABITAT_CLI_CHAKRA_H

#include "input.h"

/* Whether the options go together. output: "-", a file, or for several GPUs a folder.
 * @return CLI_DONE, or CLI_USAGE after a message. */
int cli_chakra_check(const cli_request *request, const char *output);

/* @return CLI_DONE, or an exit code after a message. */
int cli_chakra_write(const cli_request *request, const cli_input *input, const char *output);

#endif
