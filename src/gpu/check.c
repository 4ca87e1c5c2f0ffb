/* Checks of the whole table that need more than one value, or more than one GPU. Each finding says
 * what disagrees with what; an empty list is what `habitat gpus --check` wants. */
#include "gpu/entry.h"
#include "gpu/generation.h"
#include "base/constants_gpus.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

typedef struct findings {
    habitat_gpu_finding *out;
    size_t capacity, count;
} findings;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
find(findings *f, const habitat_gpu *gpu, const char *format, ...) {
    if (f->count < f->capacity) {
        va_list args;
        va_start(args, format);
        f->out[f->count].gpu = gpu->name;
        habitat_vformat(f->out[f->count].message, sizeof f->out->message, format, args);
        va_end(args);
    }
    f->count++;
}

static bool within(double value, double reference, double share) {
    return fabs(value / reference - 1) <= share;
}

/* One of a GPU's peaks over another. */
typedef struct peak_ratio {
    bool matrix, over_matrix;
    habitat_dtype dtype, over;
    bool has_least; /* lower ones are doubted too, not only higher ones */
    double room;    /* what GPUs may differ by from those that are known */
} peak_ratio;

static double ratio_of(const habitat_gpu *gpu, const peak_ratio *of) {
    const habitat_rates *peak = &gpu->peak;
    return (of->matrix ? peak->matrix_flop_per_s : peak->plain_flop_per_s)[of->dtype] /
           (of->over_matrix ? peak->matrix_flop_per_s : peak->plain_flop_per_s)[of->over];
}

static bool akin(const habitat_gpu *a, const habitat_gpu *b) {
    if (a->compute_capability || b->compute_capability)
        return a->compute_capability == b->compute_capability;
    return strcmp(a->architecture, b->architecture) == 0;
}

/* Least and largest among the built-in GPUs of this one's kind, of all where there are none. False
 * where there are, and none has both peaks. */
static bool known_ratios(const habitat_gpu_table *table, const habitat_gpu *gpu,
                         const peak_ratio *of, double range[2], bool *of_kind) {
    double all[2] = {INFINITY, 0}, kind[2] = {INFINITY, 0};
    *of_kind = false;
    for (size_t i = 0; i < table->count; i++) {
        const habitat_gpu *other = &table->entries[i]->gpu;
        if (!other->built_in)
            continue;
        double ratio = ratio_of(other, of); /* NaN changes neither */
        all[0] = fmin(all[0], ratio);
        all[1] = fmax(all[1], ratio);
        if (!akin(gpu, other))
            continue;
        *of_kind = true;
        kind[0] = fmin(kind[0], ratio);
        kind[1] = fmax(kind[1], ratio);
    }
    memcpy(range, *of_kind ? kind : all, sizeof all);
    return range[1] > 0;
}

/* A rate in another unit, or one digit too many: what no GPU of the kind has. */
static void check_ratios(findings *f, const habitat_gpu_table *table, const habitat_gpu *gpu) {
    static const peak_ratio ratios[] = {
        {true, false, HABITAT_DTYPE_FP16, HABITAT_DTYPE_FP32, false, 1.25},
        {true, true, HABITAT_DTYPE_BF16, HABITAT_DTYPE_FP16, true, 1.03},
        {false, false, HABITAT_DTYPE_BF16, HABITAT_DTYPE_FP16, true, 1.03},
        {true, true, HABITAT_DTYPE_INT8, HABITAT_DTYPE_FP16, true, 1.25},
    };
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        const peak_ratio *of = &ratios[i];
        double ratio = ratio_of(gpu, of), range[2];
        bool of_kind;
        if (isnan(ratio) || !known_ratios(table, gpu, of, range, &of_kind) ||
            (ratio <= range[1] * of->room && (!of->has_least || ratio >= range[0] / of->room)))
            continue;
        bool high = ratio > range[1];
        find(f, gpu,
             "%s %s peak is %.3g x %s %s, and %s %.3g x on built-in GPUs%s; one of them may be in "
             "another unit",
             of->matrix ? "matrix" : "plain", habitat_dtype_name(of->dtype), ratio,
             of->over_matrix ? "matrix" : "plain", habitat_dtype_name(of->over),
             high ? "at most" : "at least", high ? range[1] : range[0],
             of_kind ? " of its kind" : "");
    }
}

static void check_peaks(findings *f, const gpu_entry *entry) {
    const habitat_gpu *gpu = &entry->gpu;
    const double *plain = gpu->peak.plain_flop_per_s, *matrix = gpu->peak.matrix_flop_per_s;
    double fp32 = plain[HABITAT_DTYPE_FP32];
    double clocked = 2.0 * gpu->sm_count * gpu->fp32_lanes_per_sm * gpu->boost_clock_hz;
    if (!within(fp32, clocked, chosen_doubt_peak_apart) && !entry->peak_note)
        find(f, gpu,
             "fp32 peak %.4g TFLOP/s, but SMs x lanes x 2 x boost clock gives %.4g; correct "
             "one of them or state the reason in peak_note",
             fp32 / 1e12, clocked / 1e12);
    double fp16 = matrix[HABITAT_DTYPE_FP16];
    if (!isnan(fp16) && gpu->compute_capability && gpu->compute_capability < SM_VOLTA)
        find(f, gpu, "matrix peaks, but compute capability %u.%u has no matrix units",
             gpu->compute_capability / 10, gpu->compute_capability % 10);
    if (!isnan(fp16) && fp16 < 2 * fp32 * chosen_doubt_half_least)
        find(f, gpu, "matrix fp16 peak below twice the plain fp32 peak");
    static const struct {
        habitat_dtype dtype;
        double to_fp16;
        const char *name;
    } ratios[] = {{HABITAT_DTYPE_TF32, 0.5, "tf32"}, {HABITAT_DTYPE_FP8, 2, "fp8"}};
    for (size_t i = 0; i < 2; i++) {
        double rate = matrix[ratios[i].dtype];
        if (!isnan(fp16) && !isnan(rate) &&
            !within(rate, ratios[i].to_fp16 * fp16, chosen_doubt_peak_apart))
            find(f, gpu, "matrix %s peak is not %g x fp16; one of them may count sparsity",
                 ratios[i].name, ratios[i].to_fp16);
    }
    if (gpu->base_clock_hz > gpu->boost_clock_hz)
        find(f, gpu, "base clock above boost clock");
}

/* Bits per second of one pin, nominal, with the slowest and fastest parts of each type. */
static const struct {
    const char *type;
    double lowest, highest;      /* [bit/s] per pin */
    double least_gb, largest_gb; /* bandwidth of a whole GPU [GB/s] */
} memory_types[] = {
    {"GDDR5", 4.0e9, 9.2e9, 40, 400},     {"GDDR5X", 8.9e9, 12.5e9, 200, 600},
    {"GDDR6", 9.5e9, 20.1e9, 60, 1000},   {"GDDR6X", 18e9, 24.1e9, 400, 1200},
    {"GDDR7", 17.9e9, 36e9, 250, 2500},   {"HBM2", 1.3e9, 2.5e9, 400, 1700},
    {"HBM2e", 2.4e9, 3.8e9, 1000, 3500},  {"HBM3", 4.5e9, 6.6e9, 2500, 6000},
    {"HBM3e", 5.5e9, 9.9e9, 3500, 10000}, {"LPDDR5X", 6.3e9, 10.8e9, 60, 700},
};

static void check_memory(findings *f, const habitat_gpu *gpu) {
    size_t i = 0, types = sizeof memory_types / sizeof *memory_types;
    while (i < types && strcmp(memory_types[i].type, gpu->memory_type) != 0)
        i++;
    if (i == types) {
        find(f, gpu, "unknown memory type %.40s", gpu->memory_type);
        return;
    }
    if (gpu->memory_ecc && strcmp(gpu->memory_ecc, "none") != 0 &&
        strcmp(gpu->memory_ecc, "inline") != 0 && strcmp(gpu->memory_ecc, "off") != 0)
        find(f, gpu, "unknown memory_ecc %.40s; known: none, off, inline", gpu->memory_ecc);
    if (!gpu->memory_ecc && strncmp(gpu->memory_type, "GDDR", 4) == 0 && gpu->compute_capability)
        find(f, gpu,
             "memory_ecc is missing and counts as inline, which is slower: none for GeForce, off "
             "for workstation cards as sold");
    double bandwidth = gpu->memory_bandwidth_bytes_per_s;
    if (bandwidth / 1e9 < memory_types[i].least_gb || bandwidth / 1e9 > memory_types[i].largest_gb)
        find(f, gpu, "%.4g GB/s is out of range for %s", bandwidth / 1e9, gpu->memory_type);
    double pin = gpu->memory_bus_bits ? bandwidth * 8 / gpu->memory_bus_bits : NAN;
    if (pin < memory_types[i].lowest || pin > memory_types[i].highest)
        find(f, gpu, "%.3g Gbit/s a pin is out of range for %s", pin / 1e9, gpu->memory_type);
    if (gpu->memory_bytes > chosen_doubt_memory_most * gpu->memory_sold_bytes ||
        gpu->memory_bytes < chosen_doubt_memory_least * gpu->memory_sold_bytes)
        find(f, gpu, "usable memory does not fit the capacity");
    if (gpu->sustained_bandwidth_bytes_per_s > bandwidth)
        find(f, gpu, "sustained bandwidth above the nominal one");
    if (gpu->sustained_bandwidth_bytes_per_s < chosen_doubt_sustained_least * bandwidth)
        find(f, gpu, "sustained bandwidth below a fifth of the nominal one");
    double l2_share = gpu->l2_bytes / gpu->memory_bytes;
    if (l2_share > chosen_doubt_l2_most)
        find(f, gpu, "L2 holds more than a hundredth of the memory");
}

/* Clocks of boards without ECC run above the boost clock that is printed (measured: up to 1.17 of
 * the peak); those of server boards end there (measured: up to 1.00). */
static double highest_share(const habitat_gpu *gpu) {
    bool corrects = !gpu->memory_ecc || strcmp(gpu->memory_ecc, "inline") == 0;
    return corrects ? chosen_doubt_rate_most_checked : chosen_doubt_rate_most;
}

static void check_share(findings *f, const habitat_gpu *gpu, const char *unit, habitat_dtype dtype,
                        double rate, double peak) {
    if (!isnan(rate) &&
        !(rate <= highest_share(gpu) * peak && rate >= chosen_doubt_sustained_least * peak))
        find(f, gpu, "sustained %s %s is not between %.3g and %.3g of its peak", unit,
             habitat_dtype_name(dtype), chosen_doubt_sustained_least, highest_share(gpu));
}

static void check_sustained(findings *f, const habitat_gpu *gpu) {
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++) {
        check_share(f, gpu, "matrix", (habitat_dtype)d, gpu->sustained.matrix_flop_per_s[d],
                    gpu->peak.matrix_flop_per_s[d]);
        check_share(f, gpu, "plain", (habitat_dtype)d, gpu->sustained.plain_flop_per_s[d],
                    gpu->peak.plain_flop_per_s[d]);
    }
}

static void check_limits(findings *f, const habitat_gpu *gpu) {
    const habitat_sm_limits *known = gpu_capability_limits(gpu->compute_capability);
    bool nvidia = strcmp(gpu->vendor, "NVIDIA") == 0;
    if (nvidia != (gpu->compute_capability != 0))
        find(f, gpu, "a compute capability belongs to NVIDIA GPUs, and to all of them");
    if (nvidia && !known)
        find(f, gpu, "no limits are known for compute capability %u.%u",
             gpu->compute_capability / 10, gpu->compute_capability % 10);
    if (known && memcmp(known, &gpu->limits, sizeof *known) != 0)
        find(f, gpu, "sm_limits differ from those of compute capability %u.%u",
             gpu->compute_capability / 10, gpu->compute_capability % 10);
}

static void check_board(findings *f, const habitat_gpu *gpu) {
    if (strcmp(gpu->vendor, "NVIDIA") != 0 && strcmp(gpu->vendor, "AMD") != 0)
        find(f, gpu, "unknown vendor %.40s", gpu->vendor);
    if (gpu->tdp_w < 30 || gpu->tdp_w > 2000)
        find(f, gpu, "TDP of %g W is out of range", gpu->tdp_w);
    if (gpu->process_nm > 28 || gpu->process_nm < 2)
        find(f, gpu, "process node of %g nm is out of range", gpu->process_nm);
    if (gpu->release_date && strcmp(gpu->release_date, "2012") < 0)
        find(f, gpu, "release date %s is before any GPU of the table", gpu->release_date);
    /* one lane of generations 3 to 6 carries about 1, 2, 4, 8 GB/s each way */
    double lane = gpu->pcie_lanes ? gpu->pcie_bytes_per_s / gpu->pcie_lanes / 1e9 : NAN;
    if (gpu->pcie_generation >= 3 && gpu->pcie_generation <= 6 &&
        !within(lane, (double)(1u << (gpu->pcie_generation - 3)), chosen_doubt_lane_apart))
        find(f, gpu, "PCIe bandwidth does not fit generation %u with %u lanes",
             gpu->pcie_generation, gpu->pcie_lanes);
}

static void check_names(findings *f, const habitat_gpu_table *table, const gpu_entry *entry) {
    for (size_t i = 0; i <= entry->alias_count; i++) {
        const char *name = i ? entry->aliases[i - 1] : entry->gpu.name;
        const habitat_gpu *found = NULL;
        if (habitat_gpu_find(table, name, &found, NULL, NULL) == HABITAT_OK && found != &entry->gpu)
            find(f, &entry->gpu, "the name \"%.60s\" also belongs to %s", name, found->name);
    }
}

static void need_source(findings *f, const habitat_gpu *gpu, const char *field) {
    if (!habitat_gpu_source_of(gpu, field))
        find(f, gpu, "no source for %s", field);
}

static void check_rate_sources(findings *f, const habitat_gpu *gpu, const char *group,
                               const double *rates, const bool *estimated) {
    for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++) {
        char field[128];
        snprintf(field, sizeof field, "%s.%s", group, habitat_dtype_name((habitat_dtype)d));
        if (!isnan(rates[d]) && !(estimated && estimated[d]))
            need_source(f, gpu, field);
    }
}

/* What everybody uses says everything, and from where; a private file may leave it out. */
static void check_built_in(findings *f, const gpu_entry *entry) {
    if (!entry->gpu.release_date)
        find(f, &entry->gpu, "no release date");
    for (size_t i = 0; i < entry->source_count; i++)
        if (strcmp(entry->sources[i].id, "derived") == 0 &&
            strcmp(entry->sources[i].field, "memory_usable_bytes") != 0)
            find(f, &entry->gpu, "%s is left out", entry->sources[i].field);
    for (size_t i = 0; i < entry->source_count; i++)
        if (!entry->sources[i].kind)
            find(f, &entry->gpu, "source %.60s says no kind", entry->sources[i].id);
}

static bool gives_sources(const gpu_entry *entry) {
    for (size_t i = 0; i < gpu_field_count; i++)
        if (strcmp(gpu_fields[i].key, "sources") == 0)
            return entry->present >> i & 1;
    return false;
}

/* The same text, or the beginning of one that goes on inside an object. */
static bool under(const char *field, const char *key) {
    size_t length = strlen(key);
    return strncmp(field, key, length) == 0 && (!field[length] || field[length] == '.');
}

/* What a kind of source cannot know: a data sheet prints no rate that somebody reached. */
static void check_kinds(findings *f, const gpu_entry *entry) {
    static const struct {
        const char *key, *kinds; /* the kinds that can know it */
    } rules[] = {
        {"sustained", "measured"},
        {"launch_floor_ns", "measured"},
        {"operations", "measured"},
        {"host", "measured"},
        {"memory_usable_bytes", "device properties, measured, derived"},
        {"sm_limits", "data sheet, device properties, measured"},
        {"release_date", "data sheet, catalogue"},
        {"peak_dense_tflop_per_s", "data sheet, catalogue, derived"},
    };
    for (size_t i = 0; i < entry->source_count; i++) {
        const habitat_gpu_source *source = &entry->sources[i];
        for (size_t r = 0; source->kind && r < sizeof rules / sizeof *rules; r++)
            if (under(source->field, rules[r].key) && !strstr(rules[r].kinds, source->kind))
                find(f, &entry->gpu, "%s comes from a source of kind %s (%.40s); it can be: %s",
                     source->field, source->kind, source->id, rules[r].kinds);
    }
}

static void check_sources(findings *f, const gpu_entry *entry) {
    static const char *const own[] = {"schema",  "notes",     "peak_note",
                                      "sources", "sustained", "peak_dense_tflop_per_s"};
    const habitat_gpu *gpu = &entry->gpu;
    check_kinds(f, entry);
    if (gpu->built_in)
        check_built_in(f, entry);
    else if (!gives_sources(entry))
        return;
    for (size_t i = 0; i < gpu_field_count; i++) {
        bool needed = entry->present >> i & 1;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            needed &= strcmp(own[k], gpu_fields[i].key) != 0;
        if (needed)
            need_source(f, gpu, gpu_fields[i].key);
    }
    check_rate_sources(f, gpu, "peak_dense_tflop_per_s.matrix", gpu->peak.matrix_flop_per_s, NULL);
    check_rate_sources(f, gpu, "peak_dense_tflop_per_s.plain", gpu->peak.plain_flop_per_s, NULL);
    check_rate_sources(f, gpu, "sustained.matrix_tflop_per_s", gpu->sustained.matrix_flop_per_s,
                       gpu->sustained_matrix_estimated);
    check_rate_sources(f, gpu, "sustained.plain_tflop_per_s", gpu->sustained.plain_flop_per_s,
                       gpu->sustained_plain_estimated);
    if (!gpu->sustained_bandwidth_estimated)
        need_source(f, gpu, "sustained.dram_gb_per_s");
}

habitat_status habitat_gpu_check(const habitat_gpu_table *table, habitat_gpu_finding *out,
                                 size_t *count) {
    if (!table || !count || (!out && *count))
        return HABITAT_E_ARG;
    findings f = {out, *count, 0};
    for (size_t i = 0; i < table->count; i++) {
        const gpu_entry *entry = table->entries[i];
        check_peaks(&f, entry);
        check_ratios(&f, table, &entry->gpu);
        check_memory(&f, &entry->gpu);
        check_sustained(&f, &entry->gpu);
        check_limits(&f, &entry->gpu);
        check_board(&f, &entry->gpu);
        check_names(&f, table, entry);
        check_sources(&f, entry);
    }
    *count = f.count;
    return HABITAT_OK;
}
