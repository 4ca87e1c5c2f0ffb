/* Constants of memory chosen without a model, by hand: a GPU of 100.82 GB, of which CUDA's context
 * takes 0.82.
 *
 *   model   peak  largest  room            margin that is right
 *   a ran     80       10    20   w * 10 + s * 80 <= 20      w: of the largest tensor
 *   a failed  90       10    10   w * 10 + s * 90 >  10      s: of the peak, both shares together
 *   b failed  85        5    15   w * 5  + s * 85 >  15
 *
 * On a alone, w = 2 and s = 0 is the widest that leaves no run open; it lets b's failed run fit. No
 * margin tried is right of all three: 9 s > 1 is asked of them, s is 0.08 at most. */
#include "lab/memory_left_out.h"

#include <math.h>

#include "check.h"
#include "made_gpu.h"
#include "text_sink.h"

static habitat_gpu gpu;

/* The bound best for a ran peak is 1.03 for a, 1.05 for b, whose error grows twice as fast. */
static void add(memory_set *set, const char *script, int fits, double peak_gb, double largest_gb,
                int best, double slope) {
    memory_case c = {.truth = MEMORY_TRUTH_LIMITS,
                     .gpu = &gpu,
                     .measured_bytes = fits ? peak_gb * 1e9 : NAN,
                     .predicted_bytes = 1.1 * peak_gb * 1e9,
                     .device_bytes = 100e9,
                     .fits = fits,
                     .predicted_fits = -1};
    snprintf(c.script, sizeof c.script, "%s", script);
    c.parts =
        (habitat_memory_parts){.basis = HABITAT_MEMORY_SCALED, .largest_bytes = largest_gb * 1e9};
    for (int i = 0; i < MEMORY_BOUNDS; i++)
        c.bounded_bytes[i] = peak_gb * 1e9 * (fits ? 1 + slope * (i - best) / 100 : 1);
    CHECK_INT(memory_add(set, &c, NULL), HABITAT_OK);
}

static void check_choice(const memory_choice *c, int bound, double peak, double largest) {
    CHECK_INT(c->bound, bound);
    CHECK_NEAR(c->margin.gaps + c->margin.scaled, peak, 1e-12);
    CHECK_NEAR(c->margin.largest, largest, 1e-12);
}

int main(void) {
    memory_set set = {0};
    gpu = made_gpu("made", 10, 1, 1000, 10);
    gpu.memory_bytes = 100.82e9;
    add(&set, "a_training", 1, 80, 10, 3, 1);
    add(&set, "b", 0, 85, 5, 0, 0);
    add(&set, "a_inference", 0, 90, 10, 0, 0);
    add(&set, "b", 1, 40, 5, 5, 2); /* less than half of the GPU: says nothing of the margin */
    CHECK_INT(set.cases[2].family, 0);
    CHECK_INT(set.cases[3].family, 1);
    CHECK(memory_near_limit(&set.cases[0]) && !memory_near_limit(&set.cases[3]));
    check_case("families");

    memory_choice without_b = memory_choose(&set, 1), all = memory_choose(&set, MEMORY_ALL);
    check_choice(&without_b, 3, 0, 2);
    check_choice(&all, 5, 0.08, 2);
    check_case("chosen");

    memory_judgement b = memory_judge(&set, 1, &without_b), built = memory_judge(&set, 1, NULL);
    CHECK_INT(b.peaks, 1);
    CHECK_NEAR(b.error_sum, 0.04, 1e-9);
    CHECK_INT(b.failed, 1);
    CHECK_INT(b.ran, 0);
    CHECK_INT(b.false_fits, 1);
    CHECK_INT(b.open, 0);
    CHECK_NEAR(built.error_sum, 0.1, 1e-9);
    CHECK_INT(built.false_fits, 0);
    CHECK_INT(built.open, 1);
    check_case("judged");

    /* Free in pieces when runs failed, of the largest tensor: 0.9 and 1.1 of a, 3 of b. Without b
     * w is a's median, 1: 10 + s * 90 > 10 and 10 + s * 80 <= 20, of which 0.08 is the widest. */
    static const memory_failure failures[] = {
        {.script = "a", .family = 0, .pieces_bytes = 9e9, .largest_bytes = 10e9},
        {.script = "b", .family = 1, .pieces_bytes = 15e9, .largest_bytes = 5e9},
        {.script = "a", .family = 0, .pieces_bytes = 11e9, .largest_bytes = 10e9}};
    for (size_t i = 0; i < 3; i++)
        set.failures[set.failure_count++] = failures[i];
    CHECK_NEAR(memory_pieces_share(&set, 1), 1.0, 1e-12);
    CHECK_NEAR(memory_pieces_share(&set, 0), 3.0, 1e-12);
    CHECK_NEAR(memory_pieces_share(&set, MEMORY_ALL), 1.1, 1e-12);
    without_b = memory_choose(&set, 1);
    check_choice(&without_b, 3, 0.08, 1);
    set.failure_count = 0;
    check_case("what was free in pieces");

    text_sink printed = {0};
    report_text text = {append, &printed, false, false};
    memory_print_left_out(&set, &text);
    CHECK(strstr(printed.data,
                 "all 2 predictions of runs\nthat failed and all 1 of runs that fitted"));
    CHECK(strstr(printed.data,
                 "\n| b | 1 | 10.00 | 4.00 | 1 | 0 | 1 | 0 | 0 | 0 | 100 | 0 | 1.03 | "
                 "0 + 0 % | 2.0 |\n"));
    check_case("table");
    text_sink_clear(&printed);
    memory_free(&set);
    return check_done();
}
