/* Prices as JSON: {"schema": 1, "prices": [{"gpu": "NAME", "usd_per_gpu_hour": 0.79, ..}, ..]}.
 * Strict: an unknown key or a value of the wrong kind is an error with its line. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "ask/price_readers.h"
#include "ask/prices_list.h"
#include "base/error.h"
#include "base/json.h"

enum { SCHEMA = 1, DEEPEST = 8, MOST_GPUS = 1024 };

/* How far lines are counted. */
typedef struct place {
    size_t at, depth;
    uint64_t line;
    bool text; /* inside of one */
    char open[DEEPEST + 1];
} place;

typedef struct reader {
    habitat_prices *prices;
    const char *text, *file;
    size_t size;
    habitat_price_origin origin;
    bool skip_unknown;
    uint64_t line; /* of the price that is being read; 0 outside of any */
    place place;   /* behind its '{' */
    habitat_error *err;
} reader;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static habitat_status
bad(reader *r, habitat_status code, const char *format, ...) {
    char why[256];
    va_list args;
    va_start(args, format);
    habitat_vformat(why, sizeof why, format, args);
    va_end(args);
    return habitat_fail_at(r->err, code, r->file, UINT64_MAX, r->line, "%s", why);
}

/* Goes on to the '{' that opens the next price, which stands in the array of the root: its line, 0
 * where none is left. Also refuses what is nested deeper than any list of prices. */
static habitat_status next_line(reader *r, place *p, uint64_t *out) {
    *out = 0;
    for (; p->at < r->size && !*out; p->at++) {
        char c = r->text[p->at];
        p->line += c == '\n';
        if (p->text) {
            p->at += c == '\\';
            p->text = c != '"';
        } else if (c == '"') {
            p->text = true;
        } else if (c == '{' || c == '[') {
            if (p->depth == DEEPEST)
                return bad(r, HABITAT_E_FORMAT, "is nested deeper than a list of prices is");
            if (c == '{' && p->depth == 2 && p->open[1] == '[')
                *out = p->line;
            p->open[p->depth++] = c;
        } else if ((c == '}' || c == ']') && p->depth) {
            p->depth--;
        }
    }
    return HABITAT_OK;
}

/* Whether a JSON library may read it. */
static habitat_status check_depth(reader *r) {
    place p = {.line = 1};
    habitat_status status = HABITAT_OK;
    uint64_t line = 1;
    while (status == HABITAT_OK && line)
        status = next_line(r, &p, &line);
    return status;
}

/* ---- the keys of a price ---- */

static habitat_status read_text(reader *r, const char *key, yajl_val value, const char **out) {
    const char *text = YAJL_GET_STRING(value);
    if (!text || !*text)
        return bad(r, HABITAT_E_FORMAT, "%.32s must be a text that is not empty", key);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            return bad(r, HABITAT_E_FORMAT, "%.32s must not hold control characters", key);
    *out = text;
    return HABITAT_OK;
}

static habitat_status read_number(reader *r, const char *key, yajl_val value, double *out) {
    if (!YAJL_IS_NUMBER(value) || !habitat_is_number(value->u.number.r, out))
        return bad(r, HABITAT_E_FORMAT, "%.32s must be a number; write it like 2.49", key);
    return HABITAT_OK;
}

static habitat_status read_min_gpus(reader *r, yajl_val value, habitat_price *out) {
    double count = 0;
    habitat_status status = read_number(r, "min_gpus", value, &count);
    if (status == HABITAT_OK && !(count >= 1 && count <= MOST_GPUS && count == (uint32_t)count))
        status = bad(r, HABITAT_E_RANGE, "min_gpus must be a whole number from 1 to 1024");
    if (status == HABITAT_OK)
        out->min_gpus = (uint32_t)count;
    return status;
}

static habitat_status read_date(reader *r, const char *key, yajl_val value, const char **out) {
    habitat_status status = read_text(r, key, value, out);
    if (status == HABITAT_OK && !price_date(*out))
        status = bad(r, HABITAT_E_FORMAT, "%.32s must be a date like 2026-09-25", key);
    return status;
}

static habitat_status read_key(reader *r, const char *key, yajl_val value, habitat_price *out,
                               const char **gpu) {
    const char *word = NULL;
    if (strcmp(key, "gpu") == 0)
        return read_text(r, key, value, gpu);
    if (strcmp(key, "usd_per_gpu_hour") == 0)
        return read_number(r, key, value, &out->usd_per_hour);
    if (strcmp(key, "min_gpus") == 0)
        return read_min_gpus(r, value, out);
    if (strcmp(key, "provider") == 0)
        return read_text(r, key, value, &out->provider);
    if (strcmp(key, "product") == 0)
        return read_text(r, key, value, &out->product);
    if (strcmp(key, "region") == 0)
        return read_text(r, key, value, &out->region);
    if (strcmp(key, "source") == 0)
        return read_text(r, key, value, &out->source);
    if (strcmp(key, "date") == 0)
        return read_date(r, key, value, &out->date);
    if (strcmp(key, "since") == 0)
        return read_date(r, key, value, &word);
    if (strcmp(key, "gpu_alone") == 0) {
        if (!YAJL_IS_TRUE(value) && !YAJL_IS_FALSE(value))
            return bad(r, HABITAT_E_FORMAT, "gpu_alone must be true or false");
        out->gpu_alone = YAJL_IS_TRUE(value);
        return HABITAT_OK;
    }
    if (strcmp(key, "provisioning") == 0) {
        habitat_status status = read_text(r, key, value, &word);
        if (status == HABITAT_OK && !price_kind(word, &out->spot))
            status = bad(r, HABITAT_E_FORMAT, "provisioning must be on-demand or spot");
        return status;
    }
    return bad(r, HABITAT_E_FORMAT, "\"%.64s\" is no key of a price", key);
}

static habitat_status read_price(reader *r, size_t index, yajl_val value) {
    habitat_price price = {.origin = r->origin, .min_gpus = 1, .file = r->file};
    const char *gpu = NULL;
    habitat_error unknown = {0};
    habitat_status status = next_line(r, &r->place, &r->line);
    if (status == HABITAT_OK && !YAJL_IS_OBJECT(value))
        return bad(r, HABITAT_E_FORMAT, "price %zu must be an object", index);
    price.line = r->line;
    for (size_t i = 0; status == HABITAT_OK && i < value->u.object.len; i++)
        status = read_key(r, value->u.object.keys[i], value->u.object.values[i], &price, &gpu);
    if (status != HABITAT_OK)
        return status;
    if (!gpu || !(price.usd_per_hour != 0.0))
        return bad(r, HABITAT_E_FORMAT, "a price needs a gpu and usd_per_gpu_hour");
    if (r->origin == HABITAT_PRICE_BUILTIN && (!price.date || !price.source))
        return bad(r, HABITAT_E_FORMAT, "a price of the list needs a date and a source");
    status = habitat_gpu_find(r->prices->table, gpu, &price.gpu, NULL, &unknown);
    if (status == HABITAT_E_UNKNOWN_GPU && r->skip_unknown)
        return HABITAT_OK;
    if (status != HABITAT_OK)
        return bad(r, status, "%s", unknown.message);
    price.shared_name = habitat_gpu_name_is_shared(price.gpu, gpu);
    return prices_add(r->prices, &price, r->err);
}

static habitat_status read_root(reader *r, yajl_val root) {
    double schema = 0;
    yajl_val prices = NULL;
    habitat_status status = HABITAT_OK;
    if (!YAJL_IS_OBJECT(root))
        return bad(r, HABITAT_E_FORMAT, "is no list of prices: an object is expected");
    for (size_t i = 0; status == HABITAT_OK && i < root->u.object.len; i++) {
        const char *key = root->u.object.keys[i];
        yajl_val value = root->u.object.values[i];
        if (strcmp(key, "schema") == 0)
            status = read_number(r, key, value, &schema);
        else if (strcmp(key, "prices") == 0 && YAJL_IS_ARRAY(value) && !prices)
            prices = value;
        else
            status = bad(r, HABITAT_E_FORMAT, "\"%.64s\" is not what a list of prices holds", key);
    }
    if (status == HABITAT_OK && schema != SCHEMA)
        return bad(r, HABITAT_E_VERSION, "\"schema\" must be %d", SCHEMA);
    if (status == HABITAT_OK && !prices)
        return bad(r, HABITAT_E_FORMAT, "has no \"prices\"");
    for (size_t i = 0; status == HABITAT_OK && i < prices->u.array.len; i++)
        status = read_price(r, i, prices->u.array.values[i]);
    return status;
}

habitat_status prices_read_json(habitat_prices *prices, const char *text, size_t size,
                                const char *file, habitat_price_origin origin, bool skip_unknown,
                                habitat_error *err) {
    reader r = {.prices = prices,
                .text = text,
                .file = file,
                .size = size,
                .origin = origin,
                .skip_unknown = skip_unknown,
                .place = {.line = 1},
                .err = err};
    habitat_arena arena = {0};
    yajl_val root = NULL;
    size_t stopped = 0;
    habitat_status status = check_depth(&r);
    json_result result = JSON_OK;
    if (status == HABITAT_OK)
        result = json_read_tree(&arena, text, size, &root, &stopped);
    if (result == JSON_NO_MEMORY)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    else if (result != JSON_OK)
        status = habitat_fail_at(err, HABITAT_E_PARSE, file, stopped, json_line_of(text, stopped),
                                 "is not JSON from here on");
    else if (status == HABITAT_OK)
        status = read_root(&r, root);
    habitat_arena_free(&arena);
    return status;
}
