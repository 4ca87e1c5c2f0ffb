/* Judging the memory of iterations. The truth is the allocator's peak of another run of one script.
 */
#include "lab/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/csv.h>

#include "base/constants_memory.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "lab/recordings.h"
#include "memory/model.h"

/* One recording: "SCRIPT_bBATCH_FORMAT_GPU.json.gz". */
typedef struct recorded {
    char script[48], name[RECORDING_NAME];
    const habitat_gpu *gpu;
    habitat_memory *memory, *blind; /* blind: without the recording's notes on memory */
    habitat_memory_format format;   /* that another recording is asked for; of weights in half
                                       precision RECORDED */
    uint64_t batch;
    double peak_bytes;
} recorded;

typedef struct recordings {
    recorded *items;
    size_t count;
} recordings;

size_t memory_family_length(const char *script) {
    return strcspn(script, "_");
}

static bool is_of_family(const memory_case *c, const char *script) {
    size_t length = memory_family_length(c->script);
    return length == memory_family_length(script) && strncmp(c->script, script, length) == 0;
}

/* Cases of a family mostly follow one another. */
static size_t family_of(const memory_set *set, const char *script) {
    if (set->count && is_of_family(&set->cases[set->count - 1], script))
        return set->cases[set->count - 1].family;
    size_t at = 0;
    while (at < set->count && !is_of_family(&set->cases[at], script))
        at++;
    return at;
}

habitat_status memory_add(memory_set *set, const memory_case *made, habitat_error *err) {
    if (set->count == set->capacity) {
        size_t larger = set->capacity ? 2 * set->capacity : 256;
        memory_case *grown = realloc(set->cases, larger * sizeof *grown);
        if (!grown)
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        set->cases = grown;
        set->capacity = larger;
    }
    set->cases[set->count] = *made;
    set->cases[set->count].family = family_of(set, made->script);
    set->count++;
    return HABITAT_OK;
}

/* ---- recordings ---- */

static habitat_status without_notes(const habitat_trace *trace, const habitat_gpu *gpu,
                                    habitat_memory **out, habitat_error *err) {
    habitat_trace_info bare = *habitat_trace_get_info(trace);
    bare.peak_memory_bytes = NAN;
    bare.memory = (habitat_trace_memory){.parameters_bytes = NAN,
                                         .buffers_bytes = NAN,
                                         .gradients_bytes = NAN,
                                         .optimizer_bytes = NAN,
                                         .between_bytes = NAN,
                                         .reserved_bytes = NAN};
    return memory_create(trace, &bare, gpu, out, err);
}

static habitat_status describe(const habitat_trace *trace, recorded *r, habitat_error *err) {
    const habitat_trace_info *info = habitat_trace_get_info(trace);
    habitat_status status = habitat_memory_create(trace, r->gpu, &r->memory, err);
    if (status == HABITAT_OK)
        status = without_notes(trace, r->gpu, &r->blind, err);
    if (status != HABITAT_OK)
        return status;
    memory_kind kind = r->memory->facts.kind;
    r->format = kind == MEMORY_KIND_HALF       ? HABITAT_MEMORY_RECORDED
                : kind == MEMORY_KIND_AUTOCAST ? HABITAT_MEMORY_AUTOCAST
                : r->memory->tf32              ? HABITAT_MEMORY_TF32
                                               : HABITAT_MEMORY_SINGLE;
    r->batch = info->batch_size;
    r->peak_bytes = info->peak_memory_bytes;
    return HABITAT_OK;
}

static habitat_status open_one(const habitat_gpu_table *gpus, const char *folder, const char *name,
                               recorded *out, habitat_error *err) {
    recording opened = {0};
    snprintf(out->name, sizeof out->name, "%.*s", (int)recording_stem_length(name), name);
    habitat_status status = recording_read(gpus, folder, name, &opened, err);
    out->gpu = opened.gpu;
    if (status == HABITAT_OK)
        status = describe(opened.trace, out, err);
    recording_close(&opened);
    return status;
}

/* "resnet50_b16_fp32_h200" is of the script "resnet50"; false without a batch size in the name. */
static bool script_of(const char *name, char *out, size_t size) {
    const char *batch = recording_batch_part(name);
    if (batch)
        snprintf(out, size, "%.*s", (int)(batch - name), name);
    return batch != NULL;
}

static habitat_status open_all(const habitat_gpu_table *gpus, const char *folder, recordings *out,
                               habitat_error *err) {
    recording_names names = {0};
    habitat_status status = recording_names_read(folder, &names, err);
    if (status == HABITAT_OK)
        out->items = calloc(names.count + 1, sizeof *out->items);
    if (status == HABITAT_OK && !out->items)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < names.count && status == HABITAT_OK; i++) {
        recorded *r = &out->items[out->count];
        if (!script_of(names.items[i], r->script, sizeof r->script))
            continue;
        out->count++;
        status = open_one(gpus, folder, names.items[i], r, err);
    }
    recording_names_free(&names);
    return status;
}

static void close_all(recordings *all) {
    for (size_t i = 0; i < all->count; i++) {
        habitat_memory_free(all->items[i].memory);
        habitat_memory_free(all->items[i].blind);
    }
    free(all->items);
}

/* ---- predictions ---- */

/* From here on a peak is near the limit, as a share of the device's memory. */
static const double near_limit = 0.5;

bool memory_near_limit(const memory_case *c) {
    return c->fits == 0 || (c->fits > 0 && c->measured_bytes > near_limit * c->device_bytes);
}

double memory_bound(int at) {
    return 1 + at / 100.0;
}

/* NaN where the recording cannot say. */
static double peak_of(const habitat_memory *memory, double factor, habitat_memory_format format,
                      habitat_memory_parts *parts) {
    return habitat_memory_predict(memory, factor, format, parts) == HABITAT_OK ? parts->peak_bytes
                                                                               : NAN;
}

static void predict(habitat_memory *memory, double factor, habitat_memory_format format,
                    memory_case *out) {
    habitat_memory_parts parts;
    for (int i = 0; i < MEMORY_BOUNDS; i++) {
        memory_correct(memory, memory_bound(i));
        out->bounded_bytes[i] = peak_of(memory, factor, format, &parts);
    }
    memory_correct(memory, fitted_memory_training_correction);
    out->predicted_bytes = peak_of(memory, factor, format, &out->parts);
}

static memory_case case_of(const recorded *r, memory_truth truth) {
    memory_case c = {.truth = truth,
                     .gpu = r->gpu,
                     .origin_batch = (double)r->batch,
                     .device_bytes = NAN,
                     .fits = -1,
                     .predicted_fits = -1};
    snprintf(c.script, sizeof c.script, "%s", r->script);
    snprintf(c.origin, sizeof c.origin, "%s", r->name);
    return c;
}

/* Formats that one recording can say of another: weights in half precision of itself alone. */
static bool can_tell(const recorded *r, habitat_memory_format wanted) {
    return wanted != HABITAT_MEMORY_RECORDED || r->format == HABITAT_MEMORY_RECORDED;
}

static habitat_status against_recordings(const recordings *all, memory_set *set,
                                         habitat_error *err) {
    habitat_status status = HABITAT_OK;
    for (size_t i = 0; i < all->count; i++) {
        const recorded *r = &all->items[i];
        memory_case blind = case_of(r, MEMORY_TRUTH_SHAPES);
        blind.batch = blind.origin_batch;
        blind.format = r->format;
        blind.same_format = true;
        blind.measured_bytes = r->peak_bytes;
        predict(r->blind, 1, HABITAT_MEMORY_RECORDED, &blind);
        if (isfinite(blind.predicted_bytes))
            status = memory_add(set, &blind, err);
        for (size_t k = 0; k < all->count && status == HABITAT_OK; k++) {
            const recorded *other = &all->items[k];
            bool same = memory_is_recorded(r->memory, other->format);
            if (strcmp(r->script, other->script) != 0 || r->gpu != other->gpu || i == k ||
                !r->batch || !other->batch || !can_tell(r, other->format) ||
                (same && r->batch == other->batch))
                continue;
            memory_case c = case_of(r, MEMORY_TRUTH_RECORDED);
            c.batch = (double)other->batch;
            c.format = other->format;
            c.same_format = same;
            c.measured_bytes = other->peak_bytes;
            predict(r->memory, c.batch / c.origin_batch, other->format, &c);
            status = memory_add(set, &c, err);
        }
    }
    return status;
}

/* ---- measured rows ---- */

habitat_memory_format memory_format_named(const char *precision) {
    return strncmp(precision, "amp-", 4) == 0                         ? HABITAT_MEMORY_AUTOCAST
           : !strcmp(precision, "bf16") || !strcmp(precision, "fp16") ? HABITAT_MEMORY_RECORDED
           : !strcmp(precision, "tf32")                               ? HABITAT_MEMORY_TF32
                                                                      : HABITAT_MEMORY_SINGLE;
}

static habitat_status add_row(const habitat_csv_reader *table, memory_truth truth,
                              const recorded *r, memory_set *set, habitat_error *err) {
    const char *precision = habitat_csv_text(table, "precision"),
               *fits = habitat_csv_text(table, "fits");
    habitat_memory_format format = memory_format_named(precision ? precision : "");
    memory_case c = case_of(r, truth);
    c.batch = habitat_csv_number(table, "batch");
    c.device_bytes = habitat_csv_number(table, "device_bytes");
    c.measured_bytes = habitat_csv_number(table, "peak_allocated_bytes");
    if (!r->batch || !can_tell(r, format))
        return HABITAT_OK;
    c.format = format;
    c.same_format = memory_is_recorded(r->memory, format);
    predict(r->memory, c.batch / c.origin_batch, format, &c);
    if (isnan(c.predicted_bytes))
        return HABITAT_OK;
    c.fits = fits && !strcmp(fits, "True");
    c.predicted_fits = habitat_memory_fit_on(&c.parts, r->gpu).fits;
    return memory_add(set, &c, err);
}

static habitat_status read_table(const char *path, memory_truth truth, const recordings *all,
                                 const habitat_gpu_table *gpus, memory_set *set,
                                 habitat_error *err) {
    habitat_csv_reader *table = NULL;
    const char *record = NULL;
    habitat_status status = habitat_csv_open(path, &table, err);
    if (status == HABITAT_E_IO)
        return HABITAT_OK; /* these tables need not be there */
    while (status == HABITAT_OK && (status = habitat_csv_next(table, &record, err)) == HABITAT_OK &&
           record) {
        const char *script = habitat_csv_text(table, "script"),
                   *gpu = habitat_csv_text(table, "gpu");
        const habitat_gpu *where = NULL;
        status = habitat_gpu_find(gpus, gpu ? gpu : "", &where, NULL, err);
        for (size_t i = 0; i < all->count && status == HABITAT_OK; i++) {
            const recorded *r = &all->items[i];
            if (r->gpu == where && script && !strcmp(r->script, script))
                status = add_row(table, truth, r, set, err);
        }
    }
    habitat_csv_close(table);
    return status;
}

static habitat_status against_tables(const char *folder, const recordings *all,
                                     const habitat_gpu_table *gpus, memory_set *set,
                                     habitat_error *err) {
    static const struct {
        const char *file;
        memory_truth truth;
    } tables[] = {{"measured_steps_h100.csv", MEMORY_TRUTH_STEPS},
                  {"measured_steps_h200.csv", MEMORY_TRUTH_STEPS},
                  {"measured_limits_h100.csv", MEMORY_TRUTH_LIMITS}};
    habitat_status status = HABITAT_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == HABITAT_OK; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, tables[i].file);
        status = read_table(path, tables[i].truth, all, gpus, set, err);
    }
    return status;
}

habitat_status memory_collect(const habitat_gpu_table *gpus, const char *folder, memory_set *out,
                              habitat_error *err) {
    recordings all = {0};
    habitat_status status = open_all(gpus, folder, &all, err);
    if (status == HABITAT_OK)
        status = against_recordings(&all, out, err);
    if (status == HABITAT_OK)
        status = against_tables(folder, &all, gpus, out, err);
    close_all(&all);
    return status;
}

void memory_free(memory_set *set) {
    free(set->cases);
    *set = (memory_set){0};
}
