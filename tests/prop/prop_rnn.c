/* Recurrent layers on every NVIDIA GPU of the table: what is known of their order. A batch or a
 * width twice as large is not quicker, but where PyTorch runs it otherwise (work/rnn_way.h); 16 bit
 * is not slower than fp32 where a GPU has units for it and no layer is so narrow that fp32 alone
 * has a kernel for all steps; a GPU that has at least as much of everything is rarely slower.
 * Rarely: the measured GPUs before Hopper ran libraries of their time, others are answered by
 * today's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "dominates.h"
#include "gpu/gpu.h"
#include "random.h"
#include "work/rnn_way.h"

enum { GPUS_MAX = 512, SHAPES = 60, FORMATS = 3 };
static const habitat_dtype formats[FORMATS] = {HABITAT_DTYPE_FP32, HABITAT_DTYPE_FP16,
                                               HABITAT_DTYPE_BF16};

static const habitat_gpu *gpus[GPUS_MAX];
static size_t gpu_count;
static habitat_models *models;

typedef struct question {
    habitat_rnn_shape shape;
    habitat_dtype dtype;
    habitat_pass pass;
} question;

static void answer(const question *q, double *ms) {
    habitat_work work;
    habitat_error err = {0};
    static habitat_model_estimate found[GPUS_MAX];
    CHECK_INT(habitat_work_rnn(&q->shape, q->dtype, q->pass, &work), HABITAT_OK);
    habitat_model_query query = {.work = &work, .arithmetic = q->dtype};
    CHECK_INT(
        habitat_models_predict(models, HABITAT_MODEL_AUTO, gpu_count, gpus, 1, &query, found, &err),
        HABITAT_OK);
    for (size_t i = 0; i < gpu_count; i++)
        ms[i] = found[i].covered ? found[i].ms : NAN;
}

static rnn_way way_on(const question *q, const habitat_gpu *gpu) {
    rnn_device device = {gpu->compute_capability, gpu->sm_count};
    return rnn_way_of(&q->shape, q->dtype, q->pass != HABITAT_PASS_FORWARD, &device);
}

#define PICK(...)                                                                                  \
    ((const double[]){__VA_ARGS__}[below(sizeof(const double[]){__VA_ARGS__} / sizeof(double))])

/* Narrow layers have kernels of their own for all steps. */
static question draw(bool narrow) {
    question q = {.shape = {.gates = PICK(4, 4, 3, 1),
                            .batch = PICK(1, 8, 16, 32, 64, 128),
                            .steps = PICK(10, 50, 200),
                            .input = PICK(128, 512, 1024, 2048),
                            .hidden = PICK(256, 512, 1024, 2048),
                            .layers = PICK(1, 1, 2, 4),
                            .bidirectional = below(4) == 0},
                  .dtype = formats[below(FORMATS)],
                  .pass = below(2) ? HABITAT_PASS_FORWARD : HABITAT_PASS_BACKWARD};
    if (narrow) {
        q.shape.hidden = PICK(32, 48, 64, 96, 128, 192);
        q.shape.input = PICK(16, 64, 128, 512);
    }
    return q;
}

static size_t asked, against;

/* `more` does more than `less`: how often is it quicker by more than `share`? */
static void compare(const question *less, const question *more, double share, const char *what) {
    static double x[GPUS_MAX], y[GPUS_MAX];
    answer(less, x);
    answer(more, y);
    for (size_t i = 0; i < gpu_count; i++) {
        if (!(x[i] > 0.0) || !(y[i] > 0.0) || way_on(less, gpus[i]) != way_on(more, gpus[i]))
            continue;
        asked++;
        if (y[i] >= x[i] * (1.0 - share))
            continue;
        against++;
        printf("# %s %s %s: gates %g batch %g steps %g input %g hidden %g layers %g%s: %.4g, then "
               "%.4g ms\n",
               what, gpus[i]->name, habitat_dtype_name(less->dtype), less->shape.gates,
               less->shape.batch, less->shape.steps, less->shape.input, less->shape.hidden,
               less->shape.layers, less->shape.bidirectional ? " both" : "", x[i], y[i]);
    }
}

static void test_sizes(bool narrow) {
    asked = against = 0;
    for (int i = 0; i < SHAPES; i++) {
        question less = draw(narrow), wider, more = less;
        more.shape.batch *= 2;
        compare(&less, &more, 0.15, "batch");
        wider = less;
        wider.shape.hidden *= 2;
        compare(&less, &wider, 0.15, "hidden");
        more = less;
        more.shape.steps *= 2;
        compare(&less, &more, 0.0, "steps");
    }
    printf("# %zu pairs\n", asked);
    CHECK(asked > 10000);
    CHECK(against == 0);
    check_case(narrow ? "twice the batch, width or steps is not quicker, of narrow layers"
                      : "twice the batch, width or steps is not quicker");
}

static bool has_units(const habitat_gpu *gpu, habitat_dtype dtype) {
    return gpu->peak.matrix_flop_per_s[dtype] > gpu->peak.plain_flop_per_s[HABITAT_DTYPE_FP32];
}

static void test_formats(void) {
    static double wide[GPUS_MAX], narrow[GPUS_MAX];
    size_t compared = 0, slower = 0;
    for (int i = 0; i < SHAPES; i++) {
        question q = draw(false);
        q.shape.hidden = fmax(q.shape.hidden, 512);
        q.dtype = HABITAT_DTYPE_FP32;
        answer(&q, wide);
        for (int f = 1; f < FORMATS; f++) {
            q.dtype = formats[f];
            answer(&q, narrow);
            for (size_t g = 0; g < gpu_count; g++) {
                if (!has_units(gpus[g], q.dtype) || !(wide[g] > 0.0) || !(narrow[g] > 0.0))
                    continue;
                compared++;
                slower += narrow[g] > 1.15 * wide[g];
                if (narrow[g] > 1.15 * wide[g])
                    printf("# %s %s: gates %g batch %g steps %g input %g hidden %g layers %g: fp32 "
                           "%.4g, %.4g ms\n",
                           gpus[g]->name, habitat_dtype_name(q.dtype), q.shape.gates, q.shape.batch,
                           q.shape.steps, q.shape.input, q.shape.hidden, q.shape.layers, wide[g],
                           narrow[g]);
            }
        }
    }
    CHECK(compared > 5000);
    CHECK(slower == 0);
    check_case("16 bit is not slower than fp32 where the GPU has units for it");
}

static void test_order(bool narrow) {
    static double ms[GPUS_MAX];
    size_t pairs = 0, inverted = 0;
    for (int i = 0; i < SHAPES; i++) {
        question q = draw(narrow);
        answer(&q, ms);
        for (size_t a = 0; a < gpu_count; a++)
            for (size_t b = 0; b < gpu_count; b++) {
                if (!(ms[a] > 0.0) || !(ms[b] > 0.0) || !dominates(gpus[a], gpus[b]))
                    continue;
                pairs++;
                inverted += ms[a] > 1.02 * ms[b];
            }
    }
    printf("# %zu of %zu pairs inverted\n", inverted, pairs);
    CHECK(pairs > 100000);
    CHECK(inverted * (narrow ? 25 : 200) < pairs);
    check_case(
        narrow
            ? "of 25 pairs of which one GPU has at least as much of everything, 24 are in order, "
              "of narrow layers"
            : "of 200 pairs of which one GPU has at least as much of everything, 199 are in order");
}

int main(void) {
    habitat_gpu_table *table = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    CHECK_INT(habitat_models_load_default(&models, &err), HABITAT_OK);
    for (size_t i = 0; i < habitat_gpu_count(table) && gpu_count < GPUS_MAX; i++)
        if (strcmp(habitat_gpu_at(table, i)->vendor, "NVIDIA") == 0)
            gpus[gpu_count++] = habitat_gpu_at(table, i);
    test_sizes(false);
    test_formats();
    test_order(false);
    test_sizes(true);
    test_order(true);
    habitat_models_free(models);
    habitat_gpu_table_free(table);
    return check_done();
}
