/* Sizes of gradients, from what autograd adds to the parameters: worked by hand. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "made_trace.h"
#include "trace/gradients.h"

enum { GRADIENTS_MAX = 8 };

static void forward(made_text *text, int at, int node) {
    made_write(text,
               "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"pid\":1,\"tid\":1,"
               "\"ts\":%d,\"dur\":5,\"args\":{\"Sequence number\":%d,\"Fwd thread id\":0}},\n",
               at, node);
}

/* The backward operation of a node; computes its forward one again as `again`, unless that is 0. */
static void backward(made_text *text, int at, int node, int again) {
    made_write(text,
               "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"autograd::engine::evaluate_function: "
               "AddmmBackward0\",\"pid\":1,\"tid\":2,\"ts\":%d,\"dur\":8,\"args\":{\"Sequence "
               "number\":%d,\"Fwd thread id\":1}},\n",
               at, node);
    if (again)
        made_write(text,
                   "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"pid\":1,\"tid\":"
                   "2,\"ts\":%d,\"dur\":3,\"args\":{\"Sequence number\":%d,\"Fwd thread id\":0}},"
                   "\n",
                   at + 1, again);
}

/* dims: "[3,4]", or NULL: without a shape. */
static void gradient(made_text *text, int at, const char *dims, const char *type) {
    made_write(text,
               "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"autograd::engine::evaluate_function: "
               "torch::autograd::AccumulateGrad\",\"pid\":1,\"tid\":2,\"ts\":%d,\"dur\":2,"
               "\"args\":{}},\n",
               at);
    if (dims)
        made_write(text,
                   "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"torch::autograd::AccumulateGrad\","
                   "\"pid\":1,\"tid\":2,\"ts\":%d.5,\"dur\":1,\"args\":{\"Input Dims\":[%s],"
                   "\"Input type\":[\"%s\"]}},\n",
                   at, dims, type);
}

/* `made` holds the operations; `noted` the object's members. */
static habitat_trace *read_made(made_text *made, const char *noted) {
    made_text text = {0};
    habitat_trace *trace = NULL;
    habitat_error err = {0};
    made_write(&text, "{%s\"traceEvents\": [\n", noted);
    made_write(&text, "%s", made->data ? made->data : "");
    made_write(&text,
               "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
               "\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"correlation\":1}},\n"
               "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":3,"
               "\"dur\":900,\"args\":{\"correlation\":1,\"device\":0,\"stream\":7,\"grid\":[4,1,1],"
               "\"block\":[64,1,1]}}]}\n");
    CHECK_INT(habitat_trace_read_memory(text.data, text.used, "made", &trace, &err), HABITAT_OK);
    CHECK_TEXT(err.message, "");
    free(text.data);
    free(made->data);
    *made = (made_text){0};
    return trace;
}

static void check_sizes(made_text *made, const char *noted, trace_gradients_source source,
                        size_t count, const uint64_t *elements) {
    trace_gradients g = {0};
    habitat_trace *trace = read_made(made, noted);
    CHECK_INT(trace_gradients_of(trace, &g, NULL), HABITAT_OK);
    CHECK_INT(g.source, source);
    CHECK_INT(g.count, count);
    for (size_t i = 0; i < count && i < g.count; i++)
        CHECK_INT(g.all[i].elements, elements[i]);
    trace_gradients_free(&g);
    habitat_trace_free(trace);
}

static void test_one_pass(void) {
    made_text text = {0};
    forward(&text, 10, 1);
    forward(&text, 20, 2);
    backward(&text, 30, 2, 0);
    gradient(&text, 40, "[10]", "float");
    gradient(&text, 44, "[10,512]", "float");
    backward(&text, 50, 1, 0);
    gradient(&text, 60, "[]", "c10::BFloat16");
    trace_gradients g = {0};
    habitat_trace *trace = read_made(&text, "");
    CHECK_INT(trace_gradients_of(trace, &g, NULL), HABITAT_OK);
    CHECK(g.shown && g.source == TRACE_GRADIENTS_SHAPES && g.count == 3);
    CHECK(g.count == 3 && g.all[0].elements == 1 && g.all[0].dtype == HABITAT_DTYPE_BF16);
    CHECK(g.count == 3 && g.all[1].elements == 5120 && g.all[2].elements == 10);
    CHECK(g.count == 3 && g.all[1].dtype == HABITAT_DTYPE_FP32);
    trace_gradients_free(&g);
    habitat_trace_free(trace);
    check_case("gradients in the model's order: what the backward pass is done with last comes "
               "first");
}

/* Two of three layers each pass, in forward order 1, 2. */
static void one_pass(made_text *text, int at, int node, const char *first, const char *second) {
    forward(text, at, node);
    forward(text, at + 10, node + 1);
    backward(text, at + 20, node + 1, 0);
    gradient(text, at + 30, second, "float");
    backward(text, at + 40, node, 0);
    gradient(text, at + 50, first, "float");
}

static void test_passes(void) {
    made_text text = {0};
    one_pass(&text, 10, 1, "[3,4]", "[5]");
    one_pass(&text, 110, 3, "[3,4]", "[5]");
    one_pass(&text, 210, 5, "[3,4]", "[5]");
    check_sizes(&text, "", TRACE_GRADIENTS_SHAPES, 2, (const uint64_t[]){12, 5});
    check_case("passes that gather gradients are of the same parameters");

    one_pass(&text, 10, 1, "[3,4]", "[5]");
    one_pass(&text, 110, 3, "[7]", "[8]");
    check_sizes(&text, "", TRACE_GRADIENTS_SHAPES, 4, (const uint64_t[]){7, 8, 12, 5});
    check_case("passes of other networks have parameters of their own");

    forward(&text, 10, 1);
    backward(&text, 30, 1, 2);
    gradient(&text, 40, "[5]", "float");
    backward(&text, 50, 2, 3);
    gradient(&text, 60, "[5]", "float");
    backward(&text, 70, 3, 0);
    check_sizes(&text, "", TRACE_GRADIENTS_SHAPES, 2, (const uint64_t[]){5, 5});
    check_case("what is computed again in the backward pass begins no other");
}

static void test_missing(void) {
    made_text text = {0};
    one_pass(&text, 10, 1, "[3,4]", NULL);
    check_sizes(&text, "", TRACE_GRADIENTS_NONE, 0, NULL);
    one_pass(&text, 10, 1, "[3,4]", "[5]");
    check_sizes(&text, "\"habitat\":{\"memory\":{\"parameter_sizes\":{\"float32\":[2,9,7]}}},",
                TRACE_GRADIENTS_NOTED, 3, (const uint64_t[]){2, 9, 7});
    forward(&text, 10, 1);
    check_sizes(&text, "", TRACE_GRADIENTS_NONE, 0, NULL);
    check_case("one without a shape leaves all unknown; what is noted comes first");
    one_pass(&text, 10, 1, "[9007199254740992,9007199254740992]", "[0]");
    check_sizes(&text, "", TRACE_GRADIENTS_SHAPES, 2, (const uint64_t[]){(uint64_t)1 << 50, 1});
    check_case("sizes that no memory holds do not wrap around");
}

static void check_passes(made_text *made, const char *noted, uint32_t passes) {
    uint32_t found = 0;
    habitat_trace *trace = read_made(made, noted);
    CHECK_INT(trace_backward_passes(trace, &found, NULL), HABITAT_OK);
    CHECK_INT(found, passes);
    habitat_trace_free(trace);
}

static void test_backward_passes(void) {
    made_text text = {0};
    forward(&text, 10, 1);
    backward(&text, 30, 1, 0);
    check_passes(&text, "", 1);
    one_pass(&text, 10, 1, "[3,4]", "[5]");
    check_passes(&text, "", 1);
    one_pass(&text, 10, 1, "[3,4]", "[5]");
    one_pass(&text, 110, 3, "[7]", "[8]");
    check_passes(&text, "", 1);
    check_case("one backward pass: none of gradients, one, one each of two networks");
    for (int i = 0; i < 4; i++)
        one_pass(&text, 10 + 100 * i, 1 + 2 * i, "[3,4]", "[5]");
    check_passes(&text, "", 4);
    check_case("four that gather gradients, by their shapes");
}

#define NOTED(sizes) "\"habitat\":{\"memory\":{\"parameter_sizes\":{\"float32\":[" sizes "]}}},"

static void test_noted_passes(void) {
    made_text text = {0};
    for (int i = 0; i < 3; i++)
        one_pass(&text, 10 + 100 * i, 1 + 2 * i, "[3,4]", NULL);
    check_passes(&text, NOTED("12,5"), 3);
    check_case("gradients without a shape are as many as the noted parameters");
    for (int i = 0; i < 3; i++)
        one_pass(&text, 10 + 100 * i, 1 + 2 * i, "[3,4]", NULL);
    check_passes(&text, "", 3);
    for (int i = 0; i < 2; i++)
        one_pass(&text, 10 + 100 * i, 1 + 2 * i, "[3,4]", NULL);
    gradient(&text, 170, NULL, NULL);
    check_passes(&text, "", 1);
    one_pass(&text, 10, 1, "[3,4]", NULL);
    one_pass(&text, 110, 3, "[3,4]", NULL);
    forward(&text, 105, 5);
    backward(&text, 150, 5, 0);
    check_passes(&text, "", 1);
    check_case("without shapes and notes passes count that are alike; others are of networks");
    for (int i = 0; i < 3; i++) /* 6 gradients of 3 parameters */
        one_pass(&text, 10 + 100 * i, 1 + 2 * i, "[3,4]", "[5]");
    check_passes(&text, NOTED("12,5,9"), 2);
    one_pass(&text, 10, 1, "[3,4]", "[5]");
    one_pass(&text, 110, 3, "[3,4]", "[5]"); /* 4: nearer to one each */
    check_passes(&text, NOTED("12,5,9"), 1);
    one_pass(&text, 10, 1, "[3,4]", "[5]");
    one_pass(&text, 110, 3, "[3,4]", "[5]");
    gradient(&text, 170, "[9]", "float"); /* 5: to two */
    check_passes(&text, NOTED("12,5,9"), 2);
    check_case("parameters may have no gradient: the nearest number of passes");
}

/* The iterations are counted apart: the last one is as long as the first and has fewer passes. */
static void test_last_iteration(void) {
    made_text text = {0};
    made_write(&text, "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\","
                      "\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":300},\n"
                      "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#2\","
                      "\"pid\":1,\"tid\":1,\"ts\":300,\"dur\":300},\n"
                      "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
                      "\"pid\":1,\"tid\":1,\"ts\":305,\"dur\":1,\"args\":{\"correlation\":2}},\n"
                      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,"
                      "\"ts\":950,\"dur\":9,\"args\":{\"correlation\":2,\"device\":0,"
                      "\"stream\":7}},\n");
    for (int i = 0; i < 5; i++)
        one_pass(&text, 10 + 100 * i, 1 + 2 * i, "[3,4]", "[5]");
    check_passes(&text, "", 2);
    check_case("the passes of one iteration");
}

int main(void) {
    test_one_pass();
    test_passes();
    test_missing();
    test_backward_passes();
    test_noted_passes();
    test_last_iteration();
    return check_done();
}
