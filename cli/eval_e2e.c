/* habitat eval e2e, habitat eval cnn: recordings predicted onto GPUs where others measured the
 * same. */
#include "eval_e2e.h"

#include <stdlib.h>

#include "commands.h"
#include "common.h"
#include "lab/lab.h"

static int evaluate(bool networks, int argc, char **argv) {
    const char *measurements = "data/measurements", *recordings = "data/recordings";
    cli_list gpu_files = {0};
    bool csv = false;
    const cli_option options[] = {
        {"--data", 0, CLI_TEXT, &measurements},
        {"--recordings", 0, CLI_TEXT, &recordings},
        {"--gpu-file", 0, CLI_LIST, &gpu_files},
        {"--csv", 0, CLI_FLAG, &csv},
    };
    cli_arguments arguments = {
        .verb = "eval", .options = options, .option_count = sizeof options / sizeof options[0]};
    habitat_gpu_table *gpus = NULL;
    habitat_error error = {0};
    int code = cli_parse(&arguments, argc, argv);
    bool go = code == CLI_DONE && !arguments.finished;
    if (go)
        code = cli_expect_operands(&arguments, 0, 0, NULL);
    if (go && code == CLI_DONE)
        code = cli_open_gpus(&gpu_files, &gpus);
    if (go && code == CLI_DONE &&
        habitat_evaluate_iterations(gpus, networks, measurements, recordings, csv, cli_write_stdout,
                                    NULL, &error) != HABITAT_OK)
        code = cli_fail_error(&error, NULL);
    habitat_gpu_table_free(gpus);
    cli_arguments_free(&arguments);
    return code;
}

int eval_e2e(int argc, char **argv) {
    return evaluate(false, argc, argv);
}

int eval_cnn(int argc, char **argv) {
    return evaluate(true, argc, argv);
}
