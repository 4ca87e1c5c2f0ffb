/* `habitat eval ops`: operator models judged on measured operations. */
#ifndef HABITAT_CLI_EVAL_OPS_H
#define HABITAT_CLI_EVAL_OPS_H

int eval_ops(int argc, char **argv);

#endif
