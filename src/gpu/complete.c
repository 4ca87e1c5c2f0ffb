/* What a GPU file may leave out because it follows from the rest, and what is then still missing.
 *
 * A value is filled in only where it is the same, or in the same ratio, for every part of a compute
 * capability: docs/gpus.md "Values that follow". tests/unit/test_gpu_complete.c holds the built-in
 * GPUs against the table below. Each filled-in value gets the source "derived". */
#include "gpu/entry.h"
#include "gpu/generation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/constants_gpus.h"
#include "base/error.h"

/* Ratios are to the plain fp32 peak for `plain` and `fp16`, to the matrix fp16 peak for `matrix`;
 * 0: parts differ, or there is no such unit. */
typedef struct family {
    uint32_t capability;
    const char *architecture;
    double process_nm;
    uint32_t lanes;
    struct {
        double fp64, fp16, bf16, int8;
    } plain;
    double fp16; /* matrix units; -1: there are none */
    struct {
        double fp64, tf32, bf16, fp8, int8;
    } matrix;
} family;

static const family families[] = {
    {35, "Kepler", 28, 192, {0, 0, 0, 0}, -1, {0, 0, 0, 0, 0}},
    {37, "Kepler", 28, 192, {1. / 3, 0, 0, 0}, -1, {0, 0, 0, 0, 0}},
    {50, "Maxwell", 28, 128, {1. / 32, 0, 0, 0}, -1, {0, 0, 0, 0, 0}},
    {52, "Maxwell", 28, 128, {1. / 32, 0, 0, 0}, -1, {0, 0, 0, 0, 0}},
    {53, "Maxwell", 20, 128, {1. / 32, 2, 0, 0}, -1, {0, 0, 0, 0, 0}},
    {60, "Pascal", 16, 64, {1. / 2, 2, 0, 0}, -1, {0, 0, 0, 0, 0}},
    {61, "Pascal", 16, 128, {1. / 32, 1. / 64, 0, 4}, -1, {0, 0, 0, 0, 0}},
    {62, "Pascal", 16, 128, {1. / 32, 2, 0, 0}, -1, {0, 0, 0, 0, 0}},
    {70, "Volta", 12, 64, {1. / 2, 2, 0, 0}, 8, {0, 0, 0, 0, 0}},
    {72, "Volta", 12, 64, {1. / 2, 2, 0, 0}, 8, {0, 0, 0, 0, 0}},
    {75, "Turing", 12, 64, {1. / 32, 2, 0, 0}, 0, {0, 0, 0, 0, 0}},
    {80, "Ampere", 7, 64, {1. / 2, 4, 2, 0}, 16, {1. / 16, .5, 1, 0, 2}},
    {86, "Ampere", 8, 128, {1. / 64, 1, 1, 0}, 0, {0, .5, 1, 0, 0}},
    {87, "Ampere", 8, 128, {0, 0, 0, 0}, 0, {0, .5, 1, 0, 0}},
    {89, "Ada", 5, 128, {1. / 64, 1, 1, 0}, 0, {0, .5, 1, 2, 0}},
    {90, "Hopper", 5, 128, {0, 2, 2, 0}, 0, {0, .5, 1, 2, 2}},
    {100, "Blackwell", 5, 128, {0, 0, 0, 0}, 0, {0, .5, 1, 2, 2}},
    {103, "Blackwell", 5, 128, {0, 0, 0, 0}, 0, {0, .5, 1, 2, 0}},
    {110, "Blackwell", 5, 128, {0, 0, 0, 0}, 0, {0, .5, 1, 2, 0}},
    {120, "Blackwell", 5, 128, {1. / 64, 1, 1, 0}, 0, {0, .5, 1, 2, 0}},
    {121, "Blackwell", 5, 128, {1. / 64, 1, 1, 0}, 0, {0, .5, 1, 2, 0}},
};

static const family *family_of(const habitat_gpu *gpu) {
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (families[i].capability == gpu->compute_capability)
            return &families[i];
    return NULL;
}

/* ---- filling in ---- */

enum { MOST_DERIVED = 24 };

typedef struct derived {
    gpu_entry *entry;
    habitat_gpu_source sources[MOST_DERIVED];
    size_t count;
} derived;

/* Notes that the value of this key follows from others. */
static void note(derived *d, const char *field) {
    d->sources[d->count++] =
        (habitat_gpu_source){.field = field,
                             .id = "derived",
                             .title = "follows from other values (docs/gpus.md)",
                             .kind = "derived"};
}

static void fill(derived *d, const char *field, double value, double *target) {
    if (!isnan(*target) || !(value > 0))
        return;
    *target = value;
    note(d, field);
}

static void fill_specification(derived *d, const family *f) {
    habitat_gpu *gpu = &d->entry->gpu;
    if (!gpu->vendor && gpu->compute_capability) {
        gpu->vendor = "NVIDIA";
        note(d, "vendor");
    }
    if (f && !gpu->architecture) {
        gpu->architecture = f->architecture;
        note(d, "architecture");
    }
    if (f && !gpu->fp32_lanes_per_sm) {
        gpu->fp32_lanes_per_sm = f->lanes;
        note(d, "fp32_lanes_per_sm");
    }
    if (f)
        fill(d, "process_nm", f->process_nm, &gpu->process_nm);
}

#define PLAIN(format)  "peak_dense_tflop_per_s.plain." #format
#define MATRIX(format) "peak_dense_tflop_per_s.matrix." #format

/* Clock and plain fp32 peak give each other, the peak the other plain formats. */
static void fill_plain(derived *d, const family *f) {
    habitat_gpu *gpu = &d->entry->gpu;
    double *plain = gpu->peak.plain_flop_per_s;
    double flop_per_clock = 2.0 * gpu->sm_count * gpu->fp32_lanes_per_sm;
    if (flop_per_clock > 0) {
        fill(d, PLAIN(fp32), flop_per_clock * gpu->boost_clock_hz, &plain[HABITAT_DTYPE_FP32]);
        fill(d, "boost_clock_mhz", plain[HABITAT_DTYPE_FP32] / flop_per_clock,
             &gpu->boost_clock_hz);
    }
    double fp32 = plain[HABITAT_DTYPE_FP32];
    if (!f)
        return;
    fill(d, PLAIN(fp64), f->plain.fp64 * fp32, &plain[HABITAT_DTYPE_FP64]);
    fill(d, PLAIN(fp16), f->plain.fp16 * fp32, &plain[HABITAT_DTYPE_FP16]);
    fill(d, PLAIN(bf16), f->plain.bf16 * fp32, &plain[HABITAT_DTYPE_BF16]);
    fill(d, PLAIN(int8), f->plain.int8 * fp32, &plain[HABITAT_DTYPE_INT8]);
}

/* One of fp16, bf16 and tf32 gives the others. */
static void fill_matrix(derived *d, const family *f) {
    double *matrix = d->entry->gpu.peak.matrix_flop_per_s;
    double fp32 = d->entry->gpu.peak.plain_flop_per_s[HABITAT_DTYPE_FP32];
    if (f->matrix.bf16 > 0)
        fill(d, MATRIX(fp16), matrix[HABITAT_DTYPE_BF16] / f->matrix.bf16,
             &matrix[HABITAT_DTYPE_FP16]);
    if (f->matrix.tf32 > 0)
        fill(d, MATRIX(fp16), matrix[HABITAT_DTYPE_TF32] / f->matrix.tf32,
             &matrix[HABITAT_DTYPE_FP16]);
    fill(d, MATRIX(fp16), f->fp16 * fp32, &matrix[HABITAT_DTYPE_FP16]);
    double fp16 = matrix[HABITAT_DTYPE_FP16];
    fill(d, MATRIX(fp64), f->matrix.fp64 * fp16, &matrix[HABITAT_DTYPE_FP64]);
    fill(d, MATRIX(tf32), f->matrix.tf32 * fp16, &matrix[HABITAT_DTYPE_TF32]);
    fill(d, MATRIX(bf16), f->matrix.bf16 * fp16, &matrix[HABITAT_DTYPE_BF16]);
    fill(d, MATRIX(fp8), f->matrix.fp8 * fp16, &matrix[HABITAT_DTYPE_FP8]);
    fill(d, MATRIX(int8), f->matrix.int8 * fp16, &matrix[HABITAT_DTYPE_INT8]);
}

/* What CUDA or ROCm reports of this memory: docs/gpus.md "Usable memory". */
static double usable_memory(const habitat_gpu *gpu) {
    const double mib = 1048576, sold = gpu->memory_sold_bytes;
    if (!gpu->vendor || !gpu->memory_type)
        return NAN;
    if (strcmp(gpu->vendor, "AMD") == 0)
        return sold - fitted_usable_kept_amd_mib * mib;
    bool graphics = strncmp(gpu->memory_type, "GDDR", 4) == 0;
    bool check_bits = graphics && (!gpu->memory_ecc || strcmp(gpu->memory_ecc, "inline") == 0);
    bool newer = graphics && gpu->compute_capability >= SM_TURING;
    double kept = newer ? fitted_usable_share_newer * sold - fitted_usable_kept_newer_mib * mib
                        : fitted_usable_share * sold;
    double usable = kept * (check_bits ? hardware_usable_checked_share : 1);
    return floor(usable / mib) * mib;
}

/* The sources of the file, then those of what was filled in. */
static habitat_status keep_sources(habitat_arena *arena, const derived *d) {
    gpu_entry *entry = d->entry;
    if (d->count == 0)
        return HABITAT_OK;
    habitat_gpu_source *all =
        habitat_arena_alloc(arena, (entry->source_count + d->count) * sizeof *all);
    if (!all)
        return HABITAT_E_MEMORY;
    if (entry->source_count)
        memcpy(all, entry->sources, entry->source_count * sizeof *all);
    memcpy(all + entry->source_count, d->sources, d->count * sizeof *all);
    entry->sources = all;
    entry->source_count += d->count;
    return HABITAT_OK;
}

/* ---- what is missing ---- */

static bool lacks(const gpu_entry *entry, size_t f) {
    const char *at = (const char *)&entry->gpu + gpu_fields[f].offset;
    const char *text;
    uint32_t count;
    double number;
    switch (gpu_fields[f].kind) {
    case GPU_FIELD_TEXT:
        memcpy(&text, at, sizeof text);
        return !text;
    case GPU_FIELD_COUNT:
        memcpy(&count, at, sizeof count);
        return !count;
    case GPU_FIELD_NUMBER:
        memcpy(&number, at, sizeof number);
        return isnan(number);
    case GPU_FIELD_OTHER:
        break;
    }
    return !(entry->present >> f & 1);
}

typedef struct list {
    char text[256];
    size_t used;
} list;

static void add(list *missing, const char *key) {
    int length = snprintf(missing->text + missing->used, sizeof missing->text - missing->used,
                          "%s%s", missing->used ? ", " : "", key);
    size_t after = missing->used + (size_t)length;
    missing->used = after < sizeof missing->text ? after : sizeof missing->text - 1;
}

/* Keys that the compute capability would give. */
static bool follows(const char *key) {
    static const char *const keys[] = {"vendor", "architecture", "process_nm", "fp32_lanes_per_sm"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

static void list_missing(const gpu_entry *entry, const gpu_left_out *left, list *missing) {
    const habitat_gpu *gpu = &entry->gpu;
    bool amd = gpu->vendor && strcmp(gpu->vendor, "AMD") == 0;
    bool by_capability = !amd && !gpu->compute_capability, asked = false; /* for the capability */
    const family *f = family_of(gpu);
    for (size_t i = 0; i < gpu_field_count; i++) {
        const char *key = gpu_fields[i].key;
        bool needed = gpu_fields[i].required && lacks(entry, i);
        if (needed && by_capability && follows(key))
            key = "compute_capability";
        else if (!needed && !(left->nulls >> i & 1))
            continue;
        bool again = asked && strcmp(key, "compute_capability") == 0;
        if (!again)
            add(missing, key);
        asked = asked || strcmp(key, "compute_capability") == 0;
    }
    /* without it, matrix products would be predicted for the ordinary lanes */
    bool may_follow = f ? f->fp16 < 0 : !left->null_fp16;
    if (!may_follow && !left->no_matrix && isnan(gpu->peak.matrix_flop_per_s[HABITAT_DTYPE_FP16]))
        add(missing, MATRIX(fp16));
}

habitat_status gpu_complete(habitat_arena *arena, gpu_entry *entry, const gpu_left_out *left,
                            const char *file, habitat_error *err) {
    derived d = {.entry = entry};
    list missing = {.used = 0};
    const family *f = family_of(&entry->gpu);
    fill_specification(&d, f);
    fill_plain(&d, f);
    if (f && f->fp16 >= 0 && !left->no_matrix)
        fill_matrix(&d, f);
    fill(&d, "memory_usable_bytes", usable_memory(&entry->gpu), &entry->gpu.memory_bytes);
    list_missing(entry, left, &missing);
    if (missing.used)
        return habitat_fail_at(err, HABITAT_E_FORMAT, file, UINT64_MAX, 0,
                               "missing: %s; `habitat gpus --template` shows a file to fill in",
                               missing.text);
    if (keep_sources(arena, &d) != HABITAT_OK)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return HABITAT_OK;
}
