/* One GPU file to one entry: keys and conventions in docs/gpus.md and data/schema/gpu.schema.json.
 *
 * Strict: an unknown key, a wrong type, a value outside its range or a missing key is an error that
 * names the key and its line, so that a typing mistake never becomes a silent default. Only the
 * estimates of sustained.c fill anything in. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/letter.h"
#include "gpu/file.h"

enum { DEEPEST = 16, SCHEMA = 1 };

/* ---- keys that are no plain field ---- */

static habitat_status read_capability(gpu_file *r, yajl_val value) {
    const char *text = YAJL_GET_STRING(value);
    char *end = NULL;
    unsigned long major = text && letter_is_digit(*text) ? strtoul(text, &end, 10) : 0;
    if (!major || major > 99 || *end != '.' || !letter_is_digit(end[1]) || end[2])
        return gpu_file_bad(r, HABITAT_E_FORMAT, "compute_capability",
                            "must be a text such as \"9.0\"");
    r->entry->gpu.compute_capability = (uint32_t)(major * 10) + (uint32_t)(end[1] - '0');
    return HABITAT_OK;
}

static habitat_status read_schema(gpu_file *r, yajl_val value) {
    double number = 0;
    TRY(gpu_read_number(r, "schema", value, 0, 1e9, &number));
    if (number != SCHEMA)
        return gpu_file_bad(r, HABITAT_E_VERSION, "schema",
                            "%g is not a version this library reads (%d)", number, SCHEMA);
    return HABITAT_OK;
}

static habitat_status read_other_field(gpu_file *r, const char *key, yajl_val value) {
    gpu_entry *entry = r->entry;
    if (strcmp(key, "schema") == 0)
        return read_schema(r, value);
    if (strcmp(key, "calibration_of") == 0)
        return gpu_read_text(r, key, value, &entry->calibration_of);
    if (strcmp(key, "compute_capability") == 0)
        return read_capability(r, value);
    if (strcmp(key, "peak_dense_tflop_per_s") == 0)
        return gpu_read_peak(r, value);
    if (strcmp(key, "peak_note") == 0)
        return gpu_read_text(r, key, value, &entry->peak_note);
    if (strcmp(key, "sustained") == 0)
        return gpu_read_sustained(r, value);
    if (strcmp(key, "notes") == 0)
        return gpu_read_texts(r, key, value, 0, &entry->notes, &entry->note_count);
    if (strcmp(key, "operations") == 0)
        return gpu_read_operations(r, value);
    if (strcmp(key, "host") == 0)
        return gpu_read_host(r, value);
    if (strcmp(key, "sources") == 0)
        return gpu_read_sources(r, value);
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
static habitat_status read_aliases(gpu_file *r, yajl_val root) {
    gpu_entry *entry = r->entry;
    yajl_val exact = member(root, "aliases"), shared = member(root, "family_aliases");
    if (exact && !YAJL_IS_NULL(exact))
        TRY(gpu_read_texts(r, "aliases", exact, 0, &entry->aliases, &entry->alias_count));
    entry->family_start = entry->alias_count;
    if (shared && !YAJL_IS_NULL(shared))
        TRY(gpu_read_texts(r, "family_aliases", shared, entry->alias_count, &entry->aliases,
                           &entry->alias_count));
    return HABITAT_OK;
}

/* The limits of the compute capability, with those of the file laid over. */
static habitat_status read_limits_over_known(gpu_file *r, yajl_val root) {
    habitat_gpu *gpu = &r->entry->gpu;
    const habitat_sm_limits *known = gpu_capability_limits(gpu->compute_capability);
    yajl_val value = member(root, "sm_limits");
    if (known)
        gpu->limits = *known;
    return value && !YAJL_IS_NULL(value) ? gpu_read_limits(r, value) : HABITAT_OK;
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

static habitat_status read_fields(gpu_file *r, yajl_val root) {
    for (size_t i = 0; i < root->u.object.len; i++) {
        const char *key = root->u.object.keys[i];
        yajl_val value = root->u.object.values[i];
        size_t f = 0;
        while (f < gpu_field_count && strcmp(key, gpu_fields[f].key) != 0)
            f++;
        if (f == gpu_field_count && strncmp(key, "x_", 2) == 0)
            continue; /* a user's own remarks */
        if (f == gpu_field_count)
            return gpu_file_bad(r, HABITAT_E_FORMAT, key,
                                "unknown key; did you mean %s? (keys of your own begin with x_)",
                                gpu_nearest_key(key, gpu_fields, gpu_field_count));
        if (YAJL_IS_NULL(value)) {
            r->left.nulls |= UINT64_C(1) << f;
            continue;
        }
        r->entry->present |= UINT64_C(1) << f;
        TRY(gpu_fields[f].kind == GPU_FIELD_OTHER
                ? read_other_field(r, key, value)
                : gpu_read_field(r, &gpu_fields[f], value, (char *)&r->entry->gpu));
    }
    TRY(read_aliases(r, root));
    return read_limits_over_known(r, root);
}

static habitat_status check_calibration(gpu_file *r) {
    static const char *const allowed[] = {"schema",          "calibration_of", "sustained",
                                          "launch_floor_ns", "operations",     "host",
                                          "notes",           "sources"};
    for (size_t f = 0; f < gpu_field_count; f++) {
        bool fits = !((r->entry->present | r->left.nulls) >> f & 1);
        for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
            fits |= strcmp(allowed[i], gpu_fields[f].key) == 0;
        if (!fits)
            return gpu_file_bad(r, HABITAT_E_FORMAT, gpu_fields[f].key,
                                "has no place in a calibration (a file with calibration_of)");
    }
    return HABITAT_OK;
}

static habitat_status check_gpu(gpu_file *r) {
    const habitat_gpu *gpu = &r->entry->gpu;
    for (size_t f = 0; f < gpu_field_count; f++)
        if (r->entry->present >> f & 1 && (strcmp(gpu_fields[f].key, "operations") == 0 ||
                                           strcmp(gpu_fields[f].key, "host") == 0))
            return gpu_file_bad(r, HABITAT_E_FORMAT, gpu_fields[f].key,
                                "has a place only in a calibration (a file with calibration_of)");
    TRY(gpu_complete(r->arena, r->entry, &r->left, r->file, r->err));
    if (gpu->release_date && !gpu_is_date(gpu->release_date))
        return gpu_file_bad(r, HABITAT_E_FORMAT, "release_date", "must be YYYY-MM or YYYY-MM-DD");
    char plain[GPU_NAME_LENGTH];
    gpu_normalise(gpu->name, plain);
    if (!*plain || strlen(gpu->name) >= 64)
        return gpu_file_bad(r, HABITAT_E_FORMAT, "name",
                            "must hold letters or digits, at most 63 bytes");
    if (strchr(gpu->name, ',') || strcmp(plain, "all") == 0)
        return gpu_file_bad(r, HABITAT_E_FORMAT, "name",
                            "nobody could ask for it: commas stand between names, and \"all\" is "
                            "every GPU; use another");
    return HABITAT_OK;
}

static void complete(gpu_entry *entry) {
    habitat_gpu *gpu = &entry->gpu;
    if (!gpu->dies_per_board)
        gpu->dies_per_board = 1;
    gpu_estimate_sustained(gpu);
}

static habitat_status read_root(gpu_file *r, yajl_val root) {
    if (!YAJL_IS_OBJECT(root) || root->u.object.len > 1000)
        return habitat_fail_at(r->err, HABITAT_E_FORMAT, r->file, UINT64_MAX, 1,
                               "not a GPU file: it must be one object { }");
    TRY(gpu_refuse_twice(r, "the file", root));
    TRY(read_fields(r, root));
    if (r->entry->calibration_of)
        return check_calibration(r);
    TRY(check_gpu(r));
    complete(r->entry);
    return HABITAT_OK;
}

/* Refuses what would overflow the stack or be cut short before a tree is made of it. */
static habitat_status check_text(gpu_file *r, size_t size) {
    size_t depth = 0;
    bool in_string = false;
    if (size > GPU_FILE_BYTES)
        return habitat_fail_at(r->err, HABITAT_E_RANGE, r->file, UINT64_MAX, 0,
                               "%zu bytes are too many for a GPU file (at most %d)", size,
                               (int)GPU_FILE_BYTES);
    for (size_t i = 0; i < size; i++) {
        char c = r->text[i];
        if (c == '\0')
            return habitat_fail_at(r->err, HABITAT_E_PARSE, r->file, i, json_line_of(r->text, i),
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
            return habitat_fail_at(r->err, HABITAT_E_FORMAT, r->file, i, json_line_of(r->text, i),
                                   "nested deeper than %d levels; not a GPU file", (int)DEEPEST);
    }
    return HABITAT_OK;
}

/* The text as a tree, in memory of its own. */
static habitat_status read_tree(gpu_file *r, habitat_arena *tree, size_t size, yajl_val *root) {
    size_t stopped = 0;
    json_result result = json_read_tree(tree, r->text, size, root, &stopped);
    if (result == JSON_OK)
        return HABITAT_OK;
    if (result == JSON_NO_MEMORY)
        return gpu_file_no_memory(r);
    return habitat_fail_at(r->err, HABITAT_E_PARSE, r->file, stopped,
                           json_line_of(r->text, stopped), "not JSON%s; repair the file",
                           stopped >= size ? ": it ends too early" : "");
}

habitat_status gpu_parse(habitat_arena *arena, const char *text, size_t size, const char *file,
                         gpu_entry **out, habitat_error *err) {
    gpu_file r = {.arena = arena, .text = text, .file = file, .err = err};
    habitat_arena tree = {0};
    yajl_val root = NULL;
    TRY(check_text(&r, size));
    r.entry = habitat_arena_alloc(arena, sizeof *r.entry);
    if (!r.entry)
        return gpu_file_no_memory(&r);
    clear(r.entry);
    habitat_status status = read_tree(&r, &tree, size, &root);
    if (status == HABITAT_OK)
        status = read_root(&r, root);
    habitat_arena_free(&tree);
    if (status == HABITAT_OK)
        *out = r.entry;
    return status;
}
