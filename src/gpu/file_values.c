/* Values of a GPU file, each read strictly, and the errors that name a key and its line. */
#include "base/json.h"
#include "gpu/file.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include <habitat/text.h>

#include "base/error.h"

/* ---- errors ---- */

/* The first key of this name; NULL if it does not occur. */
const char *gpu_file_find_key(const char *text, const char *key) {
    size_t length = strlen(key);
    for (const char *at = text; length && (at = strstr(at, key)); at += length) {
        if (at == text || at[-1] != '"' || at[length] != '"')
            continue;
        const char *after = at + length + 1;
        if (after[strspn(after, " \t\r\n")] == ':')
            return at;
    }
    return NULL;
}

/* Its line; 0 for a missing key. */
static uint64_t line_of_key(const char *text, const char *key) {
    const char *at = gpu_file_find_key(text, key);
    return at ? json_line_of(text, (size_t)(at - text)) : 0;
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
habitat_status
gpu_file_bad(gpu_file *r, habitat_status code, const char *key, const char *format, ...) {
    char why[256];
    va_list args;
    va_start(args, format);
    habitat_vformat(why, sizeof why, format, args);
    va_end(args);
    uint64_t line = r->scope_line ? r->scope_line : line_of_key(r->text, key);
    return habitat_fail_at(r->err, code, r->file, UINT64_MAX, line, "%s%.64s: %s", r->scope, key,
                           why);
}

habitat_status gpu_file_no_memory(gpu_file *r) {
    return habitat_fail_at(r->err, HABITAT_E_MEMORY, r->file, UINT64_MAX, 0, "out of memory");
}

/* ---- values ---- */

habitat_status gpu_read_text(gpu_file *r, const char *key, yajl_val value, const char **out) {
    const char *text = YAJL_GET_STRING(value);
    if (!text || !*text)
        return gpu_file_bad(r, HABITAT_E_FORMAT, key, "must be a text that is not empty");
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            return gpu_file_bad(r, HABITAT_E_FORMAT, key, "must not hold control characters");
    size_t length = strlen(text);
    if (length > 2000)
        return gpu_file_bad(r, HABITAT_E_RANGE, key, "is longer than 2000 bytes");
    const char *copy = habitat_arena_string(r->arena, text, length);
    if (!copy)
        return gpu_file_no_memory(r);
    *out = copy;
    return HABITAT_OK;
}

habitat_status gpu_read_number(gpu_file *r, const char *key, yajl_val value, double lowest,
                               double highest, double *out) {
    if (!YAJL_IS_NUMBER(value))
        return gpu_file_bad(r, HABITAT_E_FORMAT, key,
                            "must be a number; write it like 1.5, without quotes");
    double number = NAN;
    if (!habitat_is_number(value->u.number.r, &number) ||
        !(number >= lowest && number <= highest)) /* also refuses NaN and infinity */
        return gpu_file_bad(r, HABITAT_E_RANGE, key,
                            "%.40s is outside %g to %g; check the unit in the key",
                            value->u.number.r, lowest, highest);
    *out = number;
    return HABITAT_OK;
}

static habitat_status read_count(gpu_file *r, const char *key, yajl_val value, double lowest,
                                 double highest, uint32_t *out) {
    double number = 0;
    TRY(gpu_read_number(r, key, value, lowest, highest, &number));
    if (number != floor(number))
        return gpu_file_bad(r, HABITAT_E_RANGE, key, "must be a whole number");
    *out = (uint32_t)number;
    return HABITAT_OK;
}

habitat_status gpu_read_texts(gpu_file *r, const char *key, yajl_val value, size_t keep,
                              const char *const **out, size_t *count) {
    if (!YAJL_IS_ARRAY(value) || value->u.array.len > 1000)
        return gpu_file_bad(r, HABITAT_E_FORMAT, key,
                            "must be a list of texts; write it like [\"RTX 3060\"]");
    const char **texts =
        habitat_arena_alloc(r->arena, (keep + value->u.array.len + 1) * sizeof *texts);
    if (!texts)
        return gpu_file_no_memory(r);
    if (keep)
        memcpy(texts, *out, keep * sizeof *texts);
    for (size_t i = 0; i < value->u.array.len; i++)
        TRY(gpu_read_text(r, key, value->u.array.values[i], &texts[keep + i]));
    *out = texts;
    *count = keep + value->u.array.len;
    return HABITAT_OK;
}

/* ---- objects ---- */

const char *gpu_nearest_key(const char *key, const gpu_field *fields, size_t count) {
    const char *nearest = "";
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t distance = habitat_edit_distance(key, fields[i].key);
        if (distance < least) {
            least = distance;
            nearest = fields[i].key;
        }
    }
    return nearest;
}

habitat_status gpu_refuse_twice(gpu_file *r, const char *where, yajl_val object) {
    for (size_t i = 0; i < object->u.object.len; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(object->u.object.keys[i], object->u.object.keys[j]) == 0)
                return gpu_file_bad(r, HABITAT_E_FORMAT, object->u.object.keys[i],
                                    "occurs twice in %s", where);
    return HABITAT_OK;
}

habitat_status gpu_need_object(gpu_file *r, const char *key, yajl_val value) {
    if (!YAJL_IS_OBJECT(value) || value->u.object.len > 1000)
        return gpu_file_bad(r, HABITAT_E_FORMAT, key, "must be an object { }");
    return gpu_refuse_twice(r, key, value);
}

habitat_status gpu_read_field(gpu_file *r, const gpu_field *field, yajl_val value, char *base) {
    void *target = base + field->offset;
    double number = 0;
    switch (field->kind) {
    case GPU_FIELD_TEXT:
        return gpu_read_text(r, field->key, value, target);
    case GPU_FIELD_COUNT:
        return read_count(r, field->key, value, field->lowest, field->highest, target);
    case GPU_FIELD_NUMBER:
        TRY(gpu_read_number(r, field->key, value, field->lowest, field->highest, &number));
        number *= field->scale;
        memcpy(target, &number, sizeof number);
        return HABITAT_OK;
    case GPU_FIELD_OTHER:
        break;
    }
    return HABITAT_OK;
}
