/* Layer norm and softmax from one GPU to another: one class of models at both ends. Steps recorded
 * on an H100 and an H200, operation by operation; and GPUs that are better in every respect. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>
#include <habitat/models.h>

#include "check.h"
#include "gpu/gpu.h"
#include "lab/recordings.h"

static habitat_gpu_table *table;
static habitat_models *models;

static const habitat_gpu *gpu_named(const char *name) {
    const habitat_gpu *gpu = NULL;
    CHECK_INT(habitat_gpu_find(table, name, &gpu, NULL, NULL), HABITAT_OK);
    return gpu;
}

/* ---- Recorded on both ------------------------------------------------------------------------ */

/* All calls of one shape in one step [ms]. */
typedef struct shape_times {
    habitat_work work;
    size_t calls;
    double recorded, predicted, low, high;
} shape_times;

enum { SHAPES_MAX = 64 };

static bool asked_here(const habitat_work *w) {
    return w->known && w->pass == HABITAT_PASS_FORWARD &&
           (w->op_class == HABITAT_CLASS_SOFTMAX || strcmp(w->kind, "layer_norm") == 0);
}

static bool same_shape(const habitat_work *a, const habitat_work *b) {
    return strcmp(a->kind, b->kind) == 0 && a->dtype == b->dtype &&
           a->shape.rows.rows == b->shape.rows.rows &&
           a->shape.rows.columns == b->shape.rows.columns;
}

static shape_times *place_of(shape_times *all, size_t *count, const habitat_work *work) {
    for (size_t i = 0; i < *count; i++)
        if (same_shape(&all[i].work, work))
            return &all[i];
    if (*count == SHAPES_MAX)
        return NULL;
    all[*count] = (shape_times){.work = *work};
    return &all[(*count)++];
}

/* Shapes of a recorded step, and what they take on `dest` by prediction. */
static size_t shapes_of(const recording *r, const habitat_gpu *dest, shape_times *out) {
    size_t groups = 0, listed = 0, count = 0;
    const habitat_workload_group *group = habitat_workload_groups(r->workload, &groups);
    const uint32_t *index = habitat_workload_group_index(r->workload, &listed);
    habitat_prediction *p = NULL;
    CHECK_INT(habitat_predict(r->workload, dest, HABITAT_METHOD_AUTO, &p, NULL), HABITAT_OK);
    for (size_t g = 0; p && g < groups; g++) {
        shape_times *at = asked_here(group[g].work) ? place_of(out, &count, group[g].work) : NULL;
        if (!at)
            continue;
        at->calls++;
        at->recorded += group[g].origin_ms;
        for (uint32_t k = 0; k < group[g].kernel_count; k++) {
            const habitat_estimate *e = &p->trace_kernels[index[group[g].first_kernel + k]];
            at->predicted += e->ms;
            at->low += e->low_ms;
            at->high += e->high_ms;
        }
    }
    habitat_prediction_free(p);
    return count;
}

typedef struct tally {
    size_t shapes, inside;
} tally;

static void compare(const recording *from, const recording *to, tally *sum) {
    static shape_times predicted[SHAPES_MAX], measured[SHAPES_MAX];
    size_t count = shapes_of(from, to->gpu, predicted);
    size_t others = shapes_of(to, to->gpu, measured);
    for (size_t i = 0; i < count; i++) {
        const shape_times *p = &predicted[i], *m = place_of(measured, &others, &p->work);
        if (!m || m->calls != p->calls)
            continue;
        sum->shapes++;
        sum->inside += m->recorded >= p->low && m->recorded <= p->high;
        CHECK_NEAR(p->predicted, m->recorded, .25);
        if (fabs(p->predicted / m->recorded - 1) > .25)
            printf("# %s of %.0f x %.0f onto %s: %.4g ms, measured %.4g\n", p->work.kind,
                   p->work.shape.rows.rows, p->work.shape.rows.columns, to->gpu->name, p->predicted,
                   m->recorded);
    }
}

static void test_pairs(void) {
    static const char folder[] = HABITAT_SOURCE_DIR "/data/recordings";
    recording_names names = {0};
    tally sum = {0};
    CHECK_INT(recording_names_read(folder, &names, NULL), HABITAT_OK);
    for (size_t i = 0; i + 1 < names.count; i++) { /* sorted: _h100 comes before its _h200 */
        size_t stem = recording_step_length(names.items[i]);
        if (stem == 0 || stem != recording_step_length(names.items[i + 1]) ||
            strncmp(names.items[i], names.items[i + 1], stem) != 0)
            continue;
        recording one = {0}, other = {0};
        CHECK_INT(recording_open(table, folder, names.items[i], &one, NULL), HABITAT_OK);
        CHECK_INT(recording_open(table, folder, names.items[i + 1], &other, NULL), HABITAT_OK);
        compare(&one, &other, &sum);
        compare(&other, &one, &sum);
        recording_close(&one);
        recording_close(&other);
    }
    recording_names_free(&names);
    CHECK(sum.shapes > 150);
    CHECK((double)sum.inside > .8 * (double)sum.shapes);
    printf("# %zu shapes, %zu inside their interval\n", sum.shapes, sum.inside);
    check_case("layer norm and softmax between an H100 and an H200, as both recorded them");
}

/* ---- Asked by size --------------------------------------------------------------------------- */

static habitat_work rows_work(const char *kind, double rows, double columns, habitat_dtype dtype) {
    habitat_work work = {0};
    habitat_rows_shape shape = {rows, columns};
    CHECK_INT(habitat_work_rows(kind, &shape, dtype, HABITAT_PASS_FORWARD, &work), HABITAT_OK);
    return work;
}

static double ms_on(const habitat_gpu *gpu, const habitat_work *work, habitat_timing timing) {
    habitat_model_query query = {.work = work, .timing = timing};
    habitat_model_estimate answer = {0};
    CHECK_INT(habitat_models_predict(models, HABITAT_MODEL_AUTO, 1, &gpu, 1, &query, &answer, NULL),
              HABITAT_OK);
    return answer.ms;
}

static const char *const kinds[] = {"softmax", "log_softmax", "layer_norm"};
static const double lengths[] = {50, 512, 1000, 1024, 1723, 1856, 2048, 4097, 30522, 32000, 50257};
static const double numbers[] = {512, 4096, 16384};
enum {
    KINDS = sizeof kinds / sizeof *kinds,
    LENGTHS = sizeof lengths / sizeof *lengths,
    NUMBERS = sizeof numbers / sizeof *numbers
};

/* Calls `visit` with every shape. */
static void each_shape(void (*visit)(const habitat_work *)) {
    for (size_t k = 0; k < KINDS; k++)
        for (size_t c = 0; c < LENGTHS; c++)
            for (size_t r = 0; r < NUMBERS; r++)
                for (int half = 0; half < 2; half++) {
                    habitat_work work = rows_work(kinds[k], numbers[r], lengths[c],
                                                  half ? HABITAT_DTYPE_BF16 : HABITAT_DTYPE_FP32);
                    visit(&work);
                }
}

static void same_with_and_without_timing(const habitat_work *work) {
    static const char *const names[] = {"V100-PCIE-32GB", "T4",      "A100-PCIE-40GB",
                                        "H100-SXM5-80GB", "RTX4090", "H200-SXM5-141GB"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const habitat_gpu *gpu = gpu_named(names[i]);
        CHECK_NEAR(ms_on(gpu, work, HABITAT_TIMING_KERNEL), ms_on(gpu, work, HABITAT_TIMING_GRAPH),
                   1e-12);
    }
}

static void never_slower_than_dominated(const habitat_work *work) {
    static const char *const names[][2] = {
        {"H200-SXM5-141GB", "H100-SXM5-80GB"}, {"H100-NVL-94GB", "H100-PCIE-80GB"},
        {"H100-SXM5-80GB", "H100-PCIE-80GB"},  {"H100-SXM5-80GB", "A100-SXM4-80GB"},
        {"A100-SXM4-80GB", "A100-PCIE-80GB"},  {"A100-PCIE-80GB", "A100-PCIE-40GB"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double better = ms_on(gpu_named(names[i][0]), work, HABITAT_TIMING_KERNEL);
        double dominated = ms_on(gpu_named(names[i][1]), work, HABITAT_TIMING_KERNEL);
        CHECK(better <= 1.02 * dominated);
        if (better > 1.02 * dominated)
            printf("# %s of %.0f x %.0f: %s %.4g ms, %s %.4g\n", work->kind, work->shape.rows.rows,
                   work->shape.rows.columns, names[i][0], better, names[i][1], dominated);
    }
}

static void test_by_size(void) {
    each_shape(same_with_and_without_timing);
    check_case("a question without a timing is one of the kernel, on every GPU");
    each_shape(never_slower_than_dominated);
    check_case("no GPU is slower than one that it is better than in every respect");
}

static void test_recorded_sizes(void) {
    static const struct {
        const char *gpu, *kind;
        double rows, columns;
        habitat_dtype dtype;
        double ms; /* of a recorded step, or collected */
    } calls[] = {
        {"H200-SXM5-141GB", "log_softmax", 16384, 30522, HABITAT_DTYPE_BF16, .911},
        {"H200-SXM5-141GB", "log_softmax", 8192, 50257, HABITAT_DTYPE_BF16, .544},
        {"H200-SXM5-141GB", "log_softmax", 8192, 50257, HABITAT_DTYPE_FP32, 1.485},
        {"H100-SXM5-80GB", "log_softmax", 16384, 30522, HABITAT_DTYPE_BF16, 1.027},
        {"H100-SXM5-80GB", "log_softmax", 8192, 32000, HABITAT_DTYPE_FP32, 1.302},
        {"H100-SXM5-80GB", "softmax", 1931, 1856, HABITAT_DTYPE_FP32, .00975},
        {"H100-SXM5-80GB", "layer_norm", 4096, 1024, HABITAT_DTYPE_FP32, .01497},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        habitat_work work =
            rows_work(calls[i].kind, calls[i].rows, calls[i].columns, calls[i].dtype);
        CHECK_NEAR(ms_on(gpu_named(calls[i].gpu), &work, HABITAT_TIMING_KERNEL), calls[i].ms, .3);
    }
    check_case("kernels asked by size, as steps recorded them");
}

int main(void) {
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    if (habitat_models_load_default(&models, NULL) != HABITAT_OK)
        return 77; /* a build without models */
    test_pairs();
    test_by_size();
    test_recorded_sizes();
    habitat_models_free(models);
    habitat_gpu_table_free(table);
    return check_done();
}
