/* Memory of a forward pass that no backward pass follows, by hand: a tensor is there from the
 * operation that makes it until its last use, or as long as a module runs that was given it.
 *
 * x (8, 16), 512 bytes, is the script's. Products take it to 32 columns (1024 bytes) and on;
 * weights in fp32, 16*32*4 = 2048 and 32*4*4 = 512 bytes. */
#include <stdlib.h>

#include <habitat/memory.h>

#include "check.h"
#include "made_memory.h"

#define EVENT(cat, name, at, length, args)                                                         \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" #at      \
    ",\"dur\":" #length ",\"args\":{" args "}},"
#define OP(name, at, length, dims, types)                                                          \
    EVENT("cpu_op", name, at, length, "\"Input Dims\":" dims ",\"Input type\":" types)
#define LINEAR(at, in, out)                                                                        \
    OP("aten::linear", at, 5, "[[8," #in "],[" #out "," #in "],[]]", "[\"float\",\"float\",\"\"]")
#define RELU(at)           OP("aten::relu", at, 5, "[[8,32]]", "[\"float\"]")
#define MODULE(at, length) EVENT("user_annotation", "nn.Module: Net.part", at, length, "")

/* A copy from the host inside of the operation that runs at `at`, and a kernel: an iteration has
 * work on the GPU. */
#define LAUNCH(number, at, category, name)                                                         \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"    \
    "\"ts\":" #at ",\"dur\":0.5,\"args\":{\"correlation\":" #number "}},"                          \
    "{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"" name                                      \
    "\",\"pid\":0,\"tid\":7,\"ts\":9" #number                                                      \
    ",\"dur\":1,\"args\":{\"device\":0,\"stream\":7,\"correlation\":" #number ",\"bytes\":512}}"
#define KERNEL(at)    LAUNCH(1, at, "kernel", "sgemm")
#define FROM_HOST(at) LAUNCH(2, at, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)") ","

#define NOTES(peak, between)                                                                       \
    "\"habitat\":{\"schema\":1,\"batch_size\":8,\"peak_memory_bytes\":" peak ",\"memory\":{"       \
    "\"parameters_bytes\":2560,\"buffers_bytes\":0,\"gradients_bytes\":0,"                         \
    "\"optimizer_state_bytes\":0,\"allocated_between_iterations_bytes\":" between "}},"
#define TRACE(notes, operations) "{" notes "\"traceEvents\":[" operations KERNEL(12) "]}"

static const habitat_memory_format recorded = HABITAT_MEMORY_RECORDED;

/* x and the ReLU's two tensors; the first product's result is gone at the second product. */
#define CHAIN LINEAR(10, 16, 32) RELU(20) LINEAR(30, 32, 4)

static void test_chain(void) {
    habitat_memory *memory = made_memory(TRACE(NOTES("5120", "3072"), CHAIN));
    habitat_memory_parts parts = parts_at(memory, 1, recorded);
    CHECK_INT(parts.basis, HABITAT_MEMORY_MEASURED);
    CHECK_NEAR(parts.activations_bytes, 512 + 1024 + 1024.0, 1e-12);
    CHECK_NEAR(parts.workspace_bytes, 0.0, 0);
    CHECK_NEAR(peak_at(memory, 2, recorded), 2560 + 2 * 2560.0, 1e-12);
    habitat_memory_free(memory);
}

/* r, the ReLU's result, is given to a module of two products: r, what the first ReLU in it made and
 * what the second product makes, 1024 bytes each, beside x. A module that began before r was made
 * holds nothing. */
#define INSIDE LINEAR(30, 32, 32) RELU(40) LINEAR(50, 32, 32)

static void test_module(void) {
    habitat_memory *memory =
        made_memory(TRACE("", LINEAR(10, 16, 32) RELU(20) MODULE(28, 30) INSIDE));
    CHECK_NEAR(parts_at(memory, 1, recorded).activations_bytes, 512 + 3 * 1024.0, 1e-12);
    habitat_memory_free(memory);
    memory = made_memory(TRACE("", MODULE(8, 60) LINEAR(10, 16, 32) RELU(20) INSIDE));
    CHECK_NEAR(parts_at(memory, 1, recorded).activations_bytes, 512 + 2 * 1024.0, 1e-12);
    habitat_memory_free(memory);
}

/* Nothing is seen to read the second product's 128 bytes: a variable of the module, or of the one
 * around it where the product is all that the inner one does. Without modules nothing holds them.
 */
#define UNREAD LINEAR(10, 16, 32) MODULE(16, 8) LINEAR(17, 16, 4) RELU(30)

static void test_unread(void) {
    habitat_memory *memory = made_memory(TRACE("", MODULE(8, 60) UNREAD));
    CHECK_NEAR(parts_at(memory, 1, recorded).activations_bytes, 512 + 2 * 1024 + 128.0, 1e-12);
    habitat_memory_free(memory);
    memory = made_memory(TRACE("", UNREAD));
    CHECK_NEAR(parts_at(memory, 1, recorded).activations_bytes, 512 + 2 * 1024.0, 1e-12);
    habitat_memory_free(memory);
}

/* Nothing was noted: all from shapes, the weights from the products, and cuBLAS' workspace. */
static void test_without_peak(void) {
    habitat_memory *memory = made_memory(TRACE("", CHAIN));
    habitat_memory_parts parts = parts_at(memory, 1, recorded);
    CHECK_INT(parts.basis, HABITAT_MEMORY_SHAPES);
    CHECK_NEAR(parts.peak_bytes, 2560 + 2560 + 35.7e6, 1e-12);
    habitat_memory_free(memory);
}

/* Autocast keeps its copies of weights until the pass ends: 1024 bytes from the first product on,
 * 256 more at the second. A copy of x, 256 bytes, passes at the first. At one times the batch the
 * ReLU is highest: x 512, and two of 512; so it is at eight times. */
static void test_autocast(void) {
    habitat_memory *memory = made_memory(TRACE(NOTES("5120", "3072"), CHAIN));
    CHECK_NEAR(peak_at(memory, 1, HABITAT_MEMORY_AUTOCAST), 2560 + 1024 + 1536.0, 1e-12);
    CHECK_NEAR(peak_at(memory, 8, HABITAT_MEMORY_AUTOCAST), 2560 + 1024 + 8 * 1536.0, 1e-12);
    /* the last product of a sixteenth of the batch: copies of both weights */
    CHECK_NEAR(peak_at(memory, 0.0625, HABITAT_MEMORY_AUTOCAST), 2560 + 1280 + 68.0, 1e-12);
    habitat_memory_free(memory);
}

/* A loop takes the same weights twice: autocast copies them once, 1280 bytes of all. */
static void test_loop(void) {
    habitat_memory *memory = made_memory(
        TRACE(NOTES("5120", "3072"), CHAIN LINEAR(40, 16, 32) RELU(50) LINEAR(60, 32, 4)));
    CHECK_NEAR(peak_at(memory, 1, HABITAT_MEMORY_AUTOCAST), 2560 + 1280 + 1536.0, 1e-12);
    habitat_memory_free(memory);
}

/* What comes from the host takes memory of the GPU once, and not between two iterations. */
static void test_host(void) {
    habitat_memory *memory = made_memory(TRACE(NOTES("4196", "2660"),
                                               OP("aten::_to_copy", 5, 3, "[[8,16]]", "[\"float\"]")
                                                   FROM_HOST(6) LINEAR(10, 16, 32)));
    habitat_memory_parts parts = parts_at(memory, 1, recorded);
    CHECK_NEAR(parts.workspace_bytes, 100.0, 0);
    CHECK_NEAR(parts.activations_bytes, 512 + 1024.0, 1e-12);
    CHECK_NEAR(peak_at(memory, 2, recorded), 2660 + 2 * 1536.0, 1e-12);
    habitat_memory_free(memory);
}

/* Joined to an empty tensor: a cache of keys or values in its first step, which is returned. */
static void test_cache(void) {
    habitat_memory *memory = made_memory(TRACE(
        "", LINEAR(10, 16, 32) OP("aten::cat", 20, 5, "[[[0],[8,32]],[]]", "[\"TensorList\",\"\"]")
                LINEAR(30, 32, 4) LINEAR(40, 4, 32) RELU(50)));
    CHECK_NEAR(parts_at(memory, 1, recorded).activations_bytes, 512 + 3 * 1024.0, 1e-12);
    habitat_memory_free(memory);
}

/* Eighteen of nineteen results of products, 1024 bytes each, are there while they are joined: with
 * x and the 18432 bytes that are made 37376. */
#define SIX(at)                                                                                    \
    LINEAR(at##00, 16, 32)                                                                         \
    LINEAR(at##10, 16, 32)                                                                         \
    LINEAR(at##20, 16, 32) LINEAR(at##30, 16, 32) LINEAR(at##40, 16, 32) LINEAR(at##50, 16, 32)
#define SIX_DIMS "[8,32],[8,32],[8,32],[8,32],[8,32],[8,32]"

static void test_joined(void) {
    habitat_memory *memory = made_memory(
        TRACE("", LINEAR(10, 16, 32) SIX(2) SIX(3) SIX(4)
                      OP("aten::cat", 900, 5, "[[" SIX_DIMS "," SIX_DIMS "," SIX_DIMS "],[]]",
                         "[\"TensorList\",\"\"]")));
    CHECK_NEAR(parts_at(memory, 1, recorded).activations_bytes, 512 + 18 * 1024 + 18432.0, 1e-12);
    habitat_memory_free(memory);
}

#define TO_HALF(at, dims)                                                                          \
    EVENT("cpu_op", "aten::_to_copy", at, 1,                                                       \
          "\"Input Dims\":[" dims ",[]],\"Input type\":[\"float\",\"Scalar\"],"                    \
          "\"Concrete Inputs\":[\"\",\"5\"]")
#define RELU_HALF(at) OP("aten::relu", at, 5, "[[8,32]]", "[\"c10::Half\"]")

/* Recorded under autocast: the copy of the weights, 1024 bytes, stays; that of x, 256, is gone at
 * the ReLU, where x and two tensors of 512 are. The weights themselves are fp32. */
static void test_recorded_autocast(void) {
    habitat_memory *memory = made_memory(
        TRACE("", OP("aten::linear", 10, 12, "[[8,16],[32,16],[]]", "[\"float\",\"float\",\"\"]")
                      TO_HALF(11, "[32,16]") TO_HALF(13, "[8,16]")
                          OP("aten::linear", 15, 5, "[[8,16],[32,16],[]]",
                             "[\"c10::Half\",\"c10::Half\",\"\"]") RELU_HALF(30)));
    habitat_memory_parts parts = parts_at(memory, 1, recorded);
    CHECK_NEAR(parts.parameters_bytes, 2048.0, 0);
    CHECK_NEAR(parts.activations_bytes, 512 + 2 * 512 + 1024.0, 1e-12);
    CHECK_NEAR(parts_at(memory, 4, recorded).activations_bytes, 4 * 1536 + 1024.0, 1e-12);
    habitat_memory_free(memory);
}

/* Where all products are convolutions, what is around them says that the weights are fp32. */
static void test_convolutions(void) {
    habitat_memory *memory = made_memory(TRACE(
        "", OP("aten::conv2d", 10, 9, "[[2,8,6,6],[40,8,3,3],[]]", "[\"float\",\"float\",\"\"]")
                EVENT("cpu_op", "aten::convolution", 12, 3,
                      "\"Input Dims\":[[2,8,6,6],[40,8,3,3],[],[],[],[],[],[],[]],"
                      "\"Input type\":[\"c10::Half\",\"c10::Half\",\"\",\"ScalarList\","
                      "\"ScalarList\",\"ScalarList\",\"Scalar\",\"ScalarList\",\"Scalar\"],"
                      "\"Concrete Inputs\":[\"\",\"\",\"\",\"[1, 1]\",\"[1, 1]\",\"[1, 1]\","
                      "\"False\",\"[0, 0]\",\"1\"]")));
    CHECK_NEAR(parts_at(memory, 1, recorded).parameters_bytes, 40 * 8 * 9 * 4.0, 0);
    habitat_memory_free(memory);
}

#define NORM(at)                                                                                   \
    OP("aten::layer_norm", at, 5, "[[8,32],[],[32],[32],[],[]]",                                   \
       "[\"float\",\"ScalarList\",\"float\",\"float\",\"Scalar\",\"\"]")
#define ADD(at) OP("aten::add", at, 5, "[[8,32],[8,32],[]]", "[\"float\",\"float\",\"Scalar\"]")

/* Both branches end with a norm; the sum takes what these made, not the newer product: x and, at
 * the later norm as at the sum, three of 1024 bytes. */
static void test_branches(void) {
    habitat_memory *memory = made_memory(
        TRACE("", MODULE(8, 80) LINEAR(10, 16, 32) NORM(20) LINEAR(30, 16, 32) NORM(40) ADD(50)));
    CHECK_NEAR(parts_at(memory, 1, recorded).activations_bytes, 512 + 3 * 1024.0, 1e-12);
    habitat_memory_free(memory);
}

/* The fp32 ReLU takes the product's 1024 bytes, not the newer 512 in half precision, which are read
 * once more after it. */
static void test_formats(void) {
    habitat_memory *memory = made_memory(
        TRACE("", LINEAR(10, 16, 32) TO_HALF(16, "[8,32]") RELU_HALF(20) RELU(30) RELU_HALF(40)));
    CHECK_NEAR(parts_at(memory, 1, recorded).activations_bytes, 512 + 1024 + 512 + 1024.0, 1e-12);
    habitat_memory_free(memory);
}

/* A backward pass that nothing links to its forward operations: no pass of its own, and what is
 * kept for it is not known. Nor is it where an optimiser steps. */
static void test_training(void) {
    static const char *const traces[] = {
        TRACE("", CHAIN OP("aten::threshold_backward", 40, 5, "[[8,32],[8,32],[]]",
                           "[\"float\",\"float\",\"Scalar\"]")),
        TRACE("", CHAIN OP("aten::_fused_adamw_", 40, 5, "[]", "[]")),
    };
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        habitat_memory *memory = made_memory(traces[i]);
        CHECK_INT(parts_at(memory, 1, recorded).basis, HABITAT_MEMORY_UNKNOWN);
        habitat_memory_free(memory);
    }
}

int main(void) {
    test_chain();
    check_case("last use");
    test_module();
    check_case("given to a module");
    test_unread();
    check_case("not seen to be read");
    test_without_peak();
    check_case("without a recorded peak");
    test_autocast();
    check_case("autocast");
    test_loop();
    check_case("weights of a loop");
    test_host();
    check_case("from the host");
    test_cache();
    check_case("a cache begins");
    test_joined();
    check_case("many tensors are joined");
    test_training();
    check_case("training without links");
    test_recorded_autocast();
    check_case("recorded autocast");
    test_convolutions();
    check_case("convolutions under autocast");
    test_branches();
    check_case("branches");
    test_formats();
    check_case("formats tell tensors apart");
    return check_done();
}
