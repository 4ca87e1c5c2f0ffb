/* The fast way through ordinary events.
 *
 * Traces hold tens of thousands of events of the same simple form, and yajl spends most of the time
 * of reading on them. Here a complete event without escapes, deep nesting or anything unusual goes
 * straight into the event record, by the same functions that yajl's callbacks use. Whatever is not
 * of that form - and every error - is left untouched for yajl, which then reads the same bytes:
 * this way must never accept what yajl would not, and never decides that something is wrong.
 *
 * The text ends with zero bytes, which no function here steps over. A function that does not find
 * what it wants notes where and returns NULL. */
#include "trace/reader.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { NESTING_MAX = 16 };

typedef unsigned char byte;

typedef struct scanner {
    reader *r;
    const byte *failed; /* where something unusual, or the end of the text, was met */
} scanner;

static const byte *fail(scanner *s, const byte *at) {
    s->failed = at;
    return NULL;
}

static const byte *skip_blank(const byte *p) {
    while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
        p++;
    return p;
}

/* From behind the opening quote to the closing one. */
static const byte *string_end(scanner *s, const byte *p) {
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), escape = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1f);
    for (;; p += 16) {
        __m128i text = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i stop = _mm_or_si128(_mm_cmpeq_epi8(text, quote), _mm_cmpeq_epi8(text, escape));
        stop = _mm_or_si128(stop, _mm_cmpeq_epi8(_mm_min_epu8(text, control), text));
        int mask = _mm_movemask_epi8(stop);
        if (mask) {
            p += __builtin_ctz((unsigned)mask);
            break;
        }
    }
#else
    while (*p != '"' && *p != '\\' && *p > 0x1f)
        p++;
#endif
    return *p == '"' ? p : fail(s, p);
}

static bool is_digit(byte c) {
    return (byte)(c - '0') < 10;
}

/* Behind a number of JSON's grammar. */
static const byte *number_end(scanner *s, const byte *p) {
    p += *p == '-';
    if (!is_digit(*p))
        return fail(s, p);
    if (*p == '0')
        p++;
    else
        while (is_digit(*p))
            p++;
    if (*p == '.') {
        if (!is_digit(*++p))
            return fail(s, p);
        while (is_digit(*p))
            p++;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '+' || *p == '-';
        if (!is_digit(*p))
            return fail(s, p);
        while (is_digit(*p))
            p++;
    }
    return *p ? p : fail(s, p); /* it could go on */
}

static const byte *literal_end(scanner *s, const byte *p) {
    static const char *const literals[] = {"true", "false", "null"};
    const char *literal = literals[*p == 't' ? 0 : *p == 'f' ? 1 : 2];
    for (; *literal; literal++, p++)
        if (*p != (byte)*literal)
            return fail(s, p);
    return p;
}

/* A key and its colon: *key and *length receive the key, the result is where the value begins. */
static const byte *read_key(scanner *s, const byte *p, const char **text, size_t *length) {
    if (*p != '"')
        return fail(s, p);
    const byte *end = string_end(s, p + 1);
    if (!end)
        return NULL;
    *text = (const char *)p + 1;
    *length = (size_t)(end - p) - 1;
    p = skip_blank(end + 1);
    return *p == ':' ? skip_blank(p + 1) : fail(s, p);
}

/* Behind a ',' to the next element, or to the closing bracket. */
static const byte *next_element(scanner *s, const byte *p, byte close) {
    p = skip_blank(p);
    if (*p == close)
        return p;
    if (*p != ',')
        return fail(s, p);
    p = skip_blank(p + 1);
    return *p == close ? fail(s, p) : p; /* "[1,]" is not JSON */
}

/* Behind any value, checked but not used. */
static const byte *skip_value(scanner *s, const byte *p, int depth) {
    if (*p == '"') {
        p = string_end(s, p + 1);
        return p ? p + 1 : NULL;
    }
    if (*p != '[' && *p != '{')
        return *p == '-' || is_digit(*p) ? number_end(s, p) : literal_end(s, p);
    byte close = *p == '[' ? ']' : '}';
    if (depth == NESTING_MAX)
        return fail(s, p);
    p = skip_blank(p + 1);
    while (*p != close) {
        const char *text;
        size_t length;
        if (close == '}' && !(p = read_key(s, p, &text, &length)))
            return NULL;
        p = skip_value(s, p, depth + 1);
        if (!p || !(p = next_element(s, p, close)))
            return NULL;
    }
    return p + 1;
}

/* "grid": [x, y, z] of plain numbers. */
static const byte *read_triple(scanner *s, const byte *p, triple *sides) {
    *sides = (triple){.given = true};
    p = skip_blank(p + 1);
    while (*p != ']') {
        const byte *end = number_end(s, p);
        if (!end)
            return NULL;
        reader_add_side(s->r, sides, (const char *)p, (size_t)(end - p));
        p = next_element(s, end, ']');
        if (!p)
            return NULL;
    }
    return p + 1;
}

/* One of the four lists of inputs, kept as text. Lists with objects in them are unusual. */
static const byte *read_list(scanner *s, const byte *p, input_field field) {
    const byte *end = skip_value(s, p, 0);
    if (!end)
        return NULL;
    if (memchr(p, '{', (size_t)(end - p)))
        return fail(s, p);
    inputs_raw(s->r->b->inputs, field, p, (size_t)(end - p));
    return end;
}

static const byte *argument_array(scanner *s, const byte *p) {
    switch (s->r->key) {
    case KEY_DIMS:
        return read_list(s, p, INPUT_DIMS);
    case KEY_TYPES:
        return read_list(s, p, INPUT_TYPES);
    case KEY_STRIDES:
        return read_list(s, p, INPUT_STRIDES);
    case KEY_VALUES:
        return read_list(s, p, INPUT_VALUES);
    case KEY_GRID:
        return read_triple(s, p, &s->r->e.grid);
    case KEY_BLOCK:
        return read_triple(s, p, &s->r->e.block);
    default:
        return fail(s, p); /* a list where none is due */
    }
}

static const byte *argument_value(scanner *s, const byte *p) {
    const byte *end;
    if (s->r->key == KEY_NONE)
        return skip_value(s, p, 0);
    if (*p == '[')
        return argument_array(s, p);
    if (*p == '-' || is_digit(*p)) {
        end = number_end(s, p);
        if (end)
            reader_argument_number(s->r, (const char *)p, (size_t)(end - p));
        return end;
    }
    if (*p == '"') {
        if (s->r->key != KEY_COLLECTIVE && s->r->key != KEY_ELEMENT_TYPE &&
            s->r->key != KEY_LIMITED && s->r->key != KEY_COPY)
            return fail(s, p); /* a number in quotes: unusual */
        end = string_end(s, p + 1);
        if (end)
            reader_argument_string(s->r, (const char *)p + 1, (size_t)(end - p) - 1);
        return end ? end + 1 : NULL;
    }
    if (s->r->key != KEY_NVTX || *p == '{')
        return fail(s, p); /* null, or of a kind that no exporter writes */
    end = literal_end(s, p);
    if (end)
        s->r->e.nvtx = *p == 't';
    return end;
}

static const byte *read_arguments(scanner *s, const byte *p) {
    p = skip_blank(p + 1);
    while (*p != '}') {
        const char *text;
        size_t length;
        p = read_key(s, p, &text, &length);
        if (!p)
            return NULL;
        s->r->key = key_of_argument(text, length);
        p = argument_value(s, p);
        if (!p || !(p = next_element(s, p, '}')))
            return NULL;
    }
    return p + 1;
}

static const byte *event_value(scanner *s, const byte *p) {
    reader *r = s->r;
    const byte *end;
    if (r->key == KEY_ARGS && *p == '{')
        return event_is_unneeded(&r->e) ? skip_value(s, p, 0) : read_arguments(s, p);
    if (r->key == KEY_NONE)
        return skip_value(s, p, 0);
    if (*p == '"' && r->key != KEY_ARGS) {
        end = string_end(s, p + 1);
        if (!end)
            return NULL;
        if (!reader_event_string(r, (const char *)p + 1, (size_t)(end - p) - 1))
            return fail(s, p);
        return end + 1;
    }
    if (*p == '-' || is_digit(*p)) {
        end = number_end(s, p);
        if (end)
            reader_event_number(r, (const char *)p, (size_t)(end - p));
        return end;
    }
    return fail(s, p); /* null, or of a kind that no exporter writes */
}

/* From an event's '{' to behind its '}'. */
static const byte *read_event(scanner *s, const byte *p) {
    reader *r = s->r;
    if (*p != '{')
        return fail(s, p);
    reader_clear_event(r);
    p = skip_blank(p + 1);
    while (*p != '}') {
        const char *text;
        size_t length;
        p = read_key(s, p, &text, &length);
        if (!p)
            return NULL;
        r->key = key_of_event(text, length);
        p = event_value(s, p);
        if (!p || !(p = next_element(s, p, '}')))
            return NULL;
    }
    return p + 1;
}

const unsigned char *scan_events(reader *r, const unsigned char *text, const unsigned char *end,
                                 bool *more) {
    scanner s = {r, NULL};
    *more = false;
    for (;;) {
        const byte *p = skip_blank(text);
        if (*p == ',')
            p = skip_blank(p + 1);
        else if (p < end)
            return text; /* the array's end, or nonsense */
        else
            break;
        p = read_event(&s, p);
        if (!p) {
            *more = s.failed >= end;
            return text;
        }
        if (!reader_finish_event(r))
            return text; /* yajl will meet it again, and say where */
        r->event_count++;
        text = p;
    }
    *more = true;
    return text;
}
