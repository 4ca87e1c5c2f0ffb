/* Beginning and end of every part of `habitat eval`: eval.h. */
#include "eval.h"

#include <string.h>

static const cli_elsewhere of_ops[] = {{"seed", "belongs to `habitat eval ops`"},
                                       {"epochs", "belongs to `habitat eval ops`"},
                                       {"no-mlp", "belongs to `habitat eval ops`"},
                                       {"class", "belongs to `habitat eval ops`"}};

int eval_open(eval_setup *s, int argc, char **argv, const cli_option *more, size_t more_count,
              size_t operands) {
    const cli_option common[] = {
        {"--data", 0, CLI_TEXT, &s->measurements},
        {"--recordings", 0, CLI_TEXT, &s->recordings},
        {"--gpu-file", 0, CLI_LIST, &s->gpu_files},
        {"--csv", 0, CLI_FLAG, &s->csv},
    };
    size_t count = sizeof common / sizeof *common;
    *s = (eval_setup){.measurements = "data/measurements", .recordings = "data/recordings"};
    memcpy(s->options, common, sizeof common);
    if (more_count)
        memcpy(s->options + count, more, more_count * sizeof *more);
    s->arguments = (cli_arguments){.verb = "eval",
                                   .options = s->options,
                                   .option_count = count + more_count,
                                   .elsewhere = of_ops,
                                   .elsewhere_count = sizeof of_ops / sizeof *of_ops};
    int code = cli_parse(&s->arguments, argc, argv);
    if (code != CLI_DONE || s->arguments.finished)
        return code;
    code = cli_expect_operands(&s->arguments, 0, operands, NULL);
    return code == CLI_DONE ? cli_open_gpus(&s->gpu_files, &s->gpus) : code;
}

void eval_close(eval_setup *s) {
    habitat_gpu_table_free(s->gpus);
    cli_arguments_free(&s->arguments);
}
