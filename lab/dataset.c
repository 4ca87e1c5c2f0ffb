/* Sets of measurements: reading, resolving GPUs, and checks of the whole set. */
#include "lab/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/csv.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "models/learned.h"
#include "question/measurement.h"
#include "work/class.h"
#include "question/query.h"
#include "base/quantile.h"

struct habitat_dataset {
    const habitat_gpu_table *gpus;
    habitat_strings names;
    habitat_measurement *rows;
    size_t count, capacity;
};

habitat_status habitat_dataset_create(const habitat_gpu_table *gpus, habitat_dataset **out,
                                      habitat_error *err) {
    if (!gpus || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no GPU table given");
    habitat_dataset *data = calloc(1, sizeof *data);
    if (!data)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    data->gpus = gpus;
    *out = data;
    return HABITAT_OK;
}

void habitat_dataset_free(habitat_dataset *data) {
    if (!data)
        return;
    habitat_strings_free(&data->names);
    free(data->rows);
    free(data);
}

const habitat_measurement *habitat_dataset_rows(const habitat_dataset *data, size_t *count) {
    *count = data->count;
    return data->rows;
}

static habitat_status append(habitat_dataset *data, const habitat_measurement *row,
                             habitat_error *err) {
    if (data->count == data->capacity) {
        size_t capacity = data->capacity ? data->capacity * 2 : 4096;
        habitat_measurement *rows = realloc(data->rows, capacity * sizeof *rows);
        if (!rows)
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        data->rows = rows;
        data->capacity = capacity;
    }
    data->rows[data->count++] = *row;
    return HABITAT_OK;
}

/* A model could learn from it. */
static bool covered(const habitat_measurement *row) {
    habitat_model_query query = question_of(row);
    return operator_class_of(&query) != OPERATOR_NONE || paper_class_of(&query) != PAPER_CLASSES;
}

typedef struct last_gpu {
    char written[80];
    const char *canonical;
} last_gpu;

static habitat_status resolve(habitat_dataset *data, const char *name, const char *path,
                              uint64_t line, last_gpu *last, habitat_error *err) {
    if (last->canonical && strcmp(last->written, name) == 0)
        return HABITAT_OK;
    const habitat_gpu *gpu;
    habitat_status status = habitat_gpu_find(data->gpus, name, &gpu, NULL, err);
    if (status != HABITAT_OK) {
        if (err && status == HABITAT_E_UNKNOWN_GPU) {
            habitat_error inner = *err;
            return habitat_fail_at(err, status, path, UINT64_MAX, line, "%s", inner.message);
        }
        return status;
    }
    if (strlen(name) < sizeof last->written)
        memcpy(last->written, name, strlen(name) + 1);
    last->canonical = habitat_strings_intern(&data->names, gpu->name, strlen(gpu->name));
    return last->canonical ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

static habitat_status add_row(habitat_dataset *data, const habitat_csv_reader *reader,
                              unsigned part, last_gpu *last, habitat_error *err) {
    habitat_measurement row;
    const char *gpu;
    habitat_status status = measurement_read(reader, part, &row, &gpu, err);
    if (status == HABITAT_E_UNSUPPORTED || (status == HABITAT_OK && isnan(row.time_ms)))
        return HABITAT_OK;
    if (status != HABITAT_OK)
        return status;
    if (!covered(&row))
        return HABITAT_OK;
    if ((status = resolve(data, gpu, csv_path(reader), habitat_csv_line(reader), last, err)) !=
        HABITAT_OK)
        return status;
    const char *source = habitat_csv_text(reader, "source");
    source = source ? source : "";
    row.gpu = last->canonical;
    row.source = habitat_strings_intern(&data->names, source, strlen(source));
    if (!row.source)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return append(data, &row, err);
}

habitat_status habitat_dataset_add(habitat_dataset *data, const char *path, habitat_error *err) {
    if (!data || !path)
        return habitat_fail(err, HABITAT_E_ARG, "no dataset or no path given");
    habitat_csv_reader *reader;
    habitat_status status = habitat_csv_open(path, &reader, err);
    if (status != HABITAT_OK)
        return status;
    size_t before = data->count;
    const char *line;
    last_gpu last = {{0}, NULL};
    while ((status = habitat_csv_next(reader, &line, err)) == HABITAT_OK && line)
        for (unsigned part = 0; status == HABITAT_OK && part < measurement_parts(reader); part++)
            if ((status = add_row(data, reader, part, &last, err)) != HABITAT_OK)
                goto done;
done:
    habitat_csv_close(reader);
    if (status != HABITAT_OK)
        data->count = before;
    return status;
}

/* ---- Checks
 * ------------------------------------------------------------------------------------- */

static const habitat_gpu *gpu_of(const habitat_dataset *data, const char *name) {
    const habitat_gpu *gpu = NULL;
    return habitat_gpu_find(data->gpus, name, &gpu, NULL, NULL) == HABITAT_OK ? gpu : NULL;
}

bool dataset_residual(const habitat_measurement *row, const habitat_gpu *gpu, double *out) {
    habitat_model_query query = question_of(row);
    operator_class c = operator_class_of(&query);
    operator_gpu facts;
    if (c == OPERATOR_NONE || !operator_gpu_facts(gpu, c, operator_arithmetic(&query), &facts))
        return false;
    operator_view view;
    operator_look(&query, c, &facts, &view);
    if (row->time_ms < 2 * view.floor_ms)
        return false;
    *out = log(row->time_ms / view.base_ms);
    return isfinite(*out);
}

/* Median residual of the rows of one GPU, source, class and split; NaN for fewer than 100. */
static double median_residual(const habitat_dataset *data, const habitat_measurement *like,
                              operator_class c, const habitat_gpu *gpu, bool test,
                              double *scratch) {
    size_t n = 0;
    for (size_t i = 0; i < data->count; i++) {
        const habitat_measurement *row = &data->rows[i];
        habitat_model_query query = question_of(row);
        if (row->gpu == like->gpu && row->source == like->source && row->test == test &&
            operator_class_of(&query) == c && dataset_residual(row, gpu, &scratch[n]))
            n++;
    }
    if (n < 100)
        return NAN;
    habitat_sort_numbers(scratch, n);
    return habitat_quantile(scratch, n, 0.5);
}

static void mark_split(habitat_dataset *data, const habitat_measurement *like, operator_class c) {
    const char *gpu = like->gpu, *source = like->source;
    for (size_t i = 0; i < data->count; i++) {
        habitat_measurement *row = &data->rows[i];
        habitat_model_query query = question_of(row);
        if (row->gpu == gpu && row->source == source && !row->test &&
            operator_class_of(&query) == c)
            row->suspect = true;
    }
}

/* Training rows of a source whose times lie further than a factor of two from its own test rows'
 * (both against the analytic time) describe other circumstances: not to be trained on. */
static habitat_status compare_splits(habitat_dataset *data, habitat_error *err) {
    enum { GROUPS_MAX = 512 };
    double *scratch = malloc((data->count ? data->count : 1) * sizeof *scratch);
    if (!scratch)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    struct {
        const char *gpu, *source;
        operator_class c;
    } groups[GROUPS_MAX];
    size_t group_count = 0;
    for (size_t i = 0; i < data->count && group_count < GROUPS_MAX; i++) {
        const habitat_measurement *row = &data->rows[i];
        habitat_model_query query = question_of(row);
        operator_class c = operator_class_of(&query);
        size_t g = 0;
        while (g < group_count &&
               !(groups[g].gpu == row->gpu && groups[g].source == row->source && groups[g].c == c))
            g++;
        if (g < group_count || c == OPERATOR_NONE)
            continue;
        groups[group_count].gpu = row->gpu;
        groups[group_count].source = row->source;
        groups[group_count++].c = c;
        const habitat_gpu *gpu = gpu_of(data, row->gpu);
        double train = gpu ? median_residual(data, row, c, gpu, false, scratch) : NAN;
        double test = gpu ? median_residual(data, row, c, gpu, true, scratch) : NAN;
        if (fabs(train - test) > log(2))
            mark_split(data, row, c);
    }
    free(scratch);
    return HABITAT_OK;
}

static habitat_status check_peak(const habitat_measurement *row, const habitat_gpu *gpu,
                                 habitat_error *err) {
    habitat_model_query query = question_of(row);
    operator_class c = operator_class_of(&query);
    if (c == OPERATOR_NONE || class_of(row->work.op_class)->shape != CLASS_SHAPE_GEMM)
        return HABITAT_OK;
    habitat_dtype arithmetic = operator_arithmetic(&query);
    bool matrix = operator_on_matrix_units(operator_facts_of(c)->unit, arithmetic);
    double peak =
        matrix ? gpu->peak.matrix_flop_per_s[arithmetic] : gpu->peak.plain_flop_per_s[arithmetic];
    double rate = row->work.flop / (row->time_ms * 1e-3);
    if (isfinite(peak) && rate > 1.1 * peak)
        return habitat_fail(err, HABITAT_E_RANGE,
                            "a matrix product of %s at %.4g Tflop/s on %s, whose peak is %.4g: "
                            "wrong GPU, number format or unit of time in this set",
                            row->source, rate * 1e-12, gpu->name, peak * 1e-12);
    return HABITAT_OK;
}

static int compare_rows(const void *a, const void *b) {
    const habitat_measurement *x = *(const habitat_measurement *const *)a;
    const habitat_measurement *y = *(const habitat_measurement *const *)b;
    if (x->shape_hash != y->shape_hash)
        return x->shape_hash < y->shape_hash ? -1 : 1;
    int order = strcmp(x->gpu, y->gpu);
    order = order ? order : strcmp(x->source, y->source);
    return order ? order : (x->time_ms > y->time_ms) - (x->time_ms < y->time_ms);
}

/* One operation measured twice by one source on one GPU may differ by noise, not by a factor. */
static habitat_status check_repeats(const habitat_dataset *data, habitat_error *err) {
    const double most = 10;
    const habitat_measurement **sorted = malloc((data->count + 1) * sizeof *sorted);
    if (!sorted)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < data->count; i++)
        sorted[i] = &data->rows[i];
    qsort(sorted, data->count, sizeof *sorted, compare_rows);
    habitat_status status = HABITAT_OK;
    for (size_t i = 1; i < data->count && status == HABITAT_OK; i++) {
        const habitat_measurement *a = sorted[i - 1], *b = sorted[i];
        habitat_model_query one = question_of(a), other = question_of(b);
        if (a->shape_hash == b->shape_hash && question_same(&one, &other) && a->gpu == b->gpu &&
            a->source == b->source && !a->suspect && !b->suspect && a->time_ms > 0.1 &&
            b->time_ms > most * a->time_ms)
            status = habitat_fail(err, HABITAT_E_RANGE,
                                  "%s has the same operation on %s at %g and at %g ms: the set "
                                  "contradicts itself; remove or flag one of them",
                                  a->source, a->gpu, a->time_ms, b->time_ms);
    }
    free(sorted);
    return status;
}

habitat_status habitat_dataset_check(habitat_dataset *data, habitat_error *err) {
    if (!data)
        return habitat_fail(err, HABITAT_E_ARG, "no dataset given");
    for (size_t i = 0; i < data->count; i++) {
        const habitat_gpu *gpu = gpu_of(data, data->rows[i].gpu);
        habitat_status status =
            gpu ? check_peak(&data->rows[i], gpu, err)
                : habitat_fail(err, HABITAT_E_UNKNOWN_GPU, "unknown GPU %s", data->rows[i].gpu);
        if (status != HABITAT_OK)
            return status;
    }
    habitat_status status = check_repeats(data, err);
    return status == HABITAT_OK ? compare_splits(data, err) : status;
}
