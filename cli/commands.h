/* The commands, in the order `habitat --help` lists them. To add one: write cmd_<verb>.c with
 * `int cmd_<verb>(int argc, char **argv)` (argv without the verb), its page
 * docs/man/habitat-<verb>.1.md, and a line here. */
#ifndef HABITAT_CLI_COMMANDS_H
#define HABITAT_CLI_COMMANDS_H

/* X(verb, function) */
#define CLI_COMMANDS(X)                                                                            \
    X("info", cmd_info)                                                                            \
    X("predict", cmd_predict)                                                                      \
    X("choose", cmd_choose)                                                                        \
    X("explain", cmd_explain)                                                                      \
    X("export", cmd_export)                                                                        \
    X("op", cmd_op)                                                                                \
    X("gpus", cmd_gpus)                                                                            \
    X("record", cmd_record)                                                                        \
    X("collect", cmd_collect)                                                                      \
    X("calibrate", cmd_calibrate)                                                                  \
    X("predict-ops", cmd_predict_ops) X("train", cmd_train) X("eval", cmd_eval)

#define CLI_DECLARE(verb, function) int function(int argc, char **argv);
CLI_COMMANDS(CLI_DECLARE)
#undef CLI_DECLARE

#endif
