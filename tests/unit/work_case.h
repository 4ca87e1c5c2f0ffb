/* An operation written on one line, for tests and for work_dump:
 *
 *   aten::addmm | f32[1000] f32[32,2048] f32[2048,1000]@1,2048 =1 =1
 *
 * Inputs: a tensor as format[sizes], with @strides if they matter; =value for a number, truth value
 * or list (=[1,1], no spaces); - for None; ? for an argument that was not recorded; a list of
 * tensors as {[2,3];[4]}, {} if its shapes are not recorded, i64{[5]} if its format is. Formats:
 * f64 f32 f16 bf16 f8 i8 i16 i32 i64 b8 c64 c128. */
#ifndef HABITAT_TESTS_WORK_CASE_H
#define HABITAT_TESTS_WORK_CASE_H

#include <stdlib.h>
#include <string.h>

#include <habitat/work.h>

enum { CASE_INPUTS = 32, CASE_NUMBERS = 2048, CASE_TEXT = 4096 };

typedef struct work_case {
    habitat_operation op; /* its form is the one below */
    habitat_op_form form;
    habitat_input inputs[CASE_INPUTS];
    int64_t numbers[CASE_NUMBERS];
    size_t used;
    char text[CASE_TEXT]; /* the line, cut into strings */
} work_case;

static inline habitat_dtype case_dtype(const char *text, size_t length) {
    static const struct {
        const char *name;
        habitat_dtype dtype;
    } formats[] = {
        {"f64", HABITAT_DTYPE_FP64},      {"f32", HABITAT_DTYPE_FP32},
        {"f16", HABITAT_DTYPE_FP16},      {"bf16", HABITAT_DTYPE_BF16},
        {"f8", HABITAT_DTYPE_FP8},        {"i8", HABITAT_DTYPE_INT8},
        {"i16", HABITAT_DTYPE_INT16},     {"i32", HABITAT_DTYPE_INT32},
        {"i64", HABITAT_DTYPE_INT64},     {"b8", HABITAT_DTYPE_BOOL},
        {"c64", HABITAT_DTYPE_COMPLEX64}, {"c128", HABITAT_DTYPE_COMPLEX128},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strlen(formats[i].name) == length && !memcmp(formats[i].name, text, length))
            return formats[i].dtype;
    return HABITAT_DTYPE_UNKNOWN;
}

/* "2,3" up to a character that is neither digit, sign nor comma; the count. */
static inline size_t case_numbers(work_case *c, const char **text) {
    size_t count = 0;
    while (**text == '-' || (**text >= '0' && **text <= '9')) {
        char *end;
        if (c->used == CASE_NUMBERS)
            break;
        c->numbers[c->used++] = strtoll(*text, &end, 10);
        count++;
        *text = *end == ',' ? end + 1 : end;
    }
    return count;
}

static inline void case_list(work_case *c, habitat_input *in, const char *at) {
    in->is_list = true;
    in->type = "TensorList";
    size_t start = c->used;
    while (*at == '[' && c->used < CASE_NUMBERS) {
        size_t rank_at = c->used++;
        at++;
        c->numbers[rank_at] = (int64_t)case_numbers(c, &at);
        in->list_count++;
        at += *at == ']';
        at += *at == ';';
    }
    in->dims = in->list_count ? &c->numbers[start] : NULL;
}

static inline void case_tensor(work_case *c, habitat_input *in, const char *word) {
    const char *bracket = strchr(word, '[');
    in->is_tensor = true;
    in->type = "float";
    in->value = "";
    if (!bracket)
        return;
    in->dtype = case_dtype(word, (size_t)(bracket - word));
    const char *at = bracket + 1;
    in->dims = &c->numbers[c->used];
    in->rank = (uint8_t)case_numbers(c, &at);
    at += *at == ']';
    if (*at == '@') {
        at++;
        in->strides = &c->numbers[c->used];
        case_numbers(c, &at);
    }
}

static inline void case_input(work_case *c, char *word) {
    habitat_input *in = &c->inputs[c->form.input_count++];
    if (*word == '=') {
        in->type = word[1] == '[' ? "ScalarList" : "Scalar";
        in->value = word + 1;
    } else if (!strcmp(word, "-")) {
        in->type = "";
        in->value = "";
    } else if (!strcmp(word, "?")) {
        in->type = "Scalar";
    } else if (strchr(word, '{')) {
        in->dtype = case_dtype(word, (size_t)(strchr(word, '{') - word));
        case_list(c, in, strchr(word, '{') + 1);
    } else {
        case_tensor(c, in, word);
    }
}

/* Reads "name | inputs" (up to a second '|' or the end). Returns 0, or -1 if it is too long. */
static inline int case_read(work_case *c, const char *line) {
    memset(c, 0, sizeof *c);
    size_t length = strcspn(line, "|");
    size_t end = line[length] ? length + 1 + strcspn(line + length + 1, "|\n") : length;
    if (end >= CASE_TEXT)
        return -1;
    memcpy(c->text, line, end);
    char *inputs = c->text + (line[length] ? length + 1 : length);
    for (size_t i = length; i > 0 && (i == length || c->text[i] == ' '); i--)
        if (c->text[i - 1] == ' ' || i == length)
            c->text[i - (c->text[i - 1] == ' ')] = 0;
    c->op.form = &c->form;
    c->form.name = c->text;
    c->form.inputs = c->inputs;
    for (char *word = strtok(inputs, " \t"); word; word = strtok(NULL, " \t")) {
        if (c->form.input_count == CASE_INPUTS)
            return -1;
        case_input(c, word);
    }
    return 0;
}

#endif
