/* habitat train DATA.. -o FOLDER: operator models from measurements. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "commands.h"
#include "common.h"
#include "measurements.h"

static int save(const habitat_models *models, const char *folder) {
    char path[4096];
    habitat_error error = {0};
    mkdir(folder, 0777); /* if it is there already, good */
    snprintf(path, sizeof path, "%s/operators.habitat-models", folder);
    if (habitat_models_save(models, path, &error) != HABITAT_OK)
        return cli_fail(CLI_FAILED, error.file[0] ? error.file : path, "%s", error.message);
    printf("%s\n", path);
    for (size_t i = 0; i < habitat_models_count(models); i++) {
        habitat_model_info info;
        if (habitat_models_describe(models, i, &info))
            printf("%-12s %-9s %7zu rows, %zu GPUs, %zu parameters\n", info.name,
                   habitat_model_use_name(info.use), info.training_rows, info.gpu_count,
                   info.parameters);
    }
    return CLI_DONE;
}

/* The names of the table for the GPUs to leave out, however they were written; free() the list. A
 * name that nobody knows would leave out nothing. */
static int find_left_out(const habitat_gpu_table *table, const cli_list *names, const char ***out,
                         size_t *count) {
    cli_notes notes = {0};
    const habitat_gpu **gpus = NULL;
    int code = names->count ? cli_find_gpus(table, names, &gpus, count, &notes) : CLI_DONE;
    *out = calloc(*count + 1, sizeof **out);
    if (code == CLI_DONE && !*out)
        code = cli_fail(CLI_FAILED, "--without", "out of memory");
    for (size_t i = 0; gpus && *out && code == CLI_DONE && i < *count; i++)
        (*out)[i] = habitat_gpu_name(gpus[i]);
    free(gpus);
    cli_notes_free(&notes);
    return code;
}

int cmd_train(int argc, char **argv) {
    cli_list files = {0}, without = {0};
    const char *folder = NULL, **left_out = NULL;
    size_t left_out_count = 0, seed = 0, layers = 0, width = 0, epochs = 0;
    bool no_mlp = false, train_only = false;
    const cli_option options[] = {
        {"--output", 'o', CLI_TEXT, &folder},       {"--gpu-file", 0, CLI_LIST, &files},
        {"--without", 0, CLI_LIST, &without},       {"--seed", 0, CLI_SEED, &seed},
        {"--no-mlp", 0, CLI_FLAG, &no_mlp},         {"--layers", 0, CLI_COUNT, &layers},
        {"--width", 0, CLI_COUNT, &width},          {"--epochs", 0, CLI_COUNT, &epochs},
        {"--train-rows", 0, CLI_FLAG, &train_only},
    };
    cli_arguments arguments = {
        .verb = "train", .options = options, .option_count = sizeof options / sizeof options[0]};
    int code = cli_parse(&arguments, argc, argv);
    habitat_gpu_table *table = NULL;
    habitat_dataset *data = NULL;
    habitat_models *models = NULL;
    habitat_error error = {0};
    if (code == CLI_DONE && !arguments.finished)
        code = cli_expect_operands(&arguments, 1, 1000, "DATA: folders or CSV files");
    if (code == CLI_DONE && !arguments.finished && !folder)
        code = cli_fail(CLI_USAGE, "train", "no -o FOLDER for the models");
    if (code == CLI_DONE && !arguments.finished)
        code = cli_open_gpus(&files, &table);
    if (code == CLI_DONE && table)
        code = find_left_out(table, &without, &left_out, &left_out_count);
    if (code == CLI_DONE && table)
        code = cli_read_measurements(table, &arguments.operands, &data);
    if (code == CLI_DONE && data) {
        habitat_train_options settings = {.seed = seed,
                                          .paper = !no_mlp,
                                          .paper_layers = (unsigned)layers,
                                          .paper_width = (unsigned)width,
                                          .paper_epochs = (unsigned)epochs,
                                          .all_rows = !train_only,
                                          .without = left_out,
                                          .without_count = left_out_count,
                                          .progress = cli_training_progress};
        if (habitat_train(data, table, &settings, &models, &error) != HABITAT_OK)
            code = cli_fail(CLI_FAILED, NULL, "%s", error.message);
    }
    if (code == CLI_DONE && models)
        code = save(models, folder);
    free(left_out);
    habitat_models_free(models);
    habitat_dataset_free(data);
    habitat_gpu_table_free(table);
    cli_arguments_free(&arguments);
    return code;
}
