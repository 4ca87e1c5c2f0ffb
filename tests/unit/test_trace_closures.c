/* Steps of an optimiser that are handed a function with the forward and the backward pass:
 * src/trace/closures.c. Times in microseconds; thread 1 is the program's, 2 autograd's. */
#include <habitat/trace.h>

#include "check.h"
#include "made_events.h"

#define IN_PROCESS(process, category, name, thread, at, length)                                    \
    "{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"" name "\",\"pid\":" #process               \
    ",\"tid\":" #thread ",\"ts\":" #at ",\"dur\":" #length "},"
#define RANGE(name, at, length)  IN_PROCESS(1, "user_annotation", name, 1, at, length)
#define MODULE(name, at, length) IN_PROCESS(1, "python_function", "nn.Module: " name, 1, at, length)
#define ADAM                     "Optimizer.step#Adam.step"
#define TRACE(events)                                                                              \
    "{\"deviceProperties\":[{\"id\":0,\"name\":\"made\"}],\"traceEvents\":[" events KERNEL "]}"

/* 20 to 190: a layer, a loss, both back, the gradient, the update. */
#define FUNCTION                                                                                   \
    OP("aten::linear", 1, 22, 8, FORWARD(1))                                                       \
    OP("aten::mse_loss", 1, 45, 5, FORWARD(2))                                                     \
    OP(NODE "MseLossBackward0", 2, 60, 10, BACKWARD(2))                                            \
    OP("aten::mul", 2, 62, 4, "")                                                                  \
    OP(NODE "AddmmBackward0", 2, 72, 28, BACKWARD(1))                                              \
    OP(NODE "torch::autograd::AccumulateGrad", 2, 102, 8, "")                                      \
    OP("aten::detach", 1, 105, 2, "")
#define UPDATE OP("aten::_foreach_add_", 1, 120, 10, "") OP("aten::sqrt", 1, 122, 4, "")

static habitat_trace *read_made(const char *text) {
    habitat_trace *trace = NULL;
    habitat_error err = {0};
    if (habitat_trace_read_memory(text, strlen(text), "made", &trace, &err) != HABITAT_OK)
        printf("# does not read: %s\n", err.message);
    return trace;
}

/* The parent's name of the n-th operation of a name, from 0; "none". */
static const char *parent_of(const habitat_trace *trace, const char *name, size_t n) {
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(trace, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(ops[i].form->name, name) == 0 && n-- == 0)
            return ops[i].parent < count ? ops[ops[i].parent].form->name : "none";
    return "not there";
}

static uint32_t kernels_in(const habitat_trace *trace, const char *name) {
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(trace, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(ops[i].form->name, name) == 0)
            return ops[i].kernel_count;
    return HABITAT_NONE;
}

static void test_closure(void) {
    habitat_trace *t = read_made(TRACE(RANGE("run", 0, 200) RANGE(ADAM, 8, 182) OP(
        "aten::empty", 1, 11, 3, "") MODULE("Linear_0", 20, 20) FUNCTION UPDATE));
    CHECK_TEXT(parent_of(t, "nn.Module: Linear_0", 0), "run");
    CHECK_TEXT(parent_of(t, "aten::linear", 0), "nn.Module: Linear_0");
    CHECK_TEXT(parent_of(t, "aten::empty", 0), "run"); /* before the first layer, too */
    CHECK_TEXT(parent_of(t, "aten::mse_loss", 0), "run");
    CHECK_TEXT(parent_of(t, "aten::detach", 0), "run");
    CHECK_TEXT(parent_of(t, NODE "AddmmBackward0", 0), "none");
    CHECK_TEXT(parent_of(t, "aten::mul", 0), NODE "MseLossBackward0");
    CHECK_TEXT(parent_of(t, ADAM, 0), "run");
    CHECK_INT(kernels_in(t, "aten::empty"), 1);
    CHECK_INT(kernels_in(t, ADAM), 0);
    CHECK_INT(kernels_in(t, "run"), 1);
    check_case("what the function does belongs to what is around the step");
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    CHECK_TEXT(parent_of(t, "aten::sqrt", 0), "aten::_foreach_add_");
    habitat_trace_free(t);
    check_case("the update stays the step's");
    t = read_made(TRACE(RANGE(ADAM, 8, 182) FUNCTION UPDATE));
    CHECK_TEXT(parent_of(t, "aten::linear", 0), "none");
    CHECK_TEXT(parent_of(t, "aten::detach", 0), "none");
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    habitat_trace_free(t);
    check_case("without modules the backward pass alone tells it; without a range around it, none");
}

/* A module alone (no backward operation was recorded), a gradient alone, and an operation with a
 * forward one. */
static void test_signs(void) {
    habitat_trace *t = read_made(TRACE(RANGE(ADAM, 8, 182) MODULE("Linear_0", 20, 20) OP(
        "aten::linear", 1, 22, 8, "") OP("aten::mean", 1, 38, 1, "") UPDATE));
    CHECK_TEXT(parent_of(t, "nn.Module: Linear_0", 0), "none");
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    habitat_trace_free(t);
    t = read_made(TRACE(RANGE(ADAM, 8, 182) OP("aten::linear", 1, 22, 8, "")
                            OP(NODE "torch::autograd::AccumulateGrad", 2, 102, 8, "") UPDATE));
    CHECK_TEXT(parent_of(t, "aten::linear", 0), "none");
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    habitat_trace_free(t);
    t = read_made(TRACE(RANGE(ADAM, 8, 182) OP("aten::linear", 1, 22, 8, FORWARD(1))
                            OP("AddmmBackward0", 2, 72, 28, BACKWARD(1)) UPDATE));
    CHECK_TEXT(parent_of(t, "aten::linear", 0), "none");
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    habitat_trace_free(t);
    check_case("a module, a node of autograd or an operation with a forward one each tell it");
    t = read_made(TRACE(OP(NODE "AddmmBackward0", 2, 72, 28, "") RANGE(ADAM, 8, 182)
                            MODULE("Linear_0", 20, 20) OP("aten::detach", 1, 95, 2, "") UPDATE));
    CHECK_TEXT(parent_of(t, "aten::detach", 0), "none");
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    habitat_trace_free(t);
    check_case("the last of them counts, in whichever order threads come");
}

static void test_plain(void) {
    habitat_trace *t =
        read_made(TRACE(MODULE("Linear_0", 20, 20) FUNCTION RANGE(ADAM, 115, 20) UPDATE));
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    CHECK_TEXT(parent_of(t, "aten::sqrt", 0), "aten::_foreach_add_");
    CHECK_TEXT(parent_of(t, "aten::mse_loss", 0), "none");
    CHECK_TEXT(parent_of(t, "aten::linear", 0), "nn.Module: Linear_0");
    habitat_trace_free(t);
    check_case("a step behind the backward pass stays as it is");
    t = read_made(TRACE(RANGE(ADAM, 115, 20) UPDATE OP(NODE "AddmmBackward0", 2, 135, 9, "")));
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    habitat_trace_free(t);
    check_case("and where the next backward pass begins as it ends");
    t = read_made(TRACE(RANGE("Optimizer.zero_grad#Adam.zero_grad", 8, 182) FUNCTION UPDATE));
    CHECK_TEXT(parent_of(t, "aten::mse_loss", 0), "Optimizer.zero_grad#Adam.zero_grad");
    habitat_trace_free(t);
    check_case("other ranges of the optimiser are none of a step");
}

/* An optimiser that hands its function to another one, and does something before and behind it. */
static void test_nested(void) {
    habitat_trace *t = read_made(
        TRACE(RANGE("run", 0, 200) RANGE("Optimizer.step#Lookahead.step", 8, 185)
                  OP("aten::empty", 1, 11, 3, "") RANGE(ADAM, 18, 150) MODULE("Linear_0", 20, 20)
                      FUNCTION UPDATE OP("aten::lerp_", 1, 170, 5, "")));
    CHECK_TEXT(parent_of(t, "nn.Module: Linear_0", 0), "run");
    CHECK_TEXT(parent_of(t, "aten::mse_loss", 0), "run");
    CHECK_TEXT(parent_of(t, ADAM, 0), "Optimizer.step#Lookahead.step");
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    CHECK_TEXT(parent_of(t, "aten::lerp_", 0), "Optimizer.step#Lookahead.step");
    habitat_trace_free(t);
    check_case("of a step in a step it belongs to what is around both");
    t = read_made(TRACE(RANGE("run", 0, 200) RANGE("Optimizer.step#Lookahead.step", 8, 185)
                            RANGE("inner", 15, 160) RANGE(ADAM, 18, 150) FUNCTION UPDATE));
    CHECK_TEXT(parent_of(t, "inner", 0), "run");
    CHECK_TEXT(parent_of(t, "aten::mse_loss", 0), "inner");
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    habitat_trace_free(t);
    check_case("a range between them keeps what is in it");
}

#define STEP_AT(n, start)                                                                          \
    RANGE(n, start##00, 90)                                                                        \
    MODULE("Linear_" #start, start##10, 20)                                                        \
    OP("aten::linear", 1, start##12, 8, FORWARD(start))                                            \
    OP("aten::mean", 1, start##31, 4, "")                                                          \
    OP(NODE "AddmmBackward0", 2, start##40, 10, BACKWARD(start))                                   \
    OP("aten::_foreach_add_", 1, start##60, 10, "")

static void test_several(void) {
    habitat_trace *t = read_made(TRACE(RANGE("habitat_iteration", 0, 300) STEP_AT(ADAM, 1)
                                           STEP_AT("Optimizer.step#SGD.step", 2)));
    CHECK_TEXT(parent_of(t, "aten::mean", 0), "habitat_iteration");
    CHECK_TEXT(parent_of(t, "aten::mean", 1), "habitat_iteration");
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 1), "Optimizer.step#SGD.step");
    habitat_trace_free(t);
    check_case("two steps of an iteration, each with a function of its own");
    t = read_made(TRACE(RANGE("habitat_iteration", 0, 195)
                            STEP_AT(ADAM, 1) "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":"
                                             "\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":214,"
                                             "\"dur\":1,\"args\":{\"correlation\":8}},"
                                             "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"sgemm\","
                                             "\"pid\":0,\"tid\":7,\"ts\":220,\"dur\":5,\"args\":{"
                                             "\"device\":0,\"stream\":7,\"correlation\":8}}," RANGE(
                                                 "habitat_iteration", 196, 104) STEP_AT(ADAM, 2)));
    size_t count = 0;
    habitat_trace_iterations(t, &count);
    CHECK_INT(count, 2);
    CHECK_TEXT(parent_of(t, "aten::mean", 0), "habitat_iteration");
    CHECK_TEXT(parent_of(t, "aten::mean", 1), "habitat_iteration");
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 1), ADAM);
    habitat_trace_free(t);
    check_case("a step in each of two iterations");
}

/* The other process is in its backward pass, or in a step of its own, while this one steps. */
static void test_processes(void) {
    habitat_trace *t = read_made(
        TRACE(RANGE(ADAM, 115, 20) UPDATE IN_PROCESS(2, "cpu_op", NODE "AddmmBackward0", 9, 118, 10)
                  IN_PROCESS(2, "python_function", "nn.Module: Linear_0", 8, 124, 10)));
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    habitat_trace_free(t);
    check_case("the backward pass of another process is none of the step");
    t = read_made(TRACE(IN_PROCESS(2, "user_annotation", ADAM, 1, 100, 95) RANGE(ADAM, 8, 182)
                            FUNCTION UPDATE IN_PROCESS(2, "cpu_op", "aten::sub_", 1, 105, 5)));
    CHECK_TEXT(parent_of(t, "aten::mse_loss", 0), "none");
    CHECK_TEXT(parent_of(t, "aten::detach", 0), "none");
    CHECK_TEXT(parent_of(t, "aten::_foreach_add_", 0), ADAM);
    CHECK_TEXT(parent_of(t, "aten::sub_", 0), ADAM);
    habitat_trace_free(t);
    check_case("nor is its step");
}

/* Two threads that each step in a range: parents stay of their thread, and before their children.
 */
static void test_threads(void) {
    habitat_trace *t = read_made(TRACE(
        RANGE(ADAM, 8, 182) FUNCTION UPDATE IN_PROCESS(1, "user_annotation", "other", 3, 1, 198)
            IN_PROCESS(1, "user_annotation", "Optimizer.step#SGD.step", 3, 50, 145)
                IN_PROCESS(1, "cpu_op", "aten::sub_", 3, 55, 5)));
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(t, &count);
    for (size_t i = 0; i < count; i++)
        CHECK(ops[i].parent == HABITAT_NONE ||
              (ops[i].parent < i && ops[ops[i].parent].form->thread == ops[i].form->thread));
    CHECK_TEXT(parent_of(t, "aten::sub_", 0), "other");
    habitat_trace_free(t);
    check_case("a step beside another one's function: parents are of their own thread");
}

int main(void) {
    test_closure();
    test_signs();
    test_plain();
    test_nested();
    test_several();
    test_processes();
    test_threads();
    return check_done();
}
