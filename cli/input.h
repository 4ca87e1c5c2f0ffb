/* From a trace file and options to an answer: the front half of info, predict and
 * explain. */
#ifndef HABITAT_CLI_INPUT_H
#define HABITAT_CLI_INPUT_H

#include "request.h"

/* Check the options of `request`, read the trace and ask. What a text or JSON report would not say,
 * or not on stderr, is printed there. The names of methods and GPUs are looked up before the file
 * is read: a typing error should not cost a long read.
 * @param destinations whether there are any to predict for.
 * @return CLI_DONE, or an exit code after a message. Free in every case. */
int cli_input_open(const cli_request *request, const char *file, bool destinations, cli_input *out);

/* The same for a further file of one command: with the GPU table and the prices of the first. */
int cli_input_open_more(const cli_request *request, const char *file, const cli_input *first,
                        cli_input *out);

/* Ask anew for one GPU, with times of single kernels, into in->shown: what --timeline shows. */
int cli_input_show(const cli_request *request, const habitat_gpu *gpu, cli_input *in);

/* Operands of a command that takes one TRACE, or ranks: --ranks and more of them as operands.
 * `file` receives the first of all; `request` knows the operands. CLI_USAGE after a message. */
int cli_input_first(cli_request *request, const cli_arguments *arguments, const char **file);

void cli_input_free(cli_input *input);

#endif
