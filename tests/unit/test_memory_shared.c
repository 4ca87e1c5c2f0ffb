/* Weights that several operations take, by hand, without notes of the recorder: a table of 50 words
 * of 16 numbers looked up for 8 words, and a product with 50 x 16 weights. 800 weights if both are
 * one, 1600 if not; of 4 bytes each. */
#include "check.h"
#include "made_events.h"
#include "made_memory.h"

#define TRACE(operations) "{\"traceEvents\":[" operations KERNEL "]}"

#define LOOK_UP                                                                                    \
    OP("aten::embedding", 1, 10, 5, INPUTS("[[50,16],[8]]", "[\"float\",\"long int\"]") FORWARD(1))
#define PRODUCT(at, number)                                                                        \
    OP("aten::linear", 1, at, 5,                                                                   \
       INPUTS("[[8,16],[50,16],[]]", "[\"float\",\"float\",\"\"]") FORWARD(number))
#define ADD(at, dims)                                                                              \
    OP("aten::add", 2, at, 2, INPUTS(dims, "[\"float\",\"float\",\"Scalar\"]") "\"a\":0")
#define FORWARD_PASS  LOOK_UP PRODUCT(20, 2)
#define BACKWARD_PASS OP(NODE "MmBackward0", 2, 40, 5, BACKWARD(2))

static void check_weights(const char *text, double weights, double twice) {
    habitat_memory *memory = made_memory(text);
    habitat_memory_parts parts = parts_at(memory, 1, HABITAT_MEMORY_RECORDED);
    CHECK_NEAR(parts.parameters_bytes, 4 * weights, 0);
    CHECK_NEAR(parts.twice_bytes, 4 * twice, 0);
    habitat_memory_free(memory);
}

/* The engine adds both gradients inside its call around the table's node. */
static void test_table(void) {
    check_weights(TRACE(FORWARD_PASS BACKWARD_PASS OP(NODE "EmbeddingBackward0", 2, 50, 9,
                                                      BACKWARD(1)) ADD(55, "[[50,16],[50,16],[]]")),
                  800, 0);
    check_weights(
        TRACE(FORWARD_PASS BACKWARD_PASS OP(NODE "EmbeddingBackward0", 2, 50, 9, BACKWARD(1))),
        1600, 0);
}

/* Sums of others: of another size, of the node's own, of another node's, of the script's. */
static void test_other_sums(void) {
    check_weights(TRACE(FORWARD_PASS BACKWARD_PASS OP(NODE "EmbeddingBackward0", 2, 50, 9,
                                                      BACKWARD(1)) ADD(55, "[[16,16],[16,16],[]]")),
                  1600, 0);
    check_weights(
        TRACE(FORWARD_PASS BACKWARD_PASS OP(NODE "EmbeddingBackward0", 2, 50, 9, BACKWARD(1))
                  OP("EmbeddingBackward0", 2, 51, 7, BACKWARD(1)) ADD(55, "[[50,16],[50,16],[]]")),
        1600, 0);
    check_weights(TRACE(FORWARD_PASS BACKWARD_PASS OP(NODE "MulBackward0", 2, 50, 9, "")
                            ADD(55, "[[50,16],[50,16],[]]")),
                  1600, 0);
    check_weights(TRACE(FORWARD_PASS BACKWARD_PASS ADD(55, "[[50,16],[50,16],[]]")), 1600, 0);
    check_weights(TRACE(FORWARD_PASS BACKWARD_PASS OP(NODE "EmbeddingBackward0", 2, 50, 9,
                                                      BACKWARD(1)) ADD(55, "[[50,16],[16],[]]")),
                  1600, 0);
}

/* A layer that runs three times: two sums, of which the weights are met transposed. More sums than
 * uses are others'. */
static void test_layer(void) {
#define TURNED(at) OP(NODE "TBackward0", 2, at, 4, "") ADD(at, "[[16,50],[16,50],[]]")
    check_weights(TRACE(PRODUCT(10, 1) PRODUCT(16, 2) PRODUCT(22, 3)
                            OP(NODE "MmBackward0", 2, 40, 5, BACKWARD(3)) TURNED(46) TURNED(52)),
                  800, 0);
    check_weights(TRACE(PRODUCT(10, 1) PRODUCT(16, 2) PRODUCT(22, 3)
                            OP(NODE "MmBackward0", 2, 40, 5, BACKWARD(3)) TURNED(46)),
                  1600, 0);
    check_weights(
        TRACE(PRODUCT(10, 1) OP(NODE "MmBackward0", 2, 40, 5, BACKWARD(1)) TURNED(46) TURNED(52)),
        800, 0);
}

/* A convolution that runs on two images: weights of 4 dimensions, and a bias. */
static void test_convolution(void) {
#define CONVOLUTION(at, number)                                                                    \
    OP("aten::convolution", 1, at, 5,                                                              \
       INPUTS("[[1,4,8,8],[6,4,3,3],[6],[],[],[],[],[],[]]",                                       \
              "[\"float\",\"float\",\"float\",\"\",\"\",\"\",\"\",\"\",\"\"]") FORWARD(number))
#define CONVOLUTION_NODE OP(NODE "ConvolutionBackward0", 2, 50, 9, BACKWARD(1))
    check_weights(TRACE(CONVOLUTION(10, 1) CONVOLUTION(20, 2)
                            OP(NODE "ConvolutionBackward0", 2, 40, 5, BACKWARD(2))
                                CONVOLUTION_NODE ADD(52, "[[6,4,3,3],[6,4,3,3],[]]")
                                    ADD(55, "[[6],[6],[]]")),
                  6 * 4 * 9 + 6, 0);
    /* of another node, or a gradient of the image: no weight */
    check_weights(TRACE(CONVOLUTION(10, 1) CONVOLUTION(20, 2)
                            OP(NODE "ConvolutionBackward0", 2, 40, 5, BACKWARD(2))
                                OP(NODE "ReluBackward0", 2, 50, 9, "\"a\":0")
                                    ADD(52, "[[6,4,3,3],[6,4,3,3],[]]")),
                  2 * (6 * 4 * 9 + 6), 0);
    check_weights(TRACE(CONVOLUTION(10, 1) CONVOLUTION(20, 2)
                            OP(NODE "ConvolutionBackward0", 2, 40, 5, BACKWARD(2))
                                CONVOLUTION_NODE ADD(52, "[[1,4,8,8],[1,4,8,8],[]]")),
                  2 * (6 * 4 * 9 + 6), 0);
}

/* Without a backward pass nothing tells: both count, and that is said. */
static void test_forward_alone(void) {
    check_weights(TRACE(FORWARD_PASS), 1600, 800);
    check_weights(TRACE(PRODUCT(10, 2) PRODUCT(20, 3)), 1600, 0);
    check_weights(
        TRACE(OP("aten::embedding", 1, 10, 5,
                 INPUTS("[[60,16],[8]]", "[\"float\",\"long int\"]") FORWARD(1)) PRODUCT(20, 2)),
        960 + 800, 0);
}

/* x of 8 x 16 numbers, the script's batch, through 32 x 16 weights and twice through 16 x 16. The
 * last use makes the gradient of 1024 bytes, the first one another, which is added to it and goes:
 * 1024 + 1024 beside 1024 of gradients passing by. At the first product 1024 is left of the two,
 * and 512 + 1024 pass by. What passes by, and the batch, grow. */
static void test_sums_pass(void) {
#define SIZED(at, sizes, number)                                                                   \
    OP("aten::linear", 1, at, 5, INPUTS(sizes, "[\"float\",\"float\",\"\"]") FORWARD(number))
    static const char text[] =
        TRACE("{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"Optimizer.zero_grad#SGD\","
              "\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":1}," SIZED(10, "[[8,16],[32,16],[]]", 1)
                  SIZED(20, "[[8,16],[16,16],[]]", 2) SIZED(30, "[[8,16],[16,16],[]]", 3)
                      OP(NODE "MmBackward0", 2, 40, 5, BACKWARD(3))
                          OP(NODE "MmBackward0", 2, 46, 2, BACKWARD(2))
                              OP(NODE "TBackward0", 2, 50, 4, "") ADD(51, "[[16,16],[16,16],[]]")
                                  OP(NODE "MmBackward0", 2, 60, 5, BACKWARD(1)));
    static const double blas = 71.4e6;
    habitat_memory *memory = made_memory(text);
    CHECK_NEAR(parts_at(memory, 1, HABITAT_MEMORY_RECORDED).parameters_bytes, 4 * (512 + 256), 0);
    CHECK_NEAR(peak_at(memory, 1, HABITAT_MEMORY_RECORDED), 3072 + blas + 512 + 1024 + 2048, 1e-12);
    CHECK_NEAR(peak_at(memory, 4, HABITAT_MEMORY_RECORDED), 3072 + blas + 4 * (512 + 1536) + 1024,
               1e-12);
    habitat_memory_free(memory);
}

int main(void) {
    test_table();
    check_case("a table that a product takes again");
    test_other_sums();
    check_case("sums of others");
    test_layer();
    check_case("a layer that runs several times");
    test_convolution();
    check_case("a convolution that runs twice");
    test_sums_pass();
    check_case("gradients that are added up");
    test_forward_alone();
    check_case("a forward pass alone");
    return check_done();
}
