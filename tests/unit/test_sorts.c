/* Sorts and the largest of rows, and losses of elements, worked by hand on a GPU of 100 SMs at 1
 * GHz whose memory moves 1 TB/s and whose kernels take 1 us at least. */
#include <string.h>

#include "check.h"
#include "gpu/gpu.h"
#include "kernels/sorts.h"
#include "kernels/unmodelled_times.h"

static const habitat_gpu made = {.sm_count = 100, .boost_clock_hz = 1e9};

static habitat_work sorting(const char *kind, double rows, double columns, habitat_dtype dtype,
                            double kept) {
    habitat_work work = {.op_class = HABITAT_CLASS_REDUCE, .dtype = dtype, .known = true};
    work.shape.rows = (habitat_rows_shape){rows, columns};
    work.write_bytes = rows * kept * ((double)habitat_dtype_bytes(dtype) + 8);
    memcpy(work.kind, kind, strlen(kind) + 1);
    return work;
}

static void test_sorts(void) {
    static const struct {
        const char *kind;
        double rows, columns;
        habitat_dtype dtype;
        double kept, us;
    } cases[] = {
        /* 8 passes of 5 and, for 2 x 16 byte of each, 3.2 us */
        {"sort", 1, 1e5, HABITAT_DTYPE_INT64, 1e5, 18 + 8 * (5 + 3.2)},
        {"argsort", 1, 1e5, HABITAT_DTYPE_INT64, 1e5, 18 + 8 * (5 + 3.2)},
        /* 4 passes for the keys, 4 for the rows */
        {"sort", 2, 1e5, HABITAT_DTYPE_FP32, 1e5, 18 + 8 * (5 + 4.8)},
        {"sort", 1000, 16, HABITAT_DTYPE_FP32, 16, 3 + 4}, /* 3200 rows at once */
        {"sort", 4000, 16, HABITAT_DTYPE_FP32, 16, 3 + 2 * 4},
        {"sort", 1, 1024, HABITAT_DTYPE_INT64, 1024, 3 + 8 + 2.7 * 8 / 2},
        {"topk", 10, 1000, HABITAT_DTYPE_FP32, 5, 4 + 4.5 + 8.9},
        /* from 400 on blocks share a row, where there are more than 4000 */
        {"topk", 5000, 400, HABITAT_DTYPE_FP32, 16, 2 * 4 + 40 + 5e3 * (5200 + 3 * 400) / 1e5},
        {"topk", 5000, 399, HABITAT_DTYPE_FP32, 16, 2 * 4 + 13 * (4.5 + .399 * 8.9)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        habitat_work work =
            sorting(cases[i].kind, cases[i].rows, cases[i].columns, cases[i].dtype, cases[i].kept);
        CHECK(sorts_are_told(&work, &made));
        CHECK_NEAR(sorts_s(&work, &made, 1e12, 1e-6) * 1e6, cases[i].us, 1e-9);
    }
    habitat_work sum = sorting("sum", 1, 1000, HABITAT_DTYPE_FP32, 1);
    CHECK(!sorts_are_told(&sum, &made));
    check_case("sorts by passes, the largest of rows by who has a row");
}

static habitat_work loss(habitat_pass pass, double written) {
    habitat_work work = {.op_class = HABITAT_CLASS_LOSS,
                         .dtype = HABITAT_DTYPE_FP32,
                         .pass = pass,
                         .known = true,
                         .kind = "mse_loss"};
    work.shape.rows = (habitat_rows_shape){1, 1e9};
    work.read_bytes = 8e9;
    work.write_bytes = written;
    return work;
}

/* 10^9 elements, so that beginnings do not count: 4 GB each way take 4 ms. */
static void test_losses(void) {
    habitat_work work = loss(HABITAT_PASS_FORWARD, 4); /* read twice, kept, read again */
    CHECK_NEAR(unmodelled_s(&work, &made, 8e-3, 1e-6), 16e-3, .003);
    work = loss(HABITAT_PASS_FORWARD, 4e9); /* nothing is summed */
    CHECK_NEAR(unmodelled_s(&work, &made, 12e-3, 1e-6), 12e-3, .001);
    work = loss(HABITAT_PASS_BACKWARD, 4e9); /* zeroed, then made at .8 of the memory's rate */
    CHECK_NEAR(unmodelled_s(&work, &made, 12e-3, 1e-6), 4e-3 + 15e-3, .001);
    memcpy(work.kind, "nll_loss", 9); /* takes one of each row */
    CHECK(unmodelled_s(&work, &made, 12e-3, 1e-6) > .2);
    check_case("losses of elements take what their bytes take");
}

int main(void) {
    test_sorts();
    test_losses();
    return check_done();
}
