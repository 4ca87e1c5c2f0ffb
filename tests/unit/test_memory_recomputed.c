/* Checkpoints, by hand: layers that the backward pass computes again.
 *
 * x of 8 rows and 16 columns, the script's batch, of 512 bytes. Twice: a product to 32 columns, a
 * ReLU (1024 bytes, kept for its own gradient and the next product) and a product back to 16. Then
 * a product to 4. Products to 32 and 4 take x, which no product made. 2 (512 + 512) + 64 weights of
 * 4 bytes, and as many gradients, which nothing frees. Highest at the second ReLU's backward
 * operation, with gradients of 1024 in and out:
 *   all kept:     1024 + 1024 + 2048 = 4096
 *   checkpoints:         1024 + 2048 = 3072, of the first pair no ReLU is there */
#include "check.h"
#include "made_events.h"
#include "made_memory.h"

#define TRACE(operations) "{\"traceEvents\":[" operations KERNEL "]}"
#define BLAS              71.4e6 /* of two threads, nothing being noted */
enum { WEIGHTS = 8448, BATCH = 512, ALL = 4096, CHECKPOINTS = 3072 };

#define PRODUCT(thread, at, sizes, number)                                                         \
    OP("aten::linear", thread, at, 1, INPUTS(sizes, "[\"float\",\"float\",\"\"]") number)
#define RELU(thread, at, number)                                                                   \
    OP("aten::relu", thread, at, 1, INPUTS("[[8,32]]", "[\"float\"]") number)
#define WIDER     "[[8,16],[32,16],[]]"
#define NARROWER  "[[8,32],[16,32],[]]"
#define LAST      "[[8,16],[4,16],[]]"
#define NO_NUMBER "\"a\":0"
#define FORWARD_PASS                                                                               \
    PRODUCT(1, 12, WIDER, FORWARD(1))                                                              \
    RELU(1, 22, FORWARD(2))                                                                        \
    PRODUCT(1, 24, NARROWER, FORWARD(3))                                                           \
    PRODUCT(1, 30, WIDER, FORWARD(4))                                                              \
    RELU(1, 32, FORWARD(5))                                                                        \
    PRODUCT(1, 34, NARROWER, FORWARD(6)) PRODUCT(1, 40, LAST, FORWARD(7))
#define BACK(at, length, number, inside) OP(NODE "Node", 2, at, length, BACKWARD(number)) inside
/* What runs once more in a node of the second pair, and of the first: the last of them is the
 * node's own operation. */
#define BACKWARD_PASS(second, first)                                                               \
    BACK(50, 1, 7, )                                                                               \
    BACK(60, 9, 6, second)                                                                         \
    BACK(71, 1, 5, ) BACK(73, 1, 4, ) BACK(80, 9, 3, first) BACK(91, 1, 2, ) BACK(93, 1, 1, )
#define AGAIN(at, then, last)                                                                      \
    PRODUCT(2, at, WIDER, NO_NUMBER) RELU(2, then, NO_NUMBER) PRODUCT(2, last, NARROWER, NO_NUMBER)

static void check_peak(const char *text, double factor, double passes) {
    habitat_memory *memory = made_memory(text);
    CHECK_NEAR(parts_at(memory, factor, HABITAT_MEMORY_RECORDED).parameters_bytes, WEIGHTS, 0);
    CHECK_NEAR(peak_at(memory, factor, HABITAT_MEMORY_RECORDED),
               2 * WEIGHTS + BLAS + factor * (BATCH + passes), 1e-12);
    habitat_memory_free(memory);
}

static void test_kept(void) {
    check_peak(TRACE(FORWARD_PASS BACKWARD_PASS(, )), 2, ALL);
}

static void test_again(void) {
    for (double factor = 1; factor < 5; factor *= 2)
        check_peak(TRACE(FORWARD_PASS BACKWARD_PASS(AGAIN(61, 63, 65), AGAIN(81, 83, 85))), factor,
                   CHECKPOINTS);
}

/* Recordings leave out sizes of what launches nothing. */
static void test_without_sizes(void) {
#define BARE(at, then, last)                                                                       \
    PRODUCT(2, at, WIDER, NO_NUMBER)                                                               \
    OP("aten::relu", 2, then, 1, NO_NUMBER) PRODUCT(2, last, NARROWER, NO_NUMBER)
    check_peak(TRACE(FORWARD_PASS BACKWARD_PASS(BARE(61, 63, 65), BARE(81, 83, 85))), 1,
               CHECKPOINTS);
}

/* Calls of other sizes, or in another order, are a derivative's or another layer's. */
static void test_others(void) {
#define OTHER(at, then, last)                                                                      \
    PRODUCT(2, at, LAST, NO_NUMBER) RELU(2, then, NO_NUMBER) PRODUCT(2, last, LAST, NO_NUMBER)
#define TURNED(at, then, last)                                                                     \
    PRODUCT(2, at, NARROWER, NO_NUMBER)                                                            \
    RELU(2, then, NO_NUMBER) PRODUCT(2, last, WIDER, NO_NUMBER)
    check_peak(TRACE(FORWARD_PASS BACKWARD_PASS(OTHER(61, 63, 65), OTHER(81, 83, 85))), 1, ALL);
    check_peak(TRACE(FORWARD_PASS BACKWARD_PASS(TURNED(61, 63, 65), )), 1, ALL);
}

/* A checkpoint that enters the engine once more: its first pass makes no nodes, and those of the
 * second lie in its own. */
#define REENTERED(at, number)                                                                      \
    OP("CheckpointFunction", 1, at##0, 8, FORWARD(number))                                         \
    PRODUCT(1, at##2, WIDER, NO_NUMBER)                                                            \
    RELU(1, at##4, NO_NUMBER) PRODUCT(1, at##6, NARROWER, NO_NUMBER)
#define OF_SECOND(number) "\"Sequence number\":" #number ",\"Fwd thread id\":2"
#define NESTED(at, number, a, b, c)                                                                \
    OP(NODE "CheckpointFunctionBackward", 2, at##0, 10, BACKWARD(number))                          \
    PRODUCT(2, at##1, WIDER, FORWARD(a))                                                           \
    RELU(2, at##3, FORWARD(b))                                                                     \
    PRODUCT(2, at##5, NARROWER, FORWARD(c))                                                        \
    OP(NODE "Node", 2, at##7, 1, OF_SECOND(c))                                                     \
    OP(NODE "Node", 2, at##8, 1, OF_SECOND(b)) OP(NODE "Node", 2, at##9, 1, OF_SECOND(a))

static void test_reentered(void) {
    check_peak(TRACE(REENTERED(1, 1) REENTERED(2, 2) PRODUCT(1, 40, LAST, FORWARD(3))
                         BACK(90, 1, 3, ) NESTED(10, 2, 101, 102, 103) NESTED(7, 1, 104, 105, 106)),
               1, CHECKPOINTS);
}

int main(void) {
    test_kept();
    check_case("nothing is computed again");
    test_again();
    check_case("checkpoints");
    test_without_sizes();
    check_case("calls whose sizes are left out");
    test_others();
    check_case("other calls in a backward operation");
    test_reentered();
    check_case("checkpoints that enter the engine again");
    return check_done();
}
