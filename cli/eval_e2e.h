/* The parts `e2e` (language models) and `cnn` (convolutional networks) of `habitat eval`; argv
 * without "eval" and the part. */
#ifndef HABITAT_CLI_EVAL_E2E_H
#define HABITAT_CLI_EVAL_E2E_H

int eval_e2e(int argc, char **argv);
int eval_cnn(int argc, char **argv);

/* The part `choose`: the same measurements, asked which GPU is the best. */
int eval_choose(int argc, char **argv);

#endif
