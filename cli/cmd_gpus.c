/* habitat gpus [NAME] | gpus --check | gpus --template: the GPU table. */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "common.h"

/* Measured operations that the operator models would refuse; a build without models has none. */
static int check_operations(const habitat_gpu_table *table) {
    habitat_error error = {0};
    habitat_models *models = NULL;
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < habitat_gpu_count(table); i++) {
        const habitat_gpu *gpu = habitat_gpu_at(table, i);
        size_t classes = 0, operations = 0;
        habitat_gpu_operations(gpu, &operations);
        if (operations == 0)
            continue;
        habitat_status status = models ? HABITAT_OK : habitat_models_load_default(&models, &error);
        if (status == HABITAT_E_FORMAT)
            break;
        if (status != HABITAT_OK ||
            habitat_models_offsets(models, gpu, NULL, &classes, NULL, &error) != HABITAT_OK)
            code = cli_fail_error(
                &error, status == HABITAT_OK ? habitat_gpu_text(gpu, HABITAT_GPU_FILE) : NULL);
    }
    habitat_models_free(models);
    return code;
}

/* Findings are exit code 1: the table does not hold what it should. */
static int check(const habitat_gpu_table *table, habitat_report_format format) {
    habitat_report_options options = cli_report_options(format);
    habitat_error error = {0};
    habitat_gpu_finding *findings = NULL;
    size_t count = 0;
    int bad = check_operations(table);
    if (bad != CLI_DONE)
        return bad;
    habitat_status status = habitat_gpu_check(table, NULL, &count);
    if (status == HABITAT_OK && count > 0) {
        findings = calloc(count, sizeof *findings);
        if (!findings)
            return cli_fail(CLI_FAILED, NULL, "out of memory");
        status = habitat_gpu_check(table, findings, &count);
    }
    if (status == HABITAT_OK)
        status = habitat_report_findings(table, findings, count, &options, &error);
    else
        error.code = status;
    free(findings);
    int code = cli_report_result(status, &error);
    size_t skipped = 0;
    habitat_gpu_skipped_files(table, &skipped); /* warned of when the table was opened */
    if (code == CLI_DONE && skipped > 0)
        return CLI_INPUT;
    return code == CLI_DONE && count > 0 ? CLI_FAILED : code;
}

static int show(const habitat_gpu_table *table, const char *name, habitat_report_format format) {
    habitat_report_options options = cli_report_options(format);
    habitat_error error = {0};
    if (!name)
        return cli_report_result(habitat_report_gpus(table, &options, &error), &error);
    const habitat_gpu *gpu = NULL;
    cli_notes notes = {0};
    int code = cli_find_gpu(table, name, &gpu, &notes);
    if (code == CLI_DONE)
        code = cli_report_result(habitat_report_gpu(table, gpu, &options, &error), &error);
    cli_notes_free(&notes);
    return code;
}

/* The template is one JSON file, and no GPU of the table. */
static int check_template(bool checking, bool csv, bool files) {
    const char *wrong = checking ? "--check" : csv ? "--csv" : files ? "--gpu-file" : NULL;
    return wrong ? cli_fail(CLI_USAGE, "--template", "does not go with %s; choose one", wrong)
                 : CLI_DONE;
}

int cmd_gpus(int argc, char **argv) {
    bool checking = false, template = false, json = false, csv = false;
    cli_list files = {0};
    const cli_option options[] = {
        {"--check", 0, CLI_FLAG, &checking}, {"--template", 0, CLI_FLAG, &template},
        {"--json", 0, CLI_FLAG, &json},      {"--csv", 0, CLI_FLAG, &csv},
        {"--gpu-file", 0, CLI_LIST, &files},
    };
    cli_arguments arguments = {
        .verb = "gpus", .options = options, .option_count = sizeof options / sizeof options[0]};
    habitat_gpu_table *table = NULL;
    habitat_report_format format;
    int code = cli_parse(&arguments, argc, argv);
    if (code == CLI_DONE && !arguments.finished)
        code = cli_expect_operands(&arguments, 0, checking || template ? 0 : 1, "at most one NAME");
    if (code == CLI_DONE && !arguments.finished && template)
        code = check_template(checking, csv, files.count > 0);
    if (code == CLI_DONE && !arguments.finished && template) {
        fputs(habitat_gpu_template(), stdout);
        arguments.finished = true;
    }
    if (code == CLI_DONE && !arguments.finished)
        code = cli_format(json, csv, &format);
    if (code == CLI_DONE && !arguments.finished)
        code = cli_open_gpus(&files, &table);
    if (code == CLI_DONE && table)
        code = checking ? check(table, format)
                        : show(table, arguments.operands.count ? arguments.operands.items[0] : NULL,
                               format);
    habitat_gpu_table_free(table);
    cli_arguments_free(&arguments);
    return code;
}
