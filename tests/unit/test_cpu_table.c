/* What the CPU needs for operations that were recorded without a GPU, and copies between the host
 * and the GPU there, worked by hand. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kernels/host_copy.h"
#include "made_gpu.h"
#include "made_trace.h"
#include "workload/cpu_table.h"
#include "workload/recorded_shapes.h"

static const char *const plain = "\"Input Dims\": [[1000]], \"Input type\": [\"float\"]";

static void event(made_text *text, int at, int long_us, const char *name, const char *args) {
    made_write(text,
               "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 1, \"tid\": 1, "
               "\"ts\": %d, \"dur\": %d, \"args\": {%s}},\n",
               name, at, long_us, args);
}

/* A forward operation, a copy, a backward one whose gradient is added to its parameter, and what a
 * scaler and an optimiser do. */
static habitat_workload *step(bool with_nodes, bool with_numbers, habitat_trace **trace) {
    made_text text = {0};
    habitat_workload *w = NULL;
    habitat_error err = {0};
    made_write(&text, "{\"habitat\": {\"schema\": 1, \"recorded_without_gpu\": true, "
                      "\"cpu_data_ms\": 2}, \"traceEvents\": [\n");
    event(&text, 0, 1, "aten::relu",
          with_numbers ? "\"Input Dims\": [[1000]], \"Input type\": [\"float\"], "
                         "\"Sequence number\": 7, \"Fwd thread id\": 0"
                       : plain);
    event(&text, 2, 1, "aten::_to_copy", plain);
    if (with_nodes)
        event(&text, 4, 3, "autograd::engine::evaluate_function: ReluBackward0",
              with_numbers ? "\"Sequence number\": 7, \"Fwd thread id\": 1" : "");
    event(&text, 5, 1, "aten::threshold_backward",
          "\"Input Dims\": [[1000], [1000], []], \"Input type\": [\"float\", \"float\", "
          "\"Scalar\"], \"Concrete Inputs\": [\"\", \"\", \"0\"]");
    for (int i = 0; with_nodes && i < 2; i++)
        event(&text, 8 + i, 1,
              "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", "");
    event(&text, 10, 1, "aten::_amp_foreach_non_finite_check_and_unscale_",
          "\"Input Dims\": [[[10], [20], [30]], [], []], \"Input type\": [\"TensorList[float]\", "
          "\"float\", \"float\"]");
    made_write(&text,
               "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add_\", \"pid\": 1, "
               "\"tid\": 1, \"ts\": 12, \"dur\": 1, \"args\": {%s}}]}\n",
               "\"Input Dims\": [[1000], [1000], []], \"Input type\": [\"float\", \"float\", "
               "\"Scalar\"], \"Concrete Inputs\": [\"\", \"\", \"1\"]");
    *trace = made_trace_without_gpu(&text);
    CHECK_INT(workload_from_shapes_of(*trace, &w, &err), HABITAT_OK);
    return w;
}

/* Nothing noted of gradients; two of them; and which forward operation reads the parameters. */
static void test_table(void) {
    const double launch_us[3][5] = {{51, 17, 51, 51, 51},
                                    {33, 17, 33, 110 + 3 * 20, 33},
                                    {33 + 2 * 30, 17, 33, 110 + 3 * 20, 20}};
    const double after_us[3][5] = {{0}, {0, 0, 2 * 60, 0, 0}, {0, 0, 2 * 30, 0, 0}};
    for (int c = 0; c < 3; c++) {
        habitat_trace *trace = NULL;
        habitat_workload *w = step(c > 0, c > 1, &trace);
        double sum_ms = 2.0;
        CHECK_INT(w->kernel_count, 5);
        for (size_t i = 0; i < w->kernel_count; i++) {
            double us = launch_us[c][i] + after_us[c][i];
            CHECK_NEAR(workload_table_launch_ms(w, i) * 1e3, launch_us[c][i], 1e-9);
            CHECK_NEAR(workload_table_operation_ms(w, i, NULL) * 1e3, us, 1e-9);
            sum_ms += us / 1e3;
        }
        CHECK_NEAR(workload_table_cpu_ms(w, NULL), sum_ms, 1e-12);
        habitat_workload_free(w);
        habitat_trace_free(trace);
    }
    check_case("gradients and lists take the CPU more than operations do, what autograd does not "
               "follow less");
}

/* Three operations inside one of which nothing is said, two inside a node of autograd, one
 * alone. */
static void test_parts(void) {
    made_text text = {0};
    habitat_workload *w = NULL;
    habitat_error err = {0};
    made_write(&text, "{\"habitat\": {\"schema\": 1, \"recorded_without_gpu\": true}, "
                      "\"traceEvents\": [\n");
    event(&text, 0, 8, "aten::logsumexp", "");
    event(&text, 1, 1, "aten::abs", plain);
    event(&text, 3, 1, "aten::exp", plain);
    event(&text, 5, 1, "aten::log", plain);
    event(&text, 10, 8, "autograd::engine::evaluate_function: LogsumexpBackward0", "");
    event(&text, 11, 1, "aten::abs", plain);
    event(&text, 13, 1, "aten::exp", plain);
    made_write(&text,
               "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::log\", \"pid\": 1, "
               "\"tid\": 1, \"ts\": 20, \"dur\": 1, \"args\": {%s}}]}\n",
               plain);
    habitat_trace *trace = made_trace_without_gpu(&text);
    CHECK_INT(workload_from_shapes_of(trace, &w, &err), HABITAT_OK);
    CHECK_INT(w->kernel_count, 6);
    CHECK_INT(w->warning_count, 2); /* what is around them is not said to be left out */
    for (size_t i = 0; i < w->kernel_count; i++)
        CHECK_NEAR(workload_table_launch_ms(w, i) * 1e3, 33, 1e-9);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("an operation of which nothing is said stands for those inside it");
}

/* 10 GB/s of a link of 11.6, and 10 GB/s of the CPU: 1 MB is 100 us each. */
static void test_copies(void) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    habitat_work work = {.op_class = HABITAT_CLASS_COPY, .read_bytes = 4e6, .write_bytes = 1e6};
    gpu.pcie_bytes_per_s = 10e9 / .86;
    gpu.c2c_bytes_per_s = NAN;
    CHECK(isnan(host_copy_ms(&work, &gpu)));
    work.host_memory = HABITAT_HOST_MEMORY_PINNED;
    CHECK_NEAR(host_copy_ms(&work, &gpu) * 1e3, 9 + 100, 1e-9);
    work.host_memory = HABITAT_HOST_MEMORY_PAGEABLE;
    CHECK_NEAR(host_copy_ms(&work, &gpu) * 1e3, 20 + 100 + 100, 1e-9);
    gpu.c2c_bytes_per_s = 40e9 / .86; /* both ways: 20 one way */
    CHECK_NEAR(host_copy_ms(&work, &gpu) * 1e3, 20 + 50 + 100, 1e-9);
    gpu.pcie_bytes_per_s = gpu.c2c_bytes_per_s = NAN;
    CHECK(isnan(host_copy_ms(&work, &gpu)));
    check_case("copies between the host and a GPU go by the link, pages by the CPU too");
}

/* What a recording says of a copy, in the words of CUPTI; and the format that is sent. */
static void test_recorded(void) {
    static const struct {
        const char *copy, *more;
        habitat_host_memory memory;
        double bytes;
    } cases[] = {
        {"\"HtoD (Pageable -> Device)\"", "", HABITAT_HOST_MEMORY_PAGEABLE, 4000},
        {"\"DtoH (Device -> Pinned)\"", "", HABITAT_HOST_MEMORY_PINNED, 4000},
        {"\"DtoD\"", "", HABITAT_HOST_MEMORY_NONE, 4000},
        {"\"Pin\"", "", HABITAT_HOST_MEMORY_NONE, 4000},
        {"\"\"", "", HABITAT_HOST_MEMORY_NONE, 4000},
        {"\"HtoD (Pinned -> Device)\"", ", \"Concrete Inputs\": [\"\", \"5\"]",
         HABITAT_HOST_MEMORY_PINNED, 2000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_text text = {0};
        habitat_workload *w = NULL;
        habitat_error err = {0};
        made_write(&text,
                   "{\"habitat\": {\"schema\": 1, \"recorded_without_gpu\": true}, "
                   "\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": "
                   "\"aten::_to_copy\", \"pid\": 1, \"tid\": 1, \"ts\": 0, \"dur\": 1, \"args\": "
                   "{\"Input Dims\": [[1000], []], \"Input type\": [\"float\", \"Scalar\"]%s, "
                   "\"Copy\": %s}}]}\n",
                   cases[i].more, cases[i].copy);
        habitat_trace *trace = made_trace_without_gpu(&text);
        CHECK_INT(workload_from_shapes_of(trace, &w, &err), HABITAT_OK);
        CHECK_INT(w->groups[0].work->host_memory, cases[i].memory);
        CHECK_NEAR(w->groups[0].work->write_bytes, cases[i].bytes, 0);
        bool crosses = cases[i].memory != HABITAT_HOST_MEMORY_NONE;
        CHECK_INT(habitat_is_copy(w->kernels[0].kernel), crosses);
        habitat_workload_free(w);
        habitat_trace_free(trace);
    }
    check_case("a recording without a GPU says which memory of the host a copy goes to");
}

int main(void) {
    test_table();
    test_parts();
    test_copies();
    test_recorded();
    return check_done();
}
