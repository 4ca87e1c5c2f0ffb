/* Judging measured convolutions, by hand: 12 images, 3x3, a GPU of 10 multiprocessors, 1e12 flop/s
 * and 1e11 byte/s. */
#include "lab/algorithms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static algorithm_row row(double channels, double side, const char *forward, const char *to_input,
                         const char *to_weights) {
    algorithm_row r = {.tried = true,
                       .shape = {.dims = 2,
                                 .batch = 12,
                                 .c_in = channels,
                                 .c_out = channels,
                                 .groups = 1,
                                 .in = {side, side},
                                 .out = {side, side},
                                 .kernel = {3, 3},
                                 .stride = {1, 1},
                                 .dilation = {1, 1}}};
    const char *words[] = {forward, to_input, to_weights};
    for (int pass = 0; pass < ALGORITHM_PASSES; pass++)
        snprintf(r.word[pass], sizeof r.word[pass], "%s", words[pass]);
    return r;
}

/* 4352 bytes a spectrum of 32x32; both images and weights of 14x14: 2 * 12 * 128 * 196 + 147456. */
static void test_bytes(void) {
    algorithm_row r = row(128, 28, "direct", "spectra32", "tiles4");
    CHECK_NEAR(algorithm_bytes(&r, MEMORY_PASS_FORWARD), 0, 0);
    CHECK_NEAR(algorithm_bytes(&r, MEMORY_PASS_TO_INPUT), 4352 * (16384 + 3072.0), 0);
    CHECK_NEAR(algorithm_bytes(&r, MEMORY_PASS_TO_WEIGHTS), 144 * (16384 + 588 * 256.0), 0);
    r = row(128, 14, "spectra1d", "folded", "copies");
    CHECK(isnan(algorithm_bytes(&r, MEMORY_PASS_FORWARD)));
    CHECK(isnan(algorithm_bytes(&r, MEMORY_PASS_TO_INPUT)));
    CHECK_NEAR(algorithm_bytes(&r, MEMORY_PASS_TO_WEIGHTS), 4 * (602112 + 147456.0), 0);
}

static const memory_speed speed = {1e12, 1e11, 10};

/* Costs with which spectra are free, and with which they never pay. */
static const memory_costs free_ones = {{1e-3, 1e-3, 1e-3, 1e-3, 0, 1, 1e-3}};
static const memory_costs dear = {{1, 1, 1e9, 1e9, 1, 1, 1e9}};

static void test_calls(void) {
    algorithm_row rows[] = {row(128, 28, "spectra32", "spectra32", "tiles4"),
                            row(128, 28, "direct", "spectra32", "copies"),
                            row(64, 56, "spectra64", "direct", "tiles4"),
                            row(64, 56, "direct", "direct", "direct")};
    rows[2].tried = false;
    rows[3].network = true;
    algorithm_set set = {rows, 4, 4, speed};
    algorithm_calls calls =
        algorithms_judge(&set, MEMORY_PASS_FORWARD, false, ALGORITHM_ALL, &free_ones);
    CHECK_INT(calls.count, 2);
    CHECK_INT(calls.right, 1);
    CHECK_INT(calls.plain, 1);
    calls = algorithms_judge(&set, MEMORY_PASS_TO_INPUT, false, 1, &free_ones);
    CHECK_INT(calls.count, 1);
    CHECK_INT(calls.right, 1);
    calls = algorithms_judge(&set, MEMORY_PASS_TO_INPUT, true, ALGORITHM_ALL, &dear);
    CHECK_INT(calls.count, 1);
    CHECK_INT(calls.right, 1);
    calls = algorithms_judge(&set, MEMORY_PASS_TO_WEIGHTS, false, ALGORITHM_ALL, &dear);
    CHECK_INT(calls.right, 1);
}

/* Where spectra and tiles ran always, what is chosen tells so. */
static void test_choice(void) {
    algorithm_row rows[] = {row(128, 28, "spectra32", "spectra32", "tiles4"),
                            row(64, 28, "spectra32", "spectra32", "tiles4")};
    algorithm_set set = {rows, 2, 2, speed};
    memory_costs costs = algorithms_choose(&set, ALGORITHM_ALL);
    for (int pass = 0; pass < ALGORITHM_PASSES; pass++)
        CHECK_INT(algorithms_judge(&set, (memory_pass)pass, false, ALGORITHM_ALL, &costs).right, 2);
}

static void test_nothing(void) {
    algorithm_set set = {0};
    CHECK_INT(algorithms_read(NULL, "no such folder", &set, NULL), HABITAT_OK);
    CHECK_INT(set.count, 0);
    algorithms_free(&set);
}

int main(void) {
    test_bytes();
    check_case("bytes of the algorithm that ran");
    test_calls();
    check_case("right calls");
    test_choice();
    check_case("choosing");
    test_nothing();
    check_case("no table");
    return check_done();
}
