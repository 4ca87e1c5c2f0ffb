/* `habitat eval e2e`: which measured iteration belongs to which recording, and its predictions.
 *
 * A recording stands for a measurement when network, mode, sequence length, batch and number format
 * are the same; files are named for that (docs/accuracy.md#end-to-end). */
#include "lab/e2e.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/csv.h>
#include <habitat/text.h>

#include "base/error.h"
#include "base/letter.h"
#include "base/quantile.h"
#include "lab/coverage.h"
#include "lab/e2e_errors.h"
#include "lab/e2e_few.h"
#include "lab/recordings.h"

static const struct {
    const char *name;
    habitat_method method;
    bool estimated, few;
} methods[E2E_METHODS] = {
    [E2E_AUTO] = {"auto", HABITAT_METHOD_AUTO, false, false},
    [E2E_FEW] = {"auto, k = 5 operations", HABITAT_METHOD_AUTO, false, true},
    [E2E_ESTIMATED] = {"auto, estimated rates", HABITAT_METHOD_AUTO, true, false},
    [E2E_ESTIMATED_FEW] = {"auto, estimated rates, k = 5 operations", HABITAT_METHOD_AUTO, true,
                           true},
    [E2E_HABITAT] = {"habitat", HABITAT_METHOD_HABITAT, false, false},
    [E2E_ROOFLINE] = {"roofline", HABITAT_METHOD_ROOFLINE, false, false},
    [E2E_FLOPS] = {"flops", HABITAT_METHOD_FLOPS, false, false},
    [E2E_BANDWIDTH] = {"bandwidth", HABITAT_METHOD_BANDWIDTH, false, false},
    [E2E_WAVE] = {"wave", HABITAT_METHOD_WAVE, false, false},
    [E2E_WAVE_LARGE] = {"wave-large", HABITAT_METHOD_WAVE_LARGE, false, false},
};

const char *e2e_method_name(int method) {
    return methods[method].name;
}

/* ---- measured iterations ---- */

static void copy_text(char *out, size_t size, const char *text) {
    snprintf(out, size, "%s", text ? text : "");
}

/* Whether the current row is an iteration of this source that eager recordings on one GPU can stand
 * for. */
static bool comparable(const habitat_csv_reader *table, const char *wanted) {
    const char *source = habitat_csv_text(table, "source");
    const char *options = habitat_csv_text(table, "options");
    return source && strcmp(source, wanted) == 0 && (!options || !*options) &&
           !(habitat_csv_number(table, "num_gpus") > 1);
}

static habitat_status read_measured(const habitat_csv_reader *table, const habitat_gpu_table *gpus,
                                    const char *file, e2e_case *out, habitat_error *err) {
    *out = (e2e_case){0};
    copy_text(out->network, sizeof out->network, habitat_csv_text(table, "model"));
    copy_text(out->mode, sizeof out->mode, habitat_csv_text(table, "mode"));
    copy_text(out->dtype, sizeof out->dtype, habitat_csv_text(table, "dtype"));
    const char *name = habitat_csv_text(table, "gpu");
    if (habitat_gpu_find(gpus, name ? name : "", &out->gpu, NULL, err) != HABITAT_OK)
        return e2e_name_file(err->code, err, file);
    out->batch = habitat_csv_number(table, "global_batch");
    out->length = habitat_csv_number(table, "seq_len");
    out->measured_ms = habitat_csv_number(table, "e2e_ms");
    out->fastest_ms = out->slowest_ms = out->measured_ms;
    out->measured_forward_ms = habitat_csv_number(table, "fw_ms");
    out->measured_backward_ms = habitat_csv_number(table, "bwall_ms");
    if (!(out->measured_ms > 0) || !(out->batch > 0))
        return habitat_fail_at(err, HABITAT_E_FORMAT, file, UINT64_MAX, 0,
                               "a whole-model row of %s has no e2e_ms or global_batch above 0",
                               out->network);
    return HABITAT_OK;
}

/* ---- recordings ---- */

/* "BERT-Large", "training_fwd_bwd", 512, 8, fp32 -> "bert_large_training_s512_b8_fp32_"; without
 * "_s512" where samples have no length. */
static void file_stem(const e2e_case *c, const char *dtype, char *out, size_t size) {
    char network[sizeof c->network];
    copy_text(network, sizeof network, c->network);
    for (char *m = network; *m; m++)
        *m = *m == '-' ? '_' : letter_lower(*m);
    const char *mode = strncmp(c->mode, "training", 8) == 0 ? "training" : c->mode;
    char length[32] = "";
    if (c->length > 0)
        habitat_format(length, sizeof length, "_s%.0f", c->length);
    habitat_format(out, size, "%s_%s%s_b%.0f_%s_", network, mode, length, c->batch, dtype);
}

/* Whether the recording of this name stands for the case, and in which number format it ran. A GPU
 * without TF32 runs in fp32 what was recorded in TF32. */
static bool stands_for(const char *name, e2e_case *c) {
    const char *formats[] = {c->dtype, "tf32"};
    bool both = strcmp(c->dtype, "fp32") == 0 &&
                isnan(habitat_gpu_rate(c->gpu, HABITAT_RATE_PEAK, HABITAT_DTYPE_TF32, true, NULL));
    for (int i = 0; i < 1 + both; i++) {
        char stem[128];
        file_stem(c, formats[i], stem, sizeof stem);
        if (strncmp(name, stem, strlen(stem)) == 0) {
            copy_text(c->recorded, sizeof c->recorded, formats[i]);
            return true;
        }
    }
    return false;
}

/* ---- predictions ---- */

/* Autograd's backward: an operation that belongs to a forward one, or a node of its engine. */
static bool is_backward(const habitat_operation *operations, size_t count, uint32_t i) {
    for (; i < count; i = operations[i].parent)
        if (operations[i].forward != HABITAT_NONE ||
            strncmp(operations[i].form->name, "autograd::engine", 16) == 0)
            return true;
    return false;
}

static void split_passes(const habitat_trace *trace, const habitat_workload *workload,
                         const habitat_prediction *p, e2e_outcome *out) {
    size_t kernel_count = 0, operation_count = 0;
    const habitat_workload_kernel *kernels = habitat_workload_kernels(workload, &kernel_count);
    const habitat_operation *operations = habitat_trace_operations(trace, &operation_count);
    for (size_t i = 0; i < kernel_count; i++) {
        double ms = p->trace_kernels[i].busy_ms / (double)p->iteration_count;
        if (is_backward(operations, operation_count, kernels[i].kernel->operation))
            out->backward_ms += ms;
        else
            out->forward_ms += ms;
    }
}

/* A recording that predictions are made from; all NULL until it is read. */
typedef struct e2e_recording {
    recording opened;
    habitat_predictor *predictors[E2E_METHODS];
} e2e_recording;

static habitat_status open_recording(const habitat_gpu_table *gpus, const char *folder,
                                     const char *file, bool bare, e2e_recording *out,
                                     habitat_error *err) {
    habitat_status status = bare ? recording_open_bare(gpus, folder, file, &out->opened, err)
                                 : recording_open(gpus, folder, file, &out->opened, err);
    for (int m = 0; status == HABITAT_OK && m < E2E_METHODS; m++)
        status = habitat_predictor_create(out->opened.workload, methods[m].method, NULL,
                                          &out->predictors[m], err);
    return status;
}

static void close_recording(e2e_recording *r) {
    for (int m = 0; m < E2E_METHODS; m++)
        habitat_predictor_free(r->predictors[m]);
    recording_close(&r->opened);
}

static habitat_status predict(const e2e_recording *from, const e2e_operations *known, e2e_case *c,
                              habitat_error *err) {
    enum { MOST = 256 };
    const e2e_outcome none = {.ms = NAN,
                              .low_ms = NAN,
                              .high_ms = NAN,
                              .forward_ms = NAN,
                              .backward_ms = NAN,
                              .basis = HABITAT_INTERVAL_UNKNOWN};
    habitat_gpu_operation operations[MOST];
    size_t count = e2e_operations_of(known, habitat_gpu_name(c->gpu), operations, MOST);
    for (int m = 0; m < E2E_METHODS; m++) {
        habitat_prediction *p = NULL;
        c->by[m] = none;
        if (methods[m].few && count == 0)
            continue;
        habitat_gpu *dest = NULL; /* as the method is to know it */
        habitat_status status = habitat_gpu_variant_create(c->gpu, methods[m].estimated, operations,
                                                           methods[m].few ? count : 0, &dest, err);
        if (status == HABITAT_OK)
            status = habitat_predictor_predict(from->predictors[m], dest, &p, err);
        if (status == HABITAT_OK) {
            c->by[m] = (e2e_outcome){.ms = p->iteration_ms,
                                     .low_ms = p->low_ms,
                                     .high_ms = p->high_ms,
                                     .basis = p->interval_basis,
                                     .family = coverage_family(p),
                                     .parts = interval_parts_of(from->opened.workload, p)};
            split_passes(from->opened.trace, from->opened.workload, p, &c->by[m]);
        }
        habitat_gpu_variant_free(dest);
        if (status != HABITAT_OK && status != HABITAT_E_UNSUPPORTED)
            return e2e_name_file(status, err, habitat_gpu_name(c->gpu));
        habitat_prediction_free(p);
    }
    return HABITAT_OK;
}

/* ---- all cases ---- */

static habitat_status add_case(e2e_set *set, const e2e_case *c, habitat_error *err) {
    e2e_case *grown = realloc(set->cases, (set->count + 1) * sizeof *grown);
    if (!grown)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    grown[set->count++] = *c;
    set->cases = grown;
    return HABITAT_OK;
}

/* One recording: every measured iteration it stands for. */
static habitat_status collect_recording(const habitat_gpu_table *gpus, const char *folder,
                                        const char *name, bool bare, const e2e_set *measured,
                                        const e2e_operations *known, e2e_set *out,
                                        habitat_error *err) {
    e2e_recording from = {0};
    habitat_status code = HABITAT_OK;
    for (size_t i = 0; code == HABITAT_OK && measured->cases && i < measured->count; i++) {
        e2e_case c = measured->cases[i];
        if (!stands_for(name, &c))
            continue;
        if (!from.opened.trace)
            code = open_recording(gpus, folder, name, bare, &from, err);
        if (code != HABITAT_OK) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", folder, name);
            e2e_name_file(code, err, path);
            break;
        }
        c.recording = out->recordings;
        c.origin = from.opened.gpu;
        code = predict(&from, known, &c, err);
        if (code == HABITAT_OK)
            code = add_case(out, &c, err);
    }
    out->recordings += from.opened.trace != NULL;
    close_recording(&from);
    return code;
}

static bool same_iteration(const e2e_case *a, const e2e_case *b) {
    bool same_length = a->length == b->length || (isnan(a->length) && isnan(b->length));
    return a->gpu == b->gpu && a->batch == b->batch && same_length &&
           strcmp(a->network, b->network) == 0 && strcmp(a->mode, b->mode) == 0 &&
           strcmp(a->dtype, b->dtype) == 0;
}

/* Runs of one iteration on several machines become one case: their median, and their range. */
static habitat_status merge_runs(e2e_set *set, habitat_error *err) {
    double *times = calloc(set->count ? set->count : 1, sizeof *times);
    size_t kept = 0;
    if (!times)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < set->count; i++) {
        e2e_case c = set->cases[i];
        size_t runs = 0, seen = 0;
        while (seen < kept && !same_iteration(&set->cases[seen], &c))
            seen++;
        for (size_t j = i; seen == kept && j < set->count; j++)
            if (same_iteration(&c, &set->cases[j]))
                times[runs++] = set->cases[j].measured_ms;
        if (runs == 0)
            continue;
        habitat_sort_numbers(times, runs);
        c.measured_ms = habitat_quantile(times, runs, 0.5);
        c.fastest_ms = times[0];
        c.slowest_ms = times[runs - 1];
        set->cases[kept++] = c;
    }
    set->count = kept;
    free(times);
    return HABITAT_OK;
}

static habitat_status read_all_measured(const habitat_gpu_table *gpus, const char *source,
                                        const char *file, e2e_set *out, habitat_error *err) {
    habitat_csv_reader *table = NULL;
    const char *record = NULL;
    habitat_status code = HABITAT_OK;
    habitat_status status = habitat_csv_open(file, &table, err);
    while (code == HABITAT_OK && status == HABITAT_OK &&
           (status = habitat_csv_next(table, &record, err)) == HABITAT_OK && record) {
        e2e_case c;
        if (!comparable(table, source))
            continue;
        code = read_measured(table, gpus, file, &c, err);
        if (code == HABITAT_OK)
            code = add_case(out, &c, err);
    }
    if (status != HABITAT_OK)
        code = e2e_name_row(status, err, file);
    habitat_csv_close(table);
    return code == HABITAT_OK ? merge_runs(out, err) : code;
}

habitat_status e2e_collect(const habitat_gpu_table *gpus, const char *source,
                           const char *measurements, const char *recordings, bool bare,
                           e2e_set *out, habitat_error *err) {
    char path[4096];
    recording_names files = {0};
    e2e_set measured = {0};
    e2e_operations known = {0};
    snprintf(path, sizeof path, "%s/e2e_models.csv", measurements);
    habitat_status code = read_all_measured(gpus, source, path, &measured, err);
    if (code == HABITAT_OK)
        code = e2e_read_operations(measurements, &known, err);
    if (code == HABITAT_OK)
        code = recording_names_read(recordings, &files, err);
    for (size_t i = 0; code == HABITAT_OK && i < files.count; i++)
        code =
            collect_recording(gpus, recordings, files.items[i], bare, &measured, &known, out, err);
    if (code == HABITAT_OK && out->count == 0)
        code =
            habitat_fail_at(err, HABITAT_E_FORMAT, recordings, UINT64_MAX, 0,
                            "no recording here stands for a row of e2e_models.csv; they are named "
                            "model_mode_sLENGTH_bBATCH_dtype_gpu.json.gz");
    recording_names_free(&files);
    e2e_operations_free(&known);
    e2e_free(&measured);
    return code;
}

void e2e_free(e2e_set *set) {
    free(set->cases);
    *set = (e2e_set){0};
}
