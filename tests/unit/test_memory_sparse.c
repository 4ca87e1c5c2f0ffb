/* Gradients that are rows of a table, and products with sparse matrices, by hand.
 *
 * 8 words looked up in a table of 50 rows of 16 numbers, and a product with 4 x 16 weights: (800 +
 * 64) * 4 = 3456 bytes. The table's gradient is 8 rows of 16 numbers of 4 bytes, and 8 places of 8
 * bytes: 576, which grow with the batch; the other is of 64 * 4 = 256. Highest at the product's
 * backward operation: the 512 that were looked up are kept, and 512 + 128 of gradients pass by,
 * beside the gradients of the step before, which nothing frees. */
#include "check.h"
#include "made_events.h"
#include "made_memory.h"

#define TRACE(operations) "{\"traceEvents\":[" operations KERNEL "]}"
#define BLAS              71.4e6 /* of two threads, nothing being noted */
enum { WEIGHTS = 3456, ROWS = 576, OTHERS = 256, PASSES_BY = 512 + 512 + 128 };

#define LOOK_UP(number)                                                                            \
    OP("aten::embedding", 1, 10, 5,                                                                \
       INPUTS("[[50,16],[8]]", "[\"float\",\"long int\"]") FORWARD(number))
#define PRODUCT                                                                                    \
    OP("aten::linear", 1, 20, 5,                                                                   \
       INPUTS("[[8,16],[4,16],[]]", "[\"float\",\"float\",\"\"]") FORWARD(2))
#define BEGIN LOOK_UP(1) PRODUCT OP(NODE "MmBackward0", 2, 40, 5, BACKWARD(2))
#define SHOWN INPUTS("[[8,16],[8]]", "[\"float\",\"long int\"]")
#define NODE_OF_TABLE(inside)                                                                      \
    OP(NODE "EmbeddingBackward0", 2, 50, 9, BACKWARD(1))                                           \
    OP("EmbeddingBackward0", 2, 51, 7, BACKWARD(1)) inside
#define BACKWARD_OF(name, at, length, shown) OP(name, 2, at, length, shown "\"a\":0")
/* What makes the rows need not show what it is given: its caller is given the same. */
#define PASSES                                                                                     \
    BEGIN NODE_OF_TABLE(BACKWARD_OF("aten::embedding_backward", 52, 5, SHOWN)                      \
                            BACKWARD_OF("aten::embedding_sparse_backward", 53, 3, ))
#define STEP                                                                                       \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"Optimizer.step#SparseAdam.step\","       \
    "\"pid\":1,\"tid\":1,\"ts\":90,\"dur\":9},"
#define CALL(name, at, inputs) OP("aten::_foreach_" name, 1, at, 1, inputs "\"a\":0")

static void check_parts(const char *text, double factor, double gradients, double peak) {
    habitat_memory *memory = made_memory(text);
    habitat_memory_parts parts = parts_at(memory, factor, HABITAT_MEMORY_RECORDED);
    CHECK_NEAR(parts.parameters_bytes, WEIGHTS, 0);
    CHECK_NEAR(parts.gradients_bytes, gradients, 1e-12);
    CHECK_NEAR(parts.peak_bytes, peak, 1e-12);
    habitat_memory_free(memory);
}

static void test_grows(void) {
    for (double factor = 0.5; factor < 5; factor *= 2)
        check_parts(TRACE(PASSES), factor, OTHERS + factor * ROWS,
                    WEIGHTS + BLAS + OTHERS + factor * (ROWS + PASSES_BY));
}

/* Of one that is called by another the rows count once. */
static void test_once(void) {
    static const char bag[] = TRACE(
        BEGIN NODE_OF_TABLE(BACKWARD_OF("aten::_embedding_bag_sparse_backward", 52, 5, SHOWN)
                                BACKWARD_OF("aten::embedding_sparse_backward", 53, 3, SHOWN)));
    check_parts(bag, 2, OTHERS + 2 * ROWS, WEIGHTS + BLAS + OTHERS + 2 * (ROWS + PASSES_BY));
}

/* A gradient of the whole table stays. */
static void test_whole(void) {
    static const char whole[] =
        TRACE(BEGIN NODE_OF_TABLE(BACKWARD_OF("aten::embedding_backward", 52, 5, SHOWN)
                                      BACKWARD_OF("aten::embedding_dense_backward", 53, 3, SHOWN)));
    check_parts(whole, 2, WEIGHTS, WEIGHTS + BLAS + WEIGHTS + 2 * PASSES_BY);
}

/* With 1/1000 of the samples the optimiser's step is the peak. The one list that it makes is as
 * large as the gradients of weights, and the one that it is given has no table in it: a table still
 * is a weight, with a state. */
static void test_step(void) {
    static const char stepped[] = TRACE(PASSES STEP CALL("lerp_", 91, ) CALL("sqrt", 92, ) CALL(
        "addcdiv_", 93, INPUTS("[[[4,16]],[[4,16]]]", "[\"TensorList\",\"TensorList\"]")));
    check_parts(stepped, 0.001, OTHERS + 0.001 * ROWS,
                3 * WEIGHTS + BLAS + 2 * OTHERS + 0.001 * ROWS);
}

/* A sparse matrix of 100 x 1000, shown like a whole one, of 400,000 bytes, times h of 1000 x 16,
 * that a product made of x, the script's batch of 64,000 bytes; then a product to 4 columns.
 * Nothing is known of the matrix, and nothing is kept for it. Highest at its backward operation:
 * gradients of h and of the 6400 that it made, and the zeros that the first is added to. */
enum { TWO_WEIGHTS = 4 * (256 + 64), X = 64000, SPARSE_PASSES = X + 6400 + X };
#define MATRIX_OP(name, at, length, sizes, args)                                                   \
    OP(name, 1, at, length, INPUTS(sizes, "[\"float\",\"float\",\"float\"]") args)
#define AROUND(product)                                                                            \
    MATRIX_OP("aten::linear", 10, 5, "[[1000,16],[16,16],[]]", FORWARD(1))                         \
    product MATRIX_OP("aten::linear", 30, 5, "[[100,16],[4,16],[]]", FORWARD(3))                   \
        OP(NODE "MmBackward0", 2, 40, 5, BACKWARD(3)) OP(NODE "Node", 2, 50, 5, BACKWARD(2))       \
            OP(NODE "MmBackward0", 2, 60, 5, BACKWARD(1))

static void check_product(const char *text) {
    habitat_memory *memory = made_memory(text);
    for (double factor = 1; factor < 3; factor++)
        CHECK_NEAR(peak_at(memory, factor, HABITAT_MEMORY_RECORDED),
                   2 * TWO_WEIGHTS + BLAS + factor * (X + SPARSE_PASSES), 1e-12);
    habitat_memory_free(memory);
}

static void test_products(void) {
    check_product(TRACE(AROUND(
        MATRIX_OP("aten::_sparse_mm", 20, 8, "[[100,1000],[1000,16],[]]", FORWARD(2))
            MATRIX_OP("aten::_sparse_addmm", 21, 6, "[[100,16],[100,1000],[1000,16]]", FORWARD(2))
                MATRIX_OP("aten::addmm", 22, 4, "[[100,16],[100,1000],[1000,16]]", "\"a\":0"))));
    check_product(TRACE(
        AROUND(MATRIX_OP("aten::mm", 20, 8, "[[100,1000],[1000,16],[]]", FORWARD(2))
                   MATRIX_OP("aten::addmm", 21, 6, "[[100,16],[100,1000],[1000,16]]", "\"a\":0")
                       OP("aten::_nnz", 1, 22, 2, "\"a\":0"))));
}

int main(void) {
    test_grows();
    check_case("rows grow with the batch");
    test_once();
    check_case("rows of one that is called by another");
    test_whole();
    check_case("a gradient of the whole table");
    test_step();
    check_case("the optimiser's step, and its lists");
    test_products();
    check_case("products with a sparse matrix");
    return check_done();
}
