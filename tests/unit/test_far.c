/* What models were trained on: ranges, distances, and what becomes of an answer outside. Values
 * are worked by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "base/constants_operators.h"
#include "check.h"
#include "gpu/gpu.h"
#include "lab/model_file.h"
#include "models/learned.h"

static habitat_work product(double m, double n, double k, habitat_dtype dtype) {
    habitat_work work;
    CHECK_INT(
        habitat_work_gemm(&(habitat_gemm_shape){.b = 1, .m = m, .n = n, .k = k}, dtype, &work),
        HABITAT_OK);
    return work;
}

/* Products of 64 x 64 x 64 to 1024 x 1024 x 1024. */
static learned_range trained(void) {
    learned_range range = {0};
    habitat_work small = product(64, 64, 64, HABITAT_DTYPE_FP32);
    habitat_work large = product(1024, 1024, 1024, HABITAT_DTYPE_FP16);
    range_add(&range, &large);
    range_add(&range, &small);
    return range;
}

static void check_ranges(void) {
    learned_range range = trained();
    CHECK_INT(range.count, 7);
    CHECK_NEAR(range.least[0], log2(2.0 * 64 * 64 * 64), 1e-6);
    CHECK_NEAR(range.most[0], log2(2.0 * 1024 * 1024 * 1024), 1e-6);
    CHECK_NEAR(range.least[6], 6, 1e-6);
    CHECK_NEAR(range.most[6], 10, 1e-6);
    CHECK(range_knows_format(&range, HABITAT_DTYPE_BF16));
    CHECK(!range_knows_format(&range, HABITAT_DTYPE_INT8));
    CHECK(!range_knows_format(&range, HABITAT_DTYPE_COMPLEX64));
    CHECK(range_knows_format(&(learned_range){0}, HABITAT_DTYPE_INT8));
    check_case("a range holds the least and the most of each size, and the kinds of numbers");
}

static habitat_outside outside_of(double m, double n, double k) {
    learned_range range = trained();
    habitat_work work = product(m, n, k, HABITAT_DTYPE_FP32);
    return range_outside(&range, &work);
}

static void check_distances(void) {
    CHECK(!outside_of(512, 512, 512).size);
    CHECK(!outside_of(512, 512, 16384).size);           /* 16 times the most: the margin */
    CHECK(!outside_of(16384, 16384, 16384).size);       /* 4096 times the flop: each size is near */
    CHECK(!outside_of(1, 1, 1).size);                   /* no more to do than a launch takes */
    habitat_outside far = outside_of(512, 512, 163840); /* ten times beyond the margin */
    CHECK_TEXT(far.size, "k");
    CHECK_NEAR(far.value, 163840, 1e-12);
    CHECK_NEAR(far.edge, 1024, 1e-6);
    CHECK_NEAR(far.distance, log(10), 1e-6);
    habitat_outside thin = outside_of(1, 1e6, 1024); /* 64th of the least, and 1e6 is 977 times */
    CHECK_TEXT(thin.size, "n");
    learned_range none = {0};
    habitat_work work = product(1e6, 1e6, 1e6, HABITAT_DTYPE_FP32);
    CHECK(!range_outside(&none, &work).size);
    check_case("the size farthest outside is named; small operations and files without ranges have "
               "none");
}

static habitat_model_estimate faded_to(double ms, double distance, double least_ms, double kept) {
    habitat_outside outside = {"k", 8e4, 1e3, distance};
    habitat_model_estimate answer = {
        .covered = true, .ms = ms, .low_ms = ms / 1.2, .high_ms = ms * 1.5};
    far_bounds bounds = {.analytic_ms = 1.0, .empty_ms = 1e-9, .least_ms = least_ms, .kept = kept};
    far_fade(&outside, &bounds, &answer);
    return answer;
}

static habitat_model_estimate faded(double ms, double distance, double least_ms) {
    return faded_to(ms, distance, least_ms, 1);
}

static void check_fading(void) {
    habitat_model_estimate near = faded(8, 0, 0), far = faded(8, 1, 0), farther = faded(8, 9, 0);
    CHECK_NEAR(near.ms, 8, 1e-12);
    CHECK_NEAR(near.high_ms, 12, 1e-12);
    CHECK_NEAR(far.ms, 8 * exp(-chosen_far_fade), 1e-12);
    CHECK_NEAR(far.high_ms / far.ms, 1.5 * exp(chosen_far_width), 1e-12);
    CHECK_NEAR(farther.ms, 1, 1e-12); /* the analytic time */
    CHECK_NEAR(farther.high_ms / farther.ms, 1.5 * chosen_far_most_factor, 1e-12);
    CHECK_NEAR(faded(.125, 1, 0).ms, .125 * exp(chosen_far_fade), 1e-12);
    CHECK_NEAR(faded(.125, 1, .9).ms, .9, 1e-12); /* never below what the memory's bandwidth says */
    CHECK_NEAR(faded(8, 9, .9).low_ms, .9, 1e-12);
    CHECK_NEAR(faded_to(8, 1, 0, 3).ms, 8 * exp(-chosen_far_fade), 1e-12);
    CHECK_NEAR(faded_to(8, 9, 0, 3).ms, 3, 1e-12); /* what GPUs reach of their rates stays */
    CHECK_NEAR(faded_to(1.4, 9, 0, 3).ms, 1.4, 1e-12);
    CHECK_NEAR(faded_to(.125, 9, 0, 3).ms, 1.0 / 3, 1e-12);
    check_case("a correction fades with the distance and the interval widens");
}

/* Files of format 1 end behind the trees. */
static void check_file(void) {
    habitat_models *models = NULL, *read = NULL;
    uint8_t *data = NULL;
    size_t size = 0;
    CHECK_INT(habitat_models_load_default(&models, NULL), HABITAT_OK);
    const operator_model *first = &models->models[0];
    CHECK_INT(learned_encode(models, &data, &size, NULL), HABITAT_OK);
    CHECK_INT(habitat_models_parse(data, size, "made", &read, NULL), HABITAT_OK);
    CHECK(read && memcmp(&read->models[0].range, &first->range, sizeof first->range) == 0);
    CHECK(first->use != HABITAT_MODEL_PAPER && first->range.count > 0);
    habitat_models_free(read);
    free(data);
    habitat_models_free(models);
    check_case("a model file keeps the ranges");
}

int main(void) {
    check_ranges();
    check_distances();
    check_fading();
    check_file();
    return check_done();
}
