/* habitat eval: tables of honest error. Each part is a file eval_<part>.c; without one, all. */
#include <string.h>

#include "commands.h"
#include "eval_e2e.h"
#include "eval_ops.h"
#include "eval_pairs.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} parts[] = {{"ops", eval_ops}, {"e2e", eval_e2e}, {"cnn", eval_cnn}, {"pairs", eval_pairs}};
enum { PARTS = sizeof parts / sizeof *parts };

int cmd_eval(int argc, char **argv) {
    int code = CLI_DONE;
    for (size_t i = 0; argc > 0 && i < PARTS; i++)
        if (strcmp(argv[0], parts[i].name) == 0)
            return parts[i].run(argc - 1, argv + 1);
    if (argc > 0 && argv[0][0] != '-')
        return cli_fail(CLI_USAGE, argv[0], "no such part; `habitat eval --help` lists them");
    for (size_t i = 0; code == CLI_DONE && i < PARTS; i++)
        code = parts[i].run(argc, argv);
    return code;
}
