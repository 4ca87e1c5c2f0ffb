/* habitat eval ops: tables of honest error of the operator models, as Markdown or CSV. */
#include "eval_ops.h"

#include <stdlib.h>

#include "commands.h"
#include "common.h"
#include "eval.h"
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
    cli_list classes = {0};
    size_t seed = 0, epochs = 0;
    bool no_mlp = false;
    const cli_option options[] = {
        {"--seed", 0, CLI_SEED, &seed},
        {"--epochs", 0, CLI_COUNT, &epochs},
        {"--no-mlp", 0, CLI_FLAG, &no_mlp},
        {"--class", 0, CLI_LIST, &classes},
    };
    eval_setup s;
    int code = eval_open(&s, argc, argv, options, sizeof options / sizeof *options, 0);
    if (s.gpus)
        code = judge(s.gpus, s.measurements, &classes, seed, epochs, no_mlp, s.csv);
    eval_close(&s);
    return code;
}
