/* Lists of a GPU file: measured operations, and the sources of its values. */
#include "base/json.h"
#include "gpu/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "base/date.h"
#include "base/letter.h"
#include "base/vocabulary.h"

enum { MOST_OPERATIONS = 1000 };

/* ---- measured operations ---- */

/* Line of the object `index` of the list that follows "operations"; its objects hold no others. */
static uint64_t line_of_operation(const char *text, size_t index) {
    const char *at = gpu_file_find_key(text, "operations");
    at = at ? strchr(at, '[') : NULL;
    bool in_string = false;
    for (; at && *at; at++) {
        if (in_string && *at == '\\' && at[1])
            at++;
        else if (*at == '"')
            in_string = !in_string;
        else if (!in_string && *at == ']')
            break;
        else if (!in_string && *at == '{' && index-- == 0)
            return json_line_of(text, (size_t)(at - text));
    }
    return 0;
}

/* One of these words, as the table's own text. */
static habitat_status read_word(gpu_file *r, const char *key, yajl_val value,
                                const char *const *words, size_t count, const char **out) {
    const char *text = YAJL_GET_STRING(value);
    char known[128] = "";
    for (size_t i = 0; i < count; i++) {
        if (text && strcmp(text, words[i]) == 0) {
            *out = words[i];
            return HABITAT_OK;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s %s", used ? "," : "", words[i]);
    }
    return gpu_file_bad(r, HABITAT_E_FORMAT, key, "must be one of:%s", known);
}

/* A word of a vocabulary, as it is written. */
static habitat_status read_vocabulary(gpu_file *r, const char *key, yajl_val value,
                                      const vocabulary *of, const char **out) {
    const char *text = YAJL_GET_STRING(value);
    const word *found = text ? word_find(of, text) : NULL;
    char known[128];
    word_list(of, known, sizeof known);
    if (!found || found->why_not)
        return gpu_file_bad(r, HABITAT_E_FORMAT, key, "must be one of: %s", known);
    return gpu_read_text(r, key, value, out);
}

/* "m=512 n=1024 k=64": which keys an operation needs is for the models to say. */
static bool is_shape(const char *text) {
    for (;;) {
        size_t key = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
        if (key == 0 || text[key] != '=' || !letter_is_digit(text[key + 1]))
            return false;
        double value = NAN;
        const char *end = text + key + 1;
        end += habitat_read_number(end, &value);
        if (!(value >= 0 && value < 1e15) || (*end && (*end != ' ' || !end[1])))
            return false;
        if (!*end)
            return true;
        text = end + 1;
    }
}

static habitat_status read_operation_key(gpu_file *r, const char *key, yajl_val value,
                                         habitat_gpu_operation *out) {
    if (strcmp(key, "op") == 0)
        return gpu_read_text(r, key, value, &out->op);
    if (strcmp(key, "pass") == 0)
        return read_vocabulary(r, key, value, &habitat_passes, &out->pass);
    if (strcmp(key, "timing") == 0)
        return read_vocabulary(r, key, value, &habitat_timings, &out->timing);
    if (strcmp(key, "latency_ms") == 0)
        return gpu_read_number(r, key, value, 1e-6, 1e7, &out->ms);
    if (strcmp(key, "shape") == 0) {
        TRY(gpu_read_text(r, key, value, &out->shape));
        return is_shape(out->shape) ? HABITAT_OK
                                    : gpu_file_bad(r, HABITAT_E_FORMAT, key,
                                                   "must be sizes such as \"m=512 n=1024 k=64\"");
    }
    if (strcmp(key, "dtype") == 0) {
        const char *text = YAJL_GET_STRING(value);
        out->dtype = text ? habitat_dtype_from_name(text) : HABITAT_DTYPE_UNKNOWN;
        return out->dtype != HABITAT_DTYPE_UNKNOWN
                   ? HABITAT_OK
                   : gpu_file_bad(
                         r, HABITAT_E_FORMAT, key,
                         "unknown number format; known: fp64 fp32 tf32 fp16 bf16 fp8 int8");
    }
    return gpu_file_bad(r, HABITAT_E_FORMAT, key,
                        "unknown key; known: op pass dtype shape latency_ms timing");
}

static habitat_status read_operation(gpu_file *r, yajl_val value, habitat_gpu_operation *out) {
    *out = (habitat_gpu_operation){.pass = "forward", .timing = "graph"};
    if (!YAJL_IS_OBJECT(value) || value->u.object.len > 100)
        return gpu_file_bad(r, HABITAT_E_FORMAT, "operation", "must be an object { }");
    TRY(gpu_refuse_twice(r, "the operation", value));
    for (size_t i = 0; i < value->u.object.len; i++)
        TRY(read_operation_key(r, value->u.object.keys[i], value->u.object.values[i], out));
    const char *missing = !out->op                              ? "op"
                          : out->dtype == HABITAT_DTYPE_UNKNOWN ? "dtype"
                          : !out->shape                         ? "shape"
                          : !(out->ms > 0)                      ? "latency_ms"
                                                                : NULL;
    return missing ? gpu_file_bad(r, HABITAT_E_FORMAT, missing, "is missing") : HABITAT_OK;
}

habitat_status gpu_read_operations(gpu_file *r, yajl_val value) {
    if (!YAJL_IS_ARRAY(value) || value->u.array.len > MOST_OPERATIONS)
        return gpu_file_bad(r, HABITAT_E_FORMAT, "operations",
                            "must be a list of measured operations, at most %d",
                            (int)MOST_OPERATIONS);
    size_t count = value->u.array.len;
    habitat_gpu_operation *operations =
        habitat_arena_alloc(r->arena, (count + 1) * sizeof *operations);
    if (!operations)
        return gpu_file_no_memory(r);
    for (size_t i = 0; i < count; i++) {
        snprintf(r->scope, sizeof r->scope, "operations[%zu].", i);
        r->scope_line = line_of_operation(r->text, i);
        TRY(read_operation(r, value->u.array.values[i], &operations[i]));
        operations[i].line = (uint32_t)r->scope_line;
    }
    r->scope[0] = '\0';
    r->scope_line = 0;
    r->entry->gpu.operations = operations;
    r->entry->gpu.operation_count = count;
    return HABITAT_OK;
}

/* ---- sources ---- */

bool gpu_is_date(const char *date) {
    int year, month, day;
    return date_read(date, &year, &month, &day) && year >= 1990 && year <= 2100;
}

static habitat_status read_source(gpu_file *r, const char *id, yajl_val value,
                                  habitat_gpu_source *common, const char *const **covers,
                                  size_t *count) {
    TRY(gpu_need_object(r, id, value));
    for (size_t i = 0; i < value->u.object.len; i++) {
        const char *key = value->u.object.keys[i];
        yajl_val inner = value->u.object.values[i];
        if (strcmp(key, "covers") == 0)
            TRY(gpu_read_texts(r, key, inner, 0, covers, count));
        else if (strcmp(key, "title") == 0)
            TRY(gpu_read_text(r, key, inner, &common->title));
        else if (strcmp(key, "publisher") == 0)
            TRY(gpu_read_text(r, key, inner, &common->publisher));
        else if (strcmp(key, "date") == 0)
            TRY(gpu_read_text(r, key, inner, &common->date));
        else if (strcmp(key, "note") == 0)
            TRY(gpu_read_text(r, key, inner, &common->note));
        else if (strcmp(key, "kind") == 0)
            TRY(read_word(r, key, inner, gpu_source_kinds, GPU_SOURCE_KINDS, &common->kind));
        else
            return gpu_file_bad(
                r, HABITAT_E_FORMAT, key,
                "unknown key in sources; known: kind covers title publisher date note");
    }
    if (!*count || !common->title || !common->publisher || !common->date)
        return gpu_file_bad(r, HABITAT_E_FORMAT, id,
                            "a source needs covers, title, publisher and date");
    if (!gpu_is_date(common->date))
        return gpu_file_bad(r, HABITAT_E_FORMAT, id, "date must be YYYY, YYYY-MM or YYYY-MM-DD");
    return HABITAT_OK;
}

habitat_status gpu_read_sources(gpu_file *r, yajl_val value) {
    gpu_entry *entry = r->entry;
    TRY(gpu_need_object(r, "sources", value));
    for (size_t i = 0; i < value->u.object.len; i++) {
        habitat_gpu_source common = {0};
        const char *const *covers = NULL;
        size_t count = 0;
        common.id = habitat_arena_string(r->arena, value->u.object.keys[i],
                                         strlen(value->u.object.keys[i]));
        if (!common.id)
            return gpu_file_no_memory(r);
        TRY(read_source(r, common.id, value->u.object.values[i], &common, &covers, &count));
        habitat_gpu_source *sources =
            habitat_arena_alloc(r->arena, (entry->source_count + count) * sizeof *sources);
        if (!sources)
            return gpu_file_no_memory(r);
        if (entry->source_count)
            memcpy(sources, entry->sources, entry->source_count * sizeof *sources);
        for (size_t c = 0; c < count; c++) {
            sources[entry->source_count + c] = common;
            sources[entry->source_count + c].field = covers[c];
        }
        entry->sources = sources;
        entry->source_count += count;
    }
    return HABITAT_OK;
}
