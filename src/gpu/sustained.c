/* Sustained rates of a GPU that nobody measured: docs/gpus.md, "The rule for estimates".
 *
 *     F = min(u P, e W),   B = f D
 *
 * P peak [flop/s], W board power limit [W], D nominal bandwidth [byte/s]; u the share of the peak
 * that large matrix products reach when power does not bind, e the work a joule buys [flop/J], f
 * the share of the bandwidth that copies reach. A measured format corrects the others of the same
 * unit by the ratio of its measurement to its estimate. */
#include "gpu/entry.h"

#include <math.h>
#include <string.h>

typedef struct unit_rule {
    const char *architecture;               /* NULL: any, decided by process_nm */
    double largest_nm;                      /* row applies to process_nm <= this */
    double matrix_share, matrix_flop_per_j; /* for 16-bit formats */
    double plain_share, plain_flop_per_j;   /* for fp32 */
} unit_rule;

/* First row that fits. Architectures where somebody measured come before the general ones. */
static const unit_rule unit_rules[] = {
    {"CDNA 3", 99, 0.60, 0.85e12, 0.77, 0.17e12}, {"CDNA 4", 99, 0.62, 1.12e12, 0.77, 0.17e12},
    {"CDNA", 99, 0.60, 0.84e12, 0.93, 0.09e12},   {"CDNA 2", 99, 0.60, 0.84e12, 0.93, 0.09e12},
    {"Hopper", 99, 0.85, 1.13e12, 0.77, 0.17e12}, {"Blackwell", 5, 0.78, 1.75e12, 0.77, 0.17e12},
    {"Ada", 99, 0.85, 0.73e12, 0.77, 0.17e12},    {NULL, 3.9, 0.80, 1.75e12, 0.77, 0.20e12},
    {NULL, 5.9, 0.85, 0.73e12, 0.77, 0.17e12},    {NULL, 7.9, 0.85, 0.84e12, 0.85, 0.09e12},
    {NULL, 8.9, 0.85, 0.48e12, 0.77, 0.09e12},    {NULL, 19.9, 0.87, 0.40e12, 0.95, 0.061e12},
    {NULL, 1e9, 0.87, 0.20e12, 0.85, 0.025e12},
};

/* Share of the nominal DRAM bandwidth that copies and element-wise kernels reach. */
static const struct {
    const char *type, *ecc, *architecture; /* NULL: any */
    double share;
} memory_rules[] = {
    {"HBM2", NULL, "Pascal", 0.76},    {"HBM2", NULL, "CDNA", 0.82},
    {"HBM2e", NULL, "CDNA 2", 0.82},   {"HBM3", NULL, "CDNA 3", 0.82},
    {"HBM3e", NULL, "CDNA 3", 0.82},   {"HBM3e", NULL, "CDNA 4", 0.82},
    {"HBM2", NULL, NULL, 0.89},        {"HBM2e", NULL, NULL, 0.89},
    {"HBM3", NULL, NULL, 0.90},        {"HBM3e", NULL, NULL, 0.90},
    {"GDDR5", "none", NULL, 0.83},     {"GDDR5X", "none", NULL, 0.83},
    {"GDDR6", "none", "Turing", 0.86}, {"GDDR6", "none", NULL, 0.92},
    {"GDDR6X", "none", NULL, 0.92},    {"GDDR7", "none", NULL, 0.92},
    {"GDDR5", NULL, NULL, 0.75},       {"GDDR5X", NULL, NULL, 0.75},
    {"GDDR6", NULL, "Turing", 0.76},   {"GDDR6", NULL, NULL, 0.835},
    {"GDDR6X", NULL, NULL, 0.835},     {"GDDR7", NULL, NULL, 0.835},
    {NULL, NULL, NULL, 0.75},
};

/* Work a joule buys in each format, relative to the format that the rule's energy is stated for. */
static const struct {
    habitat_dtype dtype;
    double matrix, plain;
} formats[] = {
    {HABITAT_DTYPE_BF16, 1.0, 2.0},   {HABITAT_DTYPE_FP16, 1.0, 2.0},
    {HABITAT_DTYPE_FP8, 1.8, 2.0},    {HABITAT_DTYPE_INT8, 1.8, 4.0},
    {HABITAT_DTYPE_TF32, 0.5, 1.0},   {HABITAT_DTYPE_FP32, 0.25, 1.0},
    {HABITAT_DTYPE_FP64, 0.125, 0.5},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static const unit_rule *rule_for(const habitat_gpu *gpu) {
    size_t i = 0;
    for (;; i++) {
        const unit_rule *rule = &unit_rules[i];
        bool last = i + 1 == sizeof unit_rules / sizeof *unit_rules;
        bool named = !rule->architecture ||
                     (gpu->architecture && strcmp(rule->architecture, gpu->architecture) == 0);
        if (last || (named && gpu->process_nm <= rule->largest_nm))
            return rule;
    }
}

/* Blackwell's GDDR parts draw Ada's power for the same work: their matrix units are another design.
 */
static const unit_rule *rule_for_memory(const habitat_gpu *gpu) {
    static const unit_rule small_blackwell = {"Blackwell", 99, 0.85, 0.73e12, 0.77, 0.17e12};
    const unit_rule *rule = rule_for(gpu);
    bool graphics = gpu->memory_type && strncmp(gpu->memory_type, "GDDR", 4) == 0;
    return graphics && rule->architecture && strcmp(rule->architecture, "Blackwell") == 0
               ? &small_blackwell
               : rule;
}

static double estimate(double peak, double share, double flop_per_j, double watt) {
    double unbound = share * peak;
    double powered = flop_per_j * watt;
    return powered < unbound ? powered : unbound;
}

static void fill(const double *peak, double share, double flop_per_j, double watt, bool matrix,
                 double *rates, bool *estimated) {
    double correction = 1;
    for (size_t i = 0; i < FORMATS; i++) { /* most telling format first */
        habitat_dtype d = formats[i].dtype;
        double factor = matrix ? formats[i].matrix : formats[i].plain;
        if (!isnan(rates[d]) && !isnan(peak[d])) {
            correction = rates[d] / estimate(peak[d], share, factor * flop_per_j, watt);
            break;
        }
    }
    for (size_t i = 0; i < FORMATS; i++) {
        habitat_dtype d = formats[i].dtype;
        double factor = matrix ? formats[i].matrix : formats[i].plain;
        if (!isnan(rates[d]) || isnan(peak[d]))
            continue;
        double rate = correction * estimate(peak[d], share, factor * flop_per_j, watt);
        rates[d] = rate < peak[d] ? rate : peak[d];
        estimated[d] = true;
    }
}

static bool fits(const char *wanted, const char *value) {
    return !wanted || (value && strcmp(wanted, value) == 0);
}

void gpu_estimate_sustained(habitat_gpu *gpu) {
    const unit_rule *rule = rule_for_memory(gpu);
    fill(gpu->peak.matrix_flop_per_s, rule->matrix_share, rule->matrix_flop_per_j, gpu->tdp_w, true,
         gpu->sustained.matrix_flop_per_s, gpu->sustained_matrix_estimated);
    fill(gpu->peak.plain_flop_per_s, rule->plain_share, rule->plain_flop_per_j, gpu->tdp_w, false,
         gpu->sustained.plain_flop_per_s, gpu->sustained_plain_estimated);
    if (!isnan(gpu->sustained_bandwidth_bytes_per_s))
        return;
    for (size_t i = 0;; i++) {
        if (!fits(memory_rules[i].type, gpu->memory_type) ||
            !fits(memory_rules[i].ecc, gpu->memory_ecc) ||
            !fits(memory_rules[i].architecture, gpu->architecture))
            continue;
        gpu->sustained_bandwidth_bytes_per_s =
            memory_rules[i].share * gpu->memory_bandwidth_bytes_per_s;
        gpu->sustained_bandwidth_estimated = true;
        return;
    }
}

void habitat_gpu_unmeasured(const habitat_gpu *gpu, habitat_gpu *out) {
    *out = *gpu;
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++) {
        out->sustained.matrix_flop_per_s[d] = out->sustained.plain_flop_per_s[d] = NAN;
        out->sustained_matrix_estimated[d] = out->sustained_plain_estimated[d] = false;
    }
    out->sustained_bandwidth_bytes_per_s = NAN;
    out->sustained_bandwidth_estimated = false;
    out->launch_floor_ns = NAN;
    out->operations = NULL;
    out->operation_count = 0;
    gpu_estimate_sustained(out);
}
