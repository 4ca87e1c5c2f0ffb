/* The schemas of public bundles, told apart by a column that only one of them has. Their words are
 * their own; docs/dataset.md names the bundles. */
#include <math.h>
#include <string.h>

#include "question/known.h"
#include "question/schemas.h"

/* The row's operation in the words of its table. An operation that others know is left out, any
 * other word refused. -1 after a failure. */
static int read_op(row *r, const vocabulary *words) {
    const char *text = row_text(r, "op", NULL);
    if (!text)
        row_missing(r, "op");
    else if (!word_find(words, text) && question_knows_operation(text))
        row_fail(r, HABITAT_E_UNSUPPORTED, "columns of this table do not describe %.40s", text);
    else
        return row_word(r, "op", words, -1);
    return -1;
}

static void forward_only(row *r, const row_question *q) {
    if (q->pass != HABITAT_PASS_FORWARD)
        row_fail(r, HABITAT_E_UNSUPPORTED, "tables of these columns hold forward passes alone");
}

/* N is the reduction, K the output's width. */
static void read_gemm_fp32(row *r, const row_question *q, unsigned part) {
    static const word ops[] = {{"bmm", 0, NULL}, {"linear", 1, NULL}};
    static const vocabulary words = VOCABULARY("operation of this table", ops);
    static const row_parameter ignored[] = {{"trans_a", 0}, {"trans_b", 0}};
    (void)part;
    int linear = read_op(r, &words);
    if (linear < 0)
        return;
    bool bias = row_text(r, "bias", NULL) ? row_flag(r, "bias") : linear == 1;
    habitat_gemm_shape shape = {.b = row_size(r, "B", NAN),
                                .m = row_size(r, "M", NAN),
                                .n = row_size(r, "K", NAN),
                                .k = row_size(r, "N", NAN),
                                .bias = bias,
                                .trans_b = linear == 1};
    row_refuse_ignored(r, "a matrix product here", ignored, sizeof ignored / sizeof *ignored);
    schema_gemm(r, &shape, !linear, q);
}

static void read_pointwise(row *r, const row_question *q, unsigned part) {
    enum { SOFTMAX, LAYER_NORM, FIRST_KIND };
    static const word ops[] = {
        {"softmax", SOFTMAX, NULL}, {"ln", LAYER_NORM, NULL}, {"add", 2, NULL},
        {"mul", 3, NULL},           {"div", 4, NULL},         {"pow", 5, NULL},
        {"addu", 6, NULL},          {"mulu", 7, NULL},        {"divu", 8, NULL},
        {"powu", 9, NULL},          {"relu", 10, NULL},       {"gelu", 11, NULL},
        {"tanh", 12, NULL}};
    static const vocabulary words = VOCABULARY("operation of this table", ops);
    static const struct {
        const char *kind;
        double inputs;
    } kinds[] = {{"add", 2}, {"mul", 2}, {"div", 2},  {"pow", 2},  {"add", 1}, {"mul", 1},
                 {"div", 1}, {"pow", 1}, {"relu", 1}, {"gelu", 1}, {"tanh", 1}};
    (void)part;
    forward_only(r, q);
    int op = read_op(r, &words);
    double rows = row_size(r, "B", NAN), columns = row_size(r, "H", NAN);
    if (op == SOFTMAX || op == LAYER_NORM)
        schema_rows(r, op == SOFTMAX ? "softmax" : "layer_norm", rows, columns, q);
    else if (op >= FIRST_KIND)
        schema_elementwise(r, kinds[op - FIRST_KIND].kind, rows * columns,
                           kinds[op - FIRST_KIND].inputs, q);
}

static void read_conv(row *r, const row_question *q, unsigned part) {
    static const word ops[] = {{"conv2d_fwd", 0, NULL}, {"conv2d", 1, NULL}};
    static const vocabulary words = VOCABULARY("operation of this table", ops);
    (void)part;
    if (read_op(r, &words) == 0)
        forward_only(r, q);
    schema_conv(r, 2, false, q);
}

static void read_attention(row *r, const row_question *q, unsigned part) {
    static const word ops[] = {{"encoder_noncausal", 0, NULL}, {"context_causal", 1, NULL}};
    static const vocabulary words = VOCABULARY("operation of this table", ops);
    static const row_parameter ignored[] = {{"dropout", 0}, {"mask", 0}};
    (void)part;
    forward_only(r, q);
    int causal = read_op(r, &words);
    if (row_text(r, "causal", NULL) && causal >= 0 && row_flag(r, "causal") != (causal == 1))
        row_fail(r, HABITAT_E_RANGE, "causal contradicts op");
    double length = row_size(r, "seq", NAN);
    habitat_attention_shape shape = {.batch = row_size(r, "batch", NAN),
                                     .heads = row_size(r, "heads", NAN),
                                     .kv_heads = row_size(r, "kv_heads", NAN),
                                     .q_len = length,
                                     .kv_len = length,
                                     .head_dim = row_size(r, "head_dim", NAN),
                                     .causal = causal == 1};
    shape.v_head_dim = shape.head_dim;
    row_refuse_ignored(r, "attention here", ignored, sizeof ignored / sizeof *ignored);
    schema_attention(r, &shape, q);
    const char *kernel = row_text(r, "kernel", NULL);
    if ((kernel && strcmp(kernel, "triton") == 0) || shape.head_dim > 256)
        q->out->variant = HABITAT_VARIANT_TRITON;
}

/* ---- layers of language models ---- */

typedef struct layer {
    double m, tp, embed, expanded, heads, kv_heads, head;
    bool gated;
} layer;

static layer read_layer(row *r) {
    layer l = {.m = row_size(r, "num_tokens", NAN),
               .tp = row_size(r, "tp", NAN),
               .embed = row_size(r, "n_embd", NAN),
               .heads = row_size(r, "n_head", NAN),
               .kv_heads = row_size(r, "n_kv_head", NAN),
               .gated = row_flag(r, "use_gated_mlp")};
    l.expanded = row_size(r, "n_expanded_embd", NAN) / l.tp;
    l.head = l.embed / l.heads;
    return l;
}

static void layer_product(row *r, double m, double n, double k, const row_question *q) {
    habitat_gemm_shape shape = {.b = 1, .m = m, .n = n, .k = k, .trans_b = true};
    if (r->status == HABITAT_OK && !(n >= 1 && k >= 1))
        row_fail(r, HABITAT_E_RANGE, "sizes of the layer leave nothing for one of tp GPUs");
    schema_gemm(r, &shape, false, q);
}

static void read_llm_layer(row *r, const row_question *q, unsigned part) {
    enum { PRE, POST, UP, DOWN, ACT, ADD, EMB, ROPE, NORM };
    static const word ops[] = {{"attn_pre_proj", PRE, NULL},
                               {"attn_post_proj", POST, NULL},
                               {"mlp_up_proj", UP, NULL},
                               {"mlp_down_proj", DOWN, NULL},
                               {"mlp_act", ACT, NULL},
                               {"add", ADD, NULL},
                               {"emb", EMB, NULL},
                               {"attn_rope", ROPE, NULL},
                               {"input_layernorm", NORM, NULL},
                               {"post_attention_layernorm", NORM, NULL}};
    static const vocabulary words = VOCABULARY("operation of this table", ops);
    (void)part;
    forward_only(r, q);
    int op = read_op(r, &words);
    layer l = read_layer(r);
    switch (op) {
    case PRE:
        layer_product(r, l.m, (l.heads + 2 * l.kv_heads) / l.tp * l.head, l.embed, q);
        break;
    case POST:
        layer_product(r, l.m, l.embed, l.embed / l.tp, q);
        break;
    case UP:
        layer_product(r, l.m, l.expanded * (l.gated ? 2 : 1), l.embed, q);
        break;
    case DOWN:
        layer_product(r, l.m, l.embed, l.expanded, q);
        break;
    case ACT:
        schema_elementwise(r, "silu", l.m * l.expanded, l.gated ? 2 : 1, q);
        break;
    case ADD:
        schema_elementwise(r, "add", l.m * l.embed, 2, q);
        break;
    case EMB: /* a row of the table for each token */
        schema_elementwise(r, "copy", l.m * l.embed, 1, q);
        break;
    case ROPE: /* queries and keys turned by an angle */
        schema_elementwise(r, "mul", l.m * (l.heads + l.kv_heads) / l.tp * l.head, 1, q);
        break;
    case NORM:
        schema_rows(r, "layer_norm", l.m, l.embed, q);
        break;
    default:
        break;
    }
}

/* ---- TensorFlow layers ---- */

static void read_tensorflow(row *r, const row_question *q, unsigned part) {
    static const word ops[] = {{"conv2d", 0, NULL}, {"dense", 1, NULL}};
    static const vocabulary words = VOCABULARY("operation of this table", ops);
    static const word functions[] = {
        {"none", 0, NULL}, {"relu", 1, NULL}, {"tanh", 2, NULL}, {"sigmoid", 3, NULL}};
    static const vocabulary activations = VOCABULARY("activation", functions);
    (void)part;
    if (!row_text(r, "pass", NULL))
        row_missing(r, "pass");
    forward_only(r, q);
    row_word(r, "activation", &activations, 0);
    int op = read_op(r, &words);
    if (op == 0)
        schema_conv(r, 2, false, q);
    if (op != 1)
        return;
    habitat_gemm_shape shape = {.b = 1,
                                .m = row_size(r, "batch", NAN),
                                .n = row_size(r, "dim_output", NAN),
                                .k = row_size(r, "dim_input", NAN),
                                .bias = true};
    schema_gemm(r, &shape, false, q);
}

/* ---- one time a pass: columns fwd_ms, bwd_input_ms, bwd_weight_ms ---- */

static void read_passes_rnn(row *r, double gates, unsigned part, const row_question *q) {
    row_question asked = *q;
    if (part == 1) /* the data's gradient and the weights' are two calls */
        q->out->time_ms += row_time(r, "bwd_weight_ms");
    asked.pass = part ? HABITAT_PASS_BACKWARD : HABITAT_PASS_FORWARD;
    habitat_rnn_shape shape = {.gates = gates,
                               .batch = row_size(r, "batch", NAN),
                               .steps = row_size(r, "timesteps", NAN),
                               .input = 1, /* cuDNN's skip-input mode: none */
                               .hidden = row_size(r, "hidden", NAN),
                               .layers = 1};
    static const row_parameter ignored[] = {{"layers", 1}, {"bidirectional", 0}};
    row_refuse_ignored(r, "a recurrent layer here", ignored, sizeof ignored / sizeof *ignored);
    if (part > 1)
        row_fail(r, HABITAT_E_UNSUPPORTED, "the gradients of a recurrent layer are one");
    schema_rnn(r, &shape, &asked);
}

static void read_passes(row *r, const row_question *q, unsigned part) {
    enum { GEMM, CONV, VANILLA, UNUSED, GRU, LSTM };
    static const word ops[] = {{"gemm", GEMM, NULL},
                               {"conv2d", CONV, NULL},
                               {"rnn_lstm", LSTM, NULL},
                               {"rnn_gru", GRU, NULL},
                               {"rnn_vanilla", VANILLA, NULL}};
    static const vocabulary words = VOCABULARY("operation of this table", ops);
    static const habitat_pass passes[] = {HABITAT_PASS_FORWARD, HABITAT_PASS_BACKWARD_INPUT,
                                          HABITAT_PASS_BACKWARD_WEIGHT};
    static const char *const times[] = {"fwd_ms", "bwd_input_ms", "bwd_weight_ms"};
    row_question asked = *q;
    forward_only(r, q); /* a column `pass` would contradict the three times */
    asked.out->time_ms = row_time(r, times[part]);
    int op = read_op(r, &words);
    if (op == CONV) {
        asked.pass = passes[part];
        schema_conv(r, 2, false, &asked);
    } else if (op >= VANILLA) {
        read_passes_rnn(r, op - 1, part, q);
    } else if (op == GEMM) {
        habitat_gemm_shape shape = {.b = 1,
                                    .m = row_size(r, "m", NAN),
                                    .n = row_size(r, "n", NAN),
                                    .k = row_size(r, "k", NAN),
                                    .trans_a = row_flag(r, "trans_a"),
                                    .trans_b = row_flag(r, "trans_b")};
        schema_gemm(r, &shape, false, q);
    }
}

/* ---- 8- and 16-bit products of serving frameworks ---- */

static void read_gemm_lowprec(row *r, const row_question *q, unsigned part) {
    static const word ops[] = {{"gemm", 0, NULL}};
    static const vocabulary words = VOCABULARY("operation of this table", ops);
    static const row_parameter ignored[] = {{"bias", 0}, {"trans_a", 0}};
    (void)part;
    if (read_op(r, &words) < 0)
        return;
    row_flag(r, "trans_b");
    habitat_gemm_shape shape = {.b = row_size(r, "b", 1),
                                .m = row_size(r, "m", NAN),
                                .n = row_size(r, "n", NAN),
                                .k = row_size(r, "k", NAN),
                                .trans_b = true};
    row_refuse_ignored(r, "a matrix product here", ignored, sizeof ignored / sizeof *ignored);
    schema_gemm(r, &shape, false, q);
}

/* ---- which ---- */

static const struct {
    const char *own_column; /* a column that tells this schema from those below it */
    void (*read)(row *r, const row_question *q, unsigned part);
} bundles[] = {{"fwd_ms", read_passes},
               {"num_tokens", read_llm_layer},
               {"dim_output", read_tensorflow},
               {"kv_heads", read_attention},
               {"c_in", read_conv},
               {"M", read_gemm_fp32},
               {"m", read_gemm_lowprec},
               {"H", read_pointwise}};
enum { BUNDLES = sizeof bundles / sizeof *bundles };

bool schema_is_bundle(const row *r) {
    for (size_t i = 0; i < BUNDLES; i++)
        if (row_has(r, bundles[i].own_column))
            return true;
    return false;
}

void schema_read_bundle(row *r, const row_question *q, unsigned part) {
    for (size_t i = 0; i < BUNDLES; i++)
        if (row_has(r, bundles[i].own_column)) {
            bundles[i].read(r, q, part);
            return;
        }
}
