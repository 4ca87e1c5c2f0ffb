/* habitat eval e2e, habitat eval cnn: recordings predicted onto GPUs where others measured the
 * same. */
#include "eval_e2e.h"

#include <stdlib.h>

#include "commands.h"
#include "common.h"
#include "lab/lab.h"

typedef enum part { LANGUAGE_MODELS, NETWORKS, CHOICES } part;

static habitat_status judge(part what, const habitat_gpu_table *gpus, const char *measurements,
                            const char *recordings, bool csv, habitat_error *error) {
    if (what == CHOICES)
        return habitat_evaluate_choice(gpus, measurements, recordings, cli_write_stdout, NULL,
                                       error);
    return habitat_evaluate_iterations(gpus, what == NETWORKS, measurements, recordings, csv,
                                       cli_write_stdout, NULL, error);
}

static int evaluate(part what, int argc, char **argv) {
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
    if (go && code == CLI_DONE && csv && what == CHOICES)
        code = cli_fail(CLI_USAGE, "--csv", "is none of `habitat eval choose`");
    if (go && code == CLI_DONE)
        code = cli_open_gpus(&gpu_files, &gpus);
    if (go && code == CLI_DONE &&
        judge(what, gpus, measurements, recordings, csv, &error) != HABITAT_OK)
        code = cli_fail_error(&error, NULL);
    habitat_gpu_table_free(gpus);
    cli_arguments_free(&arguments);
    return code;
}

int eval_e2e(int argc, char **argv) {
    return evaluate(LANGUAGE_MODELS, argc, argv);
}

int eval_cnn(int argc, char **argv) {
    return evaluate(NETWORKS, argc, argv);
}

int eval_choose(int argc, char **argv) {
    return evaluate(CHOICES, argc, argv);
}
