/* Tables of the nodes of a model, as torch.fx lists them (e2e_ops), and of messages between GPUs
 * (collectives). A node's sizes stand in input_shapes and output_shape; what it does is told by its
 * target. Its forward pass alone is read. Nodes that only move Python's numbers, views, and what
 * has no rule stay without an answer, with a reason. Messages have none of their own: they are
 * predicted within an iteration. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "question/schemas.h"
#include "question/tensors.h"

enum { TENSORS_MAX = 4, WORD_BYTES = 48 };

typedef struct node {
    char word[WORD_BYTES]; /* what is called: "add", "query" */
    tensor in[TENSORS_MAX], out;
    size_t in_count;
} node;

bool schema_is_nodes(const row *r) {
    return row_has(r, "target") && row_has(r, "input_shapes") && row_has(r, "output_shape");
}

bool schema_is_messages(const row *r) {
    return row_has(r, "num_gpus") && row_has(r, "bytes");
}

/* ---- cells ---- */

/* @return how many tensors there are; the first of them in out. */
static size_t read_tensors(row *r, const char *column, tensor *out, size_t most) {
    const char *text = row_text(r, column, NULL);
    size_t count = text ? tensors_read(text, out, most) : SIZE_MAX;
    if (count != SIZE_MAX)
        return count;
    row_fail(r, HABITAT_E_PARSE, "%s \"%.60s\" is no list of sizes like [[8, 512]]", column,
             text ? text : "");
    return 0;
}

/* Of a tensor that has dimensions; the last is `from_end` 1. */
static double size_of(const tensor *t, size_t from_end) {
    return t->rank >= from_end ? t->size[t->rank - from_end] : NAN;
}

/* "<built-in method addmm of type object at 0x..>": addmm; "h.0.attn.c_attn": c_attn. */
static void read_word(row *r, bool module, node *out) {
    static const char *const before[] = {"<built-in function ", "<built-in method ", "<function "};
    const char *text = row_text(r, "target", NULL), *name = text ? text : "";
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (strncmp(name, before[i], strlen(before[i])) == 0)
            name += strlen(before[i]);
    const char *dot = module ? strrchr(name, '.') : NULL;
    name = dot ? dot + 1 : name;
    size_t length = strcspn(name, " >");
    if (length >= WORD_BYTES)
        length = WORD_BYTES - 1;
    memcpy(out->word, name, length);
    out->word[length] = '\0';
}

/* ---- what a node does ---- */

static void no_rule(row *r, const node *n) {
    row_fail(r, HABITAT_E_UNSUPPORTED, "%s: no work of a kernel is known", n->word);
}

static void wrong_sizes(row *r, const node *n) {
    row_fail(r, HABITAT_E_RANGE, "sizes of %s do not go together", n->word);
}

/* Images go through convolutions, whose width would be taken for the columns of a layer: their
 * channels, heights or widths differ, or nothing does. */
static bool may_be_images(const tensor *x, const tensor *out) {
    if (x->rank < 4 || out->rank != x->rank)
        return false;
    for (size_t i = 0; i + 1 < x->rank; i++)
        if (x->size[i] != out->size[i])
            return true;
    return size_of(x, 1) == size_of(out, 1);
}

/* x (.., k) to (.., n): the weight stands in no column, so that it is taken to be (n, k). */
static void read_layer(row *r, const node *n, const row_question *q) {
    double k = size_of(&n->in[0], 1), columns = size_of(&n->out, 1);
    double m = tensors_elements(&n->out) / columns;
    if (may_be_images(&n->in[0], &n->out)) {
        no_rule(r, n);
        return;
    }
    if (tensors_elements(&n->in[0]) != m * k) {
        wrong_sizes(r, n);
        return;
    }
    habitat_gemm_shape shape = {
        .b = 1, .m = m, .n = columns, .k = k, .bias = true, .trans_b = true};
    schema_gemm(r, &shape, false, q);
}

static void read_product(row *r, const node *n, bool batched, const row_question *q) {
    size_t first = batched ? 0 : 1; /* addmm: the bias stands before */
    if (n->in_count < first + 2) {
        wrong_sizes(r, n);
        return;
    }
    const tensor *x = &n->in[first], *y = &n->in[first + 1];
    if (x->rank < 2 || y->rank < 2) { /* by a vector: another kernel */
        no_rule(r, n);
        return;
    }
    double k = size_of(x, 1), columns = size_of(y, 1);
    double m =
        y->rank == 2 ? tensors_elements(x) / k : size_of(x, 2); /* rows of all batches at once */
    double b = tensors_elements(&n->out) / (m * columns);
    if (size_of(y, 2) != k || !(b >= 1) || floor(b) != b) {
        wrong_sizes(r, n);
        return;
    }
    if (tensors_elements(x) != b * m * k || tensors_elements(y) != b * k * columns) {
        row_fail(r, HABITAT_E_UNSUPPORTED, "%s: batches are not as many of both", n->word);
        return;
    }
    habitat_gemm_shape shape = {.b = b, .m = m, .n = columns, .k = k, .bias = !batched};
    schema_gemm(r, &shape, batched, q);
}

static void read_elementwise(row *r, const node *n, const char *kind, const row_question *q) {
    double size = tensors_elements(&n->out), read = 0;
    for (size_t i = 0; i < n->in_count; i++)
        read += tensors_elements(&n->in[i]) > 1 ? tensors_elements(&n->in[i]) : 0;
    schema_elementwise(r, kind, size, read / size, q);
}

static void read_rows(row *r, const node *n, const char *kind, const row_question *q) {
    schema_rows(r, kind, tensors_elements(&n->out) / size_of(&n->out, 1), size_of(&n->out, 1), q);
}

static bool has(const char *text, const char *part) {
    return strstr(text, part) != NULL;
}

/* A row of the table for each number. */
static void read_embedding(row *r, const node *n, const row_question *q) {
    schema_elementwise(r, "copy", tensors_elements(&n->out), 1, q);
}

/* What models call their linear layers. A column of its own does not say what a module is. */
static bool is_layer(const char *name) {
    static const char *const parts[] = {"dense", "proj", "linear", "Linear",  "query",     "key",
                                        "value", "qkv",  "head",   "decoder", "classifier"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (has(name, parts[i]))
            return true;
    return strncmp(name, "fc", 2) == 0 || strncmp(name, "c_", 2) == 0 ||
           strcmp(name, "seq_relationship") == 0;
}

static void read_module(row *r, const node *n, const row_question *q) {
    const char *name = n->word;
    if (has(name, "LayerNorm") || has(name, "layer_norm") || strncmp(name, "ln_", 3) == 0)
        read_rows(r, n, "layer_norm", q);
    else if (has(name, "drop"))
        row_fail(r, HABITAT_E_UNSUPPORTED, "%s: dropout, and no column says whether it is on",
                 name);
    else if (has(name, "embed") || strcmp(name, "wte") == 0 || strcmp(name, "wpe") == 0)
        read_embedding(r, n, q);
    else if (strcmp(name, "activation") == 0) /* of BERT's pooler */
        read_elementwise(r, n, "tanh", q);
    else if (strcmp(name, "activation_fn") == 0) /* of OPT */
        read_elementwise(r, n, "relu", q);
    else if (is_layer(name) && !has(name, "act") && !has(name, "norm"))
        read_layer(r, n, q);
    else
        no_rule(r, n);
}

static void read_function(row *r, const node *n, const row_question *q) {
    static const struct {
        const char *word, *kind;
    } kinds[] = {{"add", "add"}, {"sub", "sub"},   {"mul", "mul"},   {"truediv", "div"},
                 {"pow", "pow"}, {"tanh", "tanh"}, {"gelu", "gelu"}, {"relu", "relu"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(n->word, kinds[i].word) == 0) {
            read_elementwise(r, n, kinds[i].kind, q);
            return;
        }
    if (strcmp(n->word, "softmax") == 0)
        read_rows(r, n, "softmax", q);
    else if (strcmp(n->word, "addmm") == 0)
        read_product(r, n, false, q);
    else if (strcmp(n->word, "bmm") == 0 || strcmp(n->word, "matmul") == 0)
        read_product(r, n, true, q);
    else if (strcmp(n->word, "embedding") == 0)
        read_embedding(r, n, q);
    else
        no_rule(r, n);
}

/* The result's format; results that are no numbers in floating point are Python's or indices. */
static habitat_dtype dtype_of(row *r) {
    const char *text = row_text(r, "dtype", NULL);
    habitat_dtype dtype = text ? habitat_dtype_from_name(text) : HABITAT_DTYPE_UNKNOWN;
    if (dtype != HABITAT_DTYPE_FP32 && dtype != HABITAT_DTYPE_FP16 && dtype != HABITAT_DTYPE_BF16 &&
        dtype != HABITAT_DTYPE_FP64)
        row_fail(r, HABITAT_E_UNSUPPORTED, "its result is no tensor in floating point");
    return dtype;
}

void schema_read_nodes(row *r, habitat_measurement *made) {
    enum { NOTHING, MODULE, FUNCTION };
    static const word ops[] = {{"placeholder", NOTHING, NULL},    {"get_attr", NOTHING, NULL},
                               {"output", NOTHING, NULL},         {"call_module", MODULE, NULL},
                               {"call_function", FUNCTION, NULL}, {"call_method", FUNCTION, NULL}};
    static const vocabulary words = VOCABULARY("op of this table", ops);
    row_question q = {.pass = HABITAT_PASS_FORWARD, .out = made};
    node n = {.in_count = 0};
    int op = row_word(r, "op", &words, -1);
    if (op < 0)
        row_missing(r, "op");
    size_t in = read_tensors(r, "input_shapes", n.in, TENSORS_MAX);
    n.in_count = in < TENSORS_MAX ? in : TENSORS_MAX;
    size_t out = read_tensors(r, "output_shape", &n.out, 1);
    read_word(r, op == MODULE, &n);
    if (op == NOTHING)
        row_fail(r, HABITAT_E_UNSUPPORTED, "%s: nothing is computed", row_text(r, "op", NULL));
    q.dtype = dtype_of(r);
    if (!in || !out || tensors_elements(&n.out) <= 1 || tensors_elements(&n.in[0]) <= 1)
        row_fail(r, HABITAT_E_UNSUPPORTED, "%s: no tensor is computed", n.word);
    if (r->status != HABITAT_OK)
        return;
    made->timing = HABITAT_TIMING_EAGER;
    made->time_ms = row_time(r, "fw_ms");
    (op == MODULE ? read_module : read_function)(r, &n, &q);
}

/* ---- messages ---- */

void schema_read_message(row *r) {
    static const word ops[] = {{"all_reduce", 0, NULL},
                               {"all_gather", 1, NULL},
                               {"reduce_scatter", 2, NULL},
                               {"alltoall", 3, NULL},
                               {"send_recv", 4, NULL}};
    static const vocabulary words = VOCABULARY("message of this table", ops);
    if (row_word(r, "op", &words, -1) < 0)
        row_missing(r, "op");
    row_count(r, "bytes", NAN);
    row_size(r, "num_gpus", NAN);
    row_fail(r, HABITAT_E_UNSUPPORTED,
             "messages between GPUs are predicted within an iteration (habitat predict TRACE "
             "--gpus N), not alone");
}
