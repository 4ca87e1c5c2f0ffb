/* Views of parts of a tensor, by hand.
 *
 * x of 8 rows and 4 columns, the script's batch of 128 bytes, through a product to 32 columns: y,
 * of 1024 bytes. Functions take slices of it of 8 columns, 256 bytes each. 128 weights of 4 bytes,
 * and as many gradients, which nothing frees. */
#include "check.h"
#include "made_events.h"
#include "made_memory.h"

#define TRACE(operations) "{\"traceEvents\":[" operations KERNEL "]}"
#define BLAS              71.4e6 /* of two threads, nothing being noted */
enum { WEIGHTS = 512, BATCH = 128 };

#define PRODUCT                                                                                    \
    OP("aten::linear", 1, 10, 5,                                                                   \
       INPUTS("[[8,4],[32,4],[]]", "[\"float\",\"float\",\"\"]") FORWARD(1))
#define VIEW(name, at, whole, number)                                                              \
    OP("aten::" name, 1, at, 6,                                                                    \
       INPUTS("[" whole ",[],[]]", "[\"float\",\"Scalar\",\"Scalar\"]") FORWARD(number))
#define FUNCTION(name, at, number)                                                                 \
    OP("aten::" name, 1, at, 2, INPUTS("[[8,8]]", "[\"float\"]") FORWARD(number))
#define BACK(at, number) OP(NODE "Node", 2, at, 4, BACKWARD(number))
/* Its node is given the gradient of the slice. */
#define BACK_TO_WHOLE(name, at, number)                                                            \
    BACK(at, number)                                                                               \
    OP(name, 2, at, 3, INPUTS("[[8,8]]", "[\"float\"]") BACKWARD(number))

static void check_passes(const char *text, double passes) {
    habitat_memory *memory = made_memory(text);
    for (double factor = 1; factor < 3; factor++)
        CHECK_NEAR(peak_at(memory, factor, HABITAT_MEMORY_RECORDED),
                   2 * WEIGHTS + BLAS + factor * (BATCH + passes), 1e-12);
    habitat_memory_free(memory);
}

/* What keeps a slice keeps the whole: 1024, and gradients of 256 in and out. */
static void test_keeps(void) {
    check_passes(TRACE(PRODUCT VIEW("slice", 20, "[8,32]", 2) FUNCTION("silu", 26, 3) BACK(40, 3)
                           BACK_TO_WHOLE("SliceBackward0", 50, 2) BACK(60, 1)),
                 1024 + 2 * 256);
    check_passes(TRACE(PRODUCT VIEW("select", 20, "[8,4,8]", 2) FUNCTION("silu", 26, 3) BACK(40, 3)
                           BACK_TO_WHOLE("SelectBackward0", 50, 2) BACK(60, 1)),
                 1024 + 2 * 256);
}

/* So do parts: four of 256 bytes. */
static void test_parts(void) {
#define PART(at) OP("aten::select", 1, at, 1, "\"a\":0")
    check_passes(TRACE(PRODUCT VIEW("unbind", 20, "[8,4,8]", 2) PART(21) PART(22) PART(23) PART(24)
                           FUNCTION("silu", 26, 3) BACK(40, 3) BACK(50, 2) BACK(60, 1)),
                 1024 + 2 * 256);
}

/* The gradient of each slice is as large as the whole. At the backward operation of the first slice
 * that of the second is there, 1024, beside 256 in and 1024 out. */
static void test_gradients(void) {
    check_passes(TRACE(PRODUCT VIEW("slice", 20, "[8,32]", 2) FUNCTION("relu", 26, 3)
                           VIEW("slice", 30, "[8,32]", 4) FUNCTION("relu", 36, 5) BACK(40, 5)
                               BACK_TO_WHOLE("SliceBackward0", 45, 4) BACK(50, 3)
                                   BACK_TO_WHOLE("SliceBackward0", 55, 2) BACK(60, 1)),
                 1024 + 256 + 1024);
}

/* Of a table that was not made in the iteration the slice alone is known to be there. */
static void test_tables(void) {
    check_passes(TRACE(PRODUCT VIEW("slice", 20, "[999,32]", 2) FUNCTION("silu", 26, 3) BACK(40, 3)
                           BACK_TO_WHOLE("SliceBackward0", 50, 2) BACK(60, 1)),
                 1024 + BATCH);
}

int main(void) {
    test_keeps();
    check_case("what is kept of a slice");
    test_parts();
    check_case("what is kept of parts");
    test_gradients();
    check_case("gradients of slices");
    test_tables();
    check_case("slices of tables");
    return check_done();
}
