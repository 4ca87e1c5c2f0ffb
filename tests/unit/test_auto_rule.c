/* auto's rule for kernels that no model answers for: what of their time goes with memory, what with
 * instructions, and how both add up (docs/decisions/0501, 0502).
 *
 * o: 100 SMs, 1.0 GHz, 800 GB/s sustained; d: 50 SMs, 2.0 GHz, 400 GB/s. Launches of 4000 blocks
 * fill both: what is beyond the roofline takes as long on d. Floors are 2.2 and 1.1 us. A tensor of
 * 64 x 1024 x 1024 is 268.435456 MB, far more than the caches. */
#include <habitat/predict.h>

#include "check.h"
#include "kernels/instructions.h"
#include "made_gpu.h"
#include "made_trace.h"

#define TENSOR "[[64, 1024, 1024]]"

static habitat_gpu o, d;

/* What a kernel of an operation that took `duration_ns` on o takes on a GPU [us]. */
static double on_us(const habitat_gpu *dest, const char *kernel, const char *op,
                    uint64_t duration_ns) {
    const made_kernel list[] = {
        {kernel, NULL, 100000, duration_ns, 7, 4000, 256, 32, 0, 0, op, TENSOR, false, 0}};
    habitat_trace *trace = made_trace(list, 1, NULL, "", 0);
    habitat_workload *w = NULL;
    habitat_prediction *p = NULL;
    habitat_error err = {0};
    if (habitat_workload_create(trace, &o, &w, &err) != HABITAT_OK ||
        habitat_predict(w, dest, HABITAT_METHOD_AUTO, &p, &err) != HABITAT_OK)
        printf("# no prediction: %s\n", err.message);
    double us = p ? p->kernel_ms * 1e3 : NAN;
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    return us;
}

/* relu reads and writes 536.870912 MB: M_o = 671.088640 us of 1000, M_d = 1342.177280. */
static void test_side_by_side(void) {
    /* (1342.17728^2.5 + 1000^2.5 - 671.08864^2.5)^(1/2.5) = 1491.8 us */
    const double together_us =
        1.1 + pow(pow(1342.17728, 2.5) + pow(1000, 2.5) - pow(671.08864, 2.5), 1 / 2.5);
    CHECK_NEAR(on_us(&d, "elementwise_kernel<128, 4, f>", "aten::relu", 1002200), together_us,
               1e-6);
    CHECK_NEAR(on_us(&d, "unrolled_elementwise_kernel<f>", "aten::relu", 1002200), together_us,
               1e-6);
    CHECK_NEAR(on_us(&d, "k", "aten::relu", 1002200), together_us, 1e-6);
    check_case("auto: threads that wait for nobody compute while others wait for memory");

    /* 1342.17728 + (1000 - 671.08864) */
    CHECK_NEAR(on_us(&d, "vectorized_elementwise_kernel<4, f>", "aten::relu", 1002200),
               1.1 + 1671.08864, 1e-6);
    check_case("auto: what vectorised kernels take beyond memory is how they begin and end");

    /* A sum reads one tensor, and its threads hand each other what they have: 671.08864 of memory,
     * and 1000 - 335.54432 that come on top. */
    CHECK_NEAR(on_us(&d, "reduce_kernel<512, 1>", "aten::sum", 1002200),
               1.1 + 671.08864 + 664.45568, 1e-6);
    check_case("auto: what sums wait for comes one after the other");

    /* faster than its roofline: all of it goes with memory, whatever the kernel */
    CHECK_NEAR(on_us(&d, "elementwise_kernel<128, 4, f>", "aten::relu", 502200), 1.1 + 1000, 1e-6);
    check_case("auto: a kernel faster than its roofline is all memory");

    habitat_gpu none_slower = d;
    none_slower.sustained_bandwidth_bytes_per_s = o.sustained_bandwidth_bytes_per_s;
    CHECK_NEAR(on_us(&none_slower, "elementwise_kernel<128, 4, f>", "aten::relu", 1002200),
               1.1 + 1000, 1e-6);
    check_case("auto: with the same memory and as many instructions a second the time is the same");
}

static void test_instructions(void) {
    static const char gelu[] = "vectorized_elementwise_kernel<8, at::native::GeluCUDAKernelImpl("
                               "c10::BFloat16)>";
    CHECK_NEAR(instructions_a_byte(gelu), 10.8, 0);
    CHECK_NEAR(instructions_a_byte("vectorized_elementwise_kernel<4, GeluCUDAKernelImpl, float>"),
               0, 0);
    CHECK_NEAR(instructions_a_byte("elementwise_kernel<128, 4, GeluCUDAKernelImpl, c10::Half>"), 0,
               0);
    CHECK_NEAR(instructions_a_byte("vectorized_elementwise_kernel<8, add, c10::Half>"), 0, 0);
    CHECK_NEAR(instructions_a_byte("vectorized_elementwise_kernel<8, GeluBackwardCUDAKernelImpl, "
                                   "c10::Half>"),
               9.9, 0);
    CHECK_NEAR(instructions_a_byte(NULL), 0, 0);
    check_case("functions in 16 bit that are long on instructions are known by their kernels");

    /* 100 SMs of 128 lanes at 1 GHz: 12.8 T a second. 1 GB at 6.4 instructions: .5 s, beside 1 s of
     * memory: 1 (1 + 2^-8)^(1/8) = 1.000487; beside .5: .5 x 2^(1/8) = .545254; beside .05: .5 */
    CHECK_NEAR(instructions_s(&o, 1e12, 6.4, 1.0), 1.0004874, 1e-6);
    CHECK_NEAR(instructions_s(&o, 1e12, 6.4, 0.5), 0.5452539, 1e-6);
    CHECK_NEAR(instructions_s(&o, 1e12, 6.4, 0.05), 0.5, 1e-8);
    CHECK_NEAR(instructions_s(&o, 1e12, 0, 0.05), 0.05, 0);
    habitat_gpu unknown = o;
    unknown.boost_clock_hz = NAN;
    CHECK_NEAR(instructions_s(&unknown, 1e12, 6.4, 0.05), 0.05, 0);
    check_case("memory and instructions take little more than the longer of both");

    /* On o GELU waits for memory: M = 671.08864 us beside 452.984832 of instructions, together
     * 674.64. With eight times d's bandwidth its instructions take 452.984832 us beside 167.77216:
     * 453.0 us and not 167.8; the other 325.4 us stay. */
    habitat_gpu wide = d;
    wide.memory_bandwidth_bytes_per_s *= 8;
    wide.sustained_bandwidth_bytes_per_s *= 8;
    double roof_us = 671.08864 * pow(1 + pow(452.984832 / 671.08864, 8), 0.125);
    double wide_us = 167.77216 * pow(1 + pow(452.984832 / 167.77216, 8), 0.125);
    CHECK_NEAR(on_us(&wide, gelu, "aten::gelu", 1002200), 1.1 + wide_us + 1000 - roof_us, 1e-6);
    check_case("auto: a GPU of much more bandwidth leaves GELU its instructions");
}

/* o again, of twice the bandwidth and half the blocks' room: no answer falls when a resource does.
 */
static void test_order(void) {
    static const char *const kernels[] = {
        "elementwise_kernel<128, 4, f>", "k",
        "vectorized_elementwise_kernel<8, silu_kernel, c10::Half>"};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (uint64_t ns = 3000; ns < 4000000; ns *= 3) {
            double before_us = on_us(&d, kernels[k], "aten::relu", ns);
            habitat_gpu more = d;
            more.sustained_bandwidth_bytes_per_s *= 1.3;
            CHECK(on_us(&more, kernels[k], "aten::relu", ns) <= before_us * (1 + 1e-12));
            more = d;
            more.sm_count += 7;
            CHECK(on_us(&more, kernels[k], "aten::relu", ns) <= before_us * (1 + 1e-12));
            more = d;
            more.boost_clock_hz *= 1.1;
            CHECK(on_us(&more, kernels[k], "aten::relu", ns) <= before_us * (1 + 1e-12));
        }
    check_case("auto: no resource, raised, makes a kernel slower, however its times add up");
}

#define LAUNCHED(kernel, at, us)                                                                   \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"    \
    "\"ts\":" at ",\"dur\":1,\"args\":{\"correlation\":" at "}},"                                  \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" kernel "\",\"pid\":0,\"tid\":7,\"ts\":" at      \
    "00,\"dur\":" us ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" at                    \
    ",\"grid\":[4096,1,1],\"block\":[256,1,1],\"registers per thread\":32,\"shared memory\":0}},"

static void test_norm_backward(void) {
    /* 4096 rows of 1024: the gradient of the result and the input are read, that of the input is
     * written, 16777216 byte each, and beside them 4096 means and inverse deviations, 1024 weights,
     * their gradient and that of the bias: 45056 byte. Its kernel moves all of that, whatever the
     * one for weights reads again, which counts by its time. */
    static const char text[] =
        "{\"deviceProperties\":[{\"id\":0,\"name\":\"made\"}],\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::native_layer_norm_backward\",\"pid\":1,"
        "\"tid\":1,\"ts\":100,\"dur\":50,\"args\":{\"External id\":1,\"Concrete Inputs\":"
        "[\"\",\"\",\"[1024]\",\"\",\"\",\"\",\"\",\"[True, True, True]\"],\"Input "
        "type\":[\"float\","
        "\"float\",\"ScalarList\",\"float\",\"float\",\"float\",\"float\",\"ScalarList\"],"
        "\"Input "
        "Dims\":[[4096,1024],[4096,1024],[],[4096,1],[4096,1],[1024],[1024],[]]}}," LAUNCHED(
            "layer_norm_grad_input_kernel_vectorized", "110", "60")
            LAUNCHED("GammaBetaBackwardCUDAKernelTemplate", "120",
                     "40") "{\"ph\":\"M\",\"name\":\"x\",\"pid\":1}]}";
    habitat_trace *trace = NULL;
    habitat_workload *w = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_trace_read_memory(text, sizeof text - 1, "made", &trace, &err), HABITAT_OK);
    CHECK_INT(habitat_workload_create(trace, &o, &w, &err), HABITAT_OK);
    size_t count = 0;
    const habitat_workload_kernel *kernels = habitat_workload_kernels(w, &count);
    CHECK_INT(count, 2);
    CHECK_NEAR(kernels[0].facts.bytes, 3 * 16777216 + 45056, 0);
    CHECK_NEAR(kernels[1].facts.bytes, 0.4 * (3 * 16777216 + 45056), 1e-12);
    check_case("the gradient of a layer norm's input moves all that the operation does");
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

int main(void) {
    o = made_gpu("o", 100, 1.0, 1000, 10);
    d = made_gpu("d", 50, 2.0, 500, 8);
    test_side_by_side();
    test_instructions();
    test_order();
    test_norm_backward();
    return check_done();
}
