/* Intervals of whole steps from shapes alone: widths worked by hand. */
#include "check.h"
#include "gpu/gpu.h"
#include "predict/shapes_interval.h"
#include "workload/workload.h"

static const habitat_gpu recorded = {.name = "R", .vendor = "NVIDIA", .compute_capability = 90};
static const habitat_gpu other = {.name = "O", .vendor = "NVIDIA", .compute_capability = 70};
static const habitat_gpu foreign = {.name = "F", .vendor = "AMD"};

typedef struct row {
    habitat_class op_class;
    habitat_method method;
    double ns, down, up; /* of its own interval, in log(time) */
} row;

static void add(shapes_sum *sum, const scaling *s, habitat_dtype dtype, row r) {
    habitat_workload_kernel kernel = {
        .op_class = r.op_class,
        .facts = {.flop = 1, .bytes = 1, .dtype = dtype, .matrix_unit = true}};
    habitat_estimate estimate = {
        .ms = 2.0, .low_ms = 2.0 / exp(r.down), .high_ms = 2.0 * exp(r.up), .method = r.method};
    shapes_interval_add(sum, s, &kernel, &estimate, r.ns);
}

static const row product = {HABITAT_CLASS_GEMM, HABITAT_METHOD_LEARNED, 60, 0.2, 0.3};
static const row element = {HABITAT_CLASS_ELEMENTWISE, HABITAT_METHOD_ROOFLINE, 40, 0.1, 0.1};
static const row image = {HABITAT_CLASS_CONV, HABITAT_METHOD_LEARNED, 100, 0.4, 0.4};
static const scaling plain = {0};

static shapes_sum sum_of(const row *rows, size_t count) {
    shapes_sum sum = {0};
    for (size_t i = 0; i < count; i++)
        add(&sum, &plain, HABITAT_DTYPE_FP32, rows[i]);
    return sum;
}

/* Common: (1.2816 x 0.040)^2 = 0.00262800. Half of an operation's own width is shared. */
static void test_recorded_chip(void) {
    shapes_sum sum = sum_of((row[]){product, element}, 2);
    interval_ends ends = shapes_interval_of(&sum, &recorded);
    /* (0.5 x 0.6 x 0.2)^2 = 0.0036, (0.5 x 0.4 x 0.1)^2 = 0.0004: root of 0.00662800 */
    CHECK_NEAR(ends.down, 0.08141252, 1e-6);
    /* (0.5 x 0.6 x 0.3)^2 = 0.0081: root of 0.01112800 */
    CHECK_NEAR(ends.up, 0.1054893, 1e-6);
    CHECK_INT(ends.basis, HABITAT_INTERVAL_SHAPES);
    check_case("classes err apart, each by half of its operations' own widths");

    row half = product, two = product;
    half.ns = two.ns = 30;
    sum = sum_of((row[]){half, two, element}, 3);
    CHECK_NEAR(shapes_interval_of(&sum, &recorded).down, 0.08141252, 1e-6);
    two.op_class = HABITAT_CLASS_BMM; /* 2 x (0.5 x 0.3 x 0.2)^2 = 0.0018: root of 0.00482800 */
    sum = sum_of((row[]){half, two, element}, 3);
    CHECK_NEAR(shapes_interval_of(&sum, &recorded).down, 0.06948379, 1e-6);
    check_case("operations of one class err together, those of two classes do not");
}

static void test_other_architecture(void) {
    /* biases: products by a model 0.015, element-wise 0.023: 1.2816^2 x (0.009^2 + 0.0092^2)
     * = 0.00027206; root of 0.00690006 */
    shapes_sum sum = sum_of((row[]){product, element}, 2);
    CHECK_NEAR(shapes_interval_of(&sum, &other).down, 0.08306661, 1e-6);
    check_case("another architecture adds what classes are off between two");

    sum = sum_of(&image, 1);
    /* 0.00262800 + (0.5 x 0.4)^2 */
    CHECK_NEAR(shapes_interval_of(&sum, &recorded).down, 0.2064655, 1e-6);
    /* 0.00262800 + 0.4^2 + 1.2816^2 x (0.123^2 + 0.12^2): root of 0.21112934 */
    CHECK_NEAR(shapes_interval_of(&sum, &other).down, 0.4594881, 1e-6);
    check_case("there nothing of a convolution's own width averages out");
}

/* Of bf16 on matrix units that only know fp16. */
static void test_other_unit(void) {
    scaling s = {0};
    shapes_sum sum = {0};
    s.sustained_dest.unit[HABITAT_DTYPE_BF16][1] = 2 * HABITAT_DTYPE_FP16 + 1;
    add(&sum, &s, HABITAT_DTYPE_BF16, product);
    s.sustained_dest.unit[HABITAT_DTYPE_BF16][1] = 2 * HABITAT_DTYPE_BF16 + 1;
    row rest = product;
    rest.ns = 40;
    add(&sum, &s, HABITAT_DTYPE_BF16, rest);
    /* 0.00262800 + 1.2816^2 x (0.6 x 0.20)^2 + (0.5 x 0.2)^2: root of 0.03627998 */
    CHECK_NEAR(shapes_interval_of(&sum, &recorded).down, 0.1904730, 1e-6);
    check_case("a format that the GPU computes in another one widens it");
}

static void test_estimated_rates(void) {
    scaling s = {.sustained_dest = {.bytes_per_s = 1.0, .bytes_estimated = true}};
    shapes_sum sum = {0};
    s.sustained_dest.flop_per_s[HABITAT_DTYPE_FP32][1] = 2.0;
    add(&sum, &s, HABITAT_DTYPE_FP32, product);
    /* 0.00262800 + 1.2816^2 x 0.03^2 + (0.5 x 0.2)^2: root of 0.01410625 */
    CHECK_NEAR(shapes_interval_of(&sum, &recorded).down, 0.1187697, 1e-6);
    check_case("a rate that was estimated widens what it binds");
}

static void test_checked(void) {
    row unknown = {HABITAT_CLASS_COPY, HABITAT_METHOD_FALLBACK, 10, 0.5, 0.5};
    row known = product;
    known.ns = 90;
    habitat_workload w = {0};
    shapes_sum sum = sum_of((row[]){known, unknown}, 2);
    CHECK(shapes_interval_checked(&sum, &w, &recorded));
    CHECK(shapes_interval_checked(&sum, &w, &other));
    CHECK(!shapes_interval_checked(&sum, &w, &foreign));
    /* whole: 0.00262800 + (0.1 x 0.5)^2 + (0.5 x 0.9 x 0.2)^2: root of 0.01322800 */
    CHECK_NEAR(shapes_interval_of(&sum, &recorded).down, 0.1150130, 1e-6);
    check_case(
        "a tenth of what no method covers is within what was measured, with its whole width");

    unknown.ns = 11;
    sum = sum_of((row[]){known, unknown}, 2);
    CHECK(!shapes_interval_checked(&sum, &w, &recorded));
    sum = sum_of(&product, 1);
    CHECK(shapes_interval_checked(&sum, &w, &recorded));
    w.left_out_count = 1;
    CHECK(!shapes_interval_checked(&sum, &w, &recorded));
    check_case("more of it, operations of unknown work and GPUs of another vendor are not");

    habitat_work work = {.host_memory = HABITAT_HOST_MEMORY_PAGEABLE};
    habitat_workload_group group = {.work = &work};
    habitat_workload copies = {.groups = &group};
    scaling s = {.w = &copies};
    unknown.ns = 60;
    sum = sum_of(&product, 1);
    add(&sum, &s, HABITAT_DTYPE_FP32, unknown);
    CHECK(shapes_interval_checked(&sum, &copies, &recorded));
    /* halves: 0.00262800 + (0.5 x 0.5)^2 + (0.5 x 0.5 x 0.2)^2: root of 0.06762800 */
    CHECK_NEAR(shapes_interval_of(&sum, &recorded).down, 0.2600538, 1e-6);
    check_case("copies from the host were measured, and have their whole width");
}

int main(void) {
    test_recorded_chip();
    test_other_architecture();
    test_other_unit();
    test_estimated_rates();
    test_checked();
    return check_done();
}
