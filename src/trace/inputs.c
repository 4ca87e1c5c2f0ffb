/* Inputs of operations. While an event is read its four lists are kept as tagged items; a list that
 * was seen before is found by its bytes, and only a new one is decoded. */
#include "trace/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/letter.h"
#include "base/list.h"
#include "trace/number.h"

/* Elements or bytes of one side of a tensor, far beyond what any memory holds. */
static const uint64_t size_max = (uint64_t)1 << 59;

enum {
    ITEM_FIELD = 'F',
    ITEM_OPEN = '[',
    ITEM_CLOSE = ']',
    ITEM_NUMBER = 'n',
    ITEM_STRING = 's',
    ITEM_RAW = 'r', /* a field and its list as text */
    ITEM_NULL = '0',
    ITEM_OTHER = 'x'
};

/* A list that was seen, by its bytes. */
struct input_list {
    unsigned char *key;
    size_t key_size;
    habitat_input *inputs;
    uint32_t count;
    bool has_shapes;
};

static bool grow(input_lists *l, size_t wanted) {
    l->overflow = wanted > INPUT_LIST_BYTES_MAX;
    if (l->overflow)
        return false;
    unsigned char *bytes =
        list_reserve(l->bytes, wanted, &l->capacity, 1024, INPUT_LIST_BYTES_MAX, 1);
    l->no_memory = !bytes;
    if (bytes)
        l->bytes = bytes;
    return bytes;
}

static unsigned char *reserve(input_lists *l, size_t more) {
    if (l->overflow || l->no_memory || (l->size + more > l->capacity && !grow(l, l->size + more)))
        return NULL;
    unsigned char *at = l->bytes + l->size;
    l->size += more;
    return at;
}

void inputs_clear(input_lists *l) {
    l->size = 0;
    l->overflow = l->no_memory = l->raw = false;
    l->problem = NULL;
}

static void keep_problem(input_lists *l, input_field field, const char *problem,
                         bool out_of_range) {
    if (l->problem)
        return;
    l->problem = problem;
    l->problem_field = field;
    l->out_of_range = out_of_range;
}

void inputs_wrong(input_lists *l, input_field field) {
    keep_problem(l, field, "is no list", false);
}

static void put(input_lists *l, unsigned char item) {
    unsigned char *at = reserve(l, 1);
    if (at)
        *at = item;
}

void inputs_field(input_lists *l, input_field field) {
    put(l, ITEM_FIELD);
    put(l, (unsigned char)field);
}

void inputs_open(input_lists *l) {
    put(l, ITEM_OPEN);
}

void inputs_close(input_lists *l) {
    put(l, ITEM_CLOSE);
}

void inputs_null(input_lists *l) {
    put(l, ITEM_NULL);
}

void inputs_other(input_lists *l) {
    put(l, ITEM_OTHER);
}

static void put_text(input_lists *l, unsigned char item, const void *text, size_t length) {
    unsigned char *at = length > UINT32_MAX ? NULL : reserve(l, 5 + length);
    if (!at)
        return;
    uint32_t length32 = (uint32_t)length;
    *at = item;
    memcpy(at + 1, &length32, 4);
    if (length)
        memcpy(at + 5, text, length);
}

void inputs_number(input_lists *l, const char *text, size_t length) {
    put_text(l, ITEM_NUMBER, text, length);
}

void inputs_string(input_lists *l, const unsigned char *text, size_t length) {
    put_text(l, ITEM_STRING, text, length);
}

void inputs_raw(input_lists *l, input_field field, const unsigned char *text, size_t length) {
    inputs_field(l, field);
    put_text(l, ITEM_RAW, text, length);
    l->raw = true;
}

typedef struct item {
    unsigned char type;
    input_field field;
    const char *text;
    size_t length;
} item;

/* Next item of a well-formed sequence; false at its end. */
static bool next_item(const unsigned char **at, const unsigned char *end, item *out) {
    if (*at >= end)
        return false;
    *out = (item){.type = *(*at)++};
    if (out->type == ITEM_FIELD) {
        out->field = (input_field) * (*at)++;
    } else if (out->type == ITEM_NUMBER || out->type == ITEM_STRING || out->type == ITEM_RAW) {
        uint32_t length;
        memcpy(&length, *at, 4);
        out->text = (const char *)*at + 4;
        out->length = length;
        *at += 4 + length;
    }
    return true;
}

/* --- text into items ----------------------------------------------------------------------- */

/* Items of a well-formed list's text. */
static void expand_text(input_lists *l, const unsigned char *at, const unsigned char *end) {
    while (at < end) {
        const unsigned char *from = at++;
        switch (*from) {
        case '[':
            inputs_open(l);
            break;
        case ']':
            inputs_close(l);
            break;
        case '"':
            at = memchr(at, '"', (size_t)(end - at));
            inputs_string(l, from + 1, (size_t)(at - from) - 1);
            at++;
            break;
        case ',':
        case ' ':
        case '\n':
        case '\r':
        case '\t':
            break;
        default: /* a number, or null, true, false */
            while (*at > ' ' && *at != ',' && *at != ']')
                at++;
            if (*from == '-' || letter_is_digit((char)*from))
                inputs_number(l, (const char *)from, (size_t)(at - from));
            else if (*from == 'n')
                inputs_null(l);
            else
                inputs_other(l);
        }
    }
}

/* The same list in items alone. */
static void expand(const input_lists *l, input_lists *out) {
    const unsigned char *at = l->bytes, *end = at + l->size;
    for (item it; next_item(&at, end, &it);) {
        if (it.type == ITEM_FIELD)
            inputs_field(out, it.field);
        else if (it.type == ITEM_RAW)
            expand_text(out, (const unsigned char *)it.text,
                        (const unsigned char *)it.text + it.length);
        else if (it.type == ITEM_OPEN)
            inputs_open(out);
        else if (it.type == ITEM_CLOSE)
            inputs_close(out);
        else if (it.type == ITEM_NUMBER)
            inputs_number(out, it.text, it.length);
        else if (it.type == ITEM_STRING)
            inputs_string(out, (const unsigned char *)it.text, it.length);
        else if (it.type == ITEM_NULL)
            inputs_null(out);
        else
            inputs_other(out);
    }
}

/* --- decoding ----------------------------------------------------------------------------- */

/* Elements of the longest of the lists. */
static size_t count_inputs(const input_lists *l) {
    const unsigned char *at = l->bytes, *end = at + l->size;
    size_t longest = 0, count = 0;
    int depth = 0;
    for (item it; next_item(&at, end, &it);) {
        if (it.type == ITEM_FIELD) {
            count = 0;
            continue;
        }
        if (it.type == ITEM_CLOSE)
            depth--;
        else if (depth == 1)
            count++;
        if (it.type == ITEM_OPEN)
            depth++;
        if (count > longest)
            longest = count;
    }
    return longest;
}

/* Numbers of one element's array, from the item behind its '[' to its ']'. `flat` receives the
 * numbers of a plain array; of an array of arrays, [rank, numbers...] for each. */
typedef struct shape {
    const int64_t *numbers;
    size_t count;
    uint32_t list_count; /* arrays inside */
    bool nested, bad;    /* bad: of a form that nothing here reads */
    number_result wrong; /* what one of its numbers is, in place of a whole one from 0 on */
} shape;

static bool read_shape(const unsigned char **at, const unsigned char *end, habitat_arena *arena,
                       shape *out) {
    const unsigned char *scan = *at;
    size_t room = 0;
    int depth = 1;
    *out = (shape){0};
    for (item it; depth && next_item(&scan, end, &it);) {
        depth += it.type == ITEM_OPEN ? 1 : it.type == ITEM_CLOSE ? -1 : 0;
        room += it.type == ITEM_OPEN || it.type == ITEM_NUMBER;
        out->nested |= it.type == ITEM_OPEN;
        out->bad |= depth > 2 || it.type == ITEM_NULL || it.type == ITEM_STRING;
        if (it.type == ITEM_OTHER)
            out->wrong = NUMBER_BAD;
    }
    int64_t *numbers = habitat_arena_alloc(arena, room ? room * sizeof *numbers : 1);
    if (!numbers)
        return false;
    int64_t *rank = NULL;
    for (item it; *at < scan && next_item(at, scan, &it);) {
        uint64_t value = 0;
        if (it.type == ITEM_NUMBER && out->wrong == NUMBER_OK)
            out->wrong = number_whole(it.text, it.length, size_max, &value);
        if (out->bad || out->wrong != NUMBER_OK)
            continue;
        if (it.type == ITEM_OPEN) {
            rank = &numbers[out->count++];
            *rank = 0;
            out->list_count++;
        } else if (it.type == ITEM_CLOSE) {
            rank = NULL;
        } else if (out->nested && !rank) {
            out->bad = true; /* numbers beside arrays */
        } else {
            numbers[out->count++] = (int64_t)value;
            if (rank)
                ++*rank;
        }
    }
    if (out->bad || out->wrong != NUMBER_OK || (!out->nested && out->count > UINT8_MAX))
        *out = (shape){.bad = true, .wrong = out->wrong};
    out->numbers = numbers;
    return true;
}

/* All of it at once: where a trace gives the list twice, the last one counts. */
static void set_dims(habitat_input *input, const shape *s) {
    if (s->bad)
        return;
    input->is_list = s->nested;
    input->list_count = s->list_count;
    input->rank = s->nested ? 0 : (uint8_t)s->count;
    input->dims = s->count ? s->numbers : NULL;
}

/* Strides belong to the dims beside them; they count only if they have the same shape. */
static void set_strides(habitat_input *input, const shape *s) {
    input->strides = !s->bad && s->count ? s->numbers : NULL;
}

static const char *text_of(habitat_strings *strings, const item *it) {
    return habitat_strings_intern(strings, it->text, it->length);
}

static const char *problem_of(number_result wrong) {
    return wrong == NUMBER_NEGATIVE    ? "holds a negative number"
           : wrong == NUMBER_TOO_LARGE ? "holds an absurdly large number"
                                       : "holds what is no whole number";
}

typedef struct decoder {
    input_lists *lists; /* where a problem is kept */
    habitat_arena *arena;
    habitat_strings *strings;
    habitat_input *inputs;
    size_t *stride_counts;
} decoder;

/* One element of one of the four lists. */
static bool decode_element(decoder *d, input_field field, size_t index, const item *it,
                           const unsigned char **at, const unsigned char *end) {
    habitat_input *input = &d->inputs[index];
    if (it->type == ITEM_OPEN) {
        shape s;
        if (!read_shape(at, end, d->arena, &s))
            return false;
        bool sizes = field == INPUT_DIMS || field == INPUT_STRIDES;
        if (sizes && s.wrong != NUMBER_OK)
            keep_problem(d->lists, field, problem_of(s.wrong),
                         s.wrong == NUMBER_NEGATIVE || s.wrong == NUMBER_TOO_LARGE);
        if (field == INPUT_DIMS) {
            set_dims(input, &s);
        } else if (field == INPUT_STRIDES) {
            set_strides(input, &s);
            d->stride_counts[index] = s.count;
        }
        return true;
    }
    bool is_text = it->type == ITEM_STRING || it->type == ITEM_NUMBER;
    if (field != INPUT_VALUES && (it->type == ITEM_NUMBER || it->type == ITEM_OTHER))
        keep_problem(d->lists, field,
                     field == INPUT_TYPES ? "holds what is no text" : "holds what is no list",
                     false);
    if (field == INPUT_TYPES && it->type == ITEM_STRING) {
        input->type = text_of(d->strings, it);
        return input->type != NULL;
    }
    if (field == INPUT_VALUES && is_text && it->length) {
        input->value = text_of(d->strings, it);
        return input->value != NULL;
    }
    return true;
}

static bool decode(const input_lists *l, decoder *d) {
    const unsigned char *at = l->bytes, *end = at + l->size;
    input_field field = INPUT_DIMS;
    size_t index = 0;
    int depth = 0;
    for (item it; next_item(&at, end, &it);) {
        if (it.type == ITEM_FIELD) {
            field = it.field;
            index = 0;
            depth = 0;
        } else if (it.type == ITEM_CLOSE) {
            depth--;
        } else if (depth == 0) {
            depth++; /* the list's own '[' */
        } else if (!decode_element(d, field, index++, &it, &at, end)) {
            return false;
        }
    }
    return true;
}

/* "[float]" after "TensorList": Kineto writes none, a recording without a GPU does. */
static habitat_dtype listed_dtype(const char *text) {
    char name[32] = "";
    size_t length = strlen(text);
    if (length < 2 || length - 2 >= sizeof name || *text != '[' || text[length - 1] != ']')
        return HABITAT_DTYPE_UNKNOWN;
    memcpy(name, text + 1, length - 2);
    return habitat_dtype_from_name(name);
}

/* What an input is, once all four lists are known. */
static void settle(habitat_input *input, size_t stride_count, bool *has_shapes) {
    if (!input->type)
        input->type = "";
    input->dtype = habitat_dtype_from_name(input->type);
    if (!strncmp(input->type, "TensorList", 10)) {
        input->is_list = true;
        input->dtype = listed_dtype(input->type + 10);
    }
    input->is_tensor =
        !input->is_list && (input->dtype != HABITAT_DTYPE_UNKNOWN || input->rank > 0);
    if (!input->is_tensor && !input->is_list) {
        input->rank = 0;
        input->dims = NULL;
    }
    size_t dim_count = input->rank;
    if (input->is_list)
        for (uint32_t i = 0; i < input->list_count; i++)
            dim_count += 1 + (size_t)input->dims[dim_count];
    if (stride_count != dim_count)
        input->strides = NULL;
    *has_shapes |= input->dims != NULL;
}

/* Decode the items into the inputs of a list. */
static bool decode_list(input_lists *l, habitat_arena *arena, habitat_strings *strings,
                        struct input_list *list) {
    size_t count = count_inputs(l);
    habitat_input *inputs = habitat_arena_alloc(arena, count ? count * sizeof *inputs : 1);
    size_t *stride_counts = calloc(count ? count : 1, sizeof *stride_counts);
    if (!inputs || !stride_counts) {
        free(stride_counts);
        return false;
    }
    memset(inputs, 0, count * sizeof *inputs);
    decoder d = {l, arena, strings, inputs, stride_counts};
    bool fine = decode(l, &d) && !l->problem;
    for (size_t i = 0; fine && i < count; i++)
        settle(&inputs[i], stride_counts[i], &list->has_shapes);
    free(stride_counts);
    list->inputs = inputs;
    list->count = (uint32_t)count;
    return fine;
}

/* What the list's items say, decoded. */
static bool decode_new(input_lists *l, habitat_arena *arena, habitat_strings *strings,
                       struct input_list *list) {
    if (!l->raw)
        return decode_list(l, arena, strings, list);
    input_lists items = {0};
    expand(l, &items);
    bool fine = !items.overflow && !items.no_memory && decode_list(&items, arena, strings, list);
    if (items.problem)
        keep_problem(l, items.problem_field, items.problem, items.out_of_range);
    free(items.bytes);
    return fine;
}

static bool make_room(input_lists *l) {
    struct input_list *lists =
        list_grow(l->lists, l->list_count, &l->list_capacity, 256, SIZE_MAX, sizeof *lists);
    if (lists)
        l->lists = lists;
    return lists != NULL;
}

/* Keep the list, as the last one. */
static bool add_list(input_lists *l, habitat_arena *arena, habitat_strings *strings,
                     uint64_t hash) {
    struct input_list added = {.key_size = l->size};
    if (!make_room(l))
        return false;
    added.key = malloc(l->size);
    if (!added.key || !decode_new(l, arena, strings, &added) ||
        !habitat_table_put(&l->table, hash, (uint32_t)l->list_count)) {
        free(added.key);
        return false;
    }
    memcpy(added.key, l->bytes, l->size);
    l->lists[l->list_count++] = added;
    return true;
}

/* `key` is the list being read. */
static bool is_list(const void *elements, uint32_t index, const void *key) {
    const struct input_list *have = (const struct input_list *)elements + index;
    const input_lists *want = key;
    return have->key_size == want->size && !memcmp(have->key, want->bytes, want->size);
}

bool inputs_store(input_lists *l, habitat_arena *arena, habitat_strings *strings,
                  habitat_op_form *form, bool *has_shapes) {
    if (l->size == 0 || l->problem)
        return !l->problem;
    uint64_t hash = habitat_hash_bytes(l->bytes, l->size);
    uint32_t at = habitat_table_find(&l->table, hash, is_list, l->lists, l);
    if (at == HABITAT_NONE) {
        at = (uint32_t)l->list_count;
        if (!add_list(l, arena, strings, hash))
            return false;
    }
    const struct input_list *list = &l->lists[at];
    form->inputs = list->count ? list->inputs : NULL;
    form->input_count = list->count;
    *has_shapes |= list->has_shapes;
    return true;
}

void inputs_free(input_lists *l) {
    for (size_t i = 0; i < l->list_count; i++)
        free(l->lists[i].key);
    free(l->lists);
    habitat_table_free(&l->table);
    free(l->bytes);
    *l = (input_lists){0};
}
