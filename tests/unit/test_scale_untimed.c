/* Another batch size of a recording without a GPU: sizes of its operations, and its memory. */
#include <stdlib.h>
#include <string.h>

#include <habitat/predict.h>

#include "check.h"
#include "made_gpu.h"
#include "made_trace.h"
#include "memory/counted_peak.h"
#include "workload/recorded_shapes.h"

static void operation(made_text *text, int at, const char *name, const char *dims,
                      const char *types, const char *values) {
    made_write(text,
               "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 1, \"tid\": 1, "
               "\"ts\": %d, \"dur\": 1, \"args\": {\"Input Dims\": %s, \"Input type\": %s, "
               "\"Concrete Inputs\": %s}},\n",
               name, at, dims, types, values);
}

#define TWO  "[\"float\", \"float\"]"
#define NONE "[\"\", \"\"]"

/* A layer of 100 by 50 weights, forward and back, and a sum with its weights. */
static habitat_trace *step_of(const char *batch) {
    made_text text = {0};
    made_write(&text,
               "{\"habitat\": {\"schema\": 1, \"batch_size\": %s, \"recorded_without_gpu\": true, "
               "\"peak_memory_bytes\": 2000000000, \"peak_passes_moments_bytes\": [1500000000, "
               "500000000, 1000000000, 900000000], \"peak_steps_moments_bytes\": [1800000000, 0], "
               "\"memory\": {\"parameters_bytes\": 20000, \"parameter_sizes\": {\"float32\": "
               "[5000]}}}, \"traceEvents\": [\n",
               batch);
    operation(&text, 10, "aten::mm", "[[8, 100], [100, 50]]", TWO, NONE);
    operation(&text, 20, "aten::mm", "[[100, 8], [8, 50]]", TWO, NONE);
    operation(&text, 30, "aten::add_", "[[100, 50], [100, 50], []]",
              "[\"float\", \"float\", \"Scalar\"]", "[\"\", \"\", \"1\"]");
    made_write(&text, "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#1\", "
                      "\"pid\": 1, \"tid\": 1, \"ts\": 0, \"dur\": 90}]}\n");
    return made_trace_without_gpu(&text);
}

static void test_sizes(void) {
    habitat_trace *trace = step_of("8");
    habitat_workload *w = NULL, *more = NULL;
    habitat_error err = {0};
    habitat_scale scale = {.batch_size = 24};
    size_t count = 0;
    CHECK_INT(workload_from_shapes_of(trace, &w, &err), HABITAT_OK);
    CHECK_INT(habitat_workload_scale(w, &scale, NULL, &more, &err), HABITAT_OK);
    const habitat_workload_group *groups = habitat_workload_groups(more, &count);
    CHECK_INT(count, 3);
    CHECK_NEAR(groups[0].work->flop, 2.0 * 24 * 100 * 50, 0.0);
    CHECK_NEAR(groups[1].work->flop, 2.0 * 24 * 100 * 50, 0.0);
    CHECK_INT(groups[1].operation->form->inputs[0].dims[1], 24);
    CHECK_NEAR(groups[2].work->flop, habitat_workload_groups(w, &count)[2].work->flop, 0.0);
    CHECK_INT(more->batch_size, 24);
    CHECK_INT(more->warning_count, 1);
    habitat_gpu gpu = made_gpu("made", 100, 1, 2000, 50);
    habitat_prediction *one = NULL, *three = NULL;
    CHECK_INT(habitat_predict(w, &gpu, HABITAT_METHOD_ROOFLINE, &one, &err), HABITAT_OK);
    CHECK_INT(habitat_predict(more, &gpu, HABITAT_METHOD_ROOFLINE, &three, &err), HABITAT_OK);
    CHECK_NEAR(one->memory_bytes, 2e9, 0.0);
    CHECK_NEAR(three->memory_bytes, 1e9 + 3 * 0.9e9, 0.0);
    CHECK(three->kernel_ms > one->kernel_ms && three->batch_size == 24);
    CHECK_NEAR(three->largest_batch, one->largest_batch, 0.0);
    habitat_prediction_free(one);
    habitat_prediction_free(three);
    habitat_workload_free(more);
    more = NULL;
    scale = (habitat_scale){.batch_size = 24, .precision = HABITAT_PRECISION_TF32};
    CHECK_INT(habitat_workload_scale(w, &scale, NULL, &more, &err), HABITAT_E_UNSUPPORTED);
    CHECK(more == NULL);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("products grow with the batch, sums of weights do not");
    trace = step_of("50"); /* a width */
    scale = (habitat_scale){.batch_size = 8};
    CHECK_INT(workload_from_shapes_of(trace, &w, &err), HABITAT_OK);
    habitat_status status = habitat_workload_scale(w, &scale, NULL, &more, &err);
    CHECK(status == HABITAT_E_UNSUPPORTED || (status == HABITAT_OK && more->warning_count > 1));
    habitat_workload_free(more);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("a batch that is in no size is refused, or doubted");
}

static void test_moments(void) {
    habitat_trace *trace = step_of("8");
    const habitat_trace_info *info = habitat_trace_get_info(trace);
    const habitat_memory_moments *passes = &info->memory.passes;
    habitat_memory_parts parts;
    habitat_gpu gpu = made_gpu("made", 100, 1, 2000, 50);
    CHECK_INT(passes->count, 2);
    CHECK_NEAR(memory_counted_peak(passes, 1.0), 2.0e9, 0.0);
    CHECK_NEAR(memory_counted_peak(passes, 0.5), 1.75e9, 0.0);
    CHECK_NEAR(memory_counted_peak(passes, 10.0), 10.0e9, 0.0);
    CHECK(isnan(memory_counted_peak(&(habitat_memory_moments){.count = 0}, 2.0)));
    memory_counted(info, 0.25, &parts);
    CHECK_NEAR(parts.peak_bytes, 1.8e9, 0.0); /* the optimiser's step, whatever the batch */
    check_case("another moment takes most with another batch");
    double most = memory_counted_largest_batch(info, &gpu, 8);
    for (int more = 0; more < 2; more++) {
        memory_counted(info, (most + more) / 8.0, &parts);
        CHECK((habitat_memory_fit_on(&parts, &gpu).fits == 1) == !more);
    }
    gpu.memory_bytes = 1e9;
    CHECK_NEAR(memory_counted_largest_batch(info, &gpu, 8), 0.0, 0.0);
    CHECK(isnan(memory_counted_largest_batch(info, &gpu, 0)));
    habitat_trace_free(trace);
    check_case("the largest batch fits, and one more sample does not");
}

int main(void) {
    test_sizes();
    test_moments();
    return check_done();
}
