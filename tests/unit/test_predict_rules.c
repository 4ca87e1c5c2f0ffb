/* Rules of a prediction, each by a case that a slightly wrong rule answers otherwise: times worked
 * by hand, or what must not matter.
 *
 * o: 100 SMs, 1.0 GHz, 1000 GB/s, 10 TFLOP/s; d: 50 SMs, 2.0 GHz, 500 GB/s, 8 TFLOP/s, fp32. */
#include <habitat/predict.h>

#include "ask_operation.h"
#include "check.h"
#include "made_gpu.h"
#include "made_trace.h"

static habitat_gpu o, d;

/* A trace, its workload on o and its kernels. */
typedef struct subject {
    habitat_trace *trace;
    habitat_workload *w;
    const habitat_workload_info *info;
} subject;

static subject subject_of(habitat_trace *trace) {
    subject s = {.trace = trace};
    habitat_error err = {0};
    if (!trace || habitat_workload_create(trace, &o, &s.w, &err) != HABITAT_OK)
        printf("# no workload: %s\n", err.message);
    s.info = habitat_workload_get_info(s.w);
    return s;
}

static void done(subject *s) {
    habitat_workload_free(s->w);
    habitat_trace_free(s->trace);
}

static habitat_prediction *predicted(const subject *s, const habitat_gpu *dest,
                                     habitat_method method) {
    habitat_prediction *p = NULL;
    habitat_error err = {0};
    if (habitat_predict(s->w, dest, method, &p, &err) != HABITAT_OK)
        printf("# no prediction: %s\n", err.message);
    return p;
}

static subject recorded(double iteration_ms, uint64_t duration_ns) {
    const made_kernel kernel = {"k", NULL, 100000, duration_ns, 7,    400,   1024,
                                32,  0,    0,      NULL,        NULL, false, 0};
    char extra[200];
    snprintf(extra, sizeof extra,
             "\"habitat\": {\"schema\": 1, \"iteration_ms\": %.6f, \"iteration_ms_all\": [%.6f]},",
             iteration_ms, iteration_ms);
    return subject_of(made_trace(&kernel, 1, NULL, extra, 0));
}

#define STEP(number, ts)                                                                           \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#" number                    \
    "\",\"pid\":1,\"tid\":1,\"ts\":" ts ",\"dur\":90},"
#define KERNEL(launch, correlation, ts)                                                            \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"    \
    "\"ts\":" launch ",\"dur\":1,\"args\":{\"correlation\":" correlation "}},"                     \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":" ts               \
    ",\"dur\":5,\"args\":{\"device\":0,\"stream\":7,\"correlation\":" correlation                  \
    ",\"grid\":[64,1,1],\"block\":[128,1,1],\"registers per thread\":32,\"shared memory\":0}},"

static void test_traced_iteration(void) {
    /* three steps that start 150 us apart, each 90 us long: 150 us, two of them from first to last
     * start, whatever the last one's length */
    static const char text[] =
        "{\"deviceProperties\":[{\"id\":0,\"name\":\"made\"}],\"traceEvents\":[" STEP("1", "100")
            STEP("2", "250") STEP("3", "400") KERNEL("110", "1", "120") KERNEL("260", "2", "270")
                KERNEL("410", "3", "420") "{\"ph\":\"M\",\"name\":\"x\",\"pid\":1}]}";
    habitat_trace *trace = NULL;
    CHECK_INT(habitat_trace_read_memory(text, sizeof text - 1, "made", &trace, NULL), HABITAT_OK);
    subject s = subject_of(trace);
    CHECK_INT(s.info->iteration_count, 3);
    CHECK_NEAR(s.info->iteration_ms, 0.150, 1e-12);
    CHECK_NEAR(s.info->busy_ms, 0.005, 1e-12);
    CHECK_INT(s.info->bound_by, HABITAT_BY_CPU);
    check_case("an iteration of a trace of several lasts from one start to the next");
    done(&s);
}

static void test_bound_by(void) {
    /* the GPU is busy 20 us; up to a tenth more is no waiting */
    static const struct {
        double iteration_ms;
        habitat_bound_by by;
    } rows[] = {{0.0215, HABITAT_BY_GPU}, {0.0225, HABITAT_BY_CPU}, {0.0195, HABITAT_BY_GPU}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        subject s = recorded(rows[i].iteration_ms, 20000);
        CHECK_INT(s.info->bound_by, rows[i].by);
        done(&s);
    }
    check_case("an origin is bound by its CPU from a tenth of waiting on");

    subject s = recorded(0.021, 20000);
    habitat_prediction *p = predicted(&s, &d, HABITAT_METHOD_BANDWIDTH); /* busy 40 us */
    CHECK_INT(p->bound_by, HABITAT_BY_GPU);
    habitat_prediction_free(p);
    habitat_gpu fast = d;
    fast.name = "fast";
    fast.memory_bandwidth_bytes_per_s = 2000e9;
    p = predicted(&s, &fast, HABITAT_METHOD_BANDWIDTH); /* 10 us: the CPU's side may show */
    CHECK_INT(p->bound_by, HABITAT_BY_UNKNOWN);
    habitat_prediction_free(p);
    check_case("what binds a faster GPU than a GPU-bound origin is unknown");
    done(&s);
}

static habitat_bound bound_of(uint64_t origin_ns, double launch_floor_ns) {
    subject s = recorded(1.0, origin_ns);
    habitat_gpu dest = d;
    dest.launch_floor_ns = launch_floor_ns;
    habitat_prediction *p = predicted(&s, &dest, HABITAT_METHOD_BANDWIDTH); /* twice as long */
    habitat_bound bound = p->trace_kernels[0].bound;
    habitat_prediction_free(p);
    done(&s);
    return bound;
}

static void test_launch_bound(void) {
    CHECK_INT(bound_of(1000, NAN), HABITAT_BOUND_LAUNCH); /* 2 us: less than a launch's 3 us */
    CHECK(bound_of(2000, NAN) != HABITAT_BOUND_LAUNCH);   /* 4 us */
    CHECK_INT(bound_of(2000, 5000), HABITAT_BOUND_LAUNCH);
    CHECK(bound_of(1000, 1500) != HABITAT_BOUND_LAUNCH);
    check_case("a kernel shorter than a launch is bound by it, by the measured one where there is");
}

static void test_connections(void) {
    const made_kernel list[] = {
        {"Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", 100000, 3000, 7, 0, 0, 0, 0, 1000000,
         NULL, NULL, false, 0},
        {"Memcpy DtoH (Device -> Pinned)", "gpu_memcpy", 110000, 3000, 7, 0, 0, 0, 0, 1000000, NULL,
         NULL, false, 0},
        {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", NULL, 120000, 8000, 8, 24, 512, 96, 0, 0, NULL,
         NULL, false, 0},
        {"k", NULL, 130000, 9000, 7, 400, 1024, 32, 0, 0, NULL, NULL, false, 0},
    };
    o.nvlink_bytes_per_s = 600e9, o.pcie_bytes_per_s = 32e9;
    habitat_gpu dest = d, other_pcie = d, slow_link = d;
    dest.nvlink_bytes_per_s = other_pcie.nvlink_bytes_per_s = 300e9;
    slow_link.nvlink_bytes_per_s = 100e9;
    dest.pcie_bytes_per_s = slow_link.pcie_bytes_per_s = 4e9;
    other_pcie.pcie_bytes_per_s = 64e9;
    subject s = subject_of(made_trace(list, 4, NULL, "", 0));
    static const habitat_method methods[] = {HABITAT_METHOD_AUTO, HABITAT_METHOD_WAVE};
    for (size_t m = 0; m < 2; m++) {
        habitat_prediction *p = predicted(&s, &dest, methods[m]);
        habitat_prediction *q = predicted(&s, &other_pcie, methods[m]);
        habitat_prediction *r = predicted(&s, &slow_link, methods[m]);
        CHECK_NEAR(p->trace_kernels[0].ms, 0.024,
                   1e-12); /* 3 us x 32 / 4, to the GPU and from it */
        CHECK_NEAR(p->trace_kernels[1].ms, 0.024, 1e-12);
        CHECK_NEAR(q->trace_kernels[0].ms, 0.0015, 1e-12);
        CHECK_NEAR(q->trace_kernels[1].ms, 0.0015, 1e-12);
        CHECK(p->trace_kernels[2].ms == q->trace_kernels[2].ms); /* NVLink carries it on both */
        CHECK(r->trace_kernels[2].ms >= p->trace_kernels[2].ms);
        habitat_prediction_free(p);
        habitat_prediction_free(q);
        habitat_prediction_free(r);
    }
    check_case("copies to and from the host go by PCIe, collectives by NVLink");
    done(&s);
}

/* 1,100,800 bytes at 0.86 of 32 GB/s are 40 us of the 100. */
static void test_host_copies(void) {
    const made_kernel list[] = {
        {"Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", 100000, 100000, 7, 0, 0, 0, 0, 1100800,
         NULL, NULL, false, 0},
        {"Memcpy DtoH (Device -> Pageable)", "gpu_memcpy", 210000, 2000, 7, 0, 0, 0, 0, 4, NULL,
         NULL, false, 0},
        {"Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", 220000, 5000, 7, 0, 0, 0, 0, 0, NULL,
         NULL, false, 0},
    };
    o.pcie_bytes_per_s = 32e9;
    habitat_gpu half = d, superchip = d, unknown = d;
    half.pcie_bytes_per_s = 16e9;
    superchip.pcie_bytes_per_s = 32e9, superchip.c2c_bytes_per_s = 640e9; /* 320 each way */
    unknown.pcie_bytes_per_s = unknown.c2c_bytes_per_s = NAN;
    subject s = subject_of(made_trace(list, 3, NULL, "", 0));
    const struct {
        const habitat_gpu *dest;
        double ms[3];
    } expected[] = {{&half, {0.140, 0.002, 0.010}},
                    {&superchip, {0.064, 0.002, 0.0005}},
                    {&unknown, {0.100, 0.002, 0.005}}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        habitat_prediction *p = predicted(&s, expected[i].dest, HABITAT_METHOD_AUTO);
        for (size_t k = 0; k < 3; k++)
            CHECK_NEAR(p->trace_kernels[k].ms, expected[i].ms[k], 1e-3);
        habitat_prediction_free(p);
    }
    check_case("of a copy to or from the host the link's part scales, the host's stays");
    o.nvlink_bytes_per_s = o.pcie_bytes_per_s = NAN;
    done(&s);
}

static void test_operation_waves(void) {
    /* (13056, 4096) x (4096, 128): 51 tiles of 256 x 128 for 50 SMs. In whole waves of tiles, in
     * units of a 256 x 128 tile: 2 waves of 256 x 128 are 100; 3 of 128 x 128, 75; 5 of 128 x 64,
     * 62.5 / 0.9 = 69.4; 9 of 64 x 64, 56.25 / 0.75 = 75; 33 of 32 x 32, 51.6 / 0.5 = 103. The best
     * is 5 waves of 50 tiles of 128 x 64 at 0.9 of 6.4 TFLOP/s. The kernel's own cost is 2200
     * cycles at 2 GHz: 1.1 us. */
    habitat_gpu unmeasured = d;
    unmeasured.l2_bytes = NAN; /* operator models ask for it: the rule answers */
    habitat_gemm_shape shape = {.b = 1, .m = 13056, .n = 128, .k = 4096};
    habitat_work work;
    habitat_estimate e = {0};
    habitat_error err = {0};
    CHECK_INT(habitat_work_gemm(&shape, HABITAT_DTYPE_FP32, &work), HABITAT_OK);
    CHECK_INT(ask_operation(&work, &unmeasured, HABITAT_METHOD_AUTO, &e, &err), HABITAT_OK);
    CHECK_NEAR(e.ms, 5 * 50 * 128.0 * 64 * 2 * 4096 / 0.9 / 6.4e9 + 0.0011, 1e-9);
    CHECK_INT(e.method, HABITAT_METHOD_ROOFLINE);
    check_case("op: a product takes whole tiles in whole waves, and what any kernel costs");
}

int main(void) {
    o = made_gpu("o", 100, 1.0, 1000, 10);
    d = made_gpu("d", 50, 2.0, 500, 8);
    test_traced_iteration();
    test_bound_by();
    test_launch_bound();
    test_connections();
    test_host_copies();
    test_operation_waves();
    return check_done();
}
