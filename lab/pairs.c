/* Pairs of recordings: which belong together, which of their kernels are the same, and what each
 * method predicts of one from the other.
 *
 * Kernels are matched by name, grid and block; equal ones in the order of their start. What is left
 * over on either side ran on one GPU only (the library chose another kernel) and counts in the
 * iteration, not in the kernels' error. */
#include "lab/pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/trace.h>

#include "base/error.h"
#include "base/same_text.h"
#include "lab/coverage.h"
#include "lab/recordings.h"

static const char *const method_names[PAIRS_METHODS] = {[PAIRS_AUTO] = "auto",
                                                        [PAIRS_HABITAT] = "habitat",
                                                        [PAIRS_ROOFLINE] = "roofline",
                                                        [PAIRS_WAVE] = "wave",
                                                        [PAIRS_WAVE_LARGE] = "wave-large",
                                                        [PAIRS_FLOPS] = "flops",
                                                        [PAIRS_BANDWIDTH] = "bandwidth",
                                                        [PAIRS_UNCHANGED] = "time unchanged"};

const char *pairs_method_name(int method) {
    return method_names[method];
}

/* ---- one recording ---- */

typedef struct side {
    recording opened;
    const habitat_workload_kernel *kernels;
    size_t count;
    double iterations;
    uint32_t *order; /* shape (count): kernels by name, grid, block and start */
} side;

static void side_free(side *s) {
    free(s->order);
    recording_close(&s->opened);
}

static int compare_launches(const habitat_kernel *a, const habitat_kernel *b) {
    int by_name = strcmp(a->form->name, b->form->name);
    if (by_name)
        return by_name;
    int by_grid = memcmp(a->form->grid, b->form->grid, sizeof a->form->grid);
    return by_grid ? by_grid : memcmp(a->form->block, b->form->block, sizeof a->form->block);
}

/* qsort() has no context: each entry carries its kernel. */
typedef struct entry {
    const habitat_kernel *kernel;
    uint32_t index;
} entry;

static int compare_entries(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int launches = compare_launches(x->kernel, y->kernel);
    return launches ? launches : (x->index > y->index) - (x->index < y->index);
}

static habitat_status sort_kernels(side *s, habitat_error *err) {
    entry *entries = malloc((s->count + 1) * sizeof *entries);
    s->order = malloc((s->count + 1) * sizeof *s->order);
    if (!entries || !s->order) {
        free(entries);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < s->count; i++)
        entries[i] = (entry){s->kernels[i].kernel, (uint32_t)i};
    qsort(entries, s->count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < s->count; i++)
        s->order[i] = entries[i].index;
    free(entries);
    return HABITAT_OK;
}

static habitat_status side_open(const habitat_gpu_table *gpus, const char *folder, const char *file,
                                bool bare, side *out, habitat_error *err) {
    habitat_status status = bare ? recording_open_bare(gpus, folder, file, &out->opened, err)
                                 : recording_open(gpus, folder, file, &out->opened, err);
    if (status != HABITAT_OK)
        return status;
    out->kernels = habitat_workload_kernels(out->opened.workload, &out->count);
    out->iterations = (double)habitat_workload_get_info(out->opened.workload)->iteration_count;
    return sort_kernels(out, err);
}

/* ---- one pair ---- */

/* For each kernel of the origin the same kernel of the destination; HABITAT_NONE without one.
 * out: shape (origin->count). */
static void match(const side *origin, const side *dest, uint32_t *out) {
    size_t i = 0, j = 0;
    for (size_t k = 0; k < origin->count; k++)
        out[k] = HABITAT_NONE;
    while (i < origin->count && j < dest->count) {
        uint32_t a = origin->order[i], b = dest->order[j];
        int order = compare_launches(origin->kernels[a].kernel, dest->kernels[b].kernel);
        if (order == 0)
            out[a] = b;
        i += order <= 0;
        j += order >= 0;
    }
}

static double kernel_ms(const side *s, size_t i) {
    return (double)s->kernels[i].kernel->duration_ns / HABITAT_NS_PER_MS / s->iterations;
}

/* Times of matched kernels by class, and which share of the destination's kernel time they are. */
static void describe(const side *origin, const side *dest, const uint32_t *match_of,
                     pair_case *out) {
    double matched = 0.0, all = 0.0;
    for (size_t j = 0; j < dest->count; j++)
        all += kernel_ms(dest, j);
    for (size_t i = 0; i < origin->count; i++) {
        if (match_of[i] == HABITAT_NONE)
            continue;
        habitat_class c = origin->kernels[i].op_class;
        out->class_origin_ms[c] += kernel_ms(origin, i);
        out->class_measured_ms[c] += kernel_ms(dest, match_of[i]);
        matched += kernel_ms(dest, match_of[i]);
    }
    out->matched = all > 0.0 ? matched / all : 0.0;
}

/* What a method predicts: `p`, or NULL for the origin's times as they are. */
static void judge(const side *origin, const side *dest, const uint32_t *match_of,
                  const habitat_prediction *p, double origin_busy_ms, pair_outcome *out) {
    double wrong = 0.0, all = 0.0;
    out->busy_ms = p ? p->busy_ms : origin_busy_ms;
    out->low_ms = p ? p->low_ms : NAN;
    out->high_ms = p ? p->high_ms : NAN;
    out->basis = p ? p->interval_basis : HABITAT_INTERVAL_UNKNOWN;
    out->family = p ? coverage_family(p) : NULL;
    for (size_t i = 0; i < origin->count; i++) {
        if (match_of[i] == HABITAT_NONE)
            continue;
        double ms = p ? p->trace_kernels[i].ms / origin->iterations : kernel_ms(origin, i);
        double measured = kernel_ms(dest, match_of[i]);
        out->class_ms[origin->kernels[i].op_class] += ms;
        wrong += fabs(ms - measured);
        all += measured;
    }
    out->kernel_error = all > 0.0 ? wrong / all : NAN;
}

static habitat_status judge_all(const side *origin, const side *dest, const uint32_t *match_of,
                                pair_case *out, habitat_error *err) {
    for (int m = 0; m < PAIRS_METHODS; m++) {
        habitat_prediction *p = NULL;
        habitat_method method;
        out->by[m].busy_ms = NAN;
        if (m == PAIRS_UNCHANGED) {
            judge(origin, dest, match_of, NULL, out->origin_ms, &out->by[m]);
            continue;
        }
        habitat_status status = habitat_method_from_name(method_names[m], &method, err);
        if (status == HABITAT_OK)
            status = habitat_predict(origin->opened.workload, dest->opened.gpu, method, &p, err);
        if (status == HABITAT_E_UNSUPPORTED)
            continue;
        if (status != HABITAT_OK)
            return status;
        judge(origin, dest, match_of, p, out->origin_ms, &out->by[m]);
        habitat_prediction_free(p);
    }
    return HABITAT_OK;
}

static habitat_status judge_forms(const side *origin, const side *dest, pair_case *out,
                                  habitat_error *err) {
    habitat_status status = HABITAT_OK;
    for (int form = 0; status == HABITAT_OK && form < AUTO_FORMS; form++) {
        habitat_prediction *p = NULL;
        status = predict_as(origin->opened.workload, dest->opened.gpu, (auto_form)form, &p, err);
        out->form_ms[form] = status == HABITAT_OK ? p->busy_ms : NAN;
        habitat_prediction_free(p);
    }
    return status;
}

static bool same_software(const habitat_trace_info *a, const habitat_trace_info *b) {
    return same_text(a->framework, b->framework) && same_text(a->cuda_version, b->cuda_version) &&
           same_text(a->hip_version, b->hip_version) && a->cudnn_version == b->cudnn_version;
}

static habitat_status add_direction(const side *origin, const side *dest, const char *step,
                                    pair_set *out, habitat_error *err) {
    pair_case *grown = realloc(out->cases, (out->count + 1) * sizeof *grown);
    uint32_t *match_of = malloc((origin->count + 1) * sizeof *match_of);
    if (grown)
        out->cases = grown;
    if (!grown || !match_of) {
        free(match_of);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    pair_case *made = &out->cases[out->count];
    *made = (pair_case){.origin = origin->opened.gpu, .dest = dest->opened.gpu};
    snprintf(made->step, sizeof made->step, "%s", step);
    snprintf(made->network, sizeof made->network, "%s", step);
    const char *batch = recording_batch_part(made->network); /* bert_b8: not that of "bert" */
    if (batch)
        made->network[batch - made->network] = '\0';
    made->origin_ms = habitat_workload_get_info(origin->opened.workload)->busy_ms;
    made->measured_ms = habitat_workload_get_info(dest->opened.workload)->busy_ms;
    made->mixed = !same_software(habitat_trace_get_info(origin->opened.trace),
                                 habitat_trace_get_info(dest->opened.trace));
    match(origin, dest, match_of);
    describe(origin, dest, match_of, made);
    habitat_status status = judge_all(origin, dest, match_of, made, err);
    if (status == HABITAT_OK)
        status = judge_forms(origin, dest, made, err);
    out->count += status == HABITAT_OK;
    free(match_of);
    return status;
}

/* ---- a folder ---- */

static habitat_status add_pair(const habitat_gpu_table *gpus, const char *folder, const char *a,
                               const char *b, bool bare, pair_set *out, habitat_error *err) {
    char step[RECORDING_NAME];
    side sides[2] = {0};
    snprintf(step, sizeof step, "%.*s", (int)recording_step_length(a), a);
    habitat_status status = side_open(gpus, folder, a, bare, &sides[0], err);
    if (status == HABITAT_OK)
        status = side_open(gpus, folder, b, bare, &sides[1], err);
    if (status == HABITAT_OK && sides[0].opened.gpu != sides[1].opened.gpu) {
        status = add_direction(&sides[0], &sides[1], step, out, err);
        if (status == HABITAT_OK)
            status = add_direction(&sides[1], &sides[0], step, out, err);
    }
    side_free(&sides[0]);
    side_free(&sides[1]);
    return status;
}

habitat_status pairs_collect(const habitat_gpu_table *gpus, const char *folder, bool bare,
                             pair_set *out, habitat_error *err) {
    recording_names files = {0};
    habitat_status status = recording_names_read(folder, &files, err);
    for (size_t i = 0; status == HABITAT_OK && i < files.count; i++) {
        size_t length = recording_step_length(files.items[i]);
        for (size_t j = i + 1; status == HABITAT_OK && length && j < files.count; j++)
            if (recording_step_length(files.items[j]) == length &&
                memcmp(files.items[i], files.items[j], length) == 0)
                status = add_pair(gpus, folder, files.items[i], files.items[j], bare, out, err);
    }
    recording_names_free(&files);
    if (status == HABITAT_OK && out->count == 0)
        status = habitat_fail_at(err, HABITAT_E_ARG, folder, UINT64_MAX, 0,
                                 "no step here was recorded on two GPUs; recordings of one step "
                                 "are named alike but for the last part, as step_b8_fp32_GPU.json");
    return status;
}

void pairs_free(pair_set *set) {
    free(set->cases);
    *set = (pair_set){0};
}
