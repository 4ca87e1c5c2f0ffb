/* Operations by name and sizes: rows of `habitat collect` and the project's own tables, and what
 * the readers of other schemas share. Sizes go by the names of `habitat op` too. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "question/known.h"
#include "question/schemas.h"
#include "work/class.h"
#include "work/rule.h"

/* ---- from shapes to work ---- */

/* Sizes were checked one by one: what remains is a pass or a number format. */
static void not_counted(row *r) {
    row_fail(r, HABITAT_E_UNSUPPORTED,
             "no work is counted for this operation in this pass and number format");
}

/* The product of a gradient, of the same size. C = A B: dA = dC B', dB = A' dC. Where A is stored
 * transposed its gradient is too: dA' = B dC'. So are a linear layer's weights: dB' = dC' A; of
 * batched products PyTorch takes A' dC all the same. docs/formulas.md */
static habitat_gemm_shape gradient(const habitat_gemm_shape *s, habitat_pass pass, bool batched) {
    if (pass == HABITAT_PASS_BACKWARD_INPUT && s->trans_a)
        return (habitat_gemm_shape){
            .b = s->b, .m = s->k, .n = s->m, .k = s->n, .trans_a = s->trans_b, .trans_b = true};
    if (pass == HABITAT_PASS_BACKWARD_INPUT)
        return (habitat_gemm_shape){
            .b = s->b, .m = s->m, .n = s->k, .k = s->n, .trans_b = !s->trans_b};
    bool turned = s->trans_b && !batched;
    return (habitat_gemm_shape){.b = s->b,
                                .m = turned ? s->n : s->k,
                                .n = turned ? s->k : s->n,
                                .k = s->m,
                                .trans_a = turned || !s->trans_a,
                                .trans_b = turned && s->trans_a};
}

void schema_gemm(row *r, const habitat_gemm_shape *shape, bool batched, const row_question *q) {
    habitat_gemm_shape asked = *shape;
    if (q->pass == HABITAT_PASS_BACKWARD) {
        row_fail(r, HABITAT_E_UNSUPPORTED,
                 "both gradients of a matrix product are two products; give backward-input or "
                 "backward-weight");
        return;
    }
    if (q->pass != HABITAT_PASS_FORWARD)
        asked = gradient(shape, q->pass, batched);
    if (r->status != HABITAT_OK)
        return;
    if (habitat_work_gemm(&asked, q->dtype, &q->out->work) != HABITAT_OK)
        not_counted(r);
    q->out->work.pass = q->pass;
    if (batched)
        q->out->work.op_class = HABITAT_CLASS_BMM;
}

void schema_attention(row *r, const habitat_attention_shape *shape, const row_question *q) {
    if (r->status == HABITAT_OK &&
        habitat_work_attention(shape, q->dtype, q->pass, &q->out->work) != HABITAT_OK)
        not_counted(r);
}

void schema_rnn(row *r, const habitat_rnn_shape *shape, const row_question *q) {
    if (r->status == HABITAT_OK &&
        habitat_work_rnn(shape, q->dtype, q->pass, &q->out->work) != HABITAT_OK)
        not_counted(r);
}

void schema_rows(row *r, const char *kind, double rows, double columns, const row_question *q) {
    habitat_rows_shape shape = {rows, columns};
    if (r->status == HABITAT_OK &&
        habitat_work_rows(kind, &shape, q->dtype, q->pass, &q->out->work) != HABITAT_OK)
        not_counted(r);
}

void schema_elementwise(row *r, const char *kind, double elements, double inputs,
                        const row_question *q) {
    if (r->status != HABITAT_OK)
        return;
    double bytes = elements * (double)habitat_dtype_bytes(q->dtype);
    if (!(elements >= 1 && bytes > 0)) {
        not_counted(r);
        return;
    }
    habitat_work *work = &q->out->work;
    *work = (habitat_work){.op_class = HABITAT_CLASS_ELEMENTWISE,
                           .pass = q->pass,
                           .known = true,
                           .dtype = q->dtype,
                           .flop = elements,
                           .read_bytes = inputs * bytes,
                           .write_bytes = bytes};
    work->shape.rows = (habitat_rows_shape){1, elements};
    snprintf(work->kind, sizeof work->kind, "%s", kind);
}

/* "SAME" pads so that a kernel of stride 1 keeps the size; "VALID" not at all. */
static double padding(row *r, const char *names, double kernel) {
    static const word words[] = {{"VALID", 0, NULL}, {"SAME", 1, NULL}};
    static const vocabulary paddings = VOCABULARY("padding", words);
    const char *text = row_text(r, names, NULL);
    const word *found = text ? word_find(&paddings, text) : NULL;
    if (found)
        return found->value ? floor((kernel - 1) / 2) : 0;
    if (text && strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") > 1)
        row_fail(r, HABITAT_E_PARSE,
                 "padding \"%.40s\" is no padding; choose SAME, VALID or a whole number", text);
    return row_count(r, names, 0);
}

/* Sizes of one spatial dimension: its own column, else the one for all. `which`: 'h' for the last
 * but one, 'w' for the last, 0 for others. */
static void read_dimension(row *r, habitat_conv_shape *s, uint32_t d, char which) {
    bool h = which == 'h', w = which == 'w';
    s->in[d] = row_size(r,
                        h   ? "in_h|height|h|in|in_hw|size"
                        : w ? "in_w|width|w|in|in_hw|size"
                            : "in|in_hw|size",
                        NAN);
    s->kernel[d] = row_size(r,
                            h   ? "kernel_h|filter_h|kernel_size|kernel"
                            : w ? "kernel_w|filter_w|kernel_size|kernel"
                                : "kernel_size|kernel",
                            NAN);
    s->stride[d] = row_size(r, h ? "stride_h|stride" : w ? "stride_w|stride" : "stride", 1);
    s->padding[d] = padding(r,
                            h   ? "pad_h|padding_h|padding"
                            : w ? "pad_w|padding_w|padding"
                                : "padding",
                            s->kernel[d]);
    s->dilation[d] = row_size(r,
                              h   ? "dilation_h|dilation"
                              : w ? "dilation_w|dilation"
                                  : "dilation",
                              1);
    double reach = s->dilation[d] * (s->kernel[d] - 1) + 1;
    s->out[d] = s->transposed ? (s->in[d] - 1) * s->stride[d] - 2 * s->padding[d] + reach
                              : floor((s->in[d] + 2 * s->padding[d] - reach) / s->stride[d]) + 1;
}

static const row_parameter conv_ignored[] = {{"output_padding", 0}, {"depth", NAN}};

void schema_conv(row *r, uint32_t dims, bool transposed, const row_question *q) {
    const char *given = row_text(r, "transposed", NULL);
    bool named = row_flag(r, "transposed");
    if (given && transposed && !named)
        row_fail(r, HABITAT_E_RANGE, "transposed is \"%.40s\" of a transposed convolution", given);
    habitat_conv_shape s = {.dims = dims,
                            .batch = row_size(r, "batch", NAN),
                            .c_in = row_size(r, "c_in|in_channels|c", NAN),
                            .c_out = row_size(r, "c_out|out_channels|k_out", NAN),
                            .groups = row_size(r, "groups", 1),
                            .transposed = transposed || named,
                            .bias = row_flag(r, "bias|use_bias"),
                            .channels_last = row_flag(r, "channels_last")};
    if (dims == 1 && s.channels_last)
        row_fail(r, HABITAT_E_RANGE,
                 "channels_last of a convolution of one dimension: PyTorch copies such an input "
                 "first and computes as always; leave it out");
    for (uint32_t d = 0; d < dims; d++)
        read_dimension(r, &s, d, d + 1 == dims ? 'w' : d + 2 == dims ? 'h' : 0);
    row_refuse_ignored(r, "a convolution", conv_ignored,
                       sizeof conv_ignored / sizeof *conv_ignored);
    if (r->status != HABITAT_OK)
        return;
    for (uint32_t d = 0; d < dims; d++)
        if (!(s.out[d] >= 1))
            row_fail(r, HABITAT_E_RANGE, "the kernel does not fit into the image");
    if (fmod(s.c_in, s.groups) != 0 || fmod(s.c_out, s.groups) != 0)
        row_fail(r, HABITAT_E_RANGE, "channels (%g, %g) are no multiples of %g groups", s.c_in,
                 s.c_out, s.groups);
    if (r->status == HABITAT_OK &&
        habitat_work_conv(&s, q->dtype, q->pass, &q->out->work) != HABITAT_OK)
        not_counted(r);
}

/* ---- operations by name ---- */

typedef struct operation operation;
struct operation {
    habitat_operation_word word;
    void (*read)(row *r, const operation *o, const row_question *q);
    double number;        /* gates (rnn), inputs (element-wise) */
    bool flag;            /* linear: bias, and weights stored (n, k); conv: transposed;
                             element-wise: libraries compute it in floating point alone */
    const char *backward; /* element-wise: the kernel of its gradient; NULL: none of its own */
};

static void read_gemm(row *r, const operation *o, const row_question *q) {
    static const row_parameter ignored[] = {{"groups", 1}};
    bool batched = o->word.form == HABITAT_FORM_BATCHED;
    habitat_gemm_shape shape = {.b = row_size(r, "b", 1),
                                .m = row_size(r, "m", NAN),
                                .n = row_size(r, "n", NAN),
                                .k = row_size(r, "k", NAN),
                                .bias = row_flag(r, "bias") || o->flag,
                                .trans_a = row_flag(r, "trans_a"),
                                .trans_b = row_flag(r, "trans_b") || o->flag};
    row_refuse_ignored(r, "a matrix product", ignored, 1);
    schema_gemm(r, &shape, batched, q);
}

static void read_conv(row *r, const operation *o, const row_question *q) {
    schema_conv(r, o->word.dims, o->flag, q);
}

static void read_attention(row *r, const operation *o, const row_question *q) {
    static const row_parameter ignored[] = {{"dropout", 0}, {"mask", 0}};
    (void)o;
    habitat_attention_shape s = {.batch = row_size(r, "batch", NAN),
                                 .heads = row_size(r, "heads", NAN),
                                 .kv_heads = row_size(r, "kv_heads", NAN),
                                 .q_len = row_size(r, "q_len|length|seq", NAN),
                                 .kv_len = row_size(r, "kv_len|kv_length|length|seq", NAN),
                                 .head_dim = row_size(r, "head_dim", NAN),
                                 .causal = row_flag(r, "causal")};
    s.v_head_dim = row_size(r, "v_head_dim", r->status == HABITAT_OK ? s.head_dim : 1);
    row_refuse_ignored(r, "attention", ignored, sizeof ignored / sizeof *ignored);
    if (r->status == HABITAT_OK && fmod(s.heads, s.kv_heads) != 0)
        row_fail(r, HABITAT_E_RANGE, "heads (%g) are no multiple of kv_heads (%g)", s.heads,
                 s.kv_heads);
    schema_attention(r, &s, q);
}

static void read_rnn(row *r, const operation *o, const row_question *q) {
    static const row_parameter ignored[] = {{"dropout", 0}, {"proj_size", 0}};
    habitat_rnn_shape s = {.gates = row_size(r, "gates", o->number),
                           .batch = row_size(r, "batch", NAN),
                           .steps = row_size(r, "steps", NAN),
                           .input = row_size(r, "input", NAN),
                           .hidden = row_size(r, "hidden", NAN),
                           .layers = row_size(r, "layers", 1),
                           .bidirectional = row_flag(r, "bidirectional")};
    row_refuse_ignored(r, "a recurrent layer", ignored, sizeof ignored / sizeof *ignored);
    if (isfinite(o->number) && s.gates != o->number)
        row_fail(r, HABITAT_E_RANGE, "gates is %g, and %s has %g", s.gates, o->word.name,
                 o->number);
    schema_rnn(r, &s, q);
}

/* For batch norm, rows are channels: given as such, or by the tensor. */
static void read_rows(row *r, const operation *o, const row_question *q) {
    if (strcmp(o->word.name, "batch_norm") == 0 && row_text(r, "c_in", NULL)) {
        double side = row_size(r, "in", NAN), batch = row_size(r, "batch", NAN);
        double channels = row_size(r, "c_in", NAN);
        row_refuse_ignored(r, "batch_norm", NULL, 0);
        schema_rows(r, o->word.name, channels, batch * side * side, q);
        return;
    }
    double rows = row_size(r, "rows", NAN), columns = row_size(r, "columns", NAN);
    row_refuse_ignored(r, o->word.name, NULL, 0);
    schema_rows(r, o->word.name, rows, columns, q);
}

static bool is_whole(habitat_dtype dtype) {
    return dtype >= HABITAT_DTYPE_INT8 && dtype <= HABITAT_DTYPE_BOOL;
}

/* Of whole numbers a library makes others first, or refuses: other bytes than would be counted. */
static void refuse_whole(row *r, const operation *o, const row_question *q) {
    if (o->flag && is_whole(q->dtype))
        row_fail(r, HABITAT_E_UNSUPPORTED,
                 "no kernel of %s takes %s: libraries compute it in floating point; give the "
                 "format of the result",
                 o->word.name, habitat_dtype_name(q->dtype));
}

/* The gradient of one input: the result's gradient and what the forward pass kept are read. */
static void read_elementwise(row *r, const operation *o, const row_question *q) {
    static const row_parameter ignored[] = {{"rows", 1}};
    bool forward = q->pass == HABITAT_PASS_FORWARD;
    double elements = row_size(r, "columns|elements", NAN);
    double inputs = row_size(r, "inputs", forward ? o->number : 2);
    row_refuse_ignored(r, "an element-wise operation", ignored, 1);
    refuse_whole(r, o, q);
    if (!forward && (q->pass != HABITAT_PASS_BACKWARD || !o->backward))
        row_fail(r, HABITAT_E_UNSUPPORTED, "%s has no kernel of its own for this pass",
                 o->word.name);
    schema_elementwise(r, forward ? o->word.name : o->backward, elements, inputs, q);
}

static void read_copy(row *r, const operation *o, const row_question *q) {
    read_elementwise(r, o, q);
    if (r->status == HABITAT_OK)
        q->out->work.op_class = HABITAT_CLASS_COPY;
}

/* Counted as `habitat op` counts it. */
static void read_counted(row *r, const operation *o, const row_question *q) {
    static const row_parameter ignored[] = {{"rows", 1}};
    double elements = row_size(r, "columns|elements", NAN);
    row_refuse_ignored(r, "an element-wise operation", ignored, 1);
    refuse_whole(r, o, q);
    schema_rows(r, strcmp(o->word.name, "elementwise") == 0 ? "add" : o->word.name, 1, elements, q);
}

/* The words of `habitat op` and of tables. */
static const operation operations[] = {
    {{"gemm", HABITAT_FORM_PRODUCT, 0}, read_gemm, 0, false, NULL},
    {{"linear", HABITAT_FORM_PRODUCT, 0}, read_gemm, 0, true, NULL},
    {{"bmm", HABITAT_FORM_BATCHED, 0}, read_gemm, 0, false, NULL},
    {{"conv1d", HABITAT_FORM_CONV, 1}, read_conv, 0, false, NULL},
    {{"conv2d", HABITAT_FORM_CONV, 2}, read_conv, 0, false, NULL},
    {{"conv3d", HABITAT_FORM_CONV, 3}, read_conv, 0, false, NULL},
    {{"conv_transpose2d", HABITAT_FORM_CONV, 2}, read_conv, 0, true, NULL},
    {{"attention", HABITAT_FORM_ATTENTION, 0}, read_attention, 0, false, NULL},
    {{"lstm", HABITAT_FORM_RNN, 0}, read_rnn, 4, false, NULL},
    {{"gru", HABITAT_FORM_RNN, 0}, read_rnn, 3, false, NULL},
    {{"rnn", HABITAT_FORM_RNN, 0}, read_rnn, 1, false, NULL},
    {{"softmax", HABITAT_FORM_ROWS, 0}, read_rows, 0, false, NULL},
    {{"log_softmax", HABITAT_FORM_ROWS, 0}, read_rows, 0, false, NULL},
    {{"layer_norm", HABITAT_FORM_ROWS, 0}, read_rows, 0, false, NULL},
    {{"rms_norm", HABITAT_FORM_ROWS, 0}, read_rows, 0, false, NULL},
    {{"batch_norm", HABITAT_FORM_ROWS, 0}, read_rows, 0, false, NULL},
    {{"sum", HABITAT_FORM_ROWS, 0}, read_rows, 0, false, NULL},
    {{"add", HABITAT_FORM_ELEMENTS, 0}, read_elementwise, 2, false, NULL},
    {{"mul", HABITAT_FORM_ELEMENTS, 0}, read_elementwise, 2, false, NULL},
    {{"div", HABITAT_FORM_ELEMENTS, 0}, read_elementwise, 2, true, NULL},
    {{"relu", HABITAT_FORM_ELEMENTS, 0}, read_elementwise, 1, false, "threshold_backward"},
    {{"gelu", HABITAT_FORM_ELEMENTS, 0}, read_elementwise, 1, true, "gelu_backward"},
    {{"silu", HABITAT_FORM_ELEMENTS, 0}, read_elementwise, 1, true, "silu_backward"},
    {{"tanh", HABITAT_FORM_ELEMENTS, 0}, read_elementwise, 1, true, "tanh_backward"},
    {{"copy", HABITAT_FORM_ELEMENTS, 0}, read_copy, 1, false, NULL},
    {{"elementwise", HABITAT_FORM_ELEMENTS, 0}, read_counted, 0, false, NULL},
    {{"sigmoid", HABITAT_FORM_ELEMENTS, 0}, read_counted, 0, true, NULL},
    {{"dropout", HABITAT_FORM_ELEMENTS, 0}, read_counted, 0, true, NULL},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static const operation *find_operation(const char *name) {
    for (size_t i = 0; name && i < OPERATIONS; i++)
        if (word_same(operations[i].word.name, name))
            return &operations[i];
    return NULL;
}

const habitat_operation_word *habitat_operation_word_at(size_t index) {
    return index < OPERATIONS ? &operations[index].word : NULL;
}

bool question_knows_operation(const char *name) {
    return find_operation(name) != NULL;
}

bool question_is_product(const char *name) {
    const operation *found = find_operation(name);
    return found && found->read == read_gemm;
}

static void refuse_operation(row *r, const char *name) {
    char list[400];
    size_t used = 0;
    for (size_t i = 0; i < OPERATIONS && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 operations[i].word.name);
    row_fail(r, HABITAT_E_PARSE, "op \"%.40s\" is no operation; choose one of: %s",
             name ? name : "", list);
}

/* ---- `habitat collect` ---- */

enum { KEYS_MAX = 24, SHAPE_BYTES = 512 };

/* Cut "m=8 n=16" in place. 0: it is no list of sizes. */
static size_t cut_shape(char *text, const char **keys, const char **values) {
    size_t count = 0;
    for (char *at = text; *at;) {
        size_t length = strcspn(at, " ");
        char *end = at + length, *next = *end ? end + 1 : end, *equals = memchr(at, '=', length);
        if (!equals || equals == at || count == KEYS_MAX)
            return 0;
        *end = '\0';
        *equals = '\0';
        for (size_t i = 0; i < count; i++)
            if (strcmp(keys[i], at) == 0)
                return 0;
        keys[count] = at;
        values[count++] = equals + 1;
        at = next;
    }
    return count;
}

void schema_read_collected(row *r, const row_question *q) {
    const char *name = row_text(r, "op", NULL), *shape = row_text(r, "shape", NULL);
    const operation *found = find_operation(name);
    char text[SHAPE_BYTES];
    const char *keys[KEYS_MAX], *values[KEYS_MAX];
    if (!found) {
        refuse_operation(r, name);
        return;
    }
    snprintf(text, sizeof text, "%s", shape ? shape : "");
    row sizes = {.path = r->path, .line = r->line, .keys = true, .err = r->err};
    sizes.columns = keys;
    sizes.fields = values;
    if (shape && strlen(shape) < sizeof text)
        sizes.count = cut_shape(text, keys, values);
    if (sizes.count == 0) {
        row_fail(r, HABITAT_E_PARSE, "shape \"%.80s\" is not of the form \"m=8 n=16 k=32\"",
                 shape ? shape : "");
        return;
    }
    sizes.status = r->status;
    found->read(&sizes, found, q);
    r->status = sizes.status;
}

/* ---- the project's own tables ---- */

static void read_own_rows(row *r, bool norm, const row_question *q) {
    static const word softmax[] = {{"softmax", 0, NULL}, {"log_softmax", 1, NULL}};
    static const word norms[] = {
        {"layer_norm", 0, NULL}, {"rms_norm", 1, NULL}, {"batch_norm", 2, NULL}};
    static const vocabulary kinds[] = {VOCABULARY("softmax", softmax), VOCABULARY("norm", norms)};
    int kind = row_word(r, "kind", &kinds[norm], norm ? -1 : 0);
    if (kind < 0)
        row_fail(r, HABITAT_E_RANGE, "no kind given: layer_norm, rms_norm or batch_norm");
    const operation *o = find_operation(kind < 0 ? "layer_norm" : kinds[norm].words[kind].name);
    read_rows(r, o, q);
}

/* Any element-wise operation that work is counted for, also without a name. */
static void read_own_elementwise(row *r, const row_question *q) {
    const char *kind = row_text(r, "kind", NULL);
    const operation *found = find_operation(kind);
    operation other = {
        {kind ? kind : "", HABITAT_FORM_ELEMENTS, 0}, read_elementwise, 1, false, NULL};
    bool in_place;
    if (found && found->read == read_elementwise) {
        read_elementwise(r, found, q);
        return;
    }
    const work_rule *rule = kind ? work_rule_find(kind, strlen(kind), &in_place) : NULL;
    if (kind && (!rule || rule->op_class != HABITAT_CLASS_ELEMENTWISE)) {
        row_fail(r, HABITAT_E_PARSE,
                 "kind \"%.40s\" is no element-wise operation, such as add, "
                 "mul, div, pow, relu, gelu, silu, tanh or sigmoid",
                 kind);
        return;
    }
    read_elementwise(r, &other, q);
}

void schema_read_own(row *r, const row_question *q) {
    static const operation rnn = {{"rnn", HABITAT_FORM_RNN, 0}, read_rnn, NAN, false, NULL};
    if (!row_text(r, "class", NULL)) {
        row_missing(r, "class");
        return;
    }
    int op_class = row_word(r, "class", &habitat_classes, HABITAT_CLASS_COUNT);
    switch (op_class) {
    case HABITAT_CLASS_GEMM:
    case HABITAT_CLASS_BMM:
        read_gemm(r, find_operation(habitat_class_name((habitat_class)op_class)), q);
        break;
    case HABITAT_CLASS_CONV:
        read_conv(r, find_operation("conv2d"), q);
        break;
    case HABITAT_CLASS_ATTENTION:
        read_attention(r, NULL, q);
        break;
    case HABITAT_CLASS_RNN:
        read_rnn(r, &rnn, q);
        break;
    case HABITAT_CLASS_ELEMENTWISE:
        read_own_elementwise(r, q);
        break;
    case HABITAT_CLASS_SOFTMAX:
    case HABITAT_CLASS_NORM:
        read_own_rows(r, op_class == HABITAT_CLASS_NORM, q);
        break;
    case HABITAT_CLASS_COUNT: /* no class: refused above */
        break;
    default:
        row_fail(r, HABITAT_E_UNSUPPORTED,
                 "class \"%s\": operations of this class are not read from tables",
                 habitat_class_name((habitat_class)op_class));
    }
}
