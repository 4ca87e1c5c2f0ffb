/* habitat predict-ops FILE.csv[.gz] [--to GPU]: a table of operations with predicted times added.
 *
 * Rows are read in blocks, predicted block by block, and written in order, all columns as they
 * stand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"

enum { BLOCK = 2048, NAME_BYTES = 96 };

typedef struct pending {
    char *line;
    bool known;
    const habitat_gpu *gpu;
    habitat_measurement row;
    habitat_model_estimate answer;
} pending;

typedef struct predictor {
    habitat_models *models;
    habitat_model_use use;
    const habitat_gpu_table *table;
    const habitat_gpu *destination; /* NULL: the GPU of each row */
    char last_name[NAME_BYTES];
    const habitat_gpu *last;
    bool named;
    cli_notes *notes;
    size_t rows, answered;
    pending *block; /* shape (BLOCK) */
    size_t count;
} predictor;

/* The GPU a row is about; NULL for a name the table does not have, which is warned about once. */
static int find_gpu(predictor *p, const char *name, const habitat_gpu **out) {
    habitat_error error = {0};
    if (p->destination) {
        *out = p->destination;
        return CLI_DONE;
    }
    if (!*name)
        return cli_fail(CLI_USAGE, "--to", "rows name no GPU; say which one with --to GPU");
    if (!p->named || strcmp(p->last_name, name) != 0) {
        p->last = NULL;
        if (habitat_gpu_find(p->table, name, &p->last, NULL, &error) != HABITAT_OK)
            cli_note(p->notes, "%s", error.message);
        snprintf(p->last_name, sizeof p->last_name, "%s", name);
        p->named = true;
    }
    *out = p->last;
    return CLI_DONE;
}

static int take_row(predictor *p, habitat_csv_reader *reader, const char *line) {
    habitat_error error = {0};
    pending *slot = &p->block[p->count];
    *slot = (pending){.line = strdup(line)};
    if (!slot->line)
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    p->count++;
    const char *gpu = NULL;
    habitat_status status = habitat_csv_measurement(reader, &slot->row, &gpu, &error);
    if (status == HABITAT_E_UNSUPPORTED)
        return CLI_DONE;
    if (status != HABITAT_OK)
        return cli_fail_error(&error, NULL);
    int code = find_gpu(p, gpu, &slot->gpu);
    slot->known = code == CLI_DONE && slot->gpu;
    return code;
}

static int predict_block(predictor *p) {
    if (!p->models)
        return CLI_DONE;
    habitat_model_query queries[BLOCK];
    habitat_model_estimate answers[BLOCK];
    habitat_error error = {0};
    for (size_t first = 0, end; first < p->count; first = end) {
        size_t n = 0;
        const habitat_gpu *gpu = p->block[first].gpu;
        for (end = first;
             end < p->count && (!p->block[end].known || p->block[end].gpu == gpu || !gpu); end++) {
            pending *slot = &p->block[end];
            if (!slot->known)
                continue;
            gpu = slot->gpu;
            queries[n++] = (habitat_model_query){.work = &slot->row.work,
                                                 .arithmetic = slot->row.arithmetic,
                                                 .timing = slot->row.timing,
                                                 .variant = slot->row.variant};
        }
        if (n == 0)
            continue;
        habitat_status status =
            habitat_models_predict(p->models, p->use, 1, &gpu, n, queries, answers, &error);
        if (status == HABITAT_E_UNSUPPORTED && p->use != HABITAT_MODEL_PAPER)
            return CLI_DONE; /* no models for this use: answer_of() goes without */
        if (status != HABITAT_OK)
            return cli_fail_error(&error, NULL);
        for (size_t i = first, k = 0; i < end; i++)
            if (p->block[i].known)
                p->block[i].answer = answers[k++];
    }
    return CLI_DONE;
}

/* What no operator model covers goes through its work and the GPU's rates, as `habitat op` does. */
static const char *answer_of(const predictor *p, pending *slot) {
    if (!slot->known)
        return NULL;
    if (slot->answer.covered)
        return p->use == HABITAT_MODEL_PAPER ? "mlp" : "learned";
    habitat_estimate made = {0};
    if (p->use == HABITAT_MODEL_PAPER ||
        habitat_predict_operation(&slot->row.work, slot->gpu, HABITAT_METHOD_AUTO, &made, NULL) !=
            HABITAT_OK)
        return NULL;
    slot->answer = (habitat_model_estimate){true, false, made.ms, made.low_ms, made.high_ms};
    return habitat_method_name(made.method);
}

static int flush_block(predictor *p) {
    int code = predict_block(p);
    for (size_t i = 0; i < p->count; i++) {
        pending *slot = &p->block[i];
        const char *method = code == CLI_DONE ? answer_of(p, slot) : NULL;
        if (code == CLI_DONE && method)
            printf("%s,%.6g,%.6g,%.6g,%s\n", slot->line, slot->answer.ms, slot->answer.low_ms,
                   slot->answer.high_ms, method);
        else if (code == CLI_DONE)
            printf("%s,,,,none\n", slot->line);
        p->rows++;
        p->answered += method != NULL;
        free(slot->line);
    }
    p->count = 0;
    return code;
}

static int run(predictor *p, const char *path) {
    habitat_csv_reader *reader = NULL;
    habitat_error error = {0};
    int code = CLI_DONE;
    p->block = calloc(BLOCK, sizeof *p->block);
    if (!p->block)
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    if (habitat_csv_open(path, &reader, &error) != HABITAT_OK) {
        free(p->block);
        return cli_fail_error(&error, path);
    }
    printf("%s,predicted_ms,low_ms,high_ms,method\n", habitat_csv_header(reader));
    while (code == CLI_DONE) {
        const char *line;
        if (habitat_csv_next(reader, &line, &error) != HABITAT_OK) {
            flush_block(p);
            code = cli_fail_error(&error, path);
        } else if (!line) {
            break;
        } else {
            code = take_row(p, reader, line);
            if (code == CLI_DONE && p->count == BLOCK)
                code = flush_block(p);
        }
    }
    if (p->count) {
        int flushed = flush_block(p);
        code = code == CLI_DONE ? flushed : code;
    }
    free(p->block);
    habitat_csv_close(reader);
    if (code == CLI_DONE && p->answered < p->rows)
        cli_warn("%s: %zu of %zu rows have no prediction (method none)", path,
                 p->rows - p->answered, p->rows);
    return code;
}

static int choose_method(const char *name, habitat_model_use *out) {
    habitat_method method = HABITAT_METHOD_AUTO;
    habitat_error error = {0};
    if (name && habitat_method_from_name(name, &method, &error) != HABITAT_OK)
        return cli_fail_error(&error, NULL);
    if (method != HABITAT_METHOD_AUTO && method != HABITAT_METHOD_MLP &&
        method != HABITAT_METHOD_HABITAT)
        return cli_fail(CLI_USAGE, "--method",
                        "predict-ops goes through operator models: auto or mlp");
    *out = method == HABITAT_METHOD_AUTO ? HABITAT_MODEL_AUTO : HABITAT_MODEL_PAPER;
    return CLI_DONE;
}

int cmd_predict_ops(int argc, char **argv) {
    cli_list files = {0};
    const char *to = NULL, *method = NULL, *models = NULL;
    bool transfer = false;
    const cli_option options[] = {
        {"--to", 0, CLI_TEXT, &to},
        {"--method", 0, CLI_TEXT, &method},
        {"--gpu-file", 0, CLI_LIST, &files},
        {"--models", 0, CLI_TEXT, &models},
        {"--transfer", 0, CLI_FLAG, &transfer},
    };
    cli_arguments arguments = {.verb = "predict-ops",
                               .options = options,
                               .option_count = sizeof options / sizeof options[0]};
    cli_notes notes = {0};
    predictor p = {.notes = &notes};
    habitat_gpu_table *table = NULL;
    habitat_error error = {0};
    int code = cli_parse(&arguments, argc, argv);
    bool go = code == CLI_DONE && !arguments.finished;
    if (go)
        code = cli_expect_operands(&arguments, 1, 1, "one FILE.csv or FILE.csv.gz");
    if (go && code == CLI_DONE)
        code = choose_method(method, &p.use);
    if (transfer && p.use == HABITAT_MODEL_AUTO)
        p.use = HABITAT_MODEL_TRANSFER;
    if (go && code == CLI_DONE)
        code = cli_open_gpus(&files, &table);
    p.table = table;
    if (go && code == CLI_DONE && to)
        code = cli_find_gpu(table, to, &p.destination, &notes);
    if (go && code == CLI_DONE) {
        habitat_status status = models ? habitat_models_load(models, &p.models, &error)
                                       : habitat_models_load_default(&p.models, &error);
        /* A build without models answers from work and rates, as `habitat op` does. */
        bool without = status == HABITAT_E_FORMAT && !models && p.use != HABITAT_MODEL_PAPER;
        if (without)
            cli_warn("this build carries no operator models: rows go through work and rates");
        code = status == HABITAT_OK || without ? run(&p, arguments.operands.items[0])
                                               : cli_fail_error(&error, models);
    }
    habitat_models_free(p.models);
    cli_notes_free(&notes);
    habitat_gpu_table_free(table);
    cli_arguments_free(&arguments);
    return code;
}
