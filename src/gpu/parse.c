/* One GPU file to one entry: keys and conventions in docs/gpus.md and data/schema/gpu.schema.json.
 *
 * Strict: an unknown key, a wrong type, a value outside its range or a missing key is an error that
 * names the key and its line, so that a typing mistake never becomes a silent default. Only the
 * estimates of sustained.c fill anything in. */
#include "gpu/entry.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "base/error.h"
#include "base/json.h"
#include "base/letter.h"

enum { LARGEST_FILE_BYTES = 1 << 20, DEEPEST = 16, SCHEMA = 1, MOST_OPERATIONS = 1000 };

typedef struct reader {
    habitat_arena *arena;
    gpu_entry *entry;
    const char *text, *file;
    habitat_error *err;
    char scope[32]; /* what stands before a key in messages: "operations[3]." */
    gpu_left_out left;
    uint64_t scope_line; /* of the object that is being read; 0 = the key is looked for */
} reader;

#define TRY(call)                                                                                  \
    do {                                                                                           \
        habitat_status try_status = (call);                                                        \
        if (try_status != HABITAT_OK)                                                              \
            return try_status;                                                                     \
    } while (0)

/* ---- errors ---- */

static uint64_t line_of(const char *text, size_t byte) {
    uint64_t line = 1;
    for (size_t i = 0; i < byte && text[i]; i++)
        line += text[i] == '\n';
    return line;
}

/* The first key of this name; NULL if it does not occur. */
static const char *find_key(const char *text, const char *key) {
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
    const char *at = find_key(text, key);
    return at ? line_of(text, (size_t)(at - text)) : 0;
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static habitat_status
bad(reader *r, habitat_status code, const char *key, const char *format, ...) {
    char why[256];
    va_list args;
    va_start(args, format);
    habitat_vformat(why, sizeof why, format, args);
    va_end(args);
    uint64_t line = r->scope_line ? r->scope_line : line_of_key(r->text, key);
    return habitat_fail_at(r->err, code, r->file, UINT64_MAX, line, "%s%.64s: %s", r->scope, key,
                           why);
}

static habitat_status no_memory(reader *r) {
    return habitat_fail_at(r->err, HABITAT_E_MEMORY, r->file, UINT64_MAX, 0, "out of memory");
}

/* ---- values ---- */

static habitat_status read_text(reader *r, const char *key, yajl_val value, const char **out) {
    const char *text = YAJL_GET_STRING(value);
    if (!text || !*text)
        return bad(r, HABITAT_E_FORMAT, key, "must be a text that is not empty");
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            return bad(r, HABITAT_E_FORMAT, key, "must not hold control characters");
    size_t length = strlen(text);
    if (length > 2000)
        return bad(r, HABITAT_E_RANGE, key, "is longer than 2000 bytes");
    const char *copy = habitat_arena_string(r->arena, text, length);
    if (!copy)
        return no_memory(r);
    *out = copy;
    return HABITAT_OK;
}

static habitat_status read_number(reader *r, const char *key, yajl_val value, double lowest,
                                  double highest, double *out) {
    if (!YAJL_IS_NUMBER(value))
        return bad(r, HABITAT_E_FORMAT, key, "must be a number");
    double number = NAN;
    if (!habitat_is_number(value->u.number.r, &number) ||
        !(number >= lowest && number <= highest)) /* also refuses NaN and infinity */
        return bad(r, HABITAT_E_RANGE, key, "%.40s is outside %g to %g; check the unit in the key",
                   value->u.number.r, lowest, highest);
    *out = number;
    return HABITAT_OK;
}

static habitat_status read_count(reader *r, const char *key, yajl_val value, double lowest,
                                 double highest, uint32_t *out) {
    double number = 0;
    TRY(read_number(r, key, value, lowest, highest, &number));
    if (number != floor(number))
        return bad(r, HABITAT_E_RANGE, key, "must be a whole number");
    *out = (uint32_t)number;
    return HABITAT_OK;
}

static habitat_status read_texts(reader *r, const char *key, yajl_val value, size_t keep,
                                 const char *const **out, size_t *count) {
    if (!YAJL_IS_ARRAY(value) || value->u.array.len > 1000)
        return bad(r, HABITAT_E_FORMAT, key, "must be a list of texts");
    const char **texts =
        habitat_arena_alloc(r->arena, (keep + value->u.array.len + 1) * sizeof *texts);
    if (!texts)
        return no_memory(r);
    if (keep)
        memcpy(texts, *out, keep * sizeof *texts);
    for (size_t i = 0; i < value->u.array.len; i++)
        TRY(read_text(r, key, value->u.array.values[i], &texts[keep + i]));
    *out = texts;
    *count = keep + value->u.array.len;
    return HABITAT_OK;
}

/* ---- objects ---- */

static const char *nearest_key(const char *key, const gpu_field *fields, size_t count) {
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

static habitat_status refuse_twice(reader *r, const char *where, yajl_val object) {
    for (size_t i = 0; i < object->u.object.len; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(object->u.object.keys[i], object->u.object.keys[j]) == 0)
                return bad(r, HABITAT_E_FORMAT, object->u.object.keys[i], "occurs twice in %s",
                           where);
    return HABITAT_OK;
}

static habitat_status need_object(reader *r, const char *key, yajl_val value) {
    if (!YAJL_IS_OBJECT(value) || value->u.object.len > 1000)
        return bad(r, HABITAT_E_FORMAT, key, "must be an object { }");
    return refuse_twice(r, key, value);
}

static habitat_status read_plain_field(reader *r, const gpu_field *field, yajl_val value,
                                       char *base) {
    void *target = base + field->offset;
    double number = 0;
    switch (field->kind) {
    case GPU_FIELD_TEXT:
        return read_text(r, field->key, value, target);
    case GPU_FIELD_COUNT:
        return read_count(r, field->key, value, field->lowest, field->highest, target);
    case GPU_FIELD_NUMBER:
        TRY(read_number(r, field->key, value, field->lowest, field->highest, &number));
        number *= field->scale;
        memcpy(target, &number, sizeof number);
        return HABITAT_OK;
    case GPU_FIELD_OTHER:
        break;
    }
    return HABITAT_OK;
}

static habitat_status read_limits(reader *r, yajl_val value) {
    TRY(need_object(r, "sm_limits", value));
    for (size_t i = 0; i < value->u.object.len; i++) {
        const char *key = value->u.object.keys[i];
        size_t f = 0;
        while (f < gpu_limit_field_count && strcmp(key, gpu_limit_fields[f].key) != 0)
            f++;
        if (f == gpu_limit_field_count)
            return bad(r, HABITAT_E_FORMAT, key, "unknown key in sm_limits; did you mean %s?",
                       nearest_key(key, gpu_limit_fields, gpu_limit_field_count));
        TRY(read_plain_field(r, &gpu_limit_fields[f], value->u.object.values[i],
                             (char *)&r->entry->gpu.limits));
    }
    return HABITAT_OK;
}

static habitat_status read_rates(reader *r, const char *where, yajl_val value, double *rates) {
    static const habitat_dtype known[] = {
        HABITAT_DTYPE_FP64, HABITAT_DTYPE_FP32, HABITAT_DTYPE_TF32, HABITAT_DTYPE_FP16,
        HABITAT_DTYPE_BF16, HABITAT_DTYPE_FP8,  HABITAT_DTYPE_INT8};
    habitat_gpu *gpu = &r->entry->gpu;
    TRY(need_object(r, where, value));
    for (size_t i = 0; i < value->u.object.len; i++) {
        const char *key = value->u.object.keys[i];
        double number = 0, *target = NULL;
        for (size_t d = 0; d < sizeof known / sizeof *known; d++)
            if (strcmp(key, habitat_dtype_name(known[d])) == 0)
                target = &rates[known[d]];
        if (rates == gpu->peak.matrix_flop_per_s && strcmp(key, "fp16_fp16_accumulate") == 0)
            target = &gpu->matrix_fp16_accumulate_fp16_flop_per_s;
        if (rates == gpu->peak.matrix_flop_per_s && strcmp(key, "fp8_fp16_accumulate") == 0)
            target = &gpu->matrix_fp8_accumulate_fp16_flop_per_s;
        if (!target)
            return bad(r, HABITAT_E_FORMAT, key,
                       "unknown number format in %s; known: fp64 fp32 tf32 fp16 bf16 fp8 int8",
                       where);
        if (YAJL_IS_NULL(value->u.object.values[i])) { /* complete.c says whether it is needed */
            r->left.null_fp16 |= target == &gpu->peak.matrix_flop_per_s[HABITAT_DTYPE_FP16];
            continue;
        }
        TRY(read_number(r, key, value->u.object.values[i], 1e-3, 1e6, &number));
        *target = number * 1e12;
    }
    return HABITAT_OK;
}

static habitat_status read_peak(reader *r, yajl_val value) {
    habitat_rates *peak = &r->entry->gpu.peak;
    TRY(need_object(r, "peak_dense_tflop_per_s", value));
    for (size_t i = 0; i < value->u.object.len; i++) {
        const char *key = value->u.object.keys[i];
        yajl_val rates = value->u.object.values[i];
        if (strcmp(key, "plain") == 0)
            TRY(read_rates(r, key, rates, peak->plain_flop_per_s));
        else if (strcmp(key, "matrix") == 0)
            TRY(read_rates(r, key, rates, peak->matrix_flop_per_s));
        else
            return bad(r, HABITAT_E_FORMAT, key, "unknown key; peaks are under plain and matrix");
        if (strcmp(key, "matrix") == 0)
            r->left.no_matrix = rates->u.object.len == 0;
    }
    return HABITAT_OK;
}

static habitat_status read_sustained(reader *r, yajl_val value) {
    habitat_gpu *gpu = &r->entry->gpu;
    TRY(need_object(r, "sustained", value));
    for (size_t i = 0; i < value->u.object.len; i++) {
        const char *key = value->u.object.keys[i];
        yajl_val inner = value->u.object.values[i];
        double number = 0;
        if (strcmp(key, "matrix_tflop_per_s") == 0) {
            TRY(read_rates(r, key, inner, gpu->sustained.matrix_flop_per_s));
        } else if (strcmp(key, "plain_tflop_per_s") == 0) {
            TRY(read_rates(r, key, inner, gpu->sustained.plain_flop_per_s));
        } else if (strcmp(key, "dram_gb_per_s") == 0) {
            TRY(read_number(r, key, inner, 1, 1e5, &number));
            gpu->sustained_bandwidth_bytes_per_s = number * 1e9;
        } else {
            return bad(r, HABITAT_E_FORMAT, key,
                       "unknown key in sustained; known: matrix_tflop_per_s plain_tflop_per_s "
                       "dram_gb_per_s");
        }
    }
    return HABITAT_OK;
}

/* ---- measured operations ---- */

/* Line of the object `index` of the list that follows "operations"; its objects hold no others. */
static uint64_t line_of_operation(const char *text, size_t index) {
    const char *at = find_key(text, "operations");
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
            return line_of(text, (size_t)(at - text));
    }
    return 0;
}

/* One of these words, as the table's own text. */
static habitat_status read_word(reader *r, const char *key, yajl_val value,
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
    return bad(r, HABITAT_E_FORMAT, key, "must be one of:%s", known);
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

static habitat_status read_operation_key(reader *r, const char *key, yajl_val value,
                                         habitat_gpu_operation *out) {
    static const char *const passes[] = {"forward", "backward", "backward_input",
                                         "backward_weight"};
    static const char *const timings[] = {"graph", "event", "eager", "kernel"};
    if (strcmp(key, "op") == 0)
        return read_text(r, key, value, &out->op);
    if (strcmp(key, "pass") == 0)
        return read_word(r, key, value, passes, sizeof passes / sizeof *passes, &out->pass);
    if (strcmp(key, "timing") == 0)
        return read_word(r, key, value, timings, sizeof timings / sizeof *timings, &out->timing);
    if (strcmp(key, "latency_ms") == 0)
        return read_number(r, key, value, 1e-6, 1e7, &out->ms);
    if (strcmp(key, "shape") == 0) {
        TRY(read_text(r, key, value, &out->shape));
        return is_shape(out->shape)
                   ? HABITAT_OK
                   : bad(r, HABITAT_E_FORMAT, key, "must be sizes such as \"m=512 n=1024 k=64\"");
    }
    if (strcmp(key, "dtype") == 0) {
        const char *text = YAJL_GET_STRING(value);
        out->dtype = text ? habitat_dtype_from_name(text) : HABITAT_DTYPE_UNKNOWN;
        return out->dtype != HABITAT_DTYPE_UNKNOWN
                   ? HABITAT_OK
                   : bad(r, HABITAT_E_FORMAT, key,
                         "unknown number format; known: fp64 fp32 tf32 fp16 bf16 fp8 int8");
    }
    return bad(r, HABITAT_E_FORMAT, key,
               "unknown key; known: op pass dtype shape latency_ms timing");
}

static habitat_status read_operation(reader *r, yajl_val value, habitat_gpu_operation *out) {
    *out = (habitat_gpu_operation){.pass = "forward", .timing = "graph"};
    if (!YAJL_IS_OBJECT(value) || value->u.object.len > 100)
        return bad(r, HABITAT_E_FORMAT, "operation", "must be an object { }");
    TRY(refuse_twice(r, "the operation", value));
    for (size_t i = 0; i < value->u.object.len; i++)
        TRY(read_operation_key(r, value->u.object.keys[i], value->u.object.values[i], out));
    const char *missing = !out->op                              ? "op"
                          : out->dtype == HABITAT_DTYPE_UNKNOWN ? "dtype"
                          : !out->shape                         ? "shape"
                          : !(out->ms > 0)                      ? "latency_ms"
                                                                : NULL;
    return missing ? bad(r, HABITAT_E_FORMAT, missing, "is missing") : HABITAT_OK;
}

static habitat_status read_operations(reader *r, yajl_val value) {
    if (!YAJL_IS_ARRAY(value) || value->u.array.len > MOST_OPERATIONS)
        return bad(r, HABITAT_E_FORMAT, "operations",
                   "must be a list of measured operations, at most %d", (int)MOST_OPERATIONS);
    size_t count = value->u.array.len;
    habitat_gpu_operation *operations =
        habitat_arena_alloc(r->arena, (count + 1) * sizeof *operations);
    if (!operations)
        return no_memory(r);
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

static bool is_date(const char *date) {
    static const char shape[] = "0000-00-00";
    size_t length = strlen(date);
    if (length != 4 && length != 7 && length != 10)
        return false;
    for (size_t i = 0; i < length; i++)
        if (shape[i] == '0' ? !letter_is_digit(date[i]) : date[i] != '-')
            return false;
    long year = strtol(date, NULL, 10), month = length > 4 ? strtol(date + 5, NULL, 10) : 1,
         day = length > 7 ? strtol(date + 8, NULL, 10) : 1;
    return year >= 1990 && year <= 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

static habitat_status read_source(reader *r, const char *id, yajl_val value,
                                  habitat_gpu_source *common, const char *const **covers,
                                  size_t *count) {
    TRY(need_object(r, id, value));
    for (size_t i = 0; i < value->u.object.len; i++) {
        const char *key = value->u.object.keys[i];
        yajl_val inner = value->u.object.values[i];
        if (strcmp(key, "covers") == 0)
            TRY(read_texts(r, key, inner, 0, covers, count));
        else if (strcmp(key, "title") == 0)
            TRY(read_text(r, key, inner, &common->title));
        else if (strcmp(key, "publisher") == 0)
            TRY(read_text(r, key, inner, &common->publisher));
        else if (strcmp(key, "date") == 0)
            TRY(read_text(r, key, inner, &common->date));
        else if (strcmp(key, "note") == 0)
            TRY(read_text(r, key, inner, &common->note));
        else if (strcmp(key, "kind") == 0)
            TRY(read_word(r, key, inner, gpu_source_kinds, GPU_SOURCE_KINDS, &common->kind));
        else
            return bad(r, HABITAT_E_FORMAT, key,
                       "unknown key in sources; known: kind covers title publisher date note");
    }
    if (!*count || !common->title || !common->publisher || !common->date)
        return bad(r, HABITAT_E_FORMAT, id, "a source needs covers, title, publisher and date");
    if (!is_date(common->date))
        return bad(r, HABITAT_E_FORMAT, id, "date must be YYYY, YYYY-MM or YYYY-MM-DD");
    return HABITAT_OK;
}

static habitat_status read_sources(reader *r, yajl_val value) {
    gpu_entry *entry = r->entry;
    TRY(need_object(r, "sources", value));
    for (size_t i = 0; i < value->u.object.len; i++) {
        habitat_gpu_source common = {0};
        const char *const *covers = NULL;
        size_t count = 0;
        common.id = habitat_arena_string(r->arena, value->u.object.keys[i],
                                         strlen(value->u.object.keys[i]));
        if (!common.id)
            return no_memory(r);
        TRY(read_source(r, common.id, value->u.object.values[i], &common, &covers, &count));
        habitat_gpu_source *sources =
            habitat_arena_alloc(r->arena, (entry->source_count + count) * sizeof *sources);
        if (!sources)
            return no_memory(r);
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

static habitat_status read_capability(reader *r, yajl_val value) {
    const char *text = YAJL_GET_STRING(value);
    char *end = NULL;
    unsigned long major = text && letter_is_digit(*text) ? strtoul(text, &end, 10) : 0;
    if (!major || major > 99 || *end != '.' || !letter_is_digit(end[1]) || end[2])
        return bad(r, HABITAT_E_FORMAT, "compute_capability", "must be a text such as \"9.0\"");
    r->entry->gpu.compute_capability = (uint32_t)(major * 10) + (uint32_t)(end[1] - '0');
    return HABITAT_OK;
}

static habitat_status read_schema(reader *r, yajl_val value) {
    double number = 0;
    TRY(read_number(r, "schema", value, 0, 1e9, &number));
    if (number != SCHEMA)
        return bad(r, HABITAT_E_VERSION, "schema", "%g is not a version this library reads (%d)",
                   number, SCHEMA);
    return HABITAT_OK;
}

static habitat_status read_other_field(reader *r, const char *key, yajl_val value) {
    gpu_entry *entry = r->entry;
    if (strcmp(key, "schema") == 0)
        return read_schema(r, value);
    if (strcmp(key, "calibration_of") == 0)
        return read_text(r, key, value, &entry->calibration_of);
    if (strcmp(key, "compute_capability") == 0)
        return read_capability(r, value);
    if (strcmp(key, "peak_dense_tflop_per_s") == 0)
        return read_peak(r, value);
    if (strcmp(key, "peak_note") == 0)
        return read_text(r, key, value, &entry->peak_note);
    if (strcmp(key, "sustained") == 0)
        return read_sustained(r, value);
    if (strcmp(key, "notes") == 0)
        return read_texts(r, key, value, 0, &entry->notes, &entry->note_count);
    if (strcmp(key, "operations") == 0)
        return read_operations(r, value);
    if (strcmp(key, "sources") == 0)
        return read_sources(r, value);
    /* aliases and limits: read_fields() takes them up at the end */
    return HABITAT_OK;
}

static yajl_val member(yajl_val object, const char *key) {
    for (size_t i = 0; i < object->u.object.len; i++)
        if (strcmp(object->u.object.keys[i], key) == 0)
            return object->u.object.values[i];
    return NULL;
}

/* Exact names first, names that several parts share after them, whatever the order in the file. */
static habitat_status read_aliases(reader *r, yajl_val root) {
    gpu_entry *entry = r->entry;
    yajl_val exact = member(root, "aliases"), shared = member(root, "family_aliases");
    if (exact && !YAJL_IS_NULL(exact))
        TRY(read_texts(r, "aliases", exact, 0, &entry->aliases, &entry->alias_count));
    entry->family_start = entry->alias_count;
    if (shared && !YAJL_IS_NULL(shared))
        TRY(read_texts(r, "family_aliases", shared, entry->alias_count, &entry->aliases,
                       &entry->alias_count));
    return HABITAT_OK;
}

/* The limits of the compute capability, with those of the file laid over. */
static habitat_status read_limits_over_known(reader *r, yajl_val root) {
    habitat_gpu *gpu = &r->entry->gpu;
    const habitat_sm_limits *known = gpu_capability_limits(gpu->compute_capability);
    yajl_val value = member(root, "sm_limits");
    if (known)
        gpu->limits = *known;
    return value && !YAJL_IS_NULL(value) ? read_limits(r, value) : HABITAT_OK;
}

/* ---- the file ---- */

static void clear(gpu_entry *entry) {
    memset(entry, 0, sizeof *entry);
    habitat_gpu *gpu = &entry->gpu;
    for (size_t i = 0; i < gpu_field_count; i++)
        if (gpu_fields[i].kind == GPU_FIELD_NUMBER)
            memcpy((char *)gpu + gpu_fields[i].offset, &(double){NAN}, sizeof(double));
    for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++)
        gpu->peak.matrix_flop_per_s[d] = gpu->peak.plain_flop_per_s[d] =
            gpu->sustained.matrix_flop_per_s[d] = gpu->sustained.plain_flop_per_s[d] = NAN;
    gpu->matrix_fp16_accumulate_fp16_flop_per_s = gpu->matrix_fp8_accumulate_fp16_flop_per_s = NAN;
    gpu->sustained_bandwidth_bytes_per_s = NAN;
}

static habitat_status read_fields(reader *r, yajl_val root) {
    for (size_t i = 0; i < root->u.object.len; i++) {
        const char *key = root->u.object.keys[i];
        yajl_val value = root->u.object.values[i];
        size_t f = 0;
        while (f < gpu_field_count && strcmp(key, gpu_fields[f].key) != 0)
            f++;
        if (f == gpu_field_count && strncmp(key, "x_", 2) == 0)
            continue; /* a user's own remarks */
        if (f == gpu_field_count)
            return bad(r, HABITAT_E_FORMAT, key,
                       "unknown key; did you mean %s? (keys of your own begin with x_)",
                       nearest_key(key, gpu_fields, gpu_field_count));
        if (YAJL_IS_NULL(value)) {
            r->left.nulls |= UINT64_C(1) << f;
            continue;
        }
        r->entry->present |= UINT64_C(1) << f;
        TRY(gpu_fields[f].kind == GPU_FIELD_OTHER
                ? read_other_field(r, key, value)
                : read_plain_field(r, &gpu_fields[f], value, (char *)&r->entry->gpu));
    }
    TRY(read_aliases(r, root));
    return read_limits_over_known(r, root);
}

static habitat_status check_calibration(reader *r) {
    static const char *const allowed[] = {"schema",          "calibration_of", "sustained",
                                          "launch_floor_ns", "operations",     "notes",
                                          "sources"};
    for (size_t f = 0; f < gpu_field_count; f++) {
        bool fits = !((r->entry->present | r->left.nulls) >> f & 1);
        for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
            fits |= strcmp(allowed[i], gpu_fields[f].key) == 0;
        if (!fits)
            return bad(r, HABITAT_E_FORMAT, gpu_fields[f].key,
                       "has no place in a calibration (a file with calibration_of)");
    }
    return HABITAT_OK;
}

static habitat_status check_gpu(reader *r) {
    const habitat_gpu *gpu = &r->entry->gpu;
    for (size_t f = 0; f < gpu_field_count; f++)
        if (r->entry->present >> f & 1 && strcmp(gpu_fields[f].key, "operations") == 0)
            return bad(r, HABITAT_E_FORMAT, "operations",
                       "has a place only in a calibration (a file with calibration_of)");
    TRY(gpu_complete(r->arena, r->entry, &r->left, r->file, r->err));
    if (gpu->release_date && !is_date(gpu->release_date))
        return bad(r, HABITAT_E_FORMAT, "release_date", "must be YYYY-MM or YYYY-MM-DD");
    char plain[GPU_NAME_LENGTH];
    gpu_normalise(gpu->name, plain);
    if (!*plain || strlen(gpu->name) >= 64)
        return bad(r, HABITAT_E_FORMAT, "name", "must hold letters or digits, at most 63 bytes");
    return HABITAT_OK;
}

static void complete(gpu_entry *entry) {
    habitat_gpu *gpu = &entry->gpu;
    if (!gpu->dies_per_board)
        gpu->dies_per_board = 1;
    gpu_estimate_sustained(gpu);
}

static habitat_status read_root(reader *r, yajl_val root) {
    if (!YAJL_IS_OBJECT(root) || root->u.object.len > 1000)
        return habitat_fail_at(r->err, HABITAT_E_FORMAT, r->file, UINT64_MAX, 1,
                               "not a GPU file: it must be one object { }");
    TRY(refuse_twice(r, "the file", root));
    TRY(read_fields(r, root));
    if (r->entry->calibration_of)
        return check_calibration(r);
    TRY(check_gpu(r));
    complete(r->entry);
    return HABITAT_OK;
}

/* Refuses what would overflow the stack or be cut short before a tree is made of it. */
static habitat_status check_text(reader *r, size_t size) {
    size_t depth = 0;
    bool in_string = false;
    if (size > LARGEST_FILE_BYTES)
        return habitat_fail_at(r->err, HABITAT_E_RANGE, r->file, UINT64_MAX, 0,
                               "%zu bytes are too many for a GPU file (at most %d)", size,
                               (int)LARGEST_FILE_BYTES);
    for (size_t i = 0; i < size; i++) {
        char c = r->text[i];
        if (c == '\0')
            return habitat_fail_at(r->err, HABITAT_E_PARSE, r->file, i, line_of(r->text, i),
                                   "not JSON: a byte of value 0");
        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '['))
            depth++;
        else if (!in_string && (c == '}' || c == ']'))
            depth -= depth > 0;
        if (depth > DEEPEST)
            return habitat_fail_at(r->err, HABITAT_E_FORMAT, r->file, i, line_of(r->text, i),
                                   "nested deeper than %d levels; not a GPU file", (int)DEEPEST);
    }
    return HABITAT_OK;
}

/* The text as a tree, in memory of its own. */
static habitat_status read_tree(reader *r, habitat_arena *tree, size_t size, yajl_val *root) {
    size_t stopped = 0;
    json_result result = json_read_tree(tree, r->text, size, root, &stopped);
    if (result == JSON_OK)
        return HABITAT_OK;
    if (result == JSON_NO_MEMORY)
        return no_memory(r);
    return habitat_fail_at(r->err, HABITAT_E_PARSE, r->file, stopped, line_of(r->text, stopped),
                           "not JSON%s; repair the file",
                           stopped >= size ? ": it ends too early" : "");
}

habitat_status gpu_parse(habitat_arena *arena, const char *text, size_t size, const char *file,
                         gpu_entry **out, habitat_error *err) {
    reader r = {.arena = arena, .text = text, .file = file, .err = err};
    habitat_arena tree = {0};
    yajl_val root = NULL;
    TRY(check_text(&r, size));
    r.entry = habitat_arena_alloc(arena, sizeof *r.entry);
    if (!r.entry)
        return no_memory(&r);
    clear(r.entry);
    habitat_status status = read_tree(&r, &tree, size, &root);
    if (status == HABITAT_OK)
        status = read_root(&r, root);
    habitat_arena_free(&tree);
    if (status == HABITAT_OK)
        *out = r.entry;
    return status;
}
