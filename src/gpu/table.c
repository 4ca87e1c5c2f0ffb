/* The table: adding entries, order, access. create.c fills it first. */
#include "gpu/entry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"

/* ---- order ---- */

static int compare_entries(const void *a, const void *b) {
    const habitat_gpu *x = &(*(gpu_entry *const *)a)->gpu, *y = &(*(gpu_entry *const *)b)->gpu;
    int vendor = strcmp(y->vendor, x->vendor); /* NVIDIA before AMD */
    if (vendor)
        return vendor;
    if (x->compute_capability != y->compute_capability)
        return x->compute_capability < y->compute_capability ? -1 : 1;
    if (!x->release_date != !y->release_date) /* not known: last */
        return x->release_date ? -1 : 1;
    int date = x->release_date ? strcmp(x->release_date, y->release_date) : 0;
    return date ? date : strcmp(x->name, y->name);
}

static void sort_table(habitat_gpu_table *table) {
    if (table->count > 1)
        qsort(table->entries, table->count, sizeof *table->entries, compare_entries);
}

/* ---- adding ---- */

static size_t index_of(const habitat_gpu_table *table, const char *name) {
    char wanted[GPU_NAME_LENGTH], plain[GPU_NAME_LENGTH];
    gpu_normalise(name, wanted);
    for (size_t i = 0; i < table->count; i++) {
        gpu_normalise(table->entries[i]->gpu.name, plain);
        if (strcmp(plain, wanted) == 0)
            return i;
    }
    return table->count;
}

static habitat_status refuse_taken_alias(const habitat_gpu_table *table, const gpu_entry *entry,
                                         const char *file, habitat_error *err) {
    size_t own = index_of(table, entry->gpu.name);
    for (size_t i = 0; i <= entry->alias_count; i++) {
        const char *alias = i ? entry->aliases[i - 1] : entry->gpu.name;
        bool by_alias = false;
        const gpu_entry *other = gpu_named(table, alias, &by_alias);
        if (other && (own == table->count || other != table->entries[own]))
            return habitat_fail_at(err, HABITAT_E_FORMAT, file, UINT64_MAX, 0,
                                   "\"%.100s\" already means %s; use another name or alias", alias,
                                   other->gpu.name);
    }
    return HABITAT_OK;
}

static habitat_status insert(habitat_gpu_table *table, const gpu_entry *entry, habitat_error *err) {
    size_t at = index_of(table, entry->gpu.name);
    if (at < table->count) {
        table->entries[at] = entry;
        return HABITAT_OK;
    }
    const gpu_entry **entries =
        list_grow(table->entries, table->count, &table->capacity, 8, SIZE_MAX, sizeof *entries);
    if (!entries)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    table->entries = entries;
    table->entries[table->count++] = entry;
    return HABITAT_OK;
}

/* The rates of `from` that are not NaN replace those of `to`; the rest is estimated anew. */
static void lay_over(const double *from, double *to, bool *estimated) {
    for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++) {
        if (!isnan(from[d]))
            to[d] = from[d];
        else if (estimated[d])
            to[d] = NAN;
        estimated[d] = false;
    }
}

static habitat_status append(habitat_arena *arena, const void *first, size_t first_count,
                             const void *second, size_t second_count, size_t size, void *out) {
    char *all = habitat_arena_alloc(arena, (first_count + second_count + 1) * size);
    if (!all)
        return HABITAT_E_MEMORY;
    if (first_count)
        memcpy(all, first, first_count * size);
    if (second_count)
        memcpy(all + first_count * size, second, second_count * size);
    memcpy(out, &all, sizeof all);
    return HABITAT_OK;
}

/* Whether a calibration measured the very value that `field` names ("sustained.dram_gb_per_s"). */
static bool measures(const habitat_gpu *calibration, const char *field) {
    static const char matrix[] = "sustained.matrix_tflop_per_s.";
    static const char plain[] = "sustained.plain_tflop_per_s.";
    const double *rates = NULL;
    size_t prefix = 0;
    if (strcmp(field, "sustained.dram_gb_per_s") == 0)
        return !isnan(calibration->sustained_bandwidth_bytes_per_s);
    if (strcmp(field, "launch_floor_ns") == 0)
        return !isnan(calibration->launch_floor_ns);
    if (strcmp(field, "host") == 0)
        return calibration->host.launch_ns > 0.0;
    if (strncmp(field, matrix, sizeof matrix - 1) == 0) {
        rates = calibration->sustained.matrix_flop_per_s;
        prefix = sizeof matrix - 1;
    } else if (strncmp(field, plain, sizeof plain - 1) == 0) {
        rates = calibration->sustained.plain_flop_per_s;
        prefix = sizeof plain - 1;
    }
    return rates && !isnan(rates[habitat_dtype_from_name(field + prefix)]);
}

/* A calibration to a full entry: a copy of the GPU with the measured rates laid over. Its sources
 * come first, so that they are found first. */
static habitat_status calibrate(habitat_gpu_table *table, gpu_entry **entry, const char *file,
                                habitat_error *err) {
    const gpu_entry *measured = *entry;
    const habitat_gpu *base = NULL;
    habitat_status status = habitat_gpu_find(table, measured->calibration_of, &base, NULL, err);
    if (status != HABITAT_OK)
        return status;
    gpu_entry *merged = habitat_arena_alloc(&table->arena, sizeof *merged);
    if (!merged)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    *merged = *gpu_entry_of(base);
    habitat_gpu *gpu = &merged->gpu;
    const habitat_gpu *from = &measured->gpu;
    lay_over(from->sustained.matrix_flop_per_s, gpu->sustained.matrix_flop_per_s,
             gpu->sustained_matrix_estimated);
    lay_over(from->sustained.plain_flop_per_s, gpu->sustained.plain_flop_per_s,
             gpu->sustained_plain_estimated);
    if (!isnan(from->sustained_bandwidth_bytes_per_s)) {
        gpu->sustained_bandwidth_bytes_per_s = from->sustained_bandwidth_bytes_per_s;
        gpu->sustained_bandwidth_estimated = false;
    }
    if (!isnan(from->launch_floor_ns))
        gpu->launch_floor_ns = from->launch_floor_ns;
    if (from->operation_count) {
        gpu->operations = from->operations;
        gpu->operation_count = from->operation_count;
    }
    if (from->host.launch_ns > 0.0)
        gpu->host = from->host;
    gpu_estimate_sustained(gpu);
    const gpu_entry *old = gpu_entry_of(base);
    habitat_gpu_source *sources = NULL;
    if (append(&table->arena, measured->sources, measured->source_count, old->sources,
               old->source_count, sizeof *sources, &sources) != HABITAT_OK ||
        append(&table->arena, measured->notes, measured->note_count, old->notes, old->note_count,
               sizeof *old->notes, &merged->notes) != HABITAT_OK)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    merged->source_count = measured->source_count;
    for (size_t i = 0; i < old->source_count; i++)
        if (!measures(from, old->sources[i].field))
            sources[merged->source_count++] = old->sources[i];
    merged->sources = sources;
    merged->note_count += measured->note_count;
    gpu->file = file;
    *entry = merged;
    return HABITAT_OK;
}

habitat_status gpu_add_built_in(habitat_gpu_table *table, habitat_error *err) {
    size_t capacity = 2 * gpu_builtin_count + 8;
    table->entries = malloc(capacity * sizeof *table->entries);
    if (!table->entries)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < gpu_builtin_count; i++)
        table->entries[i] = &gpu_builtin[i];
    table->count = gpu_builtin_count;
    table->capacity = capacity;
    return HABITAT_OK;
}

static double apart(double a, double b) {
    return fabs(log(a / b));
}

static bool other_chip(const habitat_gpu *a, const habitat_gpu *b) {
    return !a->chip || !b->chip || strcmp(a->chip, b->chip) != 0;
}

static bool other_date(const habitat_gpu *a, const habitat_gpu *b) {
    return !a->release_date || !b->release_date || strcmp(a->release_date, b->release_date) != 0;
}

/* By what is no rate: kernels are those of the units at hand and of the compute capability
 * (consumer and data-centre parts of one architecture have others); parts of one chip and size
 * differ in memory or power, and two of them in their rates alone: then the day tells which of
 * them a copy is of. */
static bool is_nearer(const habitat_gpu *gpu, const habitat_gpu *kin, const habitat_gpu *found) {
    bool units = gpu_has_matrix_unit(gpu, HABITAT_DTYPE_FP16);
    const double far[][2] = {
        {gpu_has_matrix_unit(kin, HABITAT_DTYPE_FP16) != units,
         gpu_has_matrix_unit(found, HABITAT_DTYPE_FP16) != units},
        {kin->compute_capability != gpu->compute_capability,
         found->compute_capability != gpu->compute_capability},
        {other_chip(kin, gpu), other_chip(found, gpu)},
        {apart(kin->sm_count, gpu->sm_count), apart(found->sm_count, gpu->sm_count)},
        {apart((double)kin->memory_bytes, (double)gpu->memory_bytes),
         apart((double)found->memory_bytes, (double)gpu->memory_bytes)},
        {apart(kin->tdp_w, gpu->tdp_w), apart(found->tdp_w, gpu->tdp_w)},
        {other_date(kin, gpu), other_date(found, gpu)}};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        if (far[i][0] != far[i][1])
            return far[i][0] < far[i][1];
    return false;
}

/* The nearest built-in GPU of the architecture, the first of equals. */
static const habitat_gpu *nearest_kin(const habitat_gpu_table *built_in, const habitat_gpu *gpu) {
    const habitat_gpu *found = NULL;
    for (size_t i = 0; i < built_in->count; i++) {
        const habitat_gpu *kin = &built_in->entries[i]->gpu;
        if (strcmp(kin->architecture, gpu->architecture) == 0 &&
            (!found || is_nearer(gpu, kin, found)))
            found = kin;
    }
    return found;
}

/* The built-in GPU that stands for one of a user's file: the namesake, else the nearest of its
 * architecture. What a model says of a GPU's distance to its roofline must not change with the
 * rates in such a file: more bandwidth would now and then make a kernel slower. */
static habitat_status find_reference(const habitat_gpu *gpu, const habitat_gpu **out,
                                     habitat_error *err) {
    habitat_gpu_table built_in = {0};
    habitat_status status = gpu_add_built_in(&built_in, err);
    if (status != HABITAT_OK)
        return status;
    *out = NULL;
    if (habitat_gpu_find(&built_in, gpu->name, out, NULL, NULL) != HABITAT_OK)
        *out = nearest_kin(&built_in, gpu);
    free(built_in.entries); /* what they point to is static */
    return HABITAT_OK;
}

static habitat_status add_entry(habitat_gpu_table *table, gpu_entry *entry, const char *file,
                                const habitat_gpu **out, habitat_error *err) {
    habitat_status status = entry->calibration_of ? calibrate(table, &entry, file, err)
                                                  : refuse_taken_alias(table, entry, file, err);
    const habitat_gpu *reference = NULL;
    if (status == HABITAT_OK)
        gpu_rates_of_kin(table, &entry->gpu);
    if (status == HABITAT_OK)
        status = find_reference(&entry->gpu, &reference, err);
    if (status == HABITAT_OK)
        status = insert(table, entry, err);
    if (status != HABITAT_OK)
        return status;
    entry->gpu.file = file;
    entry->gpu.built_in = false;
    entry->gpu.reference = reference;
    gpu_supersede_skipped(table, entry->gpu.name);
    sort_table(table);
    if (out)
        *out = &entry->gpu;
    return HABITAT_OK;
}

habitat_status habitat_gpu_table_add_text(habitat_gpu_table *table, const char *text, size_t size,
                                          const char *label, const habitat_gpu **out,
                                          habitat_error *err) {
    if (!table || (!text && size) || !label)
        return habitat_fail(err, HABITAT_E_ARG, "a table, a text and its label are needed");
    const char *file = habitat_arena_string(&table->arena, label, strlen(label));
    char *copy = malloc(size + 1);
    if (!file || !copy) {
        free(copy);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    if (size)
        memcpy(copy, text, size);
    copy[size] = '\0';
    gpu_entry *entry = NULL;
    habitat_status status = gpu_parse(&table->arena, copy, size, file, &entry, err);
    free(copy);
    return status == HABITAT_OK ? add_entry(table, entry, file, out, err) : status;
}

habitat_status habitat_gpu_table_add_file(habitat_gpu_table *table, const char *path,
                                          const habitat_gpu **out, habitat_error *err) {
    char *text = NULL;
    size_t size = 0;
    if (!table || !path)
        return habitat_fail(err, HABITAT_E_ARG, "a table and a path are needed");
    habitat_status status = gpu_read_file(path, false, &text, &size, err);
    if (status == HABITAT_OK)
        status = habitat_gpu_table_add_text(table, text, size, path, out, err);
    free(text);
    return status;
}

/* ---- the whole ---- */

void habitat_gpu_table_free(habitat_gpu_table *table) {
    if (!table)
        return;
    habitat_arena_free(&table->arena);
    free(table->skipped);
    free(table->entries);
    free(table);
}

size_t habitat_gpu_count(const habitat_gpu_table *table) {
    return table ? table->count : 0;
}

const habitat_gpu *habitat_gpu_at(const habitat_gpu_table *table, size_t i) {
    return table && i < table->count ? &table->entries[i]->gpu : NULL;
}

const char *const *habitat_gpu_aliases(const habitat_gpu_table *table, const habitat_gpu *gpu,
                                       size_t *count) {
    (void)table;
    const gpu_entry *entry = gpu ? gpu_entry_of(gpu) : NULL;
    if (count)
        *count = entry ? entry->alias_count : 0;
    return entry ? entry->aliases : NULL;
}

const habitat_gpu_source *habitat_gpu_sources(const habitat_gpu_table *table,
                                              const habitat_gpu *gpu, size_t *count) {
    (void)table;
    const gpu_entry *entry = gpu ? gpu_entry_of(gpu) : NULL;
    if (count)
        *count = entry ? entry->source_count : 0;
    return entry ? entry->sources : NULL;
}

const habitat_gpu_source *habitat_gpu_source_of(const habitat_gpu *gpu, const char *field) {
    const habitat_gpu_source *found = NULL;
    size_t longest = 0;
    if (!gpu || !field)
        return NULL;
    const gpu_entry *entry = gpu_entry_of(gpu);
    for (size_t i = 0; i < entry->source_count; i++) {
        const char *covered = entry->sources[i].field;
        size_t length = strlen(covered);
        if (length > longest && strncmp(covered, field, length) == 0 &&
            (field[length] == '\0' || field[length] == '.')) {
            longest = length;
            found = &entry->sources[i];
        }
    }
    return found;
}

const char *const *habitat_gpu_notes(const habitat_gpu *gpu, size_t *count) {
    const gpu_entry *entry = gpu ? gpu_entry_of(gpu) : NULL;
    if (count)
        *count = entry ? entry->note_count : 0;
    return entry ? entry->notes : NULL;
}
