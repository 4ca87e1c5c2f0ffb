/* habitat eval ops: tables of honest error of the operator models, as Markdown or CSV. */
#include "eval_ops.h"

#include <stdlib.h>

#include "commands.h"
#include "common.h"
#include "measurements.h"

static int judge(const habitat_gpu_table *table, const char *folder, const cli_list *classes,
                 size_t seed, size_t epochs, bool no_mlp, bool csv) {
    habitat_error error = {0};
    habitat_dataset *data = NULL;
    const cli_list folders = {&folder, 1};
    int code = cli_read_measurements(table, &folders, &data);
    if (code != CLI_DONE)
        return code;
    habitat_train_options settings = {.seed = seed,
                                      .paper = !no_mlp,
                                      .paper_epochs = (unsigned)epochs,
                                      .classes = classes->items,
                                      .class_count = classes->count,
                                      .progress = cli_training_progress};
    if (habitat_evaluate(data, table, folder, &settings, csv, cli_write_stdout, NULL, &error) !=
        HABITAT_OK)
        code = cli_fail(classes->count && error.code == HABITAT_E_ARG ? CLI_USAGE : CLI_FAILED,
                        NULL, "%s", error.message);
    habitat_dataset_free(data);
    return code;
}

int eval_ops(int argc, char **argv) {
    cli_list files = {0}, classes = {0};
    const char *folder = NULL, *recordings = NULL; /* those of the other parts are accepted */
    size_t seed = 0, epochs = 0;
    bool no_mlp = false, csv = false;
    const cli_option options[] = {
        {"--data", 0, CLI_TEXT, &folder},    {"--recordings", 0, CLI_TEXT, &recordings},
        {"--gpu-file", 0, CLI_LIST, &files}, {"--seed", 0, CLI_COUNT, &seed},
        {"--epochs", 0, CLI_COUNT, &epochs}, {"--no-mlp", 0, CLI_FLAG, &no_mlp},
        {"--csv", 0, CLI_FLAG, &csv},        {"--class", 0, CLI_LIST, &classes},
    };
    cli_arguments arguments = {
        .verb = "eval", .options = options, .option_count = sizeof options / sizeof options[0]};
    habitat_gpu_table *table = NULL;
    int code = cli_parse(&arguments, argc, argv);
    bool go = code == CLI_DONE && !arguments.finished;
    if (go)
        code = cli_expect_operands(&arguments, 0, 0, "no operand after the part");
    if (go && code == CLI_DONE)
        code = cli_open_gpus(&files, &table);
    if (go && code == CLI_DONE)
        code = judge(table, folder ? folder : "data/measurements", &classes, seed, epochs, no_mlp,
                     csv);
    habitat_gpu_table_free(table);
    cli_arguments_free(&arguments);
    return code;
}
