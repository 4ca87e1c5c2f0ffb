/* The iteration of a recording without a GPU, and operations of it that no model covers, worked by
 * hand. */
#include "predict/untimed.h"

#include "check.h"
#include "made_gpu.h"
#include "predict/usual.h"
#include "work_case.h"

static habitat_prediction sum_of(double busy_ms) {
    return (habitat_prediction){.iteration_ms = busy_ms,
                                .busy_ms = busy_ms,
                                .low_ms = busy_ms / 1.25,
                                .high_ms = busy_ms * 1.25,
                                .cpu_ms = NAN,
                                .gpu_ms = NAN,
                                .batch_size = 8};
}

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
    return usual_time_s(&work, &gpu, roof_us * 1e-6, 1e-6) * 1e6;
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
    CHECK_NEAR(places_us("embedding", bwd, 1000, 64, 64e3, 1, 55), 83.0, 1e-9); /* 1000 x 83 */
    CHECK_NEAR(places_us("embedding", bwd, 4000, 64, 64e3, 1, 7), 123.0, 1e-9); /* 73 + 7 / .14 */
    check_case("gradients of tables go row by row, or sort first");
    CHECK_NEAR(places_us("scatter_add", fwd, 1, 1, 10e6, 1e8, 50), 200.0, 1e-9); /* 10e6 / 50 */
    CHECK_NEAR(places_us("upsample", bwd, 1, 1, 20e6, 1e8, 50), 200.0, 1e-9);
    CHECK_NEAR(places_us("scatter_add", fwd, 1, 1, 3e6, 4096, 1), 2000.0, 1e-9); /* 3e6 / 1.5 */
    CHECK_NEAR(places_us("index_put", fwd, 1, 1, 10e6, 1e8, 10), 34.0, 1e-9);    /* 14 + 10 / .5 */
    check_case("additions at places are atomic, or sorted");
}

/* A clone [us], past a start of 2.5 floors of 1 us. */
static double clone_us(const char *line, double roof_us) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    work_case read;
    habitat_work work;
    CHECK_INT(case_read(&read, line), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    return usual_time_s(&work, &gpu, roof_us * 1e-6, 1e-6) * 1e6;
}

/* 100 us: as 102.44 above. */
static void clones(void) {
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6] -", 100), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6]@24,1,4 =1", 100), 102.44, 1e-4); /* preserved */
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6]@48,6,1 -", 60), 102.44, 1e-4);   /* pieces: .6 */
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6]@24,1,4 -", 30), 102.44, 1e-4);   /* turned: .3 */
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6]@24,1,4 =0", 30), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6,1]@24,1,4,1 -", 30), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[2,4,6,5]@120,1,20,4 =2", 60), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[2,4,6,5]@120,30,5,1 =2", 30), 102.44, 1e-4);
    check_case("clones that turn the order of memory are slow");
}

int main(void) {
    places();
    clones();
    habitat_prediction p = sum_of(20.0);
    untimed_assemble(52.0, &p);
    CHECK_NEAR(p.iteration_ms, 52.0, 0.0);
    CHECK_NEAR(p.busy_ms, 20.0, 0.0);
    CHECK_NEAR(p.idle_ms, 32.0, 1e-12);
    CHECK_NEAR(p.cpu_ms, 52.0, 0.0);
    CHECK_NEAR(p.gpu_ms, 20.0, 0.0);
    CHECK_NEAR(p.path_cpu_ms, 52.0, 0.0);
    CHECK(p.path_kernel_ms == 0.0 && p.path_gap_ms == 0.0);
    CHECK_NEAR(p.low_ms, 52.0 / 1.4, 1e-12);
    CHECK_NEAR(p.high_ms, 72.8, 1e-12);
    CHECK_NEAR(p.samples_per_s, 8.0 / 0.052, 1e-12);
    CHECK_INT(p.assembled, HABITAT_ASSEMBLE_REPLAY);
    check_case("the CPU's table is the iteration where the GPU is done sooner");
    p = sum_of(50.0);
    untimed_assemble(42.0, &p);
    CHECK_NEAR(p.iteration_ms, 50.0, 0.0);
    CHECK_NEAR(p.path_kernel_ms, 50.0, 0.0);
    CHECK(p.path_cpu_ms == 0.0);
    CHECK_NEAR(p.low_ms, 40.0, 1e-12);  /* 50 / 1.25, above 42 / 1.4 */
    CHECK_NEAR(p.high_ms, 62.5, 1e-12); /* above 42 x 1.4 */
    check_case("else the GPU's time, and the interval covers both");
    p = sum_of(50.0);
    untimed_assemble(NAN, &p);
    CHECK_NEAR(p.iteration_ms, 50.0, 0.0);
    CHECK_INT((int)p.assembled, 0); /* as it was */
    check_case("shapes without a recording have no CPU side");
    return check_done();
}
