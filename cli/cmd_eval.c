/* habitat eval: tables of honest error. Each part is a file eval_<part>.c; without one, all but
 * those that only run by their name. */
#include <stdbool.h>
#include <string.h>

#include "commands.h"
#include "common.h"
#include "eval.h"
#include "eval_e2e.h"
#include "eval_ops.h"
#include "eval_pairs.h"
#include "eval_suite.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    bool asked; /* runs by its name alone: its measurements are not in data/, or its tables are a
                   page of their own */
} parts[] = {
    {"ops", eval_ops, false},      {"e2e", eval_e2e, false},       {"cnn", eval_cnn, false},
    {"pairs", eval_pairs, false},  {"replay", eval_replay, false}, {"memory", eval_memory, false},
    {"scale", eval_scale, false},  {"suite", eval_suite, true},    {"choose", eval_choose, true},
    {"shapes", eval_shapes, true}, {"ddp", eval_ddp, false}};
enum { PARTS = sizeof parts / sizeof *parts };

/* All parts, with the options that all of them know: one that a single part has is refused before
 * the first of them has run for minutes. */
static int run_all(int argc, char **argv) {
    size_t seed = 0, epochs = 0;
    bool no_mlp = false;
    cli_list classes = {0};
    const cli_option of_ops[] = {{"--seed", 0, CLI_SEED, &seed},
                                 {"--epochs", 0, CLI_COUNT, &epochs},
                                 {"--no-mlp", 0, CLI_FLAG, &no_mlp},
                                 {"--class", 0, CLI_LIST, &classes}};
    eval_setup s;
    int code = eval_open(&s, argc, argv, of_ops, sizeof of_ops / sizeof *of_ops, 0);
    bool done = code != CLI_DONE || s.arguments.finished;
    const char *name = no_mlp          ? "--no-mlp"
                       : classes.count ? "--class"
                       : seed          ? "--seed"
                       : epochs        ? "--epochs"
                                       : NULL;
    eval_close(&s);
    if (!done && name)
        return cli_fail(CLI_USAGE, name, "goes with one part: `habitat eval ops`");
    for (size_t i = 0; !done && code == CLI_DONE && i < PARTS; i++)
        if (!parts[i].asked)
            code = parts[i].run(argc, argv);
    return code;
}

int cmd_eval(int argc, char **argv) {
    for (size_t i = 0; argc > 0 && i < PARTS; i++)
        if (strcmp(argv[0], parts[i].name) == 0)
            return parts[i].run(argc - 1, argv + 1);
    if (argc > 0 && argv[0][0] != '-')
        return cli_fail(CLI_USAGE, argv[0], "no such part; `habitat eval --help` lists them");
    return run_all(argc, argv);
}
