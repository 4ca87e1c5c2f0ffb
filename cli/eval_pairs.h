/* The parts that judge recordings of `habitat eval`; argv without "eval" and the part. */
#ifndef HABITAT_CLI_EVAL_PAIRS_H
#define HABITAT_CLI_EVAL_PAIRS_H

int eval_pairs(int argc, char **argv);
int eval_shapes(int argc, char **argv);
int eval_replay(int argc, char **argv);
int eval_memory(int argc, char **argv);
int eval_scale(int argc, char **argv);
int eval_ddp(int argc, char **argv);

#endif
