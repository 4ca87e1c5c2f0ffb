/* Look-ups, rows that are picked, additions at places, clones and operands that lie otherwise,
 * without a recorded time, worked by hand. */
#include "check.h"
#include "made_gpu.h"
#include "unmodelled_case.h"

/* What an operation takes [us] on 100 SMs at 1 GHz, where any kernel takes 1 us. */
static double places_us(const char *kind, habitat_pass pass, double rows, double columns,
                        double flop, double written, double roof_us) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    habitat_work work = {.op_class = HABITAT_CLASS_EMBEDDING,
                         .pass = pass,
                         .shape.rows = {rows, columns},
                         .flop = flop,
                         .write_bytes = written};
    snprintf(work.kind, sizeof work.kind, "%s", kind);
    return unmodelled_s(&work, &gpu, roof_us * 1e-6, 1e-6) * 1e6;
}

/* 50 us of roof are 100 at half of it, and past a start of 2.5 floors
 * (100 + sqrt(100 x (100 + 4 x 2.5))) / 2 = 102.44. */
static void places(void) {
    const habitat_pass fwd = HABITAT_PASS_FORWARD, bwd = HABITAT_PASS_BACKWARD;
    CHECK_NEAR(places_us("embedding", fwd, 1, 9e9, 0, 1, 100), 102.44, 1e-4);
    CHECK_NEAR(places_us("gather", fwd, 1, 15e6, 0, 1, 50), 102.44, 1e-4); /* 15e6 / 150: 100 */
    CHECK_NEAR(places_us("gather", fwd, 1, 30e6, 0, 1, 50), 200.0, 1e-9);  /* 30e6 / 150 */
    CHECK_NEAR(places_us("embedding_bag", fwd, 1, 9e9, 0, 1, 50), 102.44, 1e-4);
    check_case("look-ups take memory's time; gathers as many elements a cycle at most");
    CHECK_NEAR(places_us("embedding", bwd, 1000, 384, 64e3, 1, 55), 83.0, 1e-9); /* 1000 x 83 */
    CHECK_NEAR(places_us("embedding", bwd, 1000, 64, 64e3, 1, 55), 50.0, 1e-9);  /* 33 less each */
    CHECK_NEAR(places_us("embedding", bwd, 1000, 256, 64e3, 1, 55), 66.5, 1e-9); /* half of that */
    CHECK_NEAR(places_us("embedding", bwd, 4000, 64, 64e3, 1, 7), 123.0, 1e-9);  /* 73 + 7 / .14 */
    check_case("gradients of tables go row by row, or sort first");
    CHECK_NEAR(places_us("scatter_add", fwd, 1, 1, 10e6, 1e8, 50), 200.0, 1e-9); /* 10e6 / 50 */
    CHECK_NEAR(places_us("upsample", bwd, 1, 1, 20e6, 1e8, 50), 200.0, 1e-9);
    CHECK_NEAR(places_us("scatter_add", fwd, 1, 1, 3e6, 4096, 1), 2000.0, 1e-9); /* 3e6 / 1.5 */
    /* 14 + 10 / .5, and .8 ns a place that is sorted */
    CHECK_NEAR(places_us("index_put", fwd, 1, 1, 10e6, 1e8, 10), 34.0008, 1e-9);
    CHECK_NEAR(places_us("index_put", fwd, 1e6, 1, 1e6, 1e8, 10), 834.0, 1e-9);
    check_case("additions at places are atomic, or sorted");
}

/* A clone [us], past a start of 2.5 floors of 1 us. */
static double clone_us(const char *line, double roof_us) {
    habitat_work work = {0};
    return unmodelled_case_us(line, 0, roof_us, &work);
}

/* A million rows, each a block of 158 cycles on one of 100 SMs, two where it is more than 4 KB;
 * rows of 12 bytes, and what lies otherwise, go place by place, 150 a cycle. A roof of 1 us. */
static void rows_that_are_picked(void) {
    CHECK_NEAR(clone_us("aten::index_select | f32[512,4] =0 i64[1000000]", 1), 1580, 1e-6);
    CHECK_NEAR(clone_us("aten::index_select | f32[512,4] =-2 i64[1000000]", 1), 1580, 1e-6);
    CHECK_NEAR(clone_us("aten::index_select | bf16[512,4096] =0 i64[1000000]", 1), 3160, 1e-6);
    CHECK_NEAR(clone_us("aten::index_select | f32[512,3] =0 i64[1000000]", 1), 20, 1e-6);
    CHECK_NEAR(clone_us("aten::index_select | f32[512,4]@1,512 =0 i64[1000000]", 1), 4e6 / 150e3,
               1e-6);
    CHECK_NEAR(clone_us("aten::index_select | f32[4,512] =1 i64[1000000]", 1), 4e6 / 150e3, 1e-6);
    CHECK_NEAR(clone_us("aten::embedding | f32[512,4] i64[1000,1000]", 1), 1580, 1e-6);
    CHECK_NEAR(clone_us("aten::embedding | f32[512,1028] i64[1000,1000]", 1), 3160, 1e-6);
    CHECK_NEAR(clone_us("aten::index | f32[512,8] i64{[1000000]}", 1), 1580, 1e-6);
    CHECK_NEAR(clone_us("aten::gather | f32[512,4] =0 i64[1000000,4]@1,0 =False", 1), 1580, 1e-6);
    CHECK_NEAR(clone_us("aten::gather | f32[512,4] =0 i64[1000000,4] =False", 1), 4e6 / 150e3,
               1e-6);
    check_case("rows are picked by a block each");

    /* 4e6 numbers: by themselves 1 / (1 / 1.2 + 1 / .27) a cycle and SM, four together more; where
     * nothing says how indices lie .5. A table of 32 MB, whose cache takes as many as are sent. */
    const double table = 1 / 1.2, alone = 1 / .27;
    CHECK_NEAR(
        clone_us("aten::scatter_add_ | f32[2000000,4]@4,1 =0 i64[1000000,4]@4,1 f32[1000000,4]", 1),
        40 * (table + alone), 1e-6);
    CHECK_NEAR(
        clone_us("aten::scatter_add_ | f32[2000000,4]@4,1 =0 i64[1000000,4]@1,0 f32[1000000,4]", 1),
        40 * (table + alone / 4), 1e-6);
    CHECK_NEAR(clone_us("aten::scatter_add_ | f32[2000000,4] =0 i64[1000000,4] f32[1000000,4]", 1),
               80, 1e-6);
    CHECK_NEAR(
        clone_us("aten::index_add_ | f32[2000000,4]@4,1 =0 i64[1000000]@1 f32[1000000,4]", 1), 80,
        1e-6);
    check_case("slices are added together");

    /* A million rows on 100 SMs: a warp each, 58 cycles, and 10 more where it goes round twice;
     * four rows of eight to a warp; eight rows of three, in twos. */
    CHECK_NEAR(clone_us("aten::sum | f32[1000000,32] =[-1] =False -", 1), 580, 1e-6);
    CHECK_NEAR(clone_us("aten::mean | f32[1000000,64] =[-1] =False -", 1), 680, 1e-6);
    CHECK_NEAR(clone_us("aten::sum | f32[1000000,8] =[-1] =False -", 1), 145, 1e-6);
    CHECK_NEAR(clone_us("aten::sum | f32[1000000,3] =[-1] =False -", 1), 42.5, 1e-6);
    CHECK(clone_us("aten::sum | f32[1000000,128] =[-1] =False -", 1) < 10);
    check_case("sums of short rows take a warp's time");
}

/* 100 us: as 102.44 above. */
static void clones(void) {
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6] -", 100), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6]@24,1,4 =1", 100), 102.44, 1e-4); /* preserved */
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6]@48,6,1 -", 100), 102.44, 1e-4);  /* pieces */
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6]@24,1,4 -", 60), 102.44, 1e-4);   /* turned: .6 */
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6]@24,1,4 =0", 60), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6,1]@24,1,4,1 -", 60), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[2,4,6,5]@120,1,20,4 =2", 100), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[2,4,6,5]@120,30,5,1 =2", 60), 102.44, 1e-4);
    /* places: 24e6 / (1.6 x 100 SMs x 1 GHz) and 9.75e6 / 65e9, 150 us; memory 200: 250 */
    CHECK_NEAR(clone_us("aten::clone | f32[1000,4000,6]@48000,6,1 -", 200), 252.4755, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | bf16[1000,4000,6]@48000,6,1 -", 200), 252.4755, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[1000,1625,6]@9750,1,1625 -", 120), 252.4755, 1e-4);
    check_case("clones that turn the order of memory are slow");
}

/* 13000 x 2000 elements: 26e6 / (1.3 x 100 SMs x 1 GHz) = 200 us; rolled 17e6 / 85e9 = 200 us. */
static void element_by_element(void) {
    CHECK_NEAR(clone_us("aten::_to_copy | bf16[13000,2000] =6", 100), 200.0, 1e-9);
    CHECK_NEAR(clone_us("aten::_to_copy | bf16[13000,2000] =6", 250), 252.48, 1e-4); /* memory's */
    CHECK_NEAR(clone_us("aten::copy_ | f32[13000,2000] f16[13000,2000]", 100), 200.0, 1e-9);
    CHECK_NEAR(clone_us("aten::_to_copy | bf16[16,64] =6", 1e-3), 2.6, 1e-9);
    CHECK_NEAR(clone_us("aten::_to_copy | bf16[16,16] =6", 1e-3), 1.3, 1e-9); /* half a block */
    CHECK(clone_us("aten::_to_copy | f32[16,64] =15", 1e-3) < .1);
    CHECK_NEAR(clone_us("aten::_to_copy | f32[13000,2000] =15", 100), 102.44, 1e-4); /* narrower */
    CHECK_NEAR(clone_us("aten::clone | bf16[13000,2000] -", 100), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::roll | f32[17000,1000]", 100), 200.0, 1e-9);
    check_case("casts to a wider format and rolls take each element by itself, and begin late");
}

/* 0: no place is worked out. */
static double placed_us(const char *line) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    work_case read;
    habitat_work work;
    CHECK_INT(case_read(&read, line), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    return unmodelled_places_s(&work, &gpu) * 1e6;
}

/* 23000 x 1000 elements: 23e6 / (1.15 x 100 SMs x 1 GHz) = 200 us, and
 * 1100 cycles before; of half a block's 512 elements half of these. */
static void places_of_elements(void) {
    CHECK_NEAR(placed_us("aten::mul | bf16[23000,1000] bf16[1000]"), 201.1, 1e-9);
    CHECK_NEAR(placed_us("aten::add | f32[23000,1000] bf16[23000,1000] =1"), 201.1, 1e-9);
    CHECK_NEAR(placed_us("aten::add | f32[23000,1000] f32[23000,1000]@1,23000 =1"), 201.1, 1e-9);
    CHECK_NEAR(placed_us("aten::gelu | f32[23000,1000]@2000,1 ="), 201.1, 1e-9); /* a half */
    CHECK_NEAR(placed_us("aten::mul | bf16[16,16] bf16[16]"), .55 + 256 / 115e3, 1e-9);
    CHECK(placed_us("aten::mul | bf16[23000,1000] bf16[23000,1000]") == 0);
    CHECK(placed_us("aten::mul | f32[23,1000,4]@4000,1,1000 f32[23,1000,4]@4000,1,1000") == 0);
    CHECK(placed_us("aten::mul | bf16[23000,1000] =2.5") == 0);
    CHECK(placed_us("aten::mul | bf16[23000,1000] f32[]") == 0);
    CHECK(placed_us("aten::mul | f32[1] f32[1,1]") == 0);
    CHECK_NEAR(placed_us("aten::_prelu_kernel | f32[23000,1000] f32[1,1]"), 201.1, 1e-9);
    CHECK(placed_us("aten::mul | f32[23,1,4]@4,7,1 f32[23,1,4]@4,4,1") == 0); /* of one place */
    check_case("operands that differ in order, size or format are worked out place by place");
}

int main(void) {
    places();
    rows_that_are_picked();
    clones();
    element_by_element();
    places_of_elements();
    return check_done();
}
