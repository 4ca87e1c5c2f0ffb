/* What a GPU file may leave out: the values that follow, held against the built-in GPUs, and the
 * one message that names all that is missing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <habitat/gpu.h>

#include "check.h"
#include "gpu/gpu.h"

static habitat_gpu_table *fresh(void) {
    habitat_gpu_table *table = NULL;
    CHECK(habitat_gpu_table_create(NULL, &table, NULL) == HABITAT_OK);
    return table;
}

static habitat_status add(habitat_gpu_table *table, const char *text, const habitat_gpu **out,
                          habitat_error *err) {
    return habitat_gpu_table_add_text(table, text, strlen(text), "own.json", out, err);
}

/* The shortest file of a built-in GPU under another name; `peaks` as JSON. */
static const char *short_file(const habitat_gpu *gpu, const char *peaks) {
    static char text[1024];
    snprintf(
        text, sizeof text,
        "{\"schema\": 1, \"name\": \"Own-1\", \"compute_capability\": \"%u.%u\", "
        "\"tdp_w\": %.17g, \"sm_count\": %u, \"boost_clock_mhz\": %.17g, \"memory_gib\": %.17g, "
        "\"memory_type\": \"%s\", \"memory_bandwidth_gb_per_s\": %.17g, \"l2_mib\": %.17g%s}",
        gpu->compute_capability / 10, gpu->compute_capability % 10, gpu->tdp_w, gpu->sm_count,
        gpu->boost_clock_hz / 1e6, gpu->memory_sold_bytes / HABITAT_GIB, gpu->memory_type,
        gpu->memory_bandwidth_bytes_per_s / 1e9, gpu->l2_bytes / 1048576, peaks);
    return text;
}

/* Everything that was derived is what the vendor publishes: sheets round to three digits, and
 * some state fp64 at another clock. */
static void same_peaks(const habitat_gpu *own, const habitat_gpu *gpu, size_t *compared) {
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++)
        for (int matrix = 0; matrix < 2; matrix++) {
            double got = (matrix ? own->peak.matrix_flop_per_s : own->peak.plain_flop_per_s)[d];
            double want = (matrix ? gpu->peak.matrix_flop_per_s : gpu->peak.plain_flop_per_s)[d];
            if (isnan(got))
                continue;
            ++*compared;
            if (!(fabs(got / want - 1) < 0.01)) {
                printf("# %s, %s, %s: %g follows, %g is published\n", gpu->name,
                       matrix ? "matrix" : "plain", habitat_dtype_name((habitat_dtype)d),
                       got / 1e12, want / 1e12);
                check_case_failed = 1;
            }
        }
}

static void check_against_built_in(void) {
    habitat_gpu_table *table = fresh();
    size_t count = habitat_gpu_count(table), compared = 0, gpus = 0, nvidia = 0;
    for (size_t i = 0; i < count; i++) {
        const habitat_gpu *gpu = habitat_gpu_at(table, i), *own = NULL;
        nvidia += strcmp(gpu->vendor, "NVIDIA") == 0;
        if (gpu->compute_capability == 0)
            continue;
        habitat_gpu_table *other = fresh();
        habitat_error err = {0};
        char peaks[128] = "";
        double fp16 = gpu->peak.matrix_flop_per_s[HABITAT_DTYPE_FP16];
        if (isnan(fp16))
            snprintf(peaks, sizeof peaks, ", \"peak_dense_tflop_per_s\": {\"matrix\": {}}");
        else if (gpu->compute_capability > 70 && gpu->compute_capability != 80)
            snprintf(peaks, sizeof peaks,
                     ", \"peak_dense_tflop_per_s\": {\"matrix\": {\"fp16\": %.17g}}", fp16 / 1e12);
        CHECK_INT(add(other, short_file(gpu, peaks), &own, &err), HABITAT_OK);
        if (own) {
            CHECK_TEXT(own->vendor, gpu->vendor);
            CHECK_TEXT(own->architecture, gpu->architecture);
            if (strcmp(gpu->chip, "GP107") != 0) /* 14 nm, its siblings 16 */
                CHECK(own->process_nm == gpu->process_nm);
            CHECK_INT(own->fp32_lanes_per_sm, gpu->fp32_lanes_per_sm);
            same_peaks(own, gpu, &compared);
            gpus++;
        } else {
            printf("# %s: %s\n", gpu->name, err.message);
        }
        habitat_gpu_table_free(other);
    }
    CHECK_INT(gpus, nvidia);
    CHECK(gpus >= 67 && compared > gpus * 5);
    check_case("what follows from the compute capability is what every built-in GPU has");
    habitat_gpu_table_free(table);
}

/* 10 SMs of 128 lanes at 1 GHz: 2.56 TFLOP/s; half the sheet's fp16 figure of 20 is 10. */
static void check_values(void) {
    static const char text[] =
        "{\"schema\": 1, \"name\": \"Own-1\", \"compute_capability\": \"8.9\", \"tdp_w\": 100,"
        "\"sm_count\": 10, \"boost_clock_mhz\": 1000, \"memory_gib\": 8, \"memory_type\": "
        "\"GDDR6\", \"memory_ecc\": \"none\","
        "\"memory_bandwidth_gb_per_s\": 250, \"l2_mib\": 24,"
        "\"peak_dense_tflop_per_s\": {\"matrix\": {\"tf32\": 5, \"fp16\": null, \"int8\": 44}}}";
    habitat_gpu_table *table = fresh();
    const habitat_gpu *gpu = NULL;
    habitat_error err = {0};
    size_t count = 0;
    CHECK_INT(add(table, text, &gpu, &err), HABITAT_OK);
    const double *plain = gpu->peak.plain_flop_per_s, *matrix = gpu->peak.matrix_flop_per_s;
    CHECK(plain[HABITAT_DTYPE_FP32] == 2.56e12 && plain[HABITAT_DTYPE_BF16] == 2.56e12);
    CHECK(plain[HABITAT_DTYPE_FP64] == 0.04e12 && isnan(plain[HABITAT_DTYPE_INT8]));
    CHECK(matrix[HABITAT_DTYPE_FP16] == 10e12 && matrix[HABITAT_DTYPE_BF16] == 10e12);
    CHECK(matrix[HABITAT_DTYPE_TF32] == 5e12 && matrix[HABITAT_DTYPE_FP8] == 20e12);
    CHECK(matrix[HABITAT_DTYPE_INT8] == 44e12 && isnan(matrix[HABITAT_DTYPE_FP64]));
    CHECK(gpu->release_date == NULL);
    CHECK_TEXT(habitat_gpu_source_of(gpu, "peak_dense_tflop_per_s.matrix.bf16")->id, "derived");
    CHECK(habitat_gpu_source_of(gpu, "peak_dense_tflop_per_s.matrix.tf32") == NULL);
    CHECK(habitat_gpu_check(table, NULL, &count) == HABITAT_OK);
    CHECK_INT(count, 0);
    check_case("values that follow are worked out and marked, and need no source");
    habitat_gpu_table_free(table);
}

static void check_clock(void) {
    static const char text[] =
        "{\"schema\": 1, \"name\": \"Own-1\", \"compute_capability\": \"7.5\", \"tdp_w\": 100,"
        "\"sm_count\": 16, \"memory_gib\": 8, \"memory_type\": \"GDDR6\","
        "\"memory_bandwidth_gb_per_s\": 250, \"l2_mib\": 2,"
        "\"peak_dense_tflop_per_s\": {\"plain\": {\"fp32\": 3.072}, \"matrix\": {}}}";
    habitat_gpu_table *table = fresh();
    const habitat_gpu *gpu = NULL;
    CHECK_INT(add(table, text, &gpu, NULL), HABITAT_OK);
    CHECK(fabs(gpu->boost_clock_hz - 1.5e9) < 1); /* 3.072e12 / (2 x 16 x 64) */
    CHECK(isnan(gpu->peak.matrix_flop_per_s[HABITAT_DTYPE_FP16]));
    check_case("the clock follows from the fp32 peak; \"matrix\": {} is a card without such units");
    habitat_gpu_table_free(table);
}

static void check_missing(void) {
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"{}", "missing: schema, name, compute_capability, tdp_w, sm_count, boost_clock_mhz, "
               "memory_gib, memory_type, memory_bandwidth_gb_per_s, l2_mib; `habitat gpus "
               "--template` shows a file to fill in"},
        {"{\"vendor\": \"AMD\", \"name\": \"X\"}",
         "missing: schema, architecture, process_nm, tdp_w, sm_count, fp32_lanes_per_sm, "
         "boost_clock_mhz, memory_gib, memory_type, memory_bandwidth_gb_per_s, l2_mib; `habitat "
         "gpus --template` shows a file to fill in"},
        {"{\"schema\": 1, \"name\": \"X\", \"compute_capability\": \"9.0\", \"sm_count\": 1, "
         "\"chip\": null, \"boost_clock_mhz\": 1000, \"tdp_w\": 100}",
         "missing: chip, memory_gib, memory_type, memory_bandwidth_gb_per_s, l2_mib, "
         "peak_dense_tflop_per_s.matrix.fp16; `habitat gpus --template` shows a file to fill in"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        habitat_gpu_table *table = fresh();
        habitat_error err = {0};
        CHECK_INT(add(table, rows[i].text, NULL, &err), HABITAT_E_FORMAT);
        CHECK_TEXT(err.message, rows[i].says);
        habitat_gpu_table_free(table);
    }
    habitat_gpu_table *table = fresh();
    habitat_error err = {0};
    CHECK_INT(add(table, habitat_gpu_template(), NULL, &err), HABITAT_E_FORMAT);
    CHECK(strncmp(err.message, "missing: name, compute_capability, tdp_w", 40) == 0);
    habitat_gpu_table_free(table);
    check_case("everything that is missing is said at once, of the template too");
}

int main(void) {
    check_against_built_in();
    check_values();
    check_clock();
    check_missing();
    return check_done();
}
