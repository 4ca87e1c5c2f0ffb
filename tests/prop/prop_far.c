/* Sizes far from all that was measured: the time goes on growing, stays by the analytic bound, and
 * the interval widens. GPUs of six architectures, number formats with a model each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "gpu/gpu.h"

static const char *const names[] = {"P100-PCIE-16GB", "T4",   "V100-PCIE-32GB",
                                    "A100-PCIE-40GB", "L40S", "H200-SXM5-141GB"};
static const char *const formats[] = {"fp32", "tf32", "bf16", "fp16"};
enum { GPUS = sizeof names / sizeof *names, FORMATS = sizeof formats / sizeof *formats };

static const habitat_gpu *gpus[GPUS];
static habitat_models *models;

typedef struct answers {
    habitat_work work;
    habitat_model_estimate of[GPUS];
} answers;

static bool ask(const char *op, const char *shape, const char *dtype, const char *pass,
                answers *out) {
    habitat_measurement parts[HABITAT_OPERATION_PARTS_MAX];
    size_t count = 0;
    habitat_error err = {0};
    bool known =
        habitat_operation_from_words(op, shape, dtype, pass, parts, &count, &err) == HABITAT_OK;
    if (!known)
        printf("# %s %s: %s\n", op, shape, err.message);
    CHECK(known);
    habitat_model_query query = habitat_strict_query(&parts[0]);
    CHECK_INT(
        habitat_models_predict(models, HABITAT_MODEL_AUTO, GPUS, gpus, 1, &query, out->of, &err),
        HABITAT_OK);
    out->work = parts[0].work;
    return known;
}

/* Bytes at the bandwidth of the data sheet; the cache holds a few. */
static double least_ms(const habitat_work *work, const habitat_gpu *gpu) {
    double bytes = work->read_bytes + work->write_bytes - gpu->l2_bytes;
    return 1e3 * bytes / gpu->memory_bandwidth_bytes_per_s;
}

/* A generous analytic bound: sustained rates of plain units, one after the other, and a launch;
 * `factor` for convolutions and recurrent layers, which read more than each tensor once. */
static double most_ms(const habitat_work *work, const habitat_gpu *gpu, double factor) {
    double bytes = work->read_bytes + work->write_bytes;
    return factor * (1e3 * (work->flop / gpu->sustained.plain_flop_per_s[HABITAT_DTYPE_FP32] +
                            bytes / gpu->sustained_bandwidth_bytes_per_s) +
                     .01);
}

/* Below this launches decide. */
static const double launch_ms = 0.02;
/* From this distance on, 400 times the margin and more, little is left of corrections. */
enum { FAR = 6 };

/* One size grows by factors of 10 while the others stay. `format` has one %.0f. */
static void grow(const char *op, const char *format, const char *dtype, const char *pass,
                 double from, double to, double factor) {
    answers before = {0}, now;
    for (double size = from; size <= to; size *= 10) {
        char shape[200];
        snprintf(shape, sizeof shape, format, size, size);
        if (!ask(op, shape, dtype, pass, &now))
            return;
        for (int g = 0; g < GPUS; g++) {
            const habitat_model_estimate *a = &before.of[g], *b = &now.of[g];
            if (!b->covered)
                continue;
            CHECK(b->low_ms <= b->ms && b->ms <= b->high_ms);
            CHECK(b->ms >= least_ms(&now.work, gpus[g]) * (1 - 1e-12));
            if (!a->covered)
                continue;
            bool grows = !b->outside.size || b->ms < launch_ms || b->ms >= a->ms * (1 - 1e-9);
            bool widens = !b->outside.size || b->high_ms / b->ms >= a->high_ms / a->ms * (1 - 1e-9);
            bool bounded =
                b->outside.distance < FAR || b->ms <= most_ms(&now.work, gpus[g], factor);
            if (!grows || !widens || !bounded)
                printf("# %s %s %s %s on %s: %g ms after %g, bound %g, distance %g\n", op, shape,
                       dtype, pass, names[g], b->ms, a->ms, most_ms(&now.work, gpus[g], 1),
                       b->outside.distance);
            CHECK(grows && widens && bounded);
        }
        before = now;
    }
}

static void check_products(void) {
    for (int f = 0; f < FORMATS; f++) {
        grow("gemm", "m=1 n=1 k=%.0f", formats[f], "forward", 1e3, 1e13, 5);
        grow("gemm", "m=16 n=16 k=%.0f", formats[f], "forward", 1e3, 1e13, 4);
        grow("gemm", "m=%.0f n=1 k=1", formats[f], "forward", 1e3, 1e13, 4);
        grow("gemm", "m=64 n=%.0f k=64", formats[f], "forward", 1e3, 1e13, 4);
        grow("bmm", "b=%.0f m=4 n=4 k=4", formats[f], "forward", 1e3, 1e13, 4);
    }
    /* of one matrix alone, all that fp8 was measured with: their number is no size far outside */
    grow("bmm", "b=%.0f m=512 n=512 k=64", "fp8", "forward", 1, 1e9, 6);
    check_case(
        "products: longer takes longer, between bandwidth and five times the analytic bound");
}

static void check_convolutions(void) {
    static const char *const passes[] = {"forward", "backward", "backward-input",
                                         "backward-weight"};
    for (int f = 0; f < FORMATS; f++)
        for (int p = 0; p < 4; p++) {
            grow("conv2d", "batch=%.0f in_channels=64 out_channels=64 kernel=3 size=14 padding=1",
                 formats[f], passes[p], 10, 1e9, 6);
            grow("conv2d", "batch=1 in_channels=8 out_channels=8 kernel=3 size=14 padding=%.0f",
                 formats[f], passes[p], 10, 1e6, 6);
        }
    check_case("convolutions: every pass grows with the batch and the padding");
}

static void check_others(void) {
    for (int f = 0; f < FORMATS; f++) {
        if (strcmp(formats[f], "tf32") == 0)
            continue;
        grow("softmax", "rows=%.0f columns=64", formats[f], "forward", 1e3, 1e13, 4);
        grow("layer_norm", "rows=%.0f columns=1024", formats[f], "forward", 1e3, 1e12, 4);
        grow("batch_norm", "rows=%.0f columns=1024", formats[f], "forward", 1e3, 1e12, 16);
        grow("add", "elements=%.0f", formats[f], "forward", 1e3, 1e14, 4);
        grow("copy", "elements=%.0f", formats[f], "forward", 1e3, 1e14, 4);
        grow("attention", "batch=%.0f heads=8 kv_heads=8 length=512 head_dim=64", formats[f],
             "forward", 1, 1e9, 16);
        grow("lstm", "batch=%.0f steps=32 input=256 hidden=256", formats[f], "forward", 10, 1e9,
             16);
    }
    check_case("rows, elements, attention and recurrent layers grow too");
}

int main(void) {
    habitat_gpu_table *table = NULL;
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    CHECK_INT(habitat_models_load_default(&models, NULL), HABITAT_OK);
    for (int g = 0; g < GPUS; g++)
        CHECK_INT(habitat_gpu_find(table, names[g], &gpus[g], NULL, NULL), HABITAT_OK);
    check_products();
    check_convolutions();
    check_others();
    habitat_models_free(models);
    habitat_gpu_table_free(table);
    return check_done();
}
