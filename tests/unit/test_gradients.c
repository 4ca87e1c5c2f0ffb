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

int main(void) {
    test_one_pass();
    test_passes();
    test_missing();
    return check_done();
}
