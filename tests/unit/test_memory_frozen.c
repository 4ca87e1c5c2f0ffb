/* Weights that are not trained, by hand.
 *
 * x of 8 rows and 16 columns, the script's batch of 512 bytes, through products to 12, 32 and 4
 * columns: 192, 384 and 128 weights of 4 bytes. The second one's backward operation makes the
 * gradient of what went in and none of its weights: they have none, and the 384 bytes that went in
 * are not kept. Highest at the last one's backward operation: 1024 kept, 1024 + 128 of gradients.
 */
#include "check.h"
#include "made_events.h"
#include "made_memory.h"

#define TRACE(operations) "{\"traceEvents\":[" operations KERNEL "]}"
#define BLAS              71.4e6 /* of two threads, nothing being noted */
enum { BATCH = 512, FIRST = 4 * 192, SECOND = 4 * 384, LAST = 4 * 128, PASSES = 1024 + 1024 + 128 };

#define PRODUCT(at, sizes, number)                                                                 \
    OP("aten::linear", 1, at, 5, INPUTS(sizes, "[\"float\",\"float\",\"\"]") FORWARD(number))
#define MM(at, sizes) OP("aten::mm", 2, at, 1, INPUTS(sizes, "[\"float\",\"float\"]") "\"a\":0")
#define NODE_OF(at, given, number, products)                                                       \
    OP(NODE "MmBackward0", 2, at, 8, BACKWARD(number))                                             \
    OP("MmBackward0", 2, at, 7, INPUTS("[" given "]", "[\"float\"]") BACKWARD(number)) products
#define FORWARD_PASS                                                                               \
    PRODUCT(10, "[[8,16],[12,16],[]]", 1)                                                          \
    PRODUCT(20, "[[8,12],[32,12],[]]", 2) PRODUCT(30, "[[8,32],[4,32],[]]", 3)
#define BACK_OF_LAST         NODE_OF(40, "[8,4]", 3, MM(42, "[[8,4],[4,32]]") MM(44, "[[4,8],[8,32]]"))
#define BACK_OF_SECOND(more) NODE_OF(50, "[8,32]", 2, MM(52, "[[8,32],[32,12]]") more)
#define BACK_OF_FIRST        NODE_OF(60, "[8,12]", 1, MM(62, "[[12,8],[8,16]]"))

static void check_trained(const char *text, double trained, double passes) {
    habitat_memory *memory = made_memory(text);
    habitat_memory_parts parts = parts_at(memory, 2, HABITAT_MEMORY_RECORDED);
    CHECK_NEAR(parts.parameters_bytes, FIRST + SECOND + LAST, 0);
    CHECK_NEAR(parts.gradients_bytes, trained, 0);
    CHECK_NEAR(parts.peak_bytes, FIRST + SECOND + LAST + trained + BLAS + 2 * (BATCH + passes),
               1e-12);
    habitat_memory_free(memory);
}

static void test_between(void) {
    check_trained(TRACE(FORWARD_PASS BACK_OF_LAST BACK_OF_SECOND() BACK_OF_FIRST), FIRST + LAST,
                  PASSES);
    check_trained(
        TRACE(FORWARD_PASS BACK_OF_LAST BACK_OF_SECOND(MM(54, "[[32,8],[8,12]]")) BACK_OF_FIRST),
        FIRST + SECOND + LAST, 384 + PASSES);
}

/* What comes before the first trained weights has no backward operation. */
static void test_before(void) {
    check_trained(TRACE(FORWARD_PASS BACK_OF_LAST), LAST, PASSES);
}

/* Sizes that nobody shows tell nothing: all is trained. */
static void test_unshown(void) {
#define BARE(at, number) OP(NODE "MmBackward0", 2, at, 8, BACKWARD(number))
    check_trained(TRACE(FORWARD_PASS BARE(40, 3) BARE(50, 2) BARE(60, 1)), FIRST + SECOND + LAST,
                  384 + PASSES);
}

int main(void) {
    test_between();
    check_case("frozen weights between trained ones");
    test_before();
    check_case("frozen weights before trained ones");
    test_unshown();
    check_case("sizes that are not shown");
    return check_done();
}
