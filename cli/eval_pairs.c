/* habitat eval pairs, replay, memory, scale and ddp: recordings against one another, against what
 * they note, and against the time of several GPUs. */
#include "eval_pairs.h"

#include <stdlib.h>

#include "commands.h"
#include "common.h"
#include "lab/lab.h"

typedef habitat_status evaluation(const habitat_gpu_table *gpus, const char *folder, bool csv,
                                  habitat_text_sink sink, void *context, habitat_error *err);

static int judge_recordings(evaluation *evaluate, int argc, char **argv) {
    const char *recordings = "data/recordings", *measurements = NULL; /* the latter: other parts' */
    cli_list gpu_files = {0};
    bool csv = false;
    const cli_option options[] = {
        {"--recordings", 0, CLI_TEXT, &recordings},
        {"--data", 0, CLI_TEXT, &measurements},
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
        code = cli_expect_operands(&arguments, 0, 0, "no operand after the part");
    if (go && code == CLI_DONE)
        code = cli_open_gpus(&gpu_files, &gpus);
    if (go && code == CLI_DONE &&
        evaluate(gpus, recordings, csv, cli_write_stdout, NULL, &error) != HABITAT_OK)
        code = error.code == HABITAT_E_ARG ? cli_fail(CLI_INPUT, recordings, "%s", error.message)
                                           : cli_fail_error(&error, recordings);
    habitat_gpu_table_free(gpus);
    cli_arguments_free(&arguments);
    return code;
}

int eval_pairs(int argc, char **argv) {
    return judge_recordings(habitat_evaluate_pairs, argc, argv);
}

int eval_replay(int argc, char **argv) {
    return judge_recordings(habitat_evaluate_replay, argc, argv);
}

int eval_memory(int argc, char **argv) {
    return judge_recordings(habitat_evaluate_memory, argc, argv);
}

int eval_scale(int argc, char **argv) {
    return judge_recordings(habitat_evaluate_scale, argc, argv);
}

int eval_ddp(int argc, char **argv) {
    return judge_recordings(habitat_evaluate_ddp, argc, argv);
}
