/* habitat op OPERATION: one operation by its shape, on any GPU, without a trace. Which operations
 * there are, of which form each is and how sizes become work, the library says; which options a
 * form takes is the table `forms`. */
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
    FLAGS = 5
};

static const char *const flag_names[FLAGS] = {"--bias", "--transposed", "--channels-last",
                                              "--causal", "--bidirectional"};

typedef struct question {
    double values[PARAMETERS]; /* NaN: not given */
    bool flags[FLAGS];
    const char *dtype, *pass;
} question;

enum { PARAMETERS_OF_A_FORM = 12 };

/* The options of a form. How sizes become work is the library's business, and the same as for a row
 * of a table. */
typedef struct form {
    unsigned flags;
    parameter required[PARAMETERS_OF_A_FORM]; /* ends at PARAMETERS */
    parameter optional[PARAMETERS_OF_A_FORM];
} form;

#define END PARAMETERS

static const form forms[HABITAT_FORM_COUNT] = {
    [HABITAT_FORM_PRODUCT] = {FLAG_BIAS, {P_M, P_N, P_K, END}, {END}},
    [HABITAT_FORM_BATCHED] = {0, {P_B, P_M, P_N, P_K, END}, {END}},
    [HABITAT_FORM_CONV] = {FLAG_BIAS | FLAG_TRANSPOSED | FLAG_CHANNELS_LAST,
                           {P_BATCH, P_IN_CHANNELS, P_OUT_CHANNELS, P_KERNEL, END},
                           {P_SIZE, P_HEIGHT, P_WIDTH, P_STRIDE, P_PADDING, P_DILATION, P_GROUPS,
                            END}},
    [HABITAT_FORM_ATTENTION] = {FLAG_CAUSAL,
                                {P_BATCH, P_HEADS, P_LENGTH, P_HEAD_DIM, END},
                                {P_KV_HEADS, P_KV_LENGTH, END}},
    [HABITAT_FORM_RNN] = {FLAG_BIDIRECTIONAL,
                          {P_BATCH, P_STEPS, P_INPUT, P_HIDDEN, END},
                          {P_LAYERS, END}},
    [HABITAT_FORM_ROWS] = {0, {P_ROWS, P_COLUMNS, END}, {END}},
    [HABITAT_FORM_ELEMENTS] = {0, {P_ELEMENTS, END}, {END}},
};

/* ---- the command line ---- */

static bool takes(const parameter *list, parameter p) {
    for (; *list != END; list++)
        if (*list == p)
            return true;
    return false;
}

/* Every side of a convolution is given on its own; that of depth has no option. */
static bool has_sides(const habitat_operation_word *k, const question *q) {
    bool height = k->dims < 2 || !isnan(q->values[P_HEIGHT]);
    return k->dims < 3 && height && !isnan(q->values[P_WIDTH]);
}

/* A convolution has its sides one by one, or one size for all that are not given. */
static bool lacks_size(const habitat_operation_word *k, const question *q) {
    return k->form == HABITAT_FORM_CONV && isnan(q->values[P_SIZE]) && !has_sides(k, q);
}

static int check_parameters(const habitat_operation_word *k, const question *q) {
    for (int p = 0; p < PARAMETERS; p++) {
        bool given = !isnan(q->values[p]), needed = takes(forms[k->form].required, (parameter)p);
        if (needed && !given)
            return cli_fail(CLI_USAGE, k->name, "needs %s; `habitat op --help` shows an example",
                            parameter_names[p]);
        if (given && !needed && !takes(forms[k->form].optional, (parameter)p))
            return cli_fail(CLI_USAGE, parameter_names[p],
                            "does not go with %s; `habitat op --help` lists what does", k->name);
    }
    for (int f = 0; f < FLAGS; f++)
        if (q->flags[f] && !(forms[k->form].flags & (1u << f)))
            return cli_fail(CLI_USAGE, flag_names[f],
                            "does not go with %s; `habitat op --help` lists what does", k->name);
    if (k->form == HABITAT_FORM_CONV && !isnan(q->values[P_SIZE]) && has_sides(k, q))
        return cli_fail(CLI_USAGE, "--size", "does not go with %s; leave one out",
                        k->dims < 2 ? "--width, the only side of conv1d"
                                    : "--height and --width, which are all sides");
    if (lacks_size(k, q))
        return cli_fail(CLI_USAGE, k->name, "needs --size; `habitat op --help` shows an example");
    return CLI_DONE;
}

/* The words are read before files are. */
static int check_words(const question *q) {
    habitat_error error = {0};
    habitat_pass pass;
    if (habitat_dtype_from_name(q->dtype) == HABITAT_DTYPE_UNKNOWN)
        return cli_fail(CLI_USAGE, "--dtype",
                        "\"%s\" is no number format; choose fp32, tf32, "
                        "fp16, bf16, fp8, fp64 or int8",
                        q->dtype);
    if (habitat_pass_from_name(q->pass, &pass, &error) != HABITAT_OK)
        return cli_fail(CLI_USAGE, "--pass", "%s", error.message);
    return CLI_DONE;
}

/* "m=4096 n=4096 k=1024 causal": what was asked for, in the order of the table; `yes` follows
 * flags.
 */
static void shape_text(const question *q, const char *yes, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int p = 0; p < PARAMETERS && used < size; p++)
        if (!isnan(q->values[p]))
            used += (size_t)habitat_format(text + used, size - used, "%s%s=%.15g", used ? " " : "",
                                           parameter_names[p] + 2, q->values[p]);
    for (int f = 0; f < FLAGS && used < size; f++)
        if (q->flags[f])
            used += (size_t)snprintf(text + used, size - used, " %s%s", flag_names[f] + 2, yes);
}

/* The shape as a row of a table has it: heads of keys are said there. */
static void row_shape(const habitat_operation_word *k, const question *q, char *text, size_t size) {
    question said = *q;
    if (takes(forms[k->form].optional, P_KV_HEADS) && isnan(said.values[P_KV_HEADS]))
        said.values[P_KV_HEADS] = said.values[P_HEADS];
    shape_text(&said, "=1", text, size);
}

static const habitat_operation_word *find_word(const char *name) {
    const habitat_operation_word *word = NULL;
    for (size_t i = 0; (word = habitat_operation_word_at(i)) && strcmp(word->name, name) != 0; i++)
        ;
    return word;
}

static int unknown_word(const char *name) {
    size_t count = 0;
    while (habitat_operation_word_at(count))
        count++;
    const char **names = calloc(count, sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = habitat_operation_word_at(i)->name;
    const char *near = names ? cli_nearest(name, names, count, sizeof *names) : NULL;
    free(names);
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
static int answer(const habitat_operation_word *k, const question *q,
                  const habitat_request *request, habitat_report_format format) {
    habitat_measurement parts[HABITAT_OPERATION_PARTS_MAX];
    habitat_model_query operations[HABITAT_OPERATION_PARTS_MAX];
    habitat_answer *known = NULL;
    habitat_error error = {0};
    habitat_request asked = *request;
    char shape[512];
    row_shape(k, q, shape, sizeof shape);
    if (habitat_operation_from_words(k->name, shape, q->dtype, q->pass, parts,
                                     &asked.operation_count, &error) != HABITAT_OK)
        return cli_fail(CLI_USAGE, k->name, "%s; `habitat op --help` shows an example",
                        error.message);
    for (size_t i = 0; i < asked.operation_count; i++)
        operations[i] = habitat_strict_query(&parts[i]);
    shape_text(q, "", shape, sizeof shape);
    asked.name = k->name;
    asked.shape = shape;
    asked.operations = operations;
    if (habitat_ask(&asked, &known, &error) != HABITAT_OK)
        return cli_fail_error(&error, NULL);
    int code = report(known, format);
    habitat_answer_free(known);
    return code;
}

typedef struct request {
    cli_list to, gpu_files;
    const char *method;
    bool json, csv;
} request;

static int run(const request *r, const char *name, const question *q) {
    habitat_request asked;
    habitat_report_format format = HABITAT_REPORT_TEXT;
    habitat_gpu_table *table = NULL;
    const habitat_gpu **gpus = NULL;
    habitat_error error = {0};
    cli_notes notes = {0};
    habitat_request_init(&asked);
    const habitat_operation_word *k = find_word(name);
    int code = k ? check_parameters(k, q) : unknown_word(name);
    if (code == CLI_DONE)
        code = check_words(q);
    if (code == CLI_DONE)
        code = cli_format(r->json, r->csv, &format);
    if (code == CLI_DONE && r->method &&
        habitat_method_from_name(r->method, &asked.method, &error) != HABITAT_OK)
        code = cli_fail_error(&error, "--method");
    if (code == CLI_DONE)
        code = cli_open_gpus_noting(&r->gpu_files, &table, &notes);
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
    request r = {0};
    question q = {.dtype = "fp32", .pass = "forward"};
    cli_option options[PARAMETERS + FLAGS + 7] = {{"--to", 0, CLI_LIST, &r.to},
                                                  {"--method", 0, CLI_TEXT, &r.method},
                                                  {"--dtype", 0, CLI_TEXT, &q.dtype},
                                                  {"--pass", 0, CLI_TEXT, &q.pass},
                                                  {"--gpu-file", 0, CLI_LIST, &r.gpu_files},
                                                  {"--json", 0, CLI_FLAG, &r.json},
                                                  {"--csv", 0, CLI_FLAG, &r.csv}};
    for (int p = 0; p < PARAMETERS; p++) {
        q.values[p] = NAN;
        options[7 + p] = (cli_option){parameter_names[p], 0,
                                      p == P_PADDING ? CLI_NUMBER : CLI_WHOLE, &q.values[p]};
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
