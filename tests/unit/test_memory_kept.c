/* What operations keep and optimisers make, by hand.
 *
 * x (8, 16) through a product to 32 columns, 24 of whose rows (some twice) are read by index and
 * added up to 8 again, and a product to 4. Weights (16*32 + 32*4) * 4 = 2560 bytes. The trace does
 * not say how many rows an index reads: its backward operation takes a gradient of 24 x 32. Kept: x
 * 512 (the script's), what is added up 24*32*4 = 3072 and where to 24*8 = 192, the sum 1024 for the
 * last product. Highest at the sum's backward operation: 512 + 3264 kept, 1024 + 3072 + 1024 of
 * gradients, beside those of all weights: nothing frees them before the next step. */
#include "check.h"
#include "made_events.h"
#include "made_gpu.h"
#include "made_memory.h"

#define TRACE(operations) "{\"traceEvents\":[" operations KERNEL "]}"
#define BLAS              71.4e6 /* of two threads, nothing being noted */

#define PRODUCT(at, in, out, number)                                                               \
    OP("aten::linear", 1, at, 5,                                                                   \
       INPUTS("[[8," #in "],[" #out "," #in "],[]]", "[\"float\",\"float\",\"\"]")                 \
           FORWARD(number))
#define TYPE "\"float\""
#define INDEX                                                                                      \
    OP("aten::index", 1, 20, 5, INPUTS("[[8,32],[]]", "[" TYPE ",\"\"]") FORWARD(2))               \
    OP("aten::index_add", 1, 30, 5,                                                                \
       INPUTS("[[8,32],[],[24],[24,32],[]]",                                                       \
              "[" TYPE ",\"Scalar\",\"long int\"," TYPE ",\"Scalar\"]") FORWARD(3))
#define BACKWARD_PASS                                                                              \
    OP(NODE "MmBackward0", 2, 50, 5, BACKWARD(4))                                                  \
    OP(NODE "IndexAddBackward0", 2, 60, 5, BACKWARD(3))                                            \
    OP("IndexAddBackward0", 2, 61, 3, INPUTS("[[8,32]]", "[" TYPE "]") BACKWARD(3))                \
    OP(NODE "IndexBackward0", 2, 70, 5, BACKWARD(2))                                               \
    OP("IndexBackward0", 2, 71, 3, INPUTS("[[24,32]]", "[" TYPE "]") BACKWARD(2))                  \
    OP(NODE "MmBackward0", 2, 80, 5, BACKWARD(1))
#define PASSES PRODUCT(10, 16, 32, 1) INDEX PRODUCT(40, 32, 4, 4) BACKWARD_PASS

static void check_peak(const char *text, double factor, double bytes) {
    habitat_memory *memory = made_memory(text);
    CHECK_NEAR(peak_at(memory, factor, HABITAT_MEMORY_RECORDED), bytes, 1e-12);
    habitat_memory_free(memory);
}

static void test_index(void) {
    check_peak(TRACE(PASSES), 1, 2560 + BLAS + 8896 + 2560);
    check_peak(TRACE(PASSES), 4, 2560 + BLAS + 4 * 8896 + 2560);
}

/* A mask that is expanded keeps the bytes that it has: [8,32] of which rows are one. */
static void test_mask(void) {
#define FILLED(strides)                                                                            \
    TRACE(PRODUCT(10, 16, 32, 1) OP("aten::masked_fill", 1, 20, 5,                                 \
                                    INPUTS("[[8,32],[8,32],[]]", "[" TYPE ",\"bool\",\"Scalar\"]") \
                                        strides FORWARD(2)) PRODUCT(40, 32, 4, 4)                  \
              OP(NODE "MmBackward0", 2, 50, 5, BACKWARD(4))                                        \
                  OP(NODE "MaskedFillBackward0", 2, 60, 5, BACKWARD(2))                            \
                      OP(NODE "MmBackward0", 2, 80, 5, BACKWARD(1)))
    /* at the last product's backward operation: x, the mask, what it took, and 1152 of gradients */
    check_peak(FILLED(""), 1, 2560 + BLAS + 512 + 256 + 1024 + 1152 + 2560);
    check_peak(FILLED("\"Input Strides\":[[32,1],[0,1],[]],"), 1,
               2560 + BLAS + 512 + 32 + 1024 + 1152 + 2560);
}

#define CALL(name, at) OP("aten::_foreach_" name, 1, at, 1, "\"a\":0")
#define STEP(name, at, length)                                                                     \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"Optimizer.step#" name                    \
    ".step\",\"pid\":1,\"tid\":1,\"ts\":" #at ",\"dur\":" #length "},"
#define TRAINED(calls) TRACE(PASSES calls)

/* With 1/1000 of the samples the optimiser's step is the peak: weights and state, the gradients,
 * 2560, and as much for each list that is made, beside what is left of x. */
static void check_step(const char *text, double state, double lists) {
    check_peak(text, 0.001, (1 + state) * 2560 + BLAS + (1 + lists) * 2560 + 0.512);
}

static void test_optimizers(void) {
    check_step(TRAINED(STEP("Adagrad", 90, 9) CALL("add_", 91) CALL("addcmul_", 92) CALL("sqrt", 93)
                           CALL("add_", 94) CALL("mul", 95) CALL("addcdiv_", 96)),
               1, 2);
    /* two groups of weights, one after the other */
#define GROUP(a, b, c) CALL("lerp_", a) CALL("sqrt", b) CALL("addcdiv_", c)
    check_step(TRAINED(STEP("Other", 90, 9) GROUP(91, 92, 93) GROUP(94, 95, 96)), 2, 1);
    /* without a range all calls count; of one tensor after the other the name tells */
    check_step(TRAINED(GROUP(91, 92, 93)), 2, 1);
    check_step(TRAINED(STEP("NAdam", 90, 9)), 2, 0);
    check_step(TRAINED(STEP("SGD", 90, 9) OP("aten::mul_", 1, 91, 1, "\"a\":0")), 1, 0);
}

/* Clipping and averages of weights are no momentum, and their lists are none of the step. */
static void test_others_calls(void) {
    habitat_memory *memory = made_memory(TRAINED(CALL("mul_", 86) CALL("lerp_", 87) CALL("sub", 88)
                                                     STEP("SGD", 90, 9) CALL("add_", 91)));
    CHECK_NEAR(parts_at(memory, 1, HABITAT_MEMORY_RECORDED).optimizer_bytes, 0.0, 0);
    habitat_memory_free(memory);
    check_step(TRAINED(CALL("sub", 88) STEP("Adam", 90, 9) CALL("addcdiv_", 91)), 2, 0);
}

/* The last outputs, 8 x 4 numbers, are there between two steps or are not: beside weights,
 * gradients and x, 828 bytes are room for their 128 and a workspace, 100 are not. They are held as
 * they were before a cast to fp32: 64, for which 100 are room. */
static void test_outputs(void) {
#define NOTED(between)                                                                             \
    "{\"habitat\":{\"memory\":{\"parameters_bytes\":2560,\"gradients_bytes\":2560,"                \
    "\"optimizer_state_bytes\":0,\"allocated_between_iterations_bytes\":" between                  \
    "}},\"traceEvents\":["
#define LOSS(type)                                                                                 \
    OP("aten::_log_softmax", 1, 46, 2, INPUTS("[[8,4],[],[]]", "[" type ",\"\",\"\"]") FORWARD(5)) \
    OP(NODE "LogSoftmaxBackward0", 2, 49, 1, BACKWARD(5))
#define ENDING PASSES LOSS(TYPE) KERNEL "]}"
    check_peak(NOTED("6460") ENDING, 2, 2560 + 700 + 2 * (8896 + 128) + 2560);
    check_peak(NOTED("5732") ENDING, 2, 2560 + 100 + 2 * 8896 + 2560);
    check_peak(NOTED("5732") PASSES OP("aten::_to_copy", 1, 45, 1,
                                       INPUTS("[[8,4]]", "[\"c10::Half\"]") "\"a\":0") LOSS(TYPE)
                   KERNEL "]}",
               2, 2560 + 36 + 2 * (8896 + 64) + 2560);
}

/* On a GPU that is known, cuBLAS has its part of the rest, 71.4 MB: 612 bytes beside that are room
 * for x and most of the outputs, which are held then, 552 are not. */
static void test_outputs_beside_blas(void) {
    habitat_gpu gpu = made_gpu("made", 100, 1, 1000, 50);
    habitat_memory *memory = made_memory_on(NOTED("71405732") ENDING, &gpu);
    CHECK_NEAR(peak_at(memory, 2, HABITAT_MEMORY_RECORDED),
               2560 + BLAS - 28 + 2 * (8896 + 128) + 2560, 1e-12);
    habitat_memory_free(memory);
    memory = made_memory_on(NOTED("71405672") ENDING, &gpu);
    CHECK_NEAR(peak_at(memory, 2, HABITAT_MEMORY_RECORDED), 2560 + BLAS + 40 + 2 * 8896 + 2560,
               1e-12);
    habitat_memory_free(memory);
}

#define NODE_OF(name, at, number) OP(NODE name, 2, at, 3, BACKWARD(number))

/* Rows that a gate weighs, [8,1] of one number each: the rows are kept for the gate's gradient, and
 * are not where a table weighs them. At the gate's backward operation: x 512, the gate 32, the rows
 * 1024, their gradient and the result's, 1024 each, and the gate's own, as large before it is
 * summed up. Of the table at the last product's: x, the gate, what the product took 1024 and 1152
 * of gradients. */
static void test_gate(void) {
#define WEIGHED(gate, node)                                                                        \
    TRACE(PRODUCT(10, 16, 32, 1) gate OP(                                                          \
        "aten::mul", 1, 30, 5, INPUTS("[[8,32],[8,1]]", "[" TYPE "," TYPE "]") FORWARD(3))         \
              PRODUCT(40, 32, 4, 4) NODE_OF("MmBackward0", 50, 4) NODE_OF("MulBackward0", 60, 3)   \
                  node NODE_OF("MmBackward0", 80, 1))
    check_peak(
        WEIGHED(OP("aten::mean", 1, 20, 5, INPUTS("[[8,32],[]]", "[" TYPE ",\"\"]") FORWARD(2)),
                NODE_OF("MeanBackward1", 70, 2)
                    OP("MeanBackward1", 2, 71, 1, INPUTS("[[8,1]]", "[" TYPE "]") BACKWARD(2))),
        1, 2560 + BLAS + 512 + 32 + 4 * 1024 + 2560);
    check_peak(WEIGHED("", ""), 1, 2560 + BLAS + 512 + 32 + 1024 + 1152 + 2560);
}

/* The largest of each row: 512 of x, the rows 1024 (in half precision 512) and the result kept. Its
 * backward operation makes the gradients of both, which of the 256 numbers are as large, a byte
 * each, and counts these in whole numbers of 8 bytes: 9 a number, as much as a byte and two
 * gradients in fp32. The result counts in [8] numbers. */
static void test_largest(void) {
#define LARGEST(type)                                                                              \
    TRACE(PRODUCT(10, 16, 32, 1)                                                                   \
              OP("aten::amax", 1, 20, 5, INPUTS("[[8,32],[]]", "[" type ",\"\"]") FORWARD(2))      \
                  NODE_OF("AmaxBackward0", 60, 2)                                                  \
                      OP("AmaxBackward0", 2, 61, 1, INPUTS("[[8]]", "[" type "]") BACKWARD(2))     \
                          NODE_OF("MmBackward0", 80, 1))
    check_peak(LARGEST(TYPE), 1, 2048 + BLAS + 512 + 1024 + 2 * 32 + 9 * 256 + 2048);
    check_peak(LARGEST(TYPE), 4, 2048 + BLAS + 4 * (512 + 1024 + 2 * 32 + 9 * 256) + 2048);
    check_peak(LARGEST("\"c10::Half\""), 1, 2048 + BLAS + 512 + 512 + 2 * 16 + 9 * 256 + 2048);
}

/* Half of h, 1024 bytes, waits for its factor, which is made of a power of h: the power takes h,
 * the last product by elements the half that nothing has read. At its backward operation x, 512, h,
 * the tanh and both factors are kept, and three gradients pass by. */
static void test_half_that_waits(void) {
#define ONE(name, at, number)                                                                      \
    OP(name, 1, at, 3, INPUTS("[[8,32],[]]", "[" TYPE ",\"\"]") FORWARD(number))
#define FORMULA                                                                                    \
    PRODUCT(5, 16, 32, 1)                                                                          \
    ONE("aten::mul", 10, 2)                                                                        \
    ONE("aten::pow", 13, 3)                                                                        \
    ONE("aten::mul", 16, 4)                                                                        \
    ONE("aten::tanh", 19, 5)                                                                       \
    ONE("aten::add", 22, 6)                                                                        \
    OP("aten::mul", 1, 25, 3, INPUTS("[[8,32],[8,32]]", "[" TYPE "," TYPE "]") FORWARD(7))         \
    PRODUCT(35, 32, 4, 8)
#define FORMULA_BACKWARD                                                                           \
    NODE_OF("MmBackward0", 45, 8)                                                                  \
    NODE_OF("MulBackward0", 50, 7)                                                                 \
    NODE_OF("AddBackward0", 55, 6)                                                                 \
    NODE_OF("TanhBackward0", 60, 5)                                                                \
    NODE_OF("MulBackward0", 65, 4)                                                                 \
    NODE_OF("PowBackward0", 70, 3) NODE_OF("MulBackward0", 75, 2) NODE_OF("MmBackward0", 80, 1)
    check_peak(TRACE(FORMULA FORMULA_BACKWARD), 1, 2560 + BLAS + 512 + 4 * 1024 + 3 * 1024 + 2560);
}

/* What a module computes without gradients keeps nothing, whatever the rest of it keeps: 2048 bytes
 * in and out, before anything is kept. */
static void test_no_gradients(void) {
    check_peak(TRACE("{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"nn.Module: Net\","
                     "\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":42}," PRODUCT(10, 16, 32, 1)
                         OP("aten::relu", 1, 20, 5, INPUTS("[[8,64]]", "[" TYPE "]") "\"a\":0")
                             PRODUCT(40, 32, 4, 4) NODE_OF("MmBackward0", 50, 4)
                                 NODE_OF("MmBackward0", 80, 1)),
               1, 2560 + BLAS + 512 + 4096 + 2560);
}

/* Queries and keys are made of one tensor, not keys of a copy of the queries: r, 1024 bytes, counts
 * once. At the backward operation of the keys it is there, and 1024 + 2048 of gradients. */
static void test_copied_queries(void) {
    check_peak(TRACE(OP("aten::relu", 1, 10, 5, INPUTS("[[8,32]]", "[" TYPE "]") FORWARD(1))
                         PRODUCT(20, 32, 32, 2) OP("aten::clone", 1, 30, 5,
                                                   INPUTS("[[8,32]]", "[" TYPE "]") FORWARD(3))
                             PRODUCT(40, 32, 64, 4) NODE_OF("MmBackward0", 50, 4)
                                 NODE_OF("CloneBackward0", 60, 3) NODE_OF("MmBackward0", 70, 2)
                                     NODE_OF("ReluBackward0", 80, 1)),
               1, 12288 + BLAS + 1024 + 1024 + 3072 + 12288);
}

/* Attention in separate kernels, from fp32 to autocast: fused then where keys have fewer heads than
 * queries and nothing is hidden, and with a mask separate still. Separate, it computes in fp32: a
 * softmax of 64 numbers keeps 256 bytes. Halves: x 256 and the last product's input 512, its
 * gradients 576, copies of weights 1280. Fused: queries, keys, values and result, 512 each, and 4
 * bytes a row; highest at its own backward operation, where 2048 of gradients pass and the last
 * weights' copy is gone. */
static void test_attention(void) {
#define ATTENTION(heads, mask, type)                                                               \
    TRACE(PRODUCT(10, 16, 32, 1) OP("aten::scaled_dot_product_attention", 1, 20, 9,                \
                                    INPUTS("[[1," heads "],[1,1,8,32],[1,1,8,32]," mask "]",       \
                                           "[" TYPE "," TYPE "," TYPE "," type "]") FORWARD(2))    \
              OP("aten::_scaled_dot_product_attention_math", 1, 21, 7, FORWARD(2))                 \
                  OP("aten::_safe_softmax", 1, 22, 5,                                              \
                     INPUTS("[[1,1,8,8],[],[]]", "[" TYPE ",\"\",\"\"]") FORWARD(3))               \
                      PRODUCT(40, 32, 4, 4) NODE_OF("MmBackward0", 50, 4)                          \
                          NODE_OF("SafeSoftmaxBackward0", 60, 3) NODE_OF("MmBackward0", 80, 1))
    habitat_memory *memory = made_memory(ATTENTION("1,8,32", "[1,1,8,8]", TYPE));
    double parts = 2560 + BLAS + 512 + 256 + 256 + 512 + 576 + 1280 + 2560;
    CHECK_NEAR(peak_at(memory, 1, HABITAT_MEMORY_AUTOCAST), parts, 1e-12);
    habitat_memory_free(memory);
    memory = made_memory(ATTENTION("2,4,32", "[]", "\"\""));
    CHECK_NEAR(peak_at(memory, 1, HABITAT_MEMORY_AUTOCAST),
               2560 + BLAS + 512 + 256 + 4 * 512 + 32 + 2048 + 1024 + 2560, 1e-12);
    habitat_memory_free(memory);
}

/* The gradient of a soft-max begins with a product as large as that: x 512 and the soft-max's
 * result, 1024, are kept, and three of 1024 pass. */
static void test_softmax(void) {
    check_peak(TRACE(PRODUCT(10, 16, 32, 1)
                         OP("aten::_softmax", 1, 20, 5,
                            INPUTS("[[8,32],[],[]]", "[" TYPE ",\"\",\"\"]") FORWARD(2))
                             NODE_OF("SoftmaxBackward0", 60, 2) NODE_OF("MmBackward0", 80, 1)),
               1, 2048 + BLAS + 512 + 1024 + 3 * 1024 + 2048);
}

/* In an attention in parts of half precision, recorded, scores are cast to it, too: the product
 * behind takes what the soft-max kept, 256 bytes, and not the scores before that once more. */
static void test_unread_scores(void) {
#define CAST(told)                                                                                 \
    OP("aten::_to_copy", 1, 27, 1,                                                                 \
       INPUTS("[[1,1,8,8],[]]", "[" TYPE ",\"Scalar\"]") "\"Concrete Inputs\":[\"\",\"" told       \
                                                         "\"],\"a\":0")
#define SCORES(cast)                                                                               \
    TRACE(PRODUCT(10, 16, 32, 1) OP("aten::_scaled_dot_product_attention_math", 1, 20, 19,         \
                                    INPUTS("[[1,1,8,32],[1,1,8,32],[1,1,8,32],[]]",                \
                                           "[" TYPE "," TYPE "," TYPE ",\"\"]") FORWARD(2))        \
              OP("aten::relu", 1, 21, 1, INPUTS("[[1,1,8,8]]", "[" TYPE "]") "\"a\":0")            \
                  OP("aten::_safe_softmax", 1, 22, 5,                                              \
                     INPUTS("[[1,1,8,8],[],[]]", "[" TYPE ",\"\",\"\"]") FORWARD(3))               \
                      cast OP("aten::bmm", 1, 30, 5,                                               \
                              INPUTS("[[1,8,8],[1,8,32]]", "[" TYPE "," TYPE "]") FORWARD(4))      \
                          NODE_OF("BmmBackward0", 50, 4) NODE_OF("SafeSoftmaxBackward0", 60, 3)    \
                              NODE_OF("MmBackward0", 80, 1))
    habitat_memory *with = made_memory(SCORES(CAST("5"))), *without = made_memory(SCORES(""));
    CHECK_NEAR(peak_at(with, 1, HABITAT_MEMORY_RECORDED),
               peak_at(without, 1, HABITAT_MEMORY_RECORDED), 1e-12);
    habitat_memory_free(with);
    habitat_memory_free(without);
}

/* A convolution of 7 images of 8 channels of 6x6 to 40: x 8064 bytes, y 40320, weights 11520. Two
 * parts of the sum of its weights' gradient are set to 0, which does not grow, or three times the
 * images; other bytes say nothing. */
static void test_parts(void) {
#define SIDES "\"[1, 1]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\""
#define LISTS "\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\",\"ScalarList\",\"Scalar\""
#define SET(bytes)                                                                                 \
    TRACE(                                                                                         \
        OP("aten::convolution", 1, 10, 5,                                                          \
           INPUTS("[[7,8,6,6],[40,8,3,3],[],[],[],[],[],[],[]]",                                   \
                  "[" TYPE "," TYPE ",\"\"," LISTS                                                 \
                  "]") "\"Concrete Inputs\":[\"\",\"\",\"\"," SIDES                                \
                       "]," FORWARD(1)) NODE_OF("ConvolutionBackward0", 50, 1)                     \
            OP("aten::convolution_backward", 2, 51, 2,                                             \
               INPUTS(                                                                             \
                   "[[7,40,6,6],[7,8,6,6],[40,8,3,3],[],[],[],[],[],[],[],[]]",                    \
                   "[" TYPE "," TYPE "," TYPE ",\"ScalarList\"," LISTS                             \
                   ",\"\"]") "\"Concrete Inputs\":[\"\",\"\",\"\",\"[0]\"," SIDES                  \
                             ",\"[True, True, False]\"]") "{\"ph\":\"X\",\"cat\":\"cuda_"          \
                                                          "runtime\",\"name\":"                    \
                                                          "\"cudaMemsetAsync\","                   \
                                                          "\"pid\":1,\"tid\":2,\"ts\":52,\"dur\":" \
                                                          "0.5,\"args\":{\"correlation\":9}},"     \
                                                          "{\"ph\":\"X\",\"cat\":\"gpu_memset\","  \
                                                          "\"name\":\"Memset (Device)\",\"pid\":"  \
                                                          "0,\"tid\":7,\"ts\":53,\"dur\":1,"       \
                                                          "\"args\":{\"device\":0,\"stream\":7,"   \
                                                          "\"correlation\":9,\"bytes\":" #bytes    \
                                                          "}},")
    double fixed = 2 * 11520, growing = 8064 + 8064 + 40320;
    check_peak(SET(30000), 1, fixed + growing);
    check_peak(SET(23040), 1, fixed + growing + 23040);
    check_peak(SET(23040), 4, fixed + 4 * growing + 23040);
    check_peak(SET(24192), 4, fixed + 4 * (growing + 24192));
}

/* A step that gathers the gradients of two passes takes its weights twice and has them once: 128
 * numbers, their gradients and as much for each of Adam's momenta. */
static void test_gathered(void) {
#define ADDED(at)                                                                                  \
    OP(NODE "torch::autograd::AccumulateGrad", 2, at, 3, "\"a\":0")                                \
    OP("torch::autograd::AccumulateGrad", 2, at, 2, INPUTS("[[4,32]]", "[" TYPE "]") "\"a\":0")
    habitat_memory *memory =
        made_memory(TRACE(PRODUCT(10, 32, 4, 1) NODE_OF("MmBackward0", 20, 1) ADDED(25) PRODUCT(
            30, 32, 4, 2) NODE_OF("MmBackward0", 40, 2) ADDED(45) STEP("Adam", 90, 9)));
    habitat_memory_parts parts = parts_at(memory, 1, HABITAT_MEMORY_RECORDED);
    CHECK_NEAR(parts.parameters_bytes, 512.0, 0);
    CHECK_NEAR(parts.gradients_bytes, 512.0, 0);
    CHECK_NEAR(parts.optimizer_bytes, 1024.0, 0);
    habitat_memory_free(memory);
}

/* A function of the first product's 1024 bytes, before the last. Out of place it keeps what goes in
 * and the last product what comes out: highest at that one's backward operation, with 1152 of
 * gradients. In place both are one: highest at its own, with gradients of 1024 in and out. */
static void test_in_place(void) {
#define BETWEEN(name)                                                                              \
    TRACE(PRODUCT(10, 16, 32, 1) OP("aten::" name, 1, 20, 5,                                       \
                                    INPUTS("[[8,32],[]]", "[" TYPE ",\"Scalar\"]") FORWARD(2))     \
              PRODUCT(40, 32, 4, 4) OP(NODE "MmBackward0", 2, 50, 5, BACKWARD(4))                  \
                  OP(NODE "Node", 2, 60, 5, BACKWARD(2))                                           \
                      OP(NODE "MmBackward0", 2, 80, 5, BACKWARD(1)))
    check_peak(BETWEEN("leaky_relu"), 1, 2 * 2560 + BLAS + 512 + 2 * 1024 + 1152);
    check_peak(BETWEEN("leaky_relu_"), 1, 2 * 2560 + BLAS + 512 + 3 * 1024);
    check_peak(BETWEEN("elu"), 1, 2 * 2560 + BLAS + 512 + 2 * 1024 + 1152);
    check_peak(BETWEEN("elu_"), 1, 2 * 2560 + BLAS + 512 + 3 * 1024);
}

/* A quotient keeps its divisor, and what is divided where the divisor needs a gradient: two
 * products of x, or one and a table of the script. Three gradients of 1024 pass by. */
static void test_quotient(void) {
#define QUOTIENT(before, back)                                                                     \
    TRACE(PRODUCT(10, 16, 32, 1) before OP(                                                        \
        "aten::div", 1, 30, 5, INPUTS("[[8,32],[8,32]]", "[" TYPE "," TYPE "]") FORWARD(3))        \
              PRODUCT(40, 32, 4, 4) OP(NODE "MmBackward0", 2, 50, 5, BACKWARD(4))                  \
                  OP(NODE "Node", 2, 60, 5, BACKWARD(3))                                           \
                      back OP(NODE "MmBackward0", 2, 80, 5, BACKWARD(1)))
    check_peak(QUOTIENT(PRODUCT(20, 16, 32, 2), OP(NODE "MmBackward0", 2, 70, 5, BACKWARD(2))), 1,
               2 * (2560 + 2048) + BLAS + 512 + 5 * 1024);
    check_peak(QUOTIENT(, ), 1, 2 * 2560 + BLAS + 512 + 4 * 1024);
}

/* Factors of 8 x 32 x 1 and 4 numbers make 8 x 32 x 4, 4096 bytes. Highest at the product's
 * backward operation: the table's 16 bytes are kept, gradients of both factors and of what they
 * make pass by, and the first factor's is of the whole size before it is summed up. */
static void test_expanded(void) {
    check_peak(
        TRACE(PRODUCT(10, 16, 32, 1) OP("aten::mul", 1, 20, 5,
                                        INPUTS("[[8,32,1],[4]]", "[" TYPE "," TYPE "]") FORWARD(2))
                  OP("aten::neg", 1, 30, 5, INPUTS("[[8,32,4]]", "[" TYPE "]") FORWARD(3))
                      OP(NODE "Node", 2, 50, 5, BACKWARD(3)) OP(NODE "Node", 2, 60, 5, BACKWARD(2))
                          OP(NODE "MmBackward0", 2, 80, 5, BACKWARD(1))),
        1, 2 * 2048 + BLAS + 512 + 16 + 1024 + 16 + 4096 + (4096 - 1024));
}

/* Weights that the network makes: of 8 pictures of 8 channels of 4x4, a group each, 4096 bytes, and
 * 64 filters of 3x3, 2304 bytes, both by products of x. The convolution keeps both; at its backward
 * operation their gradients and that of what it made pass by. */
static void test_made_weights(void) {
#define GROUPED                                                                                    \
    TRACE(PRODUCT(10, 16, 72, 1) PRODUCT(20, 16, 128, 2) OP(                                       \
        "aten::convolution", 1, 30, 5,                                                             \
        INPUTS("[[1,64,4,4],[64,1,3,3],[],[],[],[],[],[],[]]",                                     \
               "[" TYPE "," TYPE ",\"\"," LISTS                                                    \
               "]") "\"Concrete Inputs\":[\"\",\"\",\"\","                                         \
                    "\"[1, 1]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"64\"]," FORWARD(3))   \
              NODE_OF("ConvolutionBackward0", 50, 3) NODE_OF("MmBackward0", 60, 2)                 \
                  NODE_OF("MmBackward0", 70, 1))
    check_peak(GROUPED, 1, 2 * 12800 + BLAS + 512 + 6400 + 4096 + 2304 + 4096);
    check_peak(GROUPED, 4, 2 * 12800 + BLAS + 4 * (512 + 6400 + 4096 + 2304 + 4096));
}

/* x (8, 16), the script's, through a product to 32 scores that the script asks to have in fp32.
 * Under autocast the product keeps x in 16 bit, 256 bytes, and a copy of its weights, 1024; the
 * softmax reads 1024 bytes and keeps as many. At its backward operation there are both gradients of
 * 1024 beside. The scores outlive the step as they were made, 512. Without the call everything
 * behind the product is in 16 bit. */
static void test_asked_for_fp32(void) {
#define SCORES_IN "\"Input Dims\":[[8,32],[],[]],\"Input type\":[\"float\",\"\",\"\"],"
#define CALLED                                                                                     \
    OP("aten::to", 1, 20, 1,                                                                       \
       "\"Input Dims\":[[8,32],[],[],[],[]],\"Input type\":[\"float\",\"Scalar\",\"Scalar\","      \
       "\"Scalar\",\"\"],\"Concrete Inputs\":[\"\",\"6\",\"False\",\"False\",\"\"]")
#define SCORED_WITH(call)                                                                          \
    TRACE(PRODUCT(10, 16, 32, 1)                                                                   \
              call OP("aten::cross_entropy_loss", 1, 30, 9, SCORES_IN FORWARD(5))                  \
                  OP("aten::_log_softmax", 1, 31, 2, SCORES_IN FORWARD(5))                         \
                      OP(NODE "LogSoftmaxBackward0", 2, 49, 1, BACKWARD(5))                        \
                          OP(NODE "MmBackward0", 2, 80, 5, BACKWARD(1)))
    const double there = 2048 + BLAS + 2048 + 1024 + 512 + 512 + 256;
    habitat_memory *asked = made_memory(SCORED_WITH(CALLED)),
                   *not_asked = made_memory(SCORED_WITH(""));
    CHECK_NEAR(peak_at(asked, 1, HABITAT_MEMORY_AUTOCAST), there + 1024 + 2048, 1e-12);
    CHECK_NEAR(peak_at(not_asked, 1, HABITAT_MEMORY_AUTOCAST), there + 512 + 1024, 1e-12);
    CHECK_NEAR(peak_at(asked, 1, HABITAT_MEMORY_RECORDED),
               peak_at(not_asked, 1, HABITAT_MEMORY_RECORDED), 0);
    habitat_memory_free(asked);
    habitat_memory_free(not_asked);
    check_case("scores that are asked for in fp32 are so under autocast");
}

int main(void) {
    test_index();
    check_case("rows read by index and added up");
    test_mask();
    check_case("masks");
    test_optimizers();
    check_case("optimisers");
    test_others_calls();
    check_case("calls that are no optimiser's");
    test_outputs();
    test_asked_for_fp32();
    check_case("outputs between iterations");
    test_outputs_beside_blas();
    check_case("outputs beside cuBLAS");
    test_half_that_waits();
    check_case("a half that waits for its factor");
    test_gate();
    check_case("gates");
    test_largest();
    check_case("the largest of a row");
    test_no_gradients();
    check_case("without gradients");
    test_copied_queries();
    check_case("copies of queries");
    test_attention();
    check_case("attention in separate kernels under autocast");
    test_softmax();
    check_case("soft-maxes");
    test_unread_scores();
    check_case("scores that nobody reads");
    test_parts();
    check_case("parts of sums");
    test_gathered();
    check_case("gradients gathered over passes");
    test_in_place();
    check_case("functions in place and out of place");
    test_quotient();
    check_case("quotients");
    test_expanded();
    check_case("factors that are expanded");
    test_made_weights();
    check_case("weights that the network makes");
    return check_done();
}
