/* Sanity of the whole table, and that each check can fail: a file with one planted fault must be
 * found out by name. Also the estimates of sustained rates, worked by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/gpu.h>

#include "gpu/entry.h"

#include "check.h"
#include "gpu_text.h"

static void check_table(void) {
    habitat_gpu_table *table = NULL;
    habitat_gpu_finding findings[20];
    size_t count = 20;
    CHECK(habitat_gpu_table_create(NULL, &table, NULL) == HABITAT_OK);
    CHECK(habitat_gpu_check(table, findings, &count) == HABITAT_OK);
    for (size_t i = 0; i < count && i < 20; i++)
        printf("# %s: %s\n", findings[i].gpu, findings[i].message);
    CHECK_INT(count, 0);
    check_case("no finding in the built-in table");
    CHECK(habitat_gpu_check(NULL, findings, &count) == HABITAT_E_ARG);
    CHECK(habitat_gpu_check(table, findings, NULL) == HABITAT_E_ARG);
    count = 3;
    CHECK(habitat_gpu_check(table, NULL, &count) == HABITAT_E_ARG);
    habitat_gpu_table_free(table);
    check_case("wrong arguments");
}

static void check_planted(void) {
    static const struct {
        const char *from, *to, *says;
    } rows[] = {
        {"\"fp32\": 12.8", "\"fp32\": 13.3", "SMs x lanes x 2 x boost clock gives 12.8"},
        {"\"fp32\": 12.8", "\"fp32\": 12.4", "SMs x lanes"},
        {"\"fp16\": 204.8, \"bf16\": 204.8", "\"fp16\": 409.6, \"bf16\": 409.6",
         "may count sparsity"},
        {"\"fp16\": 204.8", "\"fp16\": 20.48", "below twice"},
        {"\"fp16\": 204.8, \"bf16\": 204.8", "\"fp16\": 2048, \"bf16\": 2048",
         "matrix fp16 peak is 160 x plain fp32, and at most 16 x on built-in GPUs of its kind"},
        {"\"bf16\": 204.8", "\"bf16\": 2048",
         "matrix bf16 peak is 10 x matrix fp16, and at most 1 x on built-in GPUs of its kind"},
        {"\"bf16\": 204.8", "\"bf16\": 2.048",
         "matrix bf16 peak is 0.01 x matrix fp16, and at least 1 x on built-in GPUs of its kind"},
        {"\"bf16\": 204.8", "\"bf16\": 204.8, \"int8\": 4096",
         "matrix int8 peak is 20 x matrix fp16, and at most 2 x on built-in GPUs of its kind"},
        {"\"bf16\": 204.8", "\"bf16\": 204.8, \"int8\": 40.96",
         "matrix int8 peak is 0.2 x matrix fp16, and at least 2 x on built-in GPUs of its kind"},
        {"\"fp32\": 12.8", "\"fp32\": 12.8, \"fp16\": 51.2, \"bf16\": 256",
         "plain bf16 peak is 5 x plain fp16, and at most 0.5 x on built-in GPUs of its kind"},
        {"\"memory_bandwidth_gb_per_s\": 1500", "\"memory_bandwidth_gb_per_s\": 500",
         "out of range for HBM2e"},
        {"\"memory_bandwidth_gb_per_s\": 1500", "\"memory_bandwidth_gb_per_s\": 3000",
         "Gbit/s a pin is out of range"},
        {"\"HBM2e\"", "\"GDDR6\"", "out of range for GDDR6"},
        {"\"HBM2e\"", "\"HBM9\"", "unknown memory type"},
        {"\"memory_gib\": 32", "\"memory_gib\": 32, \"memory_usable_bytes\": 50e9",
         "usable memory does not fit"},
        {"\"l2_mib\": 32", "\"l2_mib\": 2000", "L2 holds more"},
        {"\"tdp_w\": 200", "\"tdp_w\": 20", "TDP of 20 W"},
        {"\"process_nm\": 7", "\"process_nm\": 70", "process node"},
        {"\"2024-05-06\"", "\"2002-05-06\"", "release date 2002-05-06"},
        {"\"NVIDIA\"", "\"Nvidia Corp\"", "unknown vendor"},
        {"\"NVIDIA\"", "\"AMD\"", "compute capability belongs to NVIDIA"},
        {"\"8.0\"", "\"6.1\"", "matrix peaks, but compute capability 6.1 has no matrix units"},
        {"\"8.0\"", "\"8.1\"", "no limits are known for compute capability 8.1"},
        {"\"tdp_w\": 200,", "\"tdp_w\": 200, \"sm_limits\": {\"max_blocks_per_sm\": 16},",
         "sm_limits differ from those of compute capability 8.0"},
        {"\"tdp_w\": 200,", "\"tdp_w\": 200, \"base_clock_mhz\": 2000,", "base clock above boost"},
        {"\"tdp_w\": 200,", "\"tdp_w\": 200, \"sustained\": {\"dram_gb_per_s\": 1600},",
         "sustained bandwidth above"},
        {"\"tdp_w\": 200,", "\"tdp_w\": 200, \"sustained\": {\"dram_gb_per_s\": 1.4},", /* TB/s */
         "sustained bandwidth below a fifth"},
        {"\"tdp_w\": 200,", "\"tdp_w\": 200, \"sustained\": {\"dram_gb_per_s\": 1400},",
         "no source for sustained.dram_gb_per_s"},
        {"\"tdp_w\": 200,",
         "\"tdp_w\": 200, \"sustained\": {\"matrix_tflop_per_s\": {\"bf16\": 215}},",
         "sustained matrix bf16 is not between 0.2 and 1.03 of its peak"},
        {"\"tdp_w\": 200,",
         "\"tdp_w\": 200, \"memory_ecc\": \"none\", \"sustained\": {\"plain_tflop_per_s\": "
         "{\"fp32\": 16}},",
         "sustained plain fp32 is not between 0.2 and 1.2 of its peak"},
        {"\"tdp_w\": 200,",
         "\"tdp_w\": 200, \"pcie_generation\": 4, \"pcie_lanes\": 16, "
         "\"pcie_bidirectional_gb_per_s\": 32,",
         "PCIe bandwidth does not fit"},
        {"\"vendor\", \"architecture\"", "\"vendor\"", "no source for architecture"},
        {"\"peak_dense_tflop_per_s\"]", "\"peak_dense_tflop_per_s.matrix\"]",
         "no source for peak_dense_tflop_per_s.plain.fp32"},
        {"\"peak_dense_tflop_per_s\"]", "\"peak_dense_tflop_per_s\"], \"kind\": \"measured\"",
         "peak_dense_tflop_per_s comes from a source of kind measured (sheet); it can be: data "
         "sheet, catalogue, derived"},
        {"\"memory_gib\": 32,",
         "\"memory_gib\": 32, \"memory_usable_bytes\": 33e9, \"x_a\": {\"b\": 0},",
         "no source for memory_usable_bytes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        habitat_gpu_table *table = NULL;
        habitat_error err = {0};
        habitat_gpu_finding findings[10];
        size_t count = 10;
        bool said = false;
        char title[200];
        CHECK(habitat_gpu_table_create(NULL, &table, NULL) == HABITAT_OK);
        const char *text = gpu_text_with(rows[i].from, rows[i].to);
        CHECK(text &&
              habitat_gpu_table_add_text(table, text, strlen(text), "x", NULL, &err) == HABITAT_OK);
        CHECK(habitat_gpu_check(table, findings, &count) == HABITAT_OK);
        for (size_t k = 0; k < count && k < 10; k++) {
            said |= strstr(findings[k].message, rows[i].says) != NULL;
            CHECK_TEXT(findings[k].gpu, "Test-1");
        }
        if (!said)
            printf("# %zu findings, first: %s\n", count, count ? findings[0].message : err.message);
        CHECK(said);
        habitat_gpu_table_free(table);
        snprintf(title, sizeof title, "found out: %.100s", rows[i].says);
        check_case(title);
    }
}

static void check_peak_note(void) {
    habitat_gpu_table *table = NULL;
    size_t count = 0;
    char noted[8192];
    const char *text =
        gpu_text_with("\"sm_count\": 100,", "\"sm_count\": 110, \"peak_note\": \"why\",");
    snprintf(noted, sizeof noted, "%s", text);
    CHECK(habitat_gpu_table_create(NULL, &table, NULL) == HABITAT_OK);
    CHECK(habitat_gpu_table_add_text(table, noted, strlen(noted), "x", NULL, NULL) == HABITAT_OK);
    CHECK(habitat_gpu_check(table, NULL, &count) == HABITAT_OK);
    CHECK_INT(count, 0);
    habitat_gpu_table_free(table);
    check_case("a stated reason excuses a peak");
}

/* Test-1: 7 nm, 200 W, 64 lanes, matrix units of 204.8/12.8 x 64 = 1024 multiply-adds, HBM2e: u
 * 0.96 and 0.92, e 0.48e12 x (1024/512)^0.38 = 0.624645e12 (16-bit matrix) and 0.066e12 (fp32), f
 * 0.89. bf16: 0.96 x 204.8 = 196.608, needs 196.608/0.624645 = 314.752 W: x (200/314.752)^0.43 =
 * 161.766 tf32: half the peak for half the work a joule: the same power, 80.8831 fp32: 0.92 x 12.8
 * = 11.776, needs 178 W: not bound DRAM: 0.89 x 1500 = 1335 GB/s */
static void check_estimates(void) {
    habitat_gpu_table *table = NULL;
    const habitat_gpu *gpu = NULL;
    CHECK(habitat_gpu_table_create(NULL, &table, NULL) == HABITAT_OK);
    CHECK(habitat_gpu_table_add_text(table, gpu_text, strlen(gpu_text), "x", &gpu, NULL) ==
          HABITAT_OK);
    CHECK_NEAR(gpu->sustained.matrix_flop_per_s[HABITAT_DTYPE_BF16], 161.766e12, 1e-4);
    CHECK_NEAR(gpu->sustained.matrix_flop_per_s[HABITAT_DTYPE_TF32], 80.8831e12, 1e-4);
    CHECK_NEAR(gpu->sustained.plain_flop_per_s[HABITAT_DTYPE_FP32], 11.776e12, 1e-9);
    CHECK_NEAR(gpu->sustained_bandwidth_bytes_per_s, 1335e9, 1e-9);
    CHECK(isnan(gpu->sustained.matrix_flop_per_s[HABITAT_DTYPE_FP8]));
    check_case("estimates of a GPU nobody measured");

    /* bf16 measured at 150: tf32, half of its estimate, is half of that */
    const char *text =
        gpu_text_with("\"tdp_w\": 200,",
                      "\"tdp_w\": 200, \"sustained\": {\"matrix_tflop_per_s\": {\"bf16\": 150}},");
    CHECK(habitat_gpu_table_add_text(table, text, strlen(text), "x", &gpu, NULL) == HABITAT_OK);
    CHECK_NEAR(gpu->sustained.matrix_flop_per_s[HABITAT_DTYPE_TF32], 75e12, 1e-9);
    CHECK_NEAR(gpu->sustained.matrix_flop_per_s[HABITAT_DTYPE_BF16], 150e12, 1e-9);
    CHECK(!gpu->sustained_matrix_estimated[HABITAT_DTYPE_BF16]);
    CHECK(gpu->sustained_matrix_estimated[HABITAT_DTYPE_TF32]);
    check_case("a measured format corrects the others of its unit");

    for (size_t i = 0; i < habitat_gpu_count(table); i++) {
        const habitat_gpu *any = habitat_gpu_at(table, i);
        for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++) {
            CHECK(isnan(any->sustained.matrix_flop_per_s[d]) ==
                  isnan(any->peak.matrix_flop_per_s[d]));
            CHECK(isnan(any->sustained.plain_flop_per_s[d]) ==
                  isnan(any->peak.plain_flop_per_s[d]));
        }
        CHECK(any->sustained_bandwidth_bytes_per_s > 0);
    }
    check_case("every peak has a sustained rate, and nothing else has one");
    habitat_gpu_table_free(table);
}

/* Whether the source of a rate says that the rule is not meant to give it, and why. */
static bool beyond_the_rule(const habitat_gpu *gpu, const char *unit, const char *format) {
    static const char says[] = "not reproduced by the rule: ";
    char field[96];
    snprintf(field, sizeof field, "sustained.%s_tflop_per_s.%s", unit, format);
    const habitat_gpu_source *source = habitat_gpu_source_of(gpu, field);
    return source && source->note && strncmp(source->note, says, sizeof says - 1) == 0;
}

/* The rule against everything that was measured: each GPU with its measurements taken away. The
 * table is in docs/gpus.md. */
static void check_rule_against_measurements(void) {
    habitat_gpu_table *table = NULL;
    size_t compared = 0;
    CHECK(habitat_gpu_table_create(NULL, &table, NULL) == HABITAT_OK);
    for (size_t i = 0; i < habitat_gpu_count(table); i++) {
        const habitat_gpu *gpu = habitat_gpu_at(table, i);
        habitat_gpu bare = *gpu;
        for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++)
            bare.sustained.matrix_flop_per_s[d] = bare.sustained.plain_flop_per_s[d] = NAN;
        bare.sustained_bandwidth_bytes_per_s = NAN;
        gpu_estimate_sustained(&bare);
        for (size_t k = 0; k <= 2 * HABITAT_DTYPE_COUNT; k++) {
            size_t d = k / 2;
            bool bandwidth = d == HABITAT_DTYPE_COUNT, matrix = k % 2;
            const habitat_rates *m = &gpu->sustained, *e = &bare.sustained;
            double measured = bandwidth ? gpu->sustained_bandwidth_bytes_per_s
                              : matrix  ? m->matrix_flop_per_s[d]
                                        : m->plain_flop_per_s[d];
            double estimate = bandwidth ? bare.sustained_bandwidth_bytes_per_s
                              : matrix  ? e->matrix_flop_per_s[d]
                                        : e->plain_flop_per_s[d];
            bool estimated = bandwidth ? gpu->sustained_bandwidth_estimated
                             : matrix  ? gpu->sustained_matrix_estimated[d]
                                       : gpu->sustained_plain_estimated[d];
            if (estimated || isnan(measured))
                continue;
            const char *unit = bandwidth ? "DRAM" : matrix ? "matrix" : "plain";
            const char *format = bandwidth ? "" : habitat_dtype_name((habitat_dtype)d);
            compared++;
            printf("# %s %s %s: measured %.4g, rule %.4g T, %+.0f %%\n", gpu->name, unit, format,
                   measured / 1e12, estimate / 1e12, 100 * (estimate / measured - 1));
            if (!bandwidth && beyond_the_rule(gpu, unit, format))
                CHECK(fabs(estimate / measured - 1) > 0.25); /* else it need not say so */
            else
                CHECK_NEAR(estimate, measured, 0.25);
        }
    }
    CHECK(compared >= 100);
    habitat_gpu_table_free(table);
    check_case(
        "the rule is within 25 % of every measurement, but of those whose source says why not");
}

static double share(const habitat_gpu *gpu, bool matrix, size_t d) {
    return matrix ? gpu->sustained.matrix_flop_per_s[d] / gpu->peak.matrix_flop_per_s[d]
                  : gpu->sustained.plain_flop_per_s[d] / gpu->peak.plain_flop_per_s[d];
}

/* Shares of the peak in the formats that the second was measured in and the first was not. */
static void check_kin_pair(const habitat_gpu *a, const habitat_gpu *b) {
    for (size_t k = 0; k < 2 * HABITAT_DTYPE_COUNT; k++) {
        double x = share(a, k % 2, k / 2), y = share(b, k % 2, k / 2);
        const bool *estimated =
            k % 2 ? a->sustained_matrix_estimated : a->sustained_plain_estimated;
        const bool *other = k % 2 ? b->sustained_matrix_estimated : b->sustained_plain_estimated;
        if (isnan(x) || isnan(y) || !estimated[k / 2] || other[k / 2])
            continue;
        if (fabs(x / y - 1) > 0.1)
            printf("# %s %g, %s %g of the %s peak in %s\n", a->name, x, b->name, y,
                   k % 2 ? "matrix" : "plain", habitat_dtype_name((habitat_dtype)(k / 2)));
        CHECK_NEAR(x, y, 0.1);
    }
}

/* Measured on one part, taken by the other: RTX 4060 Ti 11.5 of 22.06, A2000 35.99 in fp16, GH200
 * 828.6 in bf16; of two parts the mean: (271.2 + 266.5) / 2 of the A100 and the A800 with 80 GB. An
 * L40 has fewer watts than an L40S: the rule. */
static void check_kin(void) {
    static const struct {
        const char *name;
        bool matrix;
        habitat_dtype dtype;
        double tflop_per_s;
    } rows[] = {{"RTX4060Ti-8GB", false, HABITAT_DTYPE_FP32, 11.5},
                {"A2000-6GB", true, HABITAT_DTYPE_FP16, 35.99},
                {"GH200-96GB", true, HABITAT_DTYPE_BF16, 828.6},
                {"A800-PCIE-40GB", true, HABITAT_DTYPE_BF16, 234.1},
                {"A100-SXM4-40GB", true, HABITAT_DTYPE_BF16, 268.85},
                {"P100-PCIE-12GB", false, HABITAT_DTYPE_FP32, 7.205},
                {"L40", true, HABITAT_DTYPE_BF16, 150.5}};
    habitat_gpu_table *table = NULL;
    size_t pairs = 0;
    CHECK(habitat_gpu_table_create(NULL, &table, NULL) == HABITAT_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const habitat_gpu *gpu = NULL;
        CHECK_INT(habitat_gpu_find(table, rows[i].name, &gpu, NULL, NULL), HABITAT_OK);
        const habitat_rates *r = &gpu->sustained;
        CHECK_NEAR((rows[i].matrix ? r->matrix_flop_per_s : r->plain_flop_per_s)[rows[i].dtype],
                   rows[i].tflop_per_s * 1e12, 1e-3);
        CHECK((rows[i].matrix ? gpu->sustained_matrix_estimated
                              : gpu->sustained_plain_estimated)[rows[i].dtype]);
    }
    for (size_t i = 0; i < habitat_gpu_count(table); i++)
        for (size_t j = 0; j < habitat_gpu_count(table); j++)
            if (gpu_kinship(habitat_gpu_at(table, i), habitat_gpu_at(table, j)) >= 1) {
                check_kin_pair(habitat_gpu_at(table, i), habitat_gpu_at(table, j));
                pairs++;
            }
    CHECK(pairs >= 20);
    const habitat_gpu *mine = NULL;
    CHECK_INT(habitat_gpu_table_add_file(table, HABITAT_SOURCE_DIR "/data/gpus/RTX4060Ti-8GB.json",
                                         &mine, NULL),
              HABITAT_OK);
    CHECK_NEAR(mine->sustained.plain_flop_per_s[HABITAT_DTYPE_FP32], 11.5e12, 1e-3);
    habitat_gpu_table_free(table);
    check_case("parts of one chip share what was measured, also from a user's file");
}

/* A made part with another clock and power than a part of its chip: with the measured share, with
 * the rule's, and no jump in between. */
static double fp32_of_made(double clock, double watt) {
    habitat_gpu_table *table = NULL;
    const habitat_gpu *part = NULL;
    CHECK(habitat_gpu_table_create(NULL, &table, NULL) == HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "RTX4060Ti-8GB", &part, NULL, NULL), HABITAT_OK);
    habitat_gpu made;
    habitat_gpu_unmeasured(part, &made);
    made.name = "made";
    made.boost_clock_hz *= clock;
    made.tdp_w *= watt;
    gpu_estimate_sustained(&made);
    gpu_rates_of_kin(table, &made);
    double rate = made.sustained.plain_flop_per_s[HABITAT_DTYPE_FP32];
    habitat_gpu_table_free(table);
    return rate;
}

static void check_kinship(void) {
    double near = fp32_of_made(1.0, 1.0), far = fp32_of_made(1.05, 1.0), before = near;
    CHECK_NEAR(near, 11.5e12, 1e-3);
    CHECK_NEAR(far, 15.4e12, 1e-2);
    for (int step = 1; step <= 50; step++) {
        double now = fp32_of_made(1.0 + step * 0.001, 1.0);
        CHECK(now >= before && now < before * 1.04);
        before = now;
    }
    CHECK_NEAR(before, far, 1e-9);
    CHECK_NEAR(fp32_of_made(1.0004, 1.0), near, 1e-9); /* a sheet that rounds */
    before = near;
    for (int step = 1; step <= 50; step++) {
        double now = fp32_of_made(1.0, 1.05 + step * 0.001);
        CHECK(fabs(now / before - 1.0) < 0.04);
        before = now;
    }
    CHECK(before > 1.2 * near);
    check_case(
        "a part's share goes over into the rule as its clock or power leave those of its kin");
}

int main(void) {
    check_table();
    check_planted();
    check_peak_note();
    check_estimates();
    check_kin();
    check_kinship();
    check_rule_against_measurements();
    return check_done();
}
