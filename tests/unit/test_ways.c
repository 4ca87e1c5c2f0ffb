/* Ways of a library that no measured GPU ran: which way an operation goes, what its answer counts
 * on, how wide its interval is. Worked by hand. */
#include "check.h"
#include "lab/train_interval.h"
#include "made_conv.h"
#include "models/learned.h"

/* Of 20 images of 28 x 28, forward but where a pass is given. */
static unsigned way_of(double c_in, double c_out, double kernel, double groups, habitat_pass pass,
                       habitat_variant variant) {
    habitat_conv_shape shape = square(20, c_in, c_out, 28, kernel);
    habitat_work work = {0};
    shape.groups = groups;
    CHECK_INT(habitat_work_conv(&shape, HABITAT_DTYPE_FP16, pass, &work), HABITAT_OK);
    habitat_model_query query = {.work = &work, .variant = variant};
    CHECK_INT(operator_way(&query, OPERATOR_CONV_MATRIX),
              operator_way(&query, OPERATOR_CONV_OTHER));
    CHECK_INT(operator_way(&query, OPERATOR_GEMM), 0);
    return operator_way(&query, OPERATOR_CONV_MATRIX);
}

/* Kernels 0 to 4 (gathered, one pixel, few channels, groups, depthwise) of three products each,
 * then the same again where all algorithms were tried. */
static void test_convolutions(void) {
    const habitat_pass forward = HABITAT_PASS_FORWARD, image = HABITAT_PASS_BACKWARD_INPUT,
                       weight = HABITAT_PASS_BACKWARD_WEIGHT;
    const habitat_variant guessed = HABITAT_VARIANT_DEFAULT, tried = HABITAT_VARIANT_FASTEST;
    CHECK_INT(way_of(64, 64, 3, 1, forward, guessed), 0);
    CHECK_INT(way_of(64, 64, 3, 1, image, guessed), 1);
    CHECK_INT(way_of(64, 64, 3, 1, weight, guessed), 2);
    CHECK_INT(way_of(64, 64, 1, 1, forward, guessed), 3);
    CHECK_INT(way_of(64, 64, 1, 1, weight, guessed), 5);
    CHECK_INT(way_of(3, 64, 1, 1, forward, guessed), 6);
    CHECK_INT(way_of(64, 4, 3, 1, image, guessed), 7);
    CHECK_INT(way_of(5, 64, 3, 1, forward, guessed), 0);
    CHECK_INT(way_of(64, 64, 3, 32, forward, guessed), 9);
    CHECK_INT(way_of(64, 64, 3, 64, weight, guessed), 14);
    CHECK_INT(way_of(64, 64, 3, 1, forward, tried), 15);
    CHECK_INT(way_of(64, 64, 3, 64, weight, tried), 29);
    check_case("kernels, products and whether algorithms were tried make the ways of convolutions");
}

/* Ways 0 and 2 are known. A tree that answers log 4: 3 ms become 3 x 4^(1/2) = 6 where the way is
 * known, and 3 x 4^(1/4) = 4.2426 where it is not. */
static void test_ways(void) {
    uint8_t feature[] = {TREES_PASS};
    float threshold[] = {0}, leaf[] = {1.3862944F, 0};
    operator_model model = {.use = HABITAT_MODEL_TRANSFER,
                            .shrink = .5F,
                            .low = -.25F,
                            .high = .5F,
                            .trees = {1, 1, 1, 0, feature, threshold, leaf},
                            .ways = {5, .25F, .75F, 1.5F}};
    operator_view known = {.base_ms = 3, .way = 2}, other = {.base_ms = 3, .way = 1};
    CHECK(learned_knows_way(&model, 0) && learned_knows_way(&model, 2));
    CHECK(!learned_knows_way(&model, 1) && !learned_knows_way(&model, 31));
    CHECK_NEAR(learned_tree_ms(&model, &known), 6, 1e-6);
    CHECK_NEAR(learned_tree_ms(&model, &other), 4.2426407, 1e-6);
    CHECK_NEAR(learned_ends_of(&model, &known, false).high, .5, 0);
    CHECK_NEAR(learned_ends_of(&model, &other, false).high, .75, 0);
    CHECK_NEAR(learned_ends_of(&model, &other, false).low, -.75, 0);
    CHECK_NEAR(learned_ends_of(&model, &other, true).high, 1.5, 0);
    model.ways.known = 0;
    CHECK_NEAR(learned_tree_ms(&model, &other), 6, 1e-6);
    CHECK_NEAR(learned_ends_of(&model, &other, false).high, .5, 0);
    check_case("an answer of a way that nobody measured has its own share of trees and interval");
}

/* One GPU without a bias; three ways that are off by -.3, 0 and .3 from it, rows of each by .05
 * either way. Known ways: four fifths of the rows lie within .35. A new way: rows within .05, the
 * ways' root mean square sqrt((.09 + 0 + .09) / 3) = .244949 with t(3) = 1.638:
 * hypot(.05, .401226) = .404330. */
static void test_interval_of_ways(void) {
    enum { ROWS = 30, PER_WAY = 10 };
    train_held_out rows[ROWS];
    float low, high, half;
    for (int i = 0; i < ROWS; i++) {
        double error = .3 * (i / PER_WAY - 1) + (i % PER_WAY == 0 ? 0 : i % 2 ? .05 : -.05);
        rows[i] = (train_held_out){.residual = error,
                                   .residual_estimated = error,
                                   .weight = 1,
                                   .way = (uint8_t)(i / PER_WAY)};
    }
    train_interval(rows, ROWS, 1, 0, &low, &high);
    CHECK_NEAR(high, .35, 1e-6);
    CHECK(train_way_interval(rows, ROWS, 1, 0, &half));
    CHECK_NEAR(half, .404330, 1e-5);
    /* rates off by .1: t(1) = 3.078 of one kind; hypot(.404330, .3078) */
    CHECK(train_way_interval(rows, ROWS, 1, .1, &half));
    CHECK_NEAR(half, .508157, 1e-5);
    /* a second GPU like the first but off by .2: its bias is not its ways'. One kind:
     * sqrt((0 + .2^2) / 2) = .141421, times 3.078; hypot(.404330, .435295) */
    train_held_out two[2 * ROWS];
    for (int i = 0; i < 2 * ROWS; i++) {
        two[i] = rows[i % ROWS];
        two[i].gpu = i >= ROWS;
        two[i].residual += i >= ROWS ? .2 : 0;
    }
    CHECK(train_way_interval(two, 2 * ROWS, 1, 0, &half));
    CHECK_NEAR(half, .594106, 1e-5);
    CHECK(train_way_interval(rows, 0, 1, 0, &half));
    CHECK_NEAR(half, .7, 1e-6); /* nothing is known */
    check_case("a way that nobody measured errs as ways do among each other");
}

/* All classes of convolutions but forward fp32, and no others; the H200's and DeepBench's ways. */
static void test_shipped(void) {
    const habitat_models *models = NULL;
    CHECK_INT(learned_builtin(&models, NULL), HABITAT_OK);
    for (uint32_t i = 0; models && i < models->count; i++) {
        const operator_model *m = &models->models[i];
        bool tells = m->use == HABITAT_MODEL_TRANSFER && (m->class_number == OPERATOR_CONV_OTHER ||
                                                          m->class_number == OPERATOR_CONV_MATRIX ||
                                                          m->class_number == OPERATOR_CONV_GROUPS);
        CHECK(tells == (m->ways.known != 0));
        CHECK(!tells || (m->ways.half >= m->high && m->ways.half_estimated >= m->high_estimated));
        CHECK(!tells || m->ways.half_estimated >= m->ways.half);
        if (tells && m->class_number == OPERATOR_CONV_MATRIX) {
            CHECK(!learned_knows_way(m, 14)); /* depthwise, guessed */
            CHECK(learned_knows_way(m, 15));  /* gathered, tried */
        }
        if (tells && m->class_number == OPERATOR_CONV_GROUPS) {
            CHECK(learned_knows_way(m, 11));  /* groups, guessed */
            CHECK(learned_knows_way(m, 14));  /* depthwise, guessed */
            CHECK(!learned_knows_way(m, 29)); /* depthwise, tried */
        }
    }
    check_case("the shipped models know the ways that were measured, and are no surer of others");
}

int main(void) {
    test_convolutions();
    test_ways();
    test_interval_of_ways();
    test_shipped();
    return check_done();
}
