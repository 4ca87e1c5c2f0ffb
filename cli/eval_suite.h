/* `habitat eval suite`: throughput that others measured with one benchmark suite. */
#ifndef HABITAT_CLI_EVAL_SUITE_H
#define HABITAT_CLI_EVAL_SUITE_H

/* argv without "eval" and "suite". */
int eval_suite(int argc, char **argv);

#endif
