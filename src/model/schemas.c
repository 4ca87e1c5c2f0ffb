/* From a row of a table to a measured operation: the schemas of docs/dataset.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/csv.h"
#include "model/learned.h"

typedef const habitat_csv_reader row;

static habitat_status unsupported(row *r, const char *what, habitat_error *err) {
    return habitat_fail_at(err, HABITAT_E_UNSUPPORTED, csv_path(r), UINT64_MAX, csv_line(r),
                           "nothing is known of operation \"%s\"", what ? what : "");
}

/* Sizes of a shape must be positive whole numbers. */
static bool sizes(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(values[i] >= 1 && values[i] < 1e15))
            return false;
    return true;
}
#define SIZES(...)                                                                                 \
    sizes((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static habitat_status bad_shape(row *r, habitat_error *err) {
    return habitat_fail_at(err, HABITAT_E_RANGE, csv_path(r), UINT64_MAX, csv_line(r),
                           "a size is missing, not a number or not positive");
}

static bool is(const char *a, const char *b) {
    return a && strcmp(a, b) == 0;
}

static habitat_status gemm(row *r, habitat_gemm_shape shape, habitat_dtype dtype,
                           habitat_measurement *out, habitat_error *err) {
    if (!SIZES(shape.b, shape.m, shape.n, shape.k) ||
        habitat_work_gemm(&shape, dtype, &out->work) != HABITAT_OK)
        return bad_shape(r, err);
    return HABITAT_OK;
}

/* Element-wise operations: `inputs` tensors in, one out. */
static habitat_status elementwise(row *r, const char *kind, double elements, double inputs,
                                  habitat_dtype dtype, habitat_measurement *out,
                                  habitat_error *err) {
    if (!SIZES(elements))
        return bad_shape(r, err);
    double bytes = elements * (double)habitat_dtype_bytes(dtype);
    out->work = (habitat_work){.op_class = HABITAT_CLASS_ELEMENTWISE,
                               .known = true,
                               .dtype = dtype,
                               .flop = elements,
                               .read_bytes = inputs * bytes,
                               .write_bytes = bytes};
    out->work.shape.rows = (habitat_rows_shape){1, elements};
    snprintf(out->work.kind, sizeof out->work.kind, "%s", kind);
    return HABITAT_OK;
}

static habitat_status rows_of(row *r, const char *kind, double rows, double columns,
                              habitat_dtype dtype, habitat_pass pass, habitat_measurement *out,
                              habitat_error *err) {
    habitat_rows_shape shape = {rows, columns};
    if (!SIZES(rows, columns) ||
        habitat_work_rows(kind, &shape, dtype, pass, &out->work) != HABITAT_OK)
        return bad_shape(r, err);
    return HABITAT_OK;
}

typedef struct square {
    double batch, c_in, c_out, kernel_h, kernel_w, in_h, in_w, stride_h, stride_w, pad_h, pad_w;
} square;

static habitat_status any_conv(row *r, const square *s, double groups, bool transposed,
                               habitat_dtype dtype, habitat_pass pass, habitat_measurement *out,
                               habitat_error *err) {
    if (!SIZES(s->batch, s->c_in, s->c_out, s->kernel_h, s->kernel_w, s->in_h, s->in_w, s->stride_h,
               s->stride_w, groups) ||
        !(s->pad_h >= 0 && s->pad_w >= 0))
        return bad_shape(r, err);
    habitat_conv_shape shape = {.dims = 2,
                                .batch = s->batch,
                                .c_in = s->c_in,
                                .c_out = s->c_out,
                                .groups = groups,
                                .transposed = transposed,
                                .in = {s->in_h, s->in_w},
                                .kernel = {s->kernel_h, s->kernel_w},
                                .stride = {s->stride_h, s->stride_w},
                                .padding = {s->pad_h, s->pad_w},
                                .dilation = {1, 1}};
    for (int i = 0; i < 2; i++)
        shape.out[i] =
            transposed
                ? (shape.in[i] - 1) * shape.stride[i] - 2 * shape.padding[i] + shape.kernel[i]
                : floor((shape.in[i] + 2 * shape.padding[i] - shape.kernel[i]) / shape.stride[i]) +
                      1;
    if (!SIZES(shape.out[0], shape.out[1]) ||
        habitat_work_conv(&shape, dtype, pass, &out->work) != HABITAT_OK)
        return bad_shape(r, err);
    return HABITAT_OK;
}

static habitat_status conv(row *r, const square *s, habitat_dtype dtype, habitat_pass pass,
                           habitat_measurement *out, habitat_error *err) {
    return any_conv(r, s, 1, false, dtype, pass, out, err);
}

static habitat_status attention(row *r, habitat_attention_shape shape, habitat_dtype dtype,
                                habitat_pass pass, habitat_measurement *out, habitat_error *err) {
    shape.v_head_dim = shape.head_dim;
    if (!SIZES(shape.batch, shape.heads, shape.kv_heads, shape.q_len, shape.kv_len,
               shape.head_dim) ||
        habitat_work_attention(&shape, dtype, pass, &out->work) != HABITAT_OK)
        return bad_shape(r, err);
    return HABITAT_OK;
}

static habitat_status rnn(row *r, habitat_rnn_shape shape, habitat_dtype dtype, habitat_pass pass,
                          habitat_measurement *out, habitat_error *err) {
    if (!SIZES(shape.gates, shape.batch, shape.steps, shape.input, shape.hidden, shape.layers) ||
        habitat_work_rnn(&shape, dtype, pass, &out->work) != HABITAT_OK)
        return bad_shape(r, err);
    return HABITAT_OK;
}

/* ---- One function a schema
 * ----------------------------------------------------------------------- */

static double number(row *r, const char *column, double otherwise) {
    double value = cell_number(r, column);
    return isnan(value) ? otherwise : value;
}

static habitat_status read_gemm_fp32(row *r, const char *op, habitat_dtype dtype,
                                     habitat_measurement *out, habitat_error *err) {
    if (!is(op, "bmm") && !is(op, "linear"))
        return unsupported(r, op, err);
    /* N is the reduction, K the output's width. */
    habitat_gemm_shape shape = {.b = cell_number(r, "B"),
                                .m = cell_number(r, "M"),
                                .n = cell_number(r, "K"),
                                .k = cell_number(r, "N")};
    shape.bias = is(op, "linear");
    shape.trans_b = shape.bias;
    habitat_status status = gemm(r, shape, dtype, out, err);
    if (status == HABITAT_OK && is(op, "bmm"))
        out->work.op_class = HABITAT_CLASS_BMM;
    return status;
}

static habitat_status read_pointwise(row *r, const char *op, habitat_dtype dtype,
                                     habitat_measurement *out, habitat_error *err) {
    double b = cell_number(r, "B"), h = cell_number(r, "H");
    if (is(op, "softmax"))
        return rows_of(r, "softmax", b, h, dtype, HABITAT_PASS_FORWARD, out, err);
    if (is(op, "ln"))
        return rows_of(r, "layer_norm", b, h, dtype, HABITAT_PASS_FORWARD, out, err);
    static const struct {
        const char *op, *kind;
        double inputs;
    } kinds[] = {{"add", "add", 2},   {"mul", "mul", 2},   {"div", "div", 2},  {"pow", "pow", 2},
                 {"addu", "add", 1},  {"mulu", "mul", 1},  {"divu", "div", 1}, {"powu", "pow", 1},
                 {"relu", "relu", 1}, {"gelu", "gelu", 1}, {"tanh", "tanh", 1}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is(op, kinds[i].op))
            return elementwise(r, kinds[i].kind, b * h, kinds[i].inputs, dtype, out, err);
    return unsupported(r, op, err);
}

static habitat_status read_conv(row *r, habitat_dtype dtype, habitat_measurement *out,
                                habitat_error *err) {
    double kernel = cell_number(r, "kernel_size"), in = cell_number(r, "in_hw");
    double stride = number(r, "stride", 1), pad = number(r, "padding", 0);
    const char *padding = cell_text(r, "padding");
    if (is(padding, "SAME"))
        pad = floor((kernel - 1) / 2);
    square s = {cell_number(r, "batch"),
                cell_number(r, "c_in"),
                cell_number(r, "c_out"),
                kernel,
                kernel,
                in,
                in,
                stride,
                stride,
                pad,
                pad};
    return conv(r, &s, dtype, HABITAT_PASS_FORWARD, out, err);
}

static habitat_status read_attention(row *r, const char *op, habitat_dtype dtype,
                                     habitat_measurement *out, habitat_error *err) {
    double length = cell_number(r, "seq");
    habitat_attention_shape shape = {.batch = cell_number(r, "batch"),
                                     .heads = cell_number(r, "heads"),
                                     .kv_heads = cell_number(r, "kv_heads"),
                                     .q_len = length,
                                     .kv_len = length,
                                     .head_dim = cell_number(r, "head_dim"),
                                     .causal = is(op, "context_causal")};
    if (!shape.causal && !is(op, "encoder_noncausal"))
        return unsupported(r, op, err);
    habitat_status status = attention(r, shape, dtype, HABITAT_PASS_FORWARD, out, err);
    const char *kernel = cell_text(r, "kernel");
    if (is(kernel, "triton") || shape.head_dim > 256)
        out->variant = HABITAT_VARIANT_TRITON;
    return status;
}

static habitat_status read_llm_layer(row *r, const char *op, habitat_dtype dtype,
                                     habitat_measurement *out, habitat_error *err) {
    double m = cell_number(r, "num_tokens"), tp = cell_number(r, "tp");
    double embed = cell_number(r, "n_embd"), expanded = cell_number(r, "n_expanded_embd") / tp;
    double heads = cell_number(r, "n_head"), kv_heads = cell_number(r, "n_kv_head");
    const char *gated_text = cell_text(r, "use_gated_mlp");
    bool gated =
        gated_text && (is(gated_text, "True") || is(gated_text, "1") || is(gated_text, "true"));
    if (!SIZES(m, tp, embed, heads, kv_heads))
        return bad_shape(r, err);
    double head = embed / heads;
    if (is(op, "attn_pre_proj"))
        return gemm(r,
                    (habitat_gemm_shape){
                        .b = 1, .m = m, .n = (heads + 2 * kv_heads) / tp * head, .k = embed},
                    dtype, out, err);
    if (is(op, "attn_post_proj"))
        return gemm(r, (habitat_gemm_shape){.b = 1, .m = m, .n = embed, .k = embed / tp}, dtype,
                    out, err);
    if (is(op, "mlp_up_proj"))
        return gemm(
            r, (habitat_gemm_shape){.b = 1, .m = m, .n = expanded * (gated ? 2 : 1), .k = embed},
            dtype, out, err);
    if (is(op, "mlp_down_proj"))
        return gemm(r, (habitat_gemm_shape){.b = 1, .m = m, .n = embed, .k = expanded}, dtype, out,
                    err);
    if (is(op, "mlp_act"))
        return elementwise(r, "silu", m * expanded, gated ? 2 : 1, dtype, out, err);
    if (is(op, "add"))
        return elementwise(r, "add", m * embed, 2, dtype, out, err);
    if (is(op, "emb")) /* a row of the table for each token */
        return elementwise(r, "copy", m * embed, 1, dtype, out, err);
    if (is(op, "attn_rope")) /* queries and keys turned by an angle */
        return elementwise(r, "mul", m * (heads + kv_heads) / tp * head, 1, dtype, out, err);
    if (is(op, "input_layernorm") || is(op, "post_attention_layernorm"))
        return rows_of(r, "layer_norm", m, embed, dtype, HABITAT_PASS_FORWARD, out, err);
    return unsupported(r, op, err);
}

static habitat_status read_tensorflow(row *r, const char *op, habitat_dtype dtype,
                                      habitat_measurement *out, habitat_error *err) {
    if (!is(cell_text(r, "pass"), "fwd"))
        return unsupported(r, "a whole training step of a layer", err);
    if (op && strstr(op, "conv")) {
        habitat_status status = read_conv(r, dtype, out, err);
        habitat_conv_shape shape = out->work.shape.conv;
        shape.bias = is(cell_text(r, "use_bias"), "True");
        if (status == HABITAT_OK && shape.bias)
            status = habitat_work_conv(&shape, dtype, HABITAT_PASS_FORWARD, &out->work);
        return status;
    }
    return gemm(r,
                (habitat_gemm_shape){.b = 1,
                                     .m = cell_number(r, "batch"),
                                     .n = cell_number(r, "dim_output"),
                                     .k = cell_number(r, "dim_input"),
                                     .bias = true},
                dtype, out, err);
}

static habitat_status read_deepbench(row *r, const char *op, habitat_dtype dtype, unsigned part,
                                     habitat_measurement *out, habitat_error *err) {
    static const habitat_pass passes[] = {HABITAT_PASS_FORWARD, HABITAT_PASS_BACKWARD_INPUT,
                                          HABITAT_PASS_BACKWARD_WEIGHT};
    static const char *const times[] = {"fwd_ms", "bwd_input_ms", "bwd_weight_ms"};
    out->time_ms = cell_number(r, times[part]);
    if (is(op, "gemm"))
        return gemm(r,
                    (habitat_gemm_shape){.b = 1,
                                         .m = cell_number(r, "m"),
                                         .n = cell_number(r, "n"),
                                         .k = cell_number(r, "k"),
                                         .trans_a = is(cell_text(r, "trans_a"), "1"),
                                         .trans_b = is(cell_text(r, "trans_b"), "1")},
                    dtype, out, err);
    if (is(op, "conv2d")) {
        square s = {
            cell_number(r, "batch"),    cell_number(r, "c"),        cell_number(r, "k_out"),
            cell_number(r, "filter_h"), cell_number(r, "filter_w"), cell_number(r, "h"),
            cell_number(r, "w"),        cell_number(r, "stride_h"), cell_number(r, "stride_w"),
            cell_number(r, "pad_h"),    cell_number(r, "pad_w")};
        return conv(r, &s, dtype, passes[part], out, err);
    }
    double gates = is(op, "rnn_lstm") ? 4 : is(op, "rnn_gru") ? 3 : is(op, "rnn_vanilla") ? 1 : 0;
    if (gates == 0 || part > 1)
        return unsupported(r, op, err);
    if (part == 1) /* the data's gradient and the weights' are two calls */
        out->time_ms += cell_number(r, "bwd_weight_ms");
    double hidden = cell_number(r, "hidden");
    habitat_rnn_shape shape = {.gates = gates,
                               .batch = cell_number(r, "batch"),
                               .steps = cell_number(r, "timesteps"),
                               .input = 1, /* cuDNN's skip-input mode: none */
                               .hidden = hidden,
                               .layers = 1};
    return rnn(r, shape, dtype, part ? HABITAT_PASS_BACKWARD : HABITAT_PASS_FORWARD, out, err);
}

/* The project's own schema: one class a row, columns by the names of the library's shapes. */
static habitat_status read_own(row *r, habitat_dtype dtype, habitat_measurement *out,
                               habitat_error *err) {
    const char *class_name = cell_text(r, "class"), *kind = cell_text(r, "kind");
    static const char *const pass_names[] = {"forward", "backward", "backward_input",
                                             "backward_weight"};
    habitat_pass pass = HABITAT_PASS_FORWARD;
    for (unsigned i = 0; i < 4; i++)
        if (is(cell_text(r, "pass"), pass_names[i]))
            pass = (habitat_pass)i;
    if (is(class_name, "gemm") || is(class_name, "bmm")) {
        habitat_gemm_shape shape = {.b = number(r, "b", 1),
                                    .m = cell_number(r, "m"),
                                    .n = cell_number(r, "n"),
                                    .k = cell_number(r, "k"),
                                    .bias = is(cell_text(r, "bias"), "1")};
        habitat_status status = gemm(r, shape, dtype, out, err);
        if (status == HABITAT_OK && is(class_name, "bmm"))
            out->work.op_class = HABITAT_CLASS_BMM;
        return status;
    }
    if (is(class_name, "conv")) {
        double kernel = cell_number(r, "kernel"), in = cell_number(r, "in_hw");
        double stride = number(r, "stride", 1), pad = number(r, "padding", 0);
        square s = {cell_number(r, "batch"),       cell_number(r, "c_in"),
                    cell_number(r, "c_out"),       number(r, "kernel_h", kernel),
                    number(r, "kernel_w", kernel), number(r, "in_h", in),
                    number(r, "in_w", in),         number(r, "stride_h", stride),
                    number(r, "stride_w", stride), number(r, "pad_h", pad),
                    number(r, "pad_w", pad)};
        return conv(r, &s, dtype, pass, out, err);
    }
    if (is(class_name, "attention")) {
        double length = cell_number(r, "seq");
        return attention(r,
                         (habitat_attention_shape){.batch = cell_number(r, "batch"),
                                                   .heads = cell_number(r, "heads"),
                                                   .kv_heads = cell_number(r, "kv_heads"),
                                                   .q_len = number(r, "q_len", length),
                                                   .kv_len = number(r, "kv_len", length),
                                                   .head_dim = cell_number(r, "head_dim"),
                                                   .causal = is(cell_text(r, "causal"), "1")},
                         dtype, pass, out, err);
    }
    if (is(class_name, "rnn"))
        return rnn(r,
                   (habitat_rnn_shape){.gates = cell_number(r, "gates"),
                                       .batch = cell_number(r, "batch"),
                                       .steps = cell_number(r, "steps"),
                                       .input = cell_number(r, "input"),
                                       .hidden = cell_number(r, "hidden"),
                                       .layers = number(r, "layers", 1),
                                       .bidirectional = is(cell_text(r, "bidirectional"), "1")},
                   dtype, pass, out, err);
    if (is(class_name, "elementwise"))
        return elementwise(r, kind ? kind : "", cell_number(r, "columns"), number(r, "inputs", 1),
                           dtype, out, err);
    if (is(class_name, "softmax") || is(class_name, "norm"))
        return rows_of(r, kind && *kind ? kind : class_name, cell_number(r, "rows"),
                       cell_number(r, "columns"), dtype, pass, out, err);
    return unsupported(r, class_name, err);
}

/* `habitat collect`: sizes as "key=value" in one column. */
static double size_of(row *r, const char *key, double otherwise) {
    const char *text = cell_text(r, "shape");
    size_t length = strlen(key);
    for (const char *at = text; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return strtod(at + length + 1, NULL);
    return otherwise;
}

static habitat_pass pass_of(row *r) {
    static const char *const names[] = {"forward", "backward", "backward_input", "backward_weight"};
    const char *pass = cell_text(r, "pass");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (is(pass, names[i]))
            return (habitat_pass)i;
    return HABITAT_PASS_FORWARD;
}

/* The gradient of one input: the result's gradient and what the forward pass kept are read. */
static habitat_status read_collected_elementwise(row *r, const char *op, habitat_dtype dtype,
                                                 habitat_pass pass, habitat_measurement *out,
                                                 habitat_error *err) {
    static const struct {
        const char *op;
        double inputs;
        const char *backward; /* NULL: no kernel of its own */
    } kinds[] = {{"add", 2, NULL},
                 {"mul", 2, NULL},
                 {"div", 2, NULL},
                 {"relu", 1, "threshold_backward"},
                 {"gelu", 1, "gelu_backward"},
                 {"silu", 1, "silu_backward"},
                 {"tanh", 1, "tanh_backward"},
                 {"copy", 1, NULL}};
    size_t i = 0, count = sizeof kinds / sizeof *kinds;
    while (i < count && !is(op, kinds[i].op))
        i++;
    bool forward = pass == HABITAT_PASS_FORWARD;
    if (i == count || (!forward && (pass != HABITAT_PASS_BACKWARD || !kinds[i].backward)))
        return unsupported(r, op, err);
    habitat_status status =
        elementwise(r, forward ? op : kinds[i].backward, size_of(r, "columns", NAN),
                    forward ? kinds[i].inputs : 2, dtype, out, err);
    if (status == HABITAT_OK && is(op, "copy"))
        out->work.op_class = HABITAT_CLASS_COPY;
    out->work.pass = status == HABITAT_OK ? pass : out->work.pass;
    return status;
}

static habitat_status read_collected(row *r, const char *op, habitat_dtype dtype,
                                     habitat_measurement *out, habitat_error *err) {
    habitat_pass pass = pass_of(r);
    if (dtype == HABITAT_DTYPE_TF32) {
        out->arithmetic = dtype;
        dtype = HABITAT_DTYPE_FP32;
    }
    if (is(op, "gemm") || is(op, "linear") || is(op, "bmm")) {
        habitat_gemm_shape shape = {.b = size_of(r, "b", 1),
                                    .m = size_of(r, "m", NAN),
                                    .n = size_of(r, "n", NAN),
                                    .k = size_of(r, "k", NAN),
                                    .bias = is(op, "linear")};
        habitat_status status = gemm(r, shape, dtype, out, err);
        if (status == HABITAT_OK && is(op, "bmm"))
            out->work.op_class = HABITAT_CLASS_BMM;
        return status;
    }
    if (is(op, "conv2d") || is(op, "conv_transpose2d")) {
        double kernel = size_of(r, "kernel", NAN), in = size_of(r, "in", NAN);
        double stride = size_of(r, "stride", 1), pad = size_of(r, "padding", 0);
        square s = {size_of(r, "batch", NAN),
                    size_of(r, "c_in", NAN),
                    size_of(r, "c_out", NAN),
                    kernel,
                    kernel,
                    in,
                    in,
                    stride,
                    stride,
                    pad,
                    pad};
        return any_conv(r, &s, size_of(r, "groups", 1), is(op, "conv_transpose2d"), dtype, pass,
                        out, err);
    }
    if (is(op, "attention"))
        return attention(r,
                         (habitat_attention_shape){.batch = size_of(r, "batch", NAN),
                                                   .heads = size_of(r, "heads", NAN),
                                                   .kv_heads = size_of(r, "kv_heads", NAN),
                                                   .q_len = size_of(r, "q_len", NAN),
                                                   .kv_len = size_of(r, "kv_len", NAN),
                                                   .head_dim = size_of(r, "head_dim", NAN),
                                                   .causal = size_of(r, "causal", 0) == 1},
                         dtype, pass, out, err);
    if (is(op, "lstm") || is(op, "gru"))
        return rnn(r,
                   (habitat_rnn_shape){.gates = is(op, "lstm") ? 4 : 3,
                                       .batch = size_of(r, "batch", NAN),
                                       .steps = size_of(r, "steps", NAN),
                                       .input = size_of(r, "input", NAN),
                                       .hidden = size_of(r, "hidden", NAN),
                                       .layers = size_of(r, "layers", 1),
                                       .bidirectional = size_of(r, "bidirectional", 0) == 1},
                   dtype, pass, out, err);
    if (is(op, "softmax") || is(op, "layer_norm"))
        return rows_of(r, op, size_of(r, "rows", NAN), size_of(r, "columns", NAN), dtype, pass, out,
                       err);
    if (is(op, "batch_norm")) { /* a row a channel */
        double side = size_of(r, "in", NAN);
        return rows_of(r, op, size_of(r, "c_in", NAN), size_of(r, "batch", NAN) * side * side,
                       dtype, pass, out, err);
    }
    return read_collected_elementwise(r, op, dtype, pass, out, err);
}

/* ---- What all schemas share
 * ---------------------------------------------------------------------- */

static habitat_timing timing_of(row *r) {
    const char *timing = cell_text(r, "timing"), *source = cell_text(r, "source");
    if (timing)
        return is(timing, "eager")     ? HABITAT_TIMING_EAGER
               : is(timing, "graph")   ? HABITAT_TIMING_GRAPH
               : is(timing, "serving") ? HABITAT_TIMING_SERVING
                                       : HABITAT_TIMING_KERNEL;
    const char *framework = cell_text(r, "framework"), *dtype = cell_text(r, "dtype");
    if (is(framework, "vllm") && is(dtype, "fp8_block"))
        return HABITAT_TIMING_EAGER; /* the one table of that source timed without a graph */
    if (is(source, "cdecatapult"))
        return HABITAT_TIMING_SESSION;
    if (is(source, "neusight"))
        return HABITAT_TIMING_EAGER;
    return is(source, "aiconfigurator") ? HABITAT_TIMING_SERVING : HABITAT_TIMING_KERNEL;
}

static habitat_variant variant_of(row *r) {
    static const struct {
        const char *name;
        habitat_variant variant;
    } names[] = {{"sglang", HABITAT_VARIANT_SGLANG},
                 {"trtllm", HABITAT_VARIANT_TRTLLM},
                 {"triton", HABITAT_VARIANT_TRITON},
                 {"block", HABITAT_VARIANT_BLOCK_SCALED}};
    if (is(cell_text(r, "dtype"), "fp8_block"))
        return HABITAT_VARIANT_BLOCK_SCALED;
    const char *text = cell_text(r, "variant");
    text = text ? text : cell_text(r, "framework");
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
        if (is(text, names[i].name))
            return names[i].variant;
    return HABITAT_VARIANT_DEFAULT;
}

static habitat_dtype dtype_of(const char *text) {
    if (!text || is(text, "fp16_mixed") || is(text, "fp16_in_fp32_math"))
        return text ? HABITAT_DTYPE_FP16 : HABITAT_DTYPE_UNKNOWN;
    return is(text, "fp8_block") ? HABITAT_DTYPE_FP8 : habitat_dtype_from_name(text);
}

unsigned csv_parts(const habitat_csv_reader *reader) {
    return csv_has(reader, "fwd_ms") ? 3 : 1;
}

static habitat_status read_row(row *r, unsigned part, habitat_dtype dtype, habitat_measurement *out,
                               habitat_error *err) {
    const char *op = cell_text(r, "op");
    if (csv_has(r, "shape"))
        return read_collected(r, op, dtype, out, err);
    if (csv_has(r, "class"))
        return read_own(r, dtype, out, err);
    if (csv_has(r, "fwd_ms"))
        return read_deepbench(r, op, dtype, part, out, err);
    if (csv_has(r, "num_tokens"))
        return read_llm_layer(r, op, dtype, out, err);
    if (csv_has(r, "dim_output"))
        return read_tensorflow(r, op, dtype, out, err);
    if (csv_has(r, "kv_heads"))
        return read_attention(r, op, dtype, out, err);
    if (csv_has(r, "c_in"))
        return read_conv(r, dtype, out, err);
    if (csv_has(r, "M"))
        return read_gemm_fp32(r, op, dtype, out, err);
    if (csv_has(r, "m") && !is(op, "gemm"))
        return unsupported(r, op, err);
    if (csv_has(r, "m"))
        return gemm(r,
                    (habitat_gemm_shape){.b = number(r, "b", 1),
                                         .m = cell_number(r, "m"),
                                         .n = cell_number(r, "n"),
                                         .k = cell_number(r, "k"),
                                         .trans_b = true},
                    dtype, out, err);
    return read_pointwise(r, op, dtype, out, err);
}

/* A column that tells each schema from the others. */
static bool schema_known(row *r) {
    static const char *const telling[] = {"class",    "shape", "fwd_ms", "num_tokens", "dim_output",
                                          "kv_heads", "c_in",  "M",      "m",          "H"};
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        if (csv_has(r, telling[i]))
            return true;
    return false;
}

habitat_status csv_measurement(const habitat_csv_reader *reader, unsigned part,
                               habitat_measurement *out, const char **gpu, habitat_error *err) {
    habitat_measurement made = {.timing = timing_of(reader), .variant = variant_of(reader)};
    const char *time_column = csv_has(reader, "time_ms") ? "time_ms" : "latency_ms";
    made.time_ms = cell_number(reader, time_column);
    habitat_dtype dtype = dtype_of(cell_text(reader, "dtype"));
    if (!schema_known(reader))
        return habitat_fail_at(err, HABITAT_E_FORMAT, csv_path(reader), UINT64_MAX, 1,
                               "columns of no known schema; docs/dataset.md lists them");
    if (dtype == HABITAT_DTYPE_UNKNOWN)
        return unsupported(reader, "of unknown dtype", err);
    habitat_status status = read_row(reader, part, dtype, &made, err);
    if (status != HABITAT_OK)
        return status;
    if (!isnan(made.time_ms) && !(made.time_ms > 0 && made.time_ms < 1e9))
        return habitat_fail_at(err, HABITAT_E_RANGE, csv_path(reader), UINT64_MAX, csv_line(reader),
                               "a time of %g ms", made.time_ms);
    const char *split = cell_text(reader, "split"), *flag = cell_text(reader, "flag");
    habitat_model_query query = {.work = &made.work,
                                 .arithmetic = made.arithmetic,
                                 .timing = made.timing,
                                 .variant = made.variant};
    made.shape_hash = learned_query_hash(&query);
    made.test = split && *split ? is(split, "test") : made.shape_hash % 5 == 0;
    made.suspect = flag && *flag && !is(flag, "over_direct_conv_peak");
    const char *name = cell_text(reader, "gpu");
    *gpu = name ? name : "";
    *out = made;
    return HABITAT_OK;
}
