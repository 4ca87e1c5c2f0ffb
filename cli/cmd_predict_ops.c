/* habitat predict-ops FILE.csv[.gz] [--to GPU]: a table of operations with predicted times added.
 *
 * Rows are read in blocks, predicted block by block, and kept in order, all columns as they stand;
 * they are written when the last one is done: a table with one bad row is refused as a whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common.h"

enum { BLOCK = 2048, NAME_BYTES = 96, REASON_BYTES = 400 };

typedef struct pending {
    char *line;             /* the row as it is written back, without what is added */
    char *asked;            /* its own `gpu` as it stands, where another GPU is predicted for */
    char *why_not;          /* what column `reason` says; NULL: nothing yet */
    const habitat_gpu *gpu; /* NULL: nothing can be asked */
    habitat_measurement row;
    habitat_estimate answer;
    const char *method; /* NULL: no answer */
} pending;

typedef struct predictor {
    habitat_request request; /* method and models */
    const habitat_gpu_table *table;
    const habitat_gpu *destination; /* NULL: the GPU of each row */
    char last_name[NAME_BYTES], last_reason[REASON_BYTES];
    const habitat_gpu *last;
    bool named;
    cli_notes *notes;
    size_t rows, answered;
    pending *block; /* shape (BLOCK) */
    size_t count;
    FILE *out; /* what is written in the end */
} predictor;

/* ---- rows as they are written back ---- */

/* What an earlier run added: the new answers take its place. */
static bool added_before(const char *column) {
    static const char *const added[] = {"predicted_ms", "low_ms",   "high_ms",       "method",
                                        "reason",       "interval", "interval_basis"};
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        if (strcmp(column, added[i]) == 0)
            return true;
    return false;
}

static bool has_column(const habitat_csv_reader *reader, const char *name) {
    size_t count;
    const char *const *columns = habitat_csv_columns(reader, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(columns[i], name) == 0)
            return true;
    return false;
}

/* The current record (of the header, before the first) byte for byte, with `gpu` in place of its
 * GPU where that is not NULL. The caller frees it; NULL when out of memory. */
static char *copy_record(const habitat_csv_reader *reader, const char *gpu) {
    size_t count, length, used = 0, size = gpu ? strlen(gpu) + 2 : 2;
    const char *const *columns = habitat_csv_columns(reader, &count);
    for (size_t i = 0; i < count; i++) {
        habitat_csv_raw(reader, i, &length);
        size += length + 1;
    }
    char *text = malloc(size);
    bool any = false; /* a cell was written, maybe an empty one */
    for (size_t i = 0; text && i < count; i++) {
        if (added_before(columns[i]))
            continue;
        const char *raw = habitat_csv_raw(reader, i, &length);
        if (gpu && strcmp(columns[i], "gpu") == 0) {
            raw = gpu;
            length = strlen(gpu);
        }
        if (any)
            text[used++] = ',';
        any = true;
        memcpy(text + used, raw, length);
        used += length;
    }
    if (text)
        text[used] = '\0';
    return text;
}

static char *copy_gpu(const habitat_csv_reader *reader) {
    size_t count, length = 0;
    const char *const *columns = habitat_csv_columns(reader, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(columns[i], "gpu") != 0)
            continue;
        const char *raw = habitat_csv_raw(reader, i, &length);
        char *text = malloc(length + 1);
        if (text) {
            memcpy(text, raw, length);
            text[length] = '\0';
        }
        return text;
    }
    return strdup("");
}

/* Columns that stand behind `reason` where --to names the GPU. */
typedef enum gpu_columns { GPU_KEPT, GPU_AND_ASKED, GPU_ADDED, GPU_REPLACED } gpu_columns;

static gpu_columns columns_of(const predictor *p, const habitat_csv_reader *reader) {
    if (!p->destination)
        return GPU_KEPT;
    if (!has_column(reader, "gpu"))
        return GPU_ADDED;
    return has_column(reader, "gpu_asked") ? GPU_REPLACED : GPU_AND_ASKED;
}

static int print_header(const predictor *p, const habitat_csv_reader *reader) {
    static const char *const behind[] = {
        [GPU_KEPT] = "", [GPU_AND_ASKED] = ",gpu_asked", [GPU_ADDED] = ",gpu", [GPU_REPLACED] = ""};
    char *text = copy_record(reader, NULL);
    if (!text)
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    fprintf(p->out, "%s,predicted_ms,low_ms,high_ms,method,reason%s,interval,interval_basis\n",
            text, behind[columns_of(p, reader)]);
    free(text);
    return CLI_DONE;
}

static void print_quoted(FILE *out, const char *text) {
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, out);
    }
    putc('"', out);
}

static void print_row(const pending *slot, const predictor *p, gpu_columns columns) {
    char numbers[96];
    habitat_format(numbers, sizeof numbers, "%.6g,%.6g,%.6g", slot->answer.ms, slot->answer.low_ms,
                   slot->answer.high_ms);
    if (slot->method)
        fprintf(p->out, "%s,%s,%s,", slot->line, numbers, slot->method);
    else
        fprintf(p->out, "%s,,,,none,", slot->line);
    if (slot->why_not)
        print_quoted(p->out, slot->why_not);
    if (columns == GPU_AND_ASKED)
        fprintf(p->out, ",%s", slot->asked);
    else if (columns == GPU_ADDED)
        fprintf(p->out, ",%s", habitat_gpu_name(p->destination));
    habitat_interval_basis basis =
        slot->method ? slot->answer.interval_basis : HABITAT_INTERVAL_UNKNOWN;
    const char *words = habitat_interval_words(basis);
    fprintf(p->out, ",%s,", habitat_interval_name(basis));
    if (words)
        print_quoted(p->out, words);
    putc('\n', p->out);
}

/* ---- answers ---- */

static int explain(pending *slot, const char *reason) {
    slot->why_not = strdup(reason);
    return slot->why_not ? CLI_DONE : cli_fail(CLI_FAILED, NULL, "out of memory");
}

/* The GPU a row is about; NULL for a name the table does not have, which is warned about once. */
static int find_gpu(predictor *p, const char *name, const habitat_gpu **out) {
    habitat_error error = {0};
    int code = CLI_DONE;
    if (p->destination) {
        *out = p->destination;
        return CLI_DONE;
    }
    if (!*name)
        return cli_fail(CLI_USAGE, "--to", "rows name no GPU; say which one with --to GPU");
    if (!p->named || strcmp(p->last_name, name) != 0) {
        p->last = NULL;
        habitat_status status = habitat_gpu_find(p->table, name, &p->last, NULL, &error);
        if (status == HABITAT_E_MEMORY)
            return cli_fail_error(&error, NULL);
        if (status != HABITAT_OK)
            code = cli_note(p->notes, "%s", error.message);
        snprintf(p->last_reason, sizeof p->last_reason, "%s", error.message);
        snprintf(p->last_name, sizeof p->last_name, "%s", name);
        p->named = true;
    }
    *out = p->last;
    return code;
}

/* An answer has notes in the place of a reason. */
static int note(pending *slot, const habitat_operation_estimate *answer) {
    const char *outside = answer->outside_note, *memory = answer->memory_note;
    char text[REASON_BYTES];
    if (!outside && !memory)
        return CLI_DONE;
    snprintf(text, sizeof text, "%s%s%s", outside ? outside : "", outside && memory ? "; " : "",
             memory ? memory : "");
    return explain(slot, text);
}

static int take_answer(pending *slot, const habitat_operation_estimate *answer) {
    if (answer->status != HABITAT_OK)
        return explain(slot, answer->reason);
    slot->answer = answer->estimate;
    slot->method = habitat_method_name(answer->estimate.method);
    return note(slot, answer);
}

static int take_row(predictor *p, habitat_csv_reader *reader) {
    habitat_error error = {0};
    pending *slot = &p->block[p->count];
    *slot = (pending){
        .line = copy_record(reader, p->destination ? habitat_gpu_name(p->destination) : NULL),
        .asked = copy_gpu(reader)};
    p->count++;
    if (!slot->line || !slot->asked)
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    const char *gpu = NULL;
    habitat_status status = habitat_csv_measurement(reader, &slot->row, &gpu, &error);
    if (status != HABITAT_OK && status != HABITAT_E_UNSUPPORTED)
        return cli_fail_row(&error, NULL);
    int code = CLI_DONE;
    if (status == HABITAT_OK)
        code = find_gpu(p, gpu, &slot->gpu);
    if (code == CLI_DONE && !slot->gpu)
        code = explain(slot, status == HABITAT_OK ? p->last_reason : error.message);
    return code;
}

/* Rows first .. end of one GPU, asked together. */
static int ask_rows(predictor *p, size_t first, size_t end, const habitat_gpu *gpu) {
    habitat_model_query queries[BLOCK];
    habitat_error error = {0};
    habitat_answer *answer = NULL;
    size_t n = 0;
    for (size_t i = first; i < end; i++)
        if (p->block[i].gpu)
            queries[n++] = (habitat_model_query){.work = &p->block[i].row.work,
                                                 .arithmetic = p->block[i].row.arithmetic,
                                                 .timing = p->block[i].row.timing,
                                                 .variant = p->block[i].row.variant};
    habitat_request asked = p->request;
    asked.operations = queries;
    asked.operation_count = n;
    asked.destinations = &gpu;
    asked.destination_count = 1;
    if (habitat_ask(&asked, &answer, &error) != HABITAT_OK)
        return cli_fail_error(&error, p->request.models_name);
    int code = CLI_DONE;
    if (answer->rows[0].error.code != HABITAT_OK)
        code = cli_fail_error(&answer->rows[0].error, p->request.models_name);
    for (size_t i = first, k = 0; code == CLI_DONE && i < end; i++)
        if (p->block[i].gpu)
            code = take_answer(&p->block[i], &answer->rows[0].operations[k++]);
    habitat_answer_free(answer);
    return code;
}

static int predict_block(predictor *p) {
    int code = CLI_DONE;
    for (size_t first = 0, end; code == CLI_DONE && first < p->count; first = end) {
        const habitat_gpu *gpu = NULL;
        for (end = first;
             end < p->count && (!p->block[end].gpu || p->block[end].gpu == gpu || !gpu); end++)
            if (p->block[end].gpu)
                gpu = p->block[end].gpu;
        if (gpu)
            code = ask_rows(p, first, end, gpu);
    }
    return code;
}

static int flush_block(predictor *p, gpu_columns columns) {
    int code = predict_block(p);
    for (size_t i = 0; i < p->count; i++) {
        pending *slot = &p->block[i];
        if (code == CLI_DONE)
            print_row(slot, p, columns);
        p->rows++;
        p->answered += slot->method != NULL;
        free(slot->line);
        free(slot->asked);
        free(slot->why_not);
    }
    p->count = 0;
    return code;
}

/* All rows of an open table, block by block. */
static int predict_table(predictor *p, habitat_csv_reader *reader) {
    habitat_error error = {0};
    gpu_columns columns = columns_of(p, reader);
    int code = print_header(p, reader);
    const char *record = "";
    while (code == CLI_DONE && record) {
        if (habitat_csv_next(reader, &record, &error) != HABITAT_OK)
            code = cli_fail_row(&error, NULL);
        else if (record)
            code = take_row(p, reader);
        if (code == CLI_DONE && (p->count == BLOCK || !record))
            code = flush_block(p, columns);
    }
    for (size_t i = 0; i < p->count; i++) { /* after a failure */
        free(p->block[i].line);
        free(p->block[i].asked);
        free(p->block[i].why_not);
    }
    return code;
}

static int write_out(char *text, size_t size) {
    return fwrite(text, 1, size, stdout) == size
               ? CLI_DONE
               : cli_fail(CLI_FAILED, NULL, "the output could not be written");
}

/* "-" is standard input; a file of that name is "./-". */
static habitat_status open_table(const char **path, habitat_csv_reader **out, habitat_error *err) {
    if (strcmp(*path, "-") != 0)
        return habitat_csv_open(*path, out, err);
    *path = "standard input";
    return habitat_csv_open_descriptor(STDIN_FILENO, *path, out, err);
}

static int run(predictor *p, const char *path) {
    habitat_csv_reader *reader = NULL;
    habitat_error error = {0};
    char *text = NULL;
    size_t size = 0;
    if (open_table(&path, &reader, &error) != HABITAT_OK)
        return cli_fail_row(&error, path);
    p->block = calloc(BLOCK, sizeof *p->block);
    p->out = open_memstream(&text, &size);
    int code =
        p->block && p->out ? predict_table(p, reader) : cli_fail(CLI_FAILED, NULL, "out of memory");
    bool lost = p->out && (ferror(p->out) != 0);
    if (p->out && (fclose(p->out) != 0 || lost || !text) && code == CLI_DONE)
        code = cli_fail(CLI_FAILED, NULL, "out of memory");
    if (code == CLI_DONE)
        code = write_out(text, size);
    free(text);
    free(p->block);
    habitat_csv_close(reader);
    if (code == CLI_DONE && p->answered < p->rows)
        cli_warn("%s: %zu of %zu rows have no prediction (method none); column reason says why",
                 path, p->rows - p->answered, p->rows);
    return code;
}

/* Of all methods, those that answer a table are named. */
static int unknown_method(const char *name) {
    habitat_method method;
    char list[REASON_BYTES] = "";
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++) {
        const char *known = habitat_method_name((habitat_method)m);
        habitat_model_use use;
        size_t used = strlen(list);
        if (known && habitat_method_from_name(known, &method, NULL) == HABITAT_OK &&
            habitat_method_models(method, &use, NULL) == HABITAT_OK)
            snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", known);
    }
    return cli_fail(CLI_UNKNOWN, "--method", "unknown method \"%.40s\"; choose one of %s", name,
                    list);
}

/* Where models are chosen, by --models, --transfer or --method mlp, they alone answer. */
static int choose(const char *method, const char *models_file, bool transfer,
                  habitat_request *out) {
    habitat_error error = {0};
    if (method && habitat_method_from_name(method, &out->method, &error) != HABITAT_OK)
        return unknown_method(method);
    if (habitat_method_models(out->method, &out->use, &error) != HABITAT_OK)
        return cli_fail(CLI_USAGE, "--method", "rows of a table are answered by models, and %s",
                        error.message);
    if (transfer && out->use == HABITAT_MODEL_AUTO)
        out->use = HABITAT_MODEL_TRANSFER;
    out->models_name = models_file;
    out->models_only = models_file || out->use != HABITAT_MODEL_AUTO;
    return CLI_DONE;
}

/* Those of --models; NULL without: the library knows its own. A build without any answers from work
 * and rates, as `habitat op` does. */
static int load_models(const habitat_request *request, habitat_models **out) {
    habitat_error error = {0};
    const char *file = request->models_name;
    habitat_status status =
        file ? habitat_models_load(file, out, &error) : habitat_models_load_default(out, &error);
    if (status == HABITAT_E_FORMAT && !request->models_only) {
        cli_warn("this build carries no operator models: rows go through work and rates");
        return CLI_DONE;
    }
    return status == HABITAT_OK ? CLI_DONE : cli_fail_error(&error, file);
}

int cmd_predict_ops(int argc, char **argv) {
    cli_list files = {0};
    cli_list to = {0};
    const char *method = NULL, *models_file = NULL;
    bool transfer = false;
    const cli_option options[] = {
        {"--to", 0, CLI_LIST, &to},
        {"--method", 0, CLI_TEXT, &method},
        {"--gpu-file", 0, CLI_LIST, &files},
        {"--models", 0, CLI_TEXT, &models_file},
        {"--transfer", 0, CLI_FLAG, &transfer},
    };
    cli_arguments arguments = {.verb = "predict-ops",
                               .options = options,
                               .option_count = sizeof options / sizeof options[0]};
    cli_notes notes = {0};
    predictor p = {.notes = &notes};
    habitat_models *models = NULL;
    habitat_gpu_table *table = NULL;
    int code = cli_parse(&arguments, argc, argv);
    bool go = code == CLI_DONE && !arguments.finished;
    if (go)
        code = cli_expect_operands(&arguments, 1, 1,
                                   "one FILE.csv or FILE.csv.gz, or - for standard input");
    if (go && code == CLI_DONE && (to.count > 1 || (to.count && strcmp(to.items[0], "all") == 0)))
        code = cli_fail(CLI_USAGE, "--to",
                        "a table is predicted for one GPU; name it, and run once for each");
    if (go && code == CLI_DONE)
        code = choose(method, models_file, transfer, &p.request);
    if (go && code == CLI_DONE)
        code = cli_open_gpus_noting(&files, &table, &notes);
    p.table = table;
    if (go && code == CLI_DONE && to.count)
        code = cli_find_gpu(table, to.items[0], &p.destination, &notes);
    if (go && code == CLI_DONE) {
        code = load_models(&p.request, &models);
        p.request.models = models;
        if (code == CLI_DONE)
            code = run(&p, arguments.operands.items[0]);
    }
    habitat_models_free(models);
    cli_notes_free(&notes);
    habitat_gpu_table_free(table);
    cli_arguments_free(&arguments);
    return code;
}
