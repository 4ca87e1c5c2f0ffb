/* habitat eval: tables of honest error. Each part is a file eval_<part>.c; without one, all but
 * those that only run by their name. */
#include <stdbool.h>
#include <string.h>

#include "commands.h"
#include "common.h"
#include "eval_e2e.h"
#include "eval_ops.h"
#include "eval_pairs.h"
#include "eval_suite.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    bool asked; /* runs by its name alone: its measurements are not in data/, or its tables are a
                   page of their own */
} parts[] = {{"ops", eval_ops, false},       {"e2e", eval_e2e, false},
             {"cnn", eval_cnn, false},       {"pairs", eval_pairs, false},
             {"replay", eval_replay, false}, {"memory", eval_memory, false},
             {"scale", eval_scale, false},   {"suite", eval_suite, true},
             {"choose", eval_choose, true},  {"ddp", eval_ddp, false}};
enum { PARTS = sizeof parts / sizeof *parts };

int cmd_eval(int argc, char **argv) {
    int code = CLI_DONE;
    for (size_t i = 0; argc > 0 && i < PARTS; i++)
        if (strcmp(argv[0], parts[i].name) == 0)
            return parts[i].run(argc - 1, argv + 1);
    if (argc > 0 && argv[0][0] != '-')
        return cli_fail(CLI_USAGE, argv[0], "no such part; `habitat eval --help` lists them");
    for (size_t i = 0; code == CLI_DONE && i < PARTS; i++)
        if (!parts[i].asked)
            code = parts[i].run(argc, argv);
    return code;
}
