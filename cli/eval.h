/* What all parts of `habitat eval` share: options and the table of GPUs. */
#ifndef HABITAT_CLI_EVAL_H
#define HABITAT_CLI_EVAL_H

#include "common.h"

enum { EVAL_OPTIONS_MAX = 12 };

typedef struct eval_setup {
    const char *measurements, *recordings; /* folders: --data, --recordings */
    cli_list gpu_files;
    bool csv;
    cli_arguments arguments;
    habitat_gpu_table *gpus; /* NULL: there is nothing to judge: help was asked for, or it failed */
    cli_option options[EVAL_OPTIONS_MAX];
} eval_setup;

/* Reads the command line of a part, argv without "eval" and the part, and the GPUs. more: options
 * of this part alone, shape (more_count). operands: how many words may follow. Close in every case.
 */
int eval_open(eval_setup *s, int argc, char **argv, const cli_option *more, size_t more_count,
              size_t operands);
void eval_close(eval_setup *s);

#endif
