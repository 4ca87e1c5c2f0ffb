/* A batch size that is said of a recording, against the sizes in the places of batches:
 * src/rescale/scale_said.c. Each case is a short step, its operations 10 us each but where it is
 * said, and the batches that it bears out and refuses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <habitat/habitat.h>

#include "check.h"
#include "made_trace.h"
#include "rescale/scale.h"

static habitat_gpu_table *table;
static char path[] = "/tmp/habitat-said-XXXXXX";

typedef struct made_op {
    const char *name, *dims; /* of three inputs */
    int us;                  /* 0: 10 */
} made_op;

enum { OPS_MOST = 6 };

static const char *noted = ""; /* a member of the trace, with a comma behind it */

static char *text_of(const made_op *ops) {
    made_text text = {0};
    made_write(&text,
               "{%s\"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H200\"}], "
               "\"traceEvents\": [\n",
               noted);
    for (int i = 0; i < OPS_MOST && ops[i].name; i++) {
        const char *second = strcmp(ops[i].name, "aten::embedding") ? "float" : "long int";
        int at = 100 * i;
        made_write(&text,
                   "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 1, \"tid\": 1, "
                   "\"ts\": %d, \"dur\": 10, \"args\": {\"Input Dims\": [%s, [], [], [], []], "
                   "\"Input type\": [\"float\", \"%s\", \"float\", \"\", \"Scalar\", \"Scalar\", "
                   "\"\"], \"Concrete Inputs\": [\"\", \"\", \"\", \"\", \"0.\", \"False\", "
                   "\"\"]}},\n",
                   ops[i].name, at, ops[i].dims, second);
        made_write(&text,
                   "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
                   "\"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 1, \"args\": {\"correlation\": "
                   "%d}},\n"
                   "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k%d\", \"pid\": 0, \"tid\": "
                   "7, \"ts\": %d, \"dur\": %d, \"args\": {\"device\": 0, \"stream\": 7, "
                   "\"correlation\": %d, \"grid\": [100, 1, 1], \"block\": [128, 1, 1]}},\n",
                   at + 2, i + 1, i, at + 20, ops[i].us ? ops[i].us : 10, i + 1);
    }
    made_write(&text, "{\"ph\": \"M\", \"name\": \"end\"}]}");
    return text.data;
}

static habitat_status check_batch(const char *text, uint64_t batch, habitat_error *err) {
    habitat_read_options options = {.batch_size = batch};
    habitat_trace *trace = NULL;
    habitat_workload *w = NULL;
    const habitat_gpu *gpu = NULL;
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0);
    CHECK_INT(file ? fclose(file) : 0, 0);
    CHECK_INT(habitat_gpu_find(table, "H200-SXM5-141GB", &gpu, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_trace_read_with(path, &options, &trace, err), HABITAT_OK);
    CHECK_INT(habitat_workload_create(trace, gpu, &w, err), HABITAT_OK);
    habitat_status status = scale_check_said(w, err);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    return status;
}

#define OTHERS ": it is another one; say how many samples the recorded iteration has"

/* says: what stands at the places of a batch, of every one that is refused. */
static void check_step(const made_op *ops, const uint64_t *right, const uint64_t *wrong,
                       const char *says) {
    char *text = text_of(ops);
    for (size_t i = 0; right[i]; i++)
        CHECK_INT(check_batch(text, right[i], NULL), HABITAT_OK);
    for (size_t i = 0; wrong[i]; i++) {
        char line[256];
        habitat_error err = {0};
        snprintf(line, sizeof line, "a batch of %d is said, and %s" OTHERS, (int)wrong[i], says);
        CHECK_INT(check_batch(text, wrong[i], &err), HABITAT_E_ARG);
        CHECK_TEXT(err.message, line);
    }
    free(text);
}

#define ATTENTION    "aten::scaled_dot_product_attention"
#define BATCHES(...) ((const uint64_t[]){__VA_ARGS__, 0})
#define LAYERS       "convolutions, attention and recurrent layers are of "
#define TABLES       "tables are asked for rows by "
#define ROWS         "batches of products and losses are of "

/* 4 sequences of 1024 tokens, 768 wide, 12 heads. What is in most of the tensors is no batch. */
static void test_sequences(void) {
    static const made_op ops[OPS_MOST] = {
        {"aten::embedding", "[50257,768],[4,1024],[]", 0},
        {"aten::add", "[4,1024,768],[4,1024,768],[]", 0},
        {ATTENTION, "[4,12,1024,64],[4,12,1024,64],[4,12,1024,64]", 0},
        {"aten::mm", "[4096,768],[768,3072],[]", 50}};
    check_step(ops, BATCHES(4), BATCHES(1024, 768, 12, 4096, 2, 1, 8), LAYERS "4");
}

/* Softmax where attention is made of products; heads are in their batches. */
static void test_products(void) {
    static const made_op ops[OPS_MOST] = {{"aten::add", "[4,32,48],[4,32,48],[]", 0},
                                          {"aten::bmm", "[64,32,3],[64,3,32],[]", 0},
                                          {"aten::_softmax", "[64,32,32],[],[]", 50},
                                          {"aten::_softmax", "[4,16,32,32],[],[]", 0}};
    check_step(ops, BATCHES(4), BATCHES(16, 64, 32, 2, 1), LAYERS "4");
}

/* Windows: attention of 64 and 16 a sample, and one over all. */
static void test_windows(void) {
    static const made_op ops[OPS_MOST] = {
        {"aten::add", "[2,64,49,96],[2,64,49,96],[]", 90},
        {ATTENTION, "[128,3,49,32],[128,3,49,32],[128,3,49,32]", 0},
        {ATTENTION, "[32,3,49,32],[32,3,49,32],[32,3,49,32]", 40},
        {ATTENTION, "[2,3,49,32],[2,3,49,32],[2,3,49,32]", 0}};
    check_step(ops, BATCHES(2), BATCHES(49, 128, 16, 1), LAYERS "32, 128 and 2");
    static const made_op more[OPS_MOST] = {
        {"aten::add", "[2,64,49,96],[2,64,49,96],[]", 90},
        {ATTENTION, "[128,3,49,32],[128,3,49,32],[128,3,49,32]", 30},
        {ATTENTION, "[2,3,49,32],[2,3,49,32],[2,3,49,32]", 0},
        {ATTENTION, "[6,3,49,32],[6,3,49,32],[6,3,49,32]", 50},
        {ATTENTION, "[9,3,49,32],[9,3,49,32],[9,3,49,32]", 5}};
    check_step(more, BATCHES(2), BATCHES(49, 9, 128), LAYERS "6, 128, 2 and others");
}

/* No such layer: batches of products, and the indices of a table. */
static void test_no_layers(void) {
    static const made_op ops[OPS_MOST] = {{"aten::embedding", "[1000,64],[32,50],[]", 0},
                                          {"aten::add", "[32,50,64],[32,50,64],[]", 30},
                                          {"aten::bmm", "[256,50,8],[256,8,50],[]", 0}};
    check_step(ops, BATCHES(32), BATCHES(50, 1600), ROWS "256");
    check_step(ops, BATCHES(32), BATCHES(64, 16, 8), TABLES "32 and 50");
    static const made_op tables[OPS_MOST] = {{"aten::embedding", "[1000,64],[32,50],[]", 0},
                                             {"aten::add", "[32,50,64],[32,50,64],[]", 30}};
    check_step(tables, BATCHES(32), BATCHES(64, 16), TABLES "32 and 50");
    static const made_op in_a_row[OPS_MOST] = {{"aten::embedding", "[1000,64],[1600],[]", 0},
                                               {"aten::add", "[32,50,64],[32,50,64],[]", 30}};
    check_step(in_a_row, BATCHES(32), BATCHES(128), TABLES "1600");
}

/* Classifiers of one layer after another: the loss has as many rows as samples. */
static void test_losses(void) {
    static const made_op ops[OPS_MOST] = {{"aten::mm", "[64,784],[784,1024],[]", 90},
                                          {"aten::nll_loss_forward", "[64,10],[64],[]", 0}};
    check_step(ops, BATCHES(64), BATCHES(1024, 784, 128), ROWS "64");
}

#define GRADIENT "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"

/* One parameter, its gradient twice: two passes of 32 share 64. */
static void test_passes(void) {
    static const made_op ops[OPS_MOST] = {
        {"aten::add", "[32,128,768],[32,128,768],[]", 0},
        {ATTENTION, "[32,12,128,64],[32,12,128,64],[32,12,128,64]", 50},
        {GRADIENT, "[768,768],[],[]", 0},
        {GRADIENT, "[768,768],[],[]", 0}};
    noted = "\"habitat\": {\"memory\": {\"parameter_sizes\": {\"float32\": [589824]}}}, ";
    check_step(ops, BATCHES(64, 32), BATCHES(128, 16, 1), LAYERS "32");
    noted = "\"habitat\": {\"memory\": {\"parameter_sizes\": {\"float32\": [589824, 768]}}}, ";
    check_step(ops, BATCHES(32), BATCHES(64), LAYERS "32");
    noted = "";
}

int main(void) {
    int handle = mkstemp(path);
    CHECK(handle >= 0);
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    test_sequences();
    check_case("a width, a length or a part of a batch is none");
    test_products();
    check_case("attention made of products");
    test_windows();
    check_case("windows are many a sample");
    test_no_layers();
    check_case("products and tables alone");
    test_losses();
    check_case("losses");
    test_passes();
    check_case("a batch that several forward passes share");
    habitat_gpu_table_free(table);
    (void)close(handle);
    (void)unlink(path);
    return check_done();
}
