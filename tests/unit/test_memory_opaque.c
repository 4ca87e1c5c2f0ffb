/* Operations that no rule knows, by hand: what they keep is what their backward operation reads. */
#include "check.h"
#include "made_events.h"
#include "made_memory.h"

#define TRACE(operations) "{\"traceEvents\":[" operations KERNEL "]}"
#define BLAS              71.4e6 /* of two threads, nothing being noted */
#define NOTHING           "\"a\":0"
#define PRODUCT(at, sizes)                                                                         \
    OP("aten::linear", 1, at, 5, INPUTS(sizes, "[\"float\",\"float\",\"\"]") FORWARD(2))
#define BACK_OF_PRODUCT OP(NODE "MmBackward0", 2, 40, 5, BACKWARD(2))
#define READY           OP(NODE "torch::autograd::AccumulateGrad", 2, 60, 2, NOTHING)
#define FP8             "\"c10::Float8_e4m3fn\""

/* x of 8 rows and 16 columns, the script's batch of 512 bytes, and 32 x 16 weights, in a function
 * of a script that multiplies copies of 8 bit: both are kept, 128 bytes that grow and 512 that do
 * not. Then a product to 4 columns, which keeps the 1024 that came out. At its backward operation
 * gradients of 1024 and 128 pass by. The gradient of the function's weights is ready behind it. */
enum { BATCH = 512, WEIGHTS = 4 * (32 * 16 + 4 * 32) };
#define COPY(thread, at, sizes)                                                                    \
    OP("aten::copy_", thread, at, 2, INPUTS("[" sizes "," sizes "]", "[" FP8 ",\"float\"]") NOTHING)
#define TURN(at, sizes) OP("aten::contiguous", 2, at, 1, INPUTS("[" sizes "]", "[" FP8 "]") NOTHING)
#define SCALED(name)                                                                               \
    OP(name, 1, 10, 8, INPUTS("[[8,16],[32,16]]", "[\"float\",\"float\"]") FORWARD(1))             \
    COPY(1, 11, "[8,16]") COPY(1, 14, "[32,16]")
#define BACK_OF_SCALED(inside)                                                                     \
    OP(NODE "ScaledBackward", 2, 50, 9, BACKWARD(1))                                               \
    OP("ScaledBackward", 2, 50, 9, INPUTS("[[8,32]]", "[\"float\"]") BACKWARD(1)) inside

static void check_scaled(const char *text, double kept, double fixed) {
    habitat_memory *memory = made_memory(text);
    CHECK_NEAR(parts_at(memory, 1, HABITAT_MEMORY_RECORDED).parameters_bytes, WEIGHTS, 0);
    for (double factor = 1; factor < 4; factor++)
        CHECK_NEAR(peak_at(memory, factor, HABITAT_MEMORY_RECORDED),
                   2 * WEIGHTS + BLAS + fixed + factor * (BATCH + kept + 2 * 1024 + 128), 1e-12);
    habitat_memory_free(memory);
}

static void test_functions(void) {
#define FORWARD_PASS SCALED("Scaled") PRODUCT(20, "[[8,32],[4,32],[]]")
    check_scaled(TRACE(FORWARD_PASS BACK_OF_PRODUCT BACK_OF_SCALED(
                     COPY(2, 51, "[8,32]") TURN(54, "[16,8]") TURN(56, "[16,32]")) READY),
                 128, 512);
    /* what it makes itself, and its weights as they are, it does not keep */
    check_scaled(TRACE(FORWARD_PASS BACK_OF_PRODUCT BACK_OF_SCALED(COPY(2, 51, "[8,32]") OP(
                     "aten::mm", 2, 54, 1,
                     INPUTS("[[8,32],[32,16]]", "[\"float\",\"float\"]") NOTHING)) READY),
                 0, 0);
}

/* Another library's operation fills a buffer of 400 bytes, through which it may go in pieces: for
 * more samples it is taken as it was, or as growing; for fewer as growing, or as it was. Of x, 512
 * bytes, it makes 128. */
static void test_pieces(void) {
    static const char text[] =
        TRACE(OP("library::pieces", 1, 10, 8,
                 INPUTS("[[8,16],[4,16]]", "[\"float\",\"float\"]") FORWARD(1))
                  OP("aten::zero_", 1, 11, 2, INPUTS("[[100]]", "[\"float\"]") NOTHING)
                      PRODUCT(20, "[[8,4],[4,4],[]]")
                          BACK_OF_PRODUCT OP(NODE "CppNode<pieces>", 2, 50, 9, BACKWARD(1))
                              OP("library::pieces_backward", 2, 52, 5,
                                 INPUTS("[[8,4],[8,16],[4,16]]", "[\"float\",\"float\",\"float\"]")
                                     NOTHING) READY);
    enum { FEW = 4 * (64 + 16) };
    habitat_memory *memory = made_memory(text);
    habitat_memory_parts twice = parts_at(memory, 2, HABITAT_MEMORY_RECORDED);
    habitat_memory_parts half = parts_at(memory, 0.5, HABITAT_MEMORY_RECORDED);
    CHECK_NEAR(twice.peak_bytes, 2 * FEW + BLAS + 2 * (512 + 640) + 400, 1e-12);
    CHECK_NEAR(twice.algorithms_bytes, 400, 1e-12);
    CHECK_NEAR(half.peak_bytes, 2 * FEW + BLAS + 0.5 * (512 + 640) + 200, 1e-12);
    CHECK_NEAR(half.algorithms_bytes, 200, 1e-12);
    habitat_memory_free(memory);
}

int main(void) {
    test_functions();
    check_case("a script's own functions");
    test_pieces();
    check_case("buffers of another library");
    return check_done();
}
