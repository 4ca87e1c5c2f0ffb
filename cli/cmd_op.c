/* habitat op KIND: one operation by its shape, on any GPU, without a trace. Which parameters a kind
 * takes is the table `kinds`; how they become work is one function a family. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"

/* Parameters, as options name them. */
typedef enum parameter {
    P_M,
    P_N,
    P_K,
    P_B,
    P_BATCH,
    P_IN_CHANNELS,
    P_OUT_CHANNELS,
    P_SIZE,
    P_HEIGHT,
    P_WIDTH,
    P_KERNEL,
    P_STRIDE,
    P_PADDING,
    P_DILATION,
    P_GROUPS,
    P_HEADS,
    P_KV_HEADS,
    P_LENGTH,
    P_KV_LENGTH,
    P_HEAD_DIM,
    P_STEPS,
    P_INPUT,
    P_HIDDEN,
    P_LAYERS,
    P_ROWS,
    P_COLUMNS,
    P_ELEMENTS,
    PARAMETERS
} parameter;

static const char *const parameter_names[PARAMETERS] = {"--m",
                                                        "--n",
                                                        "--k",
                                                        "--b",
                                                        "--batch",
                                                        "--in-channels",
                                                        "--out-channels",
                                                        "--size",
                                                        "--height",
                                                        "--width",
                                                        "--kernel",
                                                        "--stride",
                                                        "--padding",
                                                        "--dilation",
                                                        "--groups",
                                                        "--heads",
                                                        "--kv-heads",
                                                        "--length",
                                                        "--kv-length",
                                                        "--head-dim",
                                                        "--steps",
                                                        "--input",
                                                        "--hidden",
                                                        "--layers",
                                                        "--rows",
                                                        "--columns",
                                                        "--elements"};

enum {
    FLAG_BIAS = 1,
    FLAG_TRANSPOSED = 2,
    FLAG_CHANNELS_LAST = 4,
    FLAG_CAUSAL = 8,
    FLAG_BIDIRECTIONAL = 16,
    FLAGS = 5,
    WORKS_MAX = 2
};

static const char *const flag_names[FLAGS] = {"--bias", "--transposed", "--channels-last",
                                              "--causal", "--bidirectional"};

typedef struct question {
    double values[PARAMETERS]; /* NaN: not given */
    bool flags[FLAGS];
    habitat_dtype dtype;
    habitat_pass pass;
} question;

typedef struct kind kind;
/* Fills one work, or two whose times add up; *count receives how many. */
typedef habitat_status (*make_work)(const kind *k, const question *q, habitat_work *out,
                                    size_t *count);

enum { PARAMETERS_OF_A_KIND = 12 };

struct kind {
    const char *name;
    make_work make;
    double number; /* gates (rnn), spatial dimensions (conv) */
    unsigned flags;
    parameter required[PARAMETERS_OF_A_KIND]; /* ends at PARAMETERS */
    parameter optional[PARAMETERS_OF_A_KIND];
};

static double value_or(const question *q, parameter p, double fallback) {
    return isnan(q->values[p]) ? fallback : q->values[p];
}

/* Backward of C = A B is dA = dC B' and dB = A' dC: two products of the same size. */
static habitat_status make_gemm(const kind *k, const question *q, habitat_work *out,
                                size_t *count) {
    (void)k;
    double b = value_or(q, P_B, 1), m = q->values[P_M], n = q->values[P_N], inner = q->values[P_K];
    habitat_gemm_shape forward = {.b = b, .m = m, .n = n, .k = inner, .bias = q->flags[0]};
    habitat_gemm_shape input = {.b = b, .m = m, .n = inner, .k = n, .trans_b = true};
    habitat_gemm_shape weight = {.b = b, .m = inner, .n = n, .k = m, .trans_a = true};
    habitat_status status = HABITAT_OK;
    *count = 0;
    if (q->pass == HABITAT_PASS_FORWARD)
        status = habitat_work_gemm(&forward, q->dtype, &out[(*count)++]);
    if (q->pass == HABITAT_PASS_BACKWARD || q->pass == HABITAT_PASS_BACKWARD_INPUT)
        status = habitat_work_gemm(&input, q->dtype, &out[(*count)++]);
    if (status == HABITAT_OK &&
        (q->pass == HABITAT_PASS_BACKWARD || q->pass == HABITAT_PASS_BACKWARD_WEIGHT))
        status = habitat_work_gemm(&weight, q->dtype, &out[(*count)++]);
    for (size_t i = 0; i < *count; i++)
        out[i].pass = q->pass;
    return status;
}

static habitat_status make_conv(const kind *k, const question *q, habitat_work *out,
                                size_t *count) {
    habitat_conv_shape shape = {.dims = (uint32_t)k->number,
                                .batch = q->values[P_BATCH],
                                .c_in = q->values[P_IN_CHANNELS],
                                .c_out = q->values[P_OUT_CHANNELS],
                                .groups = value_or(q, P_GROUPS, 1),
                                .bias = q->flags[0],
                                .transposed = q->flags[1],
                                .channels_last = q->flags[2]};
    for (uint32_t d = 0; d < shape.dims; d++) {
        double size = q->values[P_SIZE];
        if (d + 2 == shape.dims)
            size = value_or(q, P_HEIGHT, size);
        if (d + 1 == shape.dims)
            size = value_or(q, P_WIDTH, size);
        shape.in[d] = size;
        shape.kernel[d] = q->values[P_KERNEL];
        shape.stride[d] = value_or(q, P_STRIDE, 1);
        shape.padding[d] = value_or(q, P_PADDING, 0);
        shape.dilation[d] = value_or(q, P_DILATION, 1);
        double reach = shape.dilation[d] * (shape.kernel[d] - 1) + 1;
        shape.out[d] = shape.transposed
                           ? (size - 1) * shape.stride[d] - 2 * shape.padding[d] + reach
                           : floor((size + 2 * shape.padding[d] - reach) / shape.stride[d]) + 1;
    }
    *count = 1;
    return habitat_work_conv(&shape, q->dtype, q->pass, out);
}

static habitat_status make_attention(const kind *k, const question *q, habitat_work *out,
                                     size_t *count) {
    (void)k;
    double heads = q->values[P_HEADS], length = q->values[P_LENGTH];
    habitat_attention_shape shape = {.batch = q->values[P_BATCH],
                                     .heads = heads,
                                     .kv_heads = value_or(q, P_KV_HEADS, heads),
                                     .q_len = length,
                                     .kv_len = value_or(q, P_KV_LENGTH, length),
                                     .head_dim = q->values[P_HEAD_DIM],
                                     .v_head_dim = q->values[P_HEAD_DIM],
                                     .causal = q->flags[3]};
    *count = 1;
    return habitat_work_attention(&shape, q->dtype, q->pass, out);
}

static habitat_status make_rnn(const kind *k, const question *q, habitat_work *out, size_t *count) {
    habitat_rnn_shape shape = {.gates = k->number,
                               .batch = q->values[P_BATCH],
                               .steps = q->values[P_STEPS],
                               .input = q->values[P_INPUT],
                               .hidden = q->values[P_HIDDEN],
                               .layers = value_or(q, P_LAYERS, 1),
                               .bidirectional = q->flags[4]};
    *count = 1;
    return habitat_work_rnn(&shape, q->dtype, q->pass, out);
}

static habitat_status make_rows(const kind *k, const question *q, habitat_work *out,
                                size_t *count) {
    habitat_rows_shape shape = {.rows = q->values[P_ROWS], .columns = q->values[P_COLUMNS]};
    *count = 1;
    return habitat_work_rows(k->name, &shape, q->dtype, q->pass, out);
}

static habitat_status make_elementwise(const kind *k, const question *q, habitat_work *out,
                                       size_t *count) {
    habitat_rows_shape shape = {.rows = 1, .columns = q->values[P_ELEMENTS]};
    *count = 1;
    return habitat_work_rows(strcmp(k->name, "elementwise") == 0 ? "add" : k->name, &shape,
                             q->dtype, q->pass, out);
}

#define END PARAMETERS
#define CONV(name, dims)                                                                           \
    {                                                                                              \
        name, make_conv, dims, FLAG_BIAS | FLAG_TRANSPOSED | FLAG_CHANNELS_LAST,                   \
            {P_BATCH, P_IN_CHANNELS, P_OUT_CHANNELS, P_KERNEL, END}, {                             \
            P_SIZE, P_HEIGHT, P_WIDTH, P_STRIDE, P_PADDING, P_DILATION, P_GROUPS, END              \
        }                                                                                          \
    }
#define RNN(name, gates)                                                                           \
    {                                                                                              \
        name, make_rnn, gates, FLAG_BIDIRECTIONAL, {P_BATCH, P_STEPS, P_INPUT, P_HIDDEN, END}, {   \
            P_LAYERS, END                                                                          \
        }                                                                                          \
    }
#define ROWS(name)                                                                                 \
    {                                                                                              \
        name, make_rows, 0, 0, {P_ROWS, P_COLUMNS, END}, {                                         \
            END                                                                                    \
        }                                                                                          \
    }
#define ELEMENTS(name)                                                                             \
    {                                                                                              \
        name, make_elementwise, 0, 0, {P_ELEMENTS, END}, {                                         \
            END                                                                                    \
        }                                                                                          \
    }

static const kind kinds[] = {
    {"gemm", make_gemm, 0, FLAG_BIAS, {P_M, P_N, P_K, END}, {END}},
    {"linear", make_gemm, 0, FLAG_BIAS, {P_M, P_N, P_K, END}, {END}},
    {"bmm", make_gemm, 0, 0, {P_B, P_M, P_N, P_K, END}, {END}},
    CONV("conv1d", 1),
    CONV("conv2d", 2),
    CONV("conv3d", 3),
    {"attention",
     make_attention,
     0,
     FLAG_CAUSAL,
     {P_BATCH, P_HEADS, P_LENGTH, P_HEAD_DIM, END},
     {P_KV_HEADS, P_KV_LENGTH, END}},
    RNN("lstm", 4),
    RNN("gru", 3),
    RNN("rnn", 1),
    ROWS("softmax"),
    ROWS("log_softmax"),
    ROWS("layer_norm"),
    ROWS("rms_norm"),
    ROWS("batch_norm"),
    ROWS("sum"),
    ELEMENTS("elementwise"),
    ELEMENTS("add"),
    ELEMENTS("mul"),
    ELEMENTS("relu"),
    ELEMENTS("gelu"),
    ELEMENTS("tanh"),
    ELEMENTS("sigmoid"),
    ELEMENTS("silu"),
    ELEMENTS("dropout"),
    ELEMENTS("copy"),
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- the command line ---- */

static bool takes(const parameter *list, parameter p) {
    for (; *list != END; list++)
        if (*list == p)
            return true;
    return false;
}

static const char *default_size(const kind *k, const question *q) {
    if (k->make != make_conv || !isnan(q->values[P_SIZE]))
        return NULL;
    bool height = k->number == 1 || !isnan(q->values[P_HEIGHT]);
    bool whole = k->number < 3 && height && !isnan(q->values[P_WIDTH]);
    return whole ? NULL : "--size";
}

static int check_parameters(const kind *k, const question *q) {
    for (int p = 0; p < PARAMETERS; p++) {
        bool given = !isnan(q->values[p]), needed = takes(k->required, (parameter)p);
        if (needed && !given)
            return cli_fail(CLI_USAGE, k->name, "needs %s; `habitat op --help` shows an example",
                            parameter_names[p]);
        if (given && !needed && !takes(k->optional, (parameter)p))
            return cli_fail(CLI_USAGE, parameter_names[p],
                            "does not go with %s; `habitat op --help` lists what does", k->name);
    }
    for (int f = 0; f < FLAGS; f++)
        if (q->flags[f] && !(k->flags & (1u << f)))
            return cli_fail(CLI_USAGE, flag_names[f],
                            "does not go with %s; `habitat op --help` lists what does", k->name);
    if (default_size(k, q))
        return cli_fail(CLI_USAGE, k->name, "needs --size; `habitat op --help` shows an example");
    return CLI_DONE;
}

static int read_pass(const char *name, habitat_pass *out) {
    habitat_error error = {0};
    if (habitat_pass_from_name(name, out, &error) != HABITAT_OK)
        return cli_fail(CLI_USAGE, "--pass", "%s", error.message);
    return CLI_DONE;
}

static int read_dtype(const char *name, habitat_dtype *out) {
    *out = habitat_dtype_from_name(name);
    if (*out == HABITAT_DTYPE_UNKNOWN)
        return cli_fail(CLI_USAGE, "--dtype",
                        "\"%s\" is no number format; choose fp32, tf32, "
                        "fp16, bf16, fp8, fp64 or int8",
                        name);
    return CLI_DONE;
}

/* "m=4096 n=4096 k=1024": what was asked for, in the order of the table. */
static void shape_text(const question *q, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int p = 0; p < PARAMETERS && used < size; p++)
        if (!isnan(q->values[p]))
            used += (size_t)habitat_format(text + used, size - used, "%s%s=%.15g", used ? " " : "",
                                           parameter_names[p] + 2, q->values[p]);
    for (int f = 0; f < FLAGS && used < size; f++)
        if (q->flags[f])
            used += (size_t)snprintf(text + used, size - used, " %s", flag_names[f] + 2);
}

static const kind *find_kind(const char *name) {
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

static int unknown_kind(const char *name) {
    const char *near = cli_nearest(name, &kinds[0].name, KINDS, sizeof kinds[0]);
    if (near)
        return cli_fail(CLI_USAGE, name, "no such operation; did you mean %s?", near);
    return cli_fail(CLI_USAGE, name, "no such operation; `habitat op --help` lists them");
}

/* ---- asking ---- */

/* Where no GPU has an estimate the first one's reason is that of all. */
static int no_answer(const char *name, const habitat_answer *answer) {
    const habitat_answer_row *first = &answer->rows[0];
    if (first->error.file[0])
        return cli_fail_error(&first->error, NULL); /* a GPU file */
    return cli_fail(CLI_FAILED, name, "%s", first->whole.reason);
}

static int report(const habitat_answer *answer, habitat_report_format format) {
    habitat_error error = {0};
    habitat_report_options options = cli_report_options(format);
    size_t known = 0;
    for (size_t i = 0; i < answer->row_count; i++)
        known += answer->rows[i].whole.status == HABITAT_OK;
    for (size_t i = 0; i < answer->warning_count; i++)
        if (answer->warnings[i].about == HABITAT_ABOUT_REQUEST)
            cli_warn("%s", answer->warnings[i].text);
    if (!known)
        return no_answer(answer->name, answer);
    return cli_report_result(habitat_report_operation(answer, &options, &error), &error);
}

/* `request` comes with GPUs and method; the operation is added, asked for and reported. */
static int answer(const kind *k, const question *q, const habitat_request *request,
                  habitat_report_format format) {
    habitat_work works[WORKS_MAX];
    habitat_model_query operations[WORKS_MAX];
    habitat_answer *known = NULL;
    habitat_error error = {0};
    size_t count = 0;
    char shape[512];
    if (k->make(k, q, works, &count) != HABITAT_OK)
        return cli_fail(CLI_USAGE, k->name,
                        "no work can be counted for these sizes, number format and pass; sizes "
                        "are positive, and `habitat op --help` shows an example");
    for (size_t i = 0; i < count; i++)
        operations[i] = (habitat_model_query){.work = &works[i], .arithmetic = works[i].dtype};
    shape_text(q, shape, sizeof shape);
    habitat_request asked = *request;
    asked.name = k->name;
    asked.shape = shape;
    asked.operations = operations;
    asked.operation_count = count;
    if (habitat_ask(&asked, &known, &error) != HABITAT_OK)
        return cli_fail_error(&error, NULL);
    int code = report(known, format);
    habitat_answer_free(known);
    return code;
}

typedef struct request {
    cli_list to, gpu_files;
    const char *method, *dtype, *pass;
    bool json, csv;
} request;

static int run(const request *r, const char *name, question *q) {
    habitat_request asked;
    habitat_report_format format = HABITAT_REPORT_TEXT;
    habitat_gpu_table *table = NULL;
    const habitat_gpu **gpus = NULL;
    habitat_error error = {0};
    cli_notes notes = {0};
    habitat_request_init(&asked);
    const kind *k = find_kind(name);
    int code = k ? check_parameters(k, q) : unknown_kind(name);
    if (code == CLI_DONE)
        code = read_dtype(r->dtype, &q->dtype);
    if (code == CLI_DONE)
        code = read_pass(r->pass, &q->pass);
    if (code == CLI_DONE)
        code = cli_format(r->json, r->csv, &format);
    if (code == CLI_DONE && r->method &&
        habitat_method_from_name(r->method, &asked.method, &error) != HABITAT_OK)
        code = cli_fail_error(&error, "--method");
    if (code == CLI_DONE)
        code = cli_open_gpus(&r->gpu_files, &table);
    if (code == CLI_DONE)
        code = cli_find_gpus(table, &r->to, &gpus, &asked.destination_count, &notes);
    if (k && code == CLI_DONE) {
        asked.gpus = table;
        asked.destinations = gpus;
        asked.notes = (const char *const *)notes.lines;
        asked.note_count = notes.count;
        code = answer(k, q, &asked, format);
    }
    free(gpus);
    cli_notes_free(&notes);
    habitat_gpu_table_free(table);
    return code;
}

int cmd_op(int argc, char **argv) {
    request r = {.dtype = "fp32", .pass = "forward"};
    question q = {0};
    cli_option options[PARAMETERS + FLAGS + 7] = {{"--to", 0, CLI_LIST, &r.to},
                                                  {"--method", 0, CLI_TEXT, &r.method},
                                                  {"--dtype", 0, CLI_TEXT, &r.dtype},
                                                  {"--pass", 0, CLI_TEXT, &r.pass},
                                                  {"--gpu-file", 0, CLI_LIST, &r.gpu_files},
                                                  {"--json", 0, CLI_FLAG, &r.json},
                                                  {"--csv", 0, CLI_FLAG, &r.csv}};
    for (int p = 0; p < PARAMETERS; p++) {
        q.values[p] = NAN;
        options[7 + p] = (cli_option){parameter_names[p], 0, CLI_NUMBER, &q.values[p]};
    }
    for (int f = 0; f < FLAGS; f++)
        options[7 + PARAMETERS + f] = (cli_option){flag_names[f], 0, CLI_FLAG, &q.flags[f]};
    cli_arguments arguments = {
        .verb = "op", .options = options, .option_count = sizeof options / sizeof options[0]};
    int code = cli_parse(&arguments, argc, argv);
    if (code == CLI_DONE && !arguments.finished) {
        code = cli_expect_operands(&arguments, 1, 1, "an operation, such as gemm or conv2d");
        if (code == CLI_DONE)
            code = run(&r, arguments.operands.items[0], &q);
    }
    cli_arguments_free(&arguments);
    return code;
}
