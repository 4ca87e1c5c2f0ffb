/* Layers that are run again for a gradient, and weights that autocast casts once: worked by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "made_trace.h"
#include "rescale/recomputed_layers.h"
#include "rescale/weight_casts.h"

static void operation(made_text *text, const char *name, int thread, int at, int dur) {
    made_write(text,
               "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":%d,\"ts\":%d,"
               "\"dur\":%d,\"args\":{}},\n",
               name, thread, at, dur);
}

#define NODE(what) "autograd::engine::evaluate_function: " what

/* A recording of such operations whose parameters are two of 64 elements and one of 8. */
static habitat_trace *read_made(const made_text *made) {
    made_text text = {0};
    habitat_trace *trace = NULL;
    made_write(&text,
               "{\"habitat\":{\"schema\":1,\"memory\":{\"parameter_sizes\":{\"float32\":[64,8,64]}"
               "}},\"traceEvents\":[\n");
    made_write(&text, "%s", made->data);
    made_write(&text,
               "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":3,"
               "\"dur\":900,\"args\":{\"device\":0,\"stream\":7,\"grid\":[4,1,1],\"block\":[64,1,1]"
               "}}]}");
    CHECK_INT(habitat_trace_read_memory(text.data, strlen(text.data), "made", &trace, NULL),
              HABITAT_OK);
    free(text.data);
    return trace;
}

/* In the order of the list: whether each is computed again, as "0110". */
static void check_again(made_text *made, const char *wanted) {
    habitat_trace *trace = read_made(made);
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(trace, &count);
    bool *again = calloc(count + 1, sizeof *again);
    char found[32] = "";
    CHECK(recomputed_layers_mark(ops, count, again));
    for (size_t i = 0; i < count && i < sizeof found - 1; i++)
        found[i] = again[i] ? '1' : '0';
    CHECK_TEXT(found, wanted);
    free(again);
    free(made->data);
    habitat_trace_free(trace);
}

static void layers_again(void) {
    made_text made = {0};
    operation(&made, "aten::linear", 1, 10, 5);
    operation(&made, NODE("NllLossBackward0"), 2, 100, 50);
    operation(&made, "NllLossBackward0", 2, 101, 48);
    operation(&made, "aten::mul", 2, 102, 2);
    operation(&made, "aten::linear", 2, 105, 10);
    operation(&made, "aten::addmm", 2, 106, 8);
    operation(&made, "aten::nll_loss_backward", 2, 140, 5);
    operation(&made, NODE("AddmmBackward0"), 2, 200, 20);
    operation(&made, "aten::mm", 2, 202, 10);
    /* the node's inner range begins before the layer as well, and has no kernels of its own */
    check_again(&made, "001111000");
    check_case("inside a gradient all is of the forward pass until its last layer is done");
}

static habitat_trace *passes(void) {
    made_text made = {0};
    operation(&made, "aten::linear", 1, 10, 5);
    operation(&made, NODE("torch::autograd::AccumulateGrad"), 2, 100, 5);
    operation(&made, NODE("torch::autograd::AccumulateGrad"), 2, 110, 5);
    habitat_trace *trace = read_made(&made);
    free(made.data);
    return trace;
}

/* Reads at these times of weights of 64 elements: which of them cast, as "1010". */
static void check_casts(const uint64_t *at_us, size_t count, double elements, const char *wanted) {
    habitat_trace *trace = passes();
    weight_casts casts;
    char found[32] = "";
    CHECK_INT(weight_casts_of(trace, &casts, NULL), HABITAT_OK);
    for (size_t i = 0; i < count; i++)
        CHECK(weight_casts_read(&casts, at_us[i] * 1000, elements));
    for (size_t i = 0; i < count; i++)
        found[i] = weight_casts_next(&casts, elements) ? '1' : '0';
    CHECK_TEXT(found, wanted);
    weight_casts_free(&casts);
    habitat_trace_free(trace);
}

int main(void) {
    layers_again();
    check_casts((const uint64_t[]){1, 2, 3, 4, 5, 6}, 6, 64, "100100");
    check_case("six reads of two weights cast two");
    check_casts((const uint64_t[]){1, 2, 3, 4, 5}, 5, 64, "11111");
    check_case("five cannot be of two whole weights alone");
    check_casts((const uint64_t[]){1, 2, 3}, 3, 8, "100");
    check_casts((const uint64_t[]){1, 2, 3}, 3, 16, "111");
    check_case("no parameter has such a size: it is made anew each time");
    /* gradients begin 90 us after the first operation: times count from there */
    check_casts((const uint64_t[]){1, 2, 3, 150, 151}, 5, 8, "10010");
    check_case("behind a backward pass autocast begins anew");
    return check_done();
}
