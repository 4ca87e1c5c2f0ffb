/* Sustained rates of a GPU that nobody measured: docs/gpus.md, "The rule for estimates".
 *
 *     F = u P min(1, (W / N)^x),  N = u P / e        B = f D
 *
 * P peak [flop/s], W board power limit [W], D nominal bandwidth [byte/s]; u the share of the peak
 * that large products reach in a short run when power does not bind, e the work that a joule buys
 * at full clock [flop/J], N the power that the full rate needs, x how the rate falls with power
 * below it, f the share of the bandwidth that copies reach. Nothing here knows a name: rows are
 * chosen by process, memory, lanes, width of the matrix units. A measured format corrects the
 * others of the same unit by the ratio of its measurement to its estimate. */
#include "gpu/entry.h"
#include "gpu/generation.h"
#include "base/constants_gpus.h"

#include <math.h>
#include <string.h>

/* Work a joule buys at full clock [flop/J], first row that fits: in 16-bit formats on matrix units
 * of 512 multiply-adds a clock and SM, and in fp32 on plain lanes. */
static const struct {
    double least_nm, matrix, plain;
} energies[] = {
    {20, 0.20e12, 0.025e12},  {11.9, 0.25e12, 0.060e12}, {7.9, 0.37e12, 0.080e12},
    {5.9, 0.48e12, 0.066e12}, {3.9, 0.54e12, 0.135e12},  {0, 0.62e12, 0.17e12},
};

/* Share of the nominal DRAM bandwidth that copies and element-wise kernels reach, first row that
 * fits. */
static const struct {
    const char *type;       /* beginning of the memory's type */
    bool cuda, checked;     /* libraries of CUDA; check bits go through the same bus */
    double least_nm, share; /* of the GPU */
} memory_rules[] = {
    {"HBM", false, true, 0, 0.82},   {"HBM", true, true, 14, 0.76},
    {"HBM3e", true, true, 0, 0.885}, {"HBM3", true, true, 0, 0.90},
    {"HBM", true, true, 0, 0.89},    {"GDDR5", true, false, 0, 0.83},
    {"GDDR5", true, true, 0, 0.75},  {"GDDR6", true, false, 10, 0.82},
    {"GDDR6", true, true, 10, 0.76}, {"GDDR", true, false, 0, 0.92},
    {"GDDR", true, true, 0, 0.835},  {"", true, true, 0, 0.75},
};

/* Work a joule buys in each format, relative to bf16 on matrix units and fp32 on lanes; bf16 has
 * the narrower multiplier. */
static const struct {
    habitat_dtype dtype;
    double matrix, plain;
} formats[] = {
    {HABITAT_DTYPE_BF16, 1.0, 2.0},   {HABITAT_DTYPE_FP16, 0.92, 2.0},
    {HABITAT_DTYPE_FP8, 1.8, 2.0},    {HABITAT_DTYPE_INT8, 1.8, 4.0},
    {HABITAT_DTYPE_TF32, 0.5, 1.0},   {HABITAT_DTYPE_FP32, 0.25, 1.0},
    {HABITAT_DTYPE_FP64, 0.125, 0.5},
};
enum { FORMATS = sizeof formats / sizeof *formats };

typedef struct unit_rule {
    double share, flop_per_j, power_exponent;
    double highest; /* share of the peak that an estimate may reach */
} unit_rule;

static size_t energy_row(const habitat_gpu *gpu) {
    size_t i = 0;
    while (i + 1 < sizeof energies / sizeof *energies && gpu->process_nm < energies[i].least_nm)
        i++;
    return i;
}

/* Whether the runtime is CUDA: rocBLAS and hipBLASLt reach another share of the units. */
static bool runs_cuda(const habitat_gpu *gpu) {
    return gpu->compute_capability != 0;
}

static bool without_ecc(const habitat_gpu *gpu) {
    return gpu->memory_ecc && strcmp(gpu->memory_ecc, "none") == 0;
}

static bool has_memory(const habitat_gpu *gpu, const char *type) {
    return gpu->memory_type && strncmp(gpu->memory_type, type, strlen(type)) == 0;
}

/* Multiply-adds in 16 bit that an SM's matrix units start each clock: a power of two, whatever
 * clock the peak is stated at. */
static double matrix_width(const habitat_gpu *gpu) {
    double peak = gpu->peak.matrix_flop_per_s[HABITAT_DTYPE_FP16];
    double width = exp2(round(log2(peak / (2.0 * gpu->sm_count * gpu->boost_clock_hz))));
    return width > 0.0 && isfinite(width) ? width : hardware_width_of_energies;
}

static unit_rule matrix_rule(const habitat_gpu *gpu) {
    double gain = without_ecc(gpu) ? fitted_matrix_clock_gain : 1.0;
    return (unit_rule){
        .share = (runs_cuda(gpu) ? fitted_matrix_rate_share : fitted_matrix_rate_share_rocm) * gain,
        .flop_per_j = energies[energy_row(gpu)].matrix *
                      pow(matrix_width(gpu) / hardware_width_of_energies, fitted_width_exponent),
        .power_exponent = fitted_matrix_power_exponent,
        .highest = gain};
}

/* Of an instruction slot each clock and partition: 64 lanes an SM leave half of them to loads; 128
 * fill them, but for two slots a clock before Volta and pairs in one instruction on 10.x. What
 * fills them by graphics memory has less of everything else an SM needs. */
static double plain_share(const habitat_gpu *gpu) {
    if (gpu->process_nm >= 20)
        return chosen_lanes_share_20_nm;
    if (gpu->fp32_lanes_per_sm <= 64)
        return fitted_lanes_share_spare;
    if (gpu->process_nm >= 14)
        return fitted_lanes_share_two;
    if (sm_is_blackwell(gpu->compute_capability))
        return fitted_lanes_share_pairs;
    return has_memory(gpu, "HBM") ? fitted_lanes_share_hbm : fitted_lanes_share_graphics;
}

static unit_rule plain_rule(const habitat_gpu *gpu) {
    double gain = without_ecc(gpu) ? fitted_plain_clock_gain : 1.0;
    return (unit_rule){.share = plain_share(gpu) * gain,
                       .flop_per_j = energies[energy_row(gpu)].plain,
                       .power_exponent = fitted_plain_power_exponent,
                       .highest = gain};
}

static double estimate(double peak, const unit_rule *rule, double factor, double watt) {
    double unbound = rule->share * peak;
    double needed_w = unbound / (factor * rule->flop_per_j);
    return watt < needed_w ? unbound * pow(watt / needed_w, rule->power_exponent) : unbound;
}

static double factor_of(size_t format, bool matrix) {
    return matrix ? formats[format].matrix : formats[format].plain;
}

/* Lanes so few that they are what binds: one fp64 lane for 32 or 64 of fp32 leaves slots, loads and
 * power to spare, and what fp32 was seen to reach says nothing of it. docs/gpus.md */
static bool are_few(const double *peak, habitat_dtype dtype, bool matrix) {
    enum { FEW = 8 };
    return !matrix && dtype == HABITAT_DTYPE_FP64 && FEW * peak[dtype] < peak[HABITAT_DTYPE_FP32];
}

/* An estimate stays below the peak, or above it by as much as the clock is known to be. */
static void fill(const double *peak, const unit_rule *rule, double watt, bool matrix, double *rates,
                 bool *estimated) {
    double correction = 1.0, highest = rule->highest;
    for (size_t i = 0; i < FORMATS; i++) { /* most telling format first */
        habitat_dtype d = formats[i].dtype;
        if (!isnan(rates[d]) && !isnan(peak[d])) {
            correction = rates[d] / estimate(peak[d], rule, factor_of(i, matrix), watt);
            highest = fmax(highest, rates[d] / peak[d]);
            break;
        }
    }
    for (size_t i = 0; i < FORMATS; i++) {
        habitat_dtype d = formats[i].dtype;
        if (!isnan(rates[d]) || isnan(peak[d]))
            continue;
        double rate = are_few(peak, d, matrix)
                          ? chosen_few_lanes_share * rule->highest * peak[d]
                          : correction * estimate(peak[d], rule, factor_of(i, matrix), watt);
        rates[d] = fmin(rate, highest * peak[d]);
        estimated[d] = true;
    }
}

static double memory_share(const habitat_gpu *gpu) {
    bool off = gpu->memory_ecc && strcmp(gpu->memory_ecc, "off") == 0;
    bool checked = !has_memory(gpu, "GDDR") || !(off || without_ecc(gpu));
    for (size_t i = 0;; i++) {
        bool last = i + 1 == sizeof memory_rules / sizeof *memory_rules;
        if (last ||
            (has_memory(gpu, memory_rules[i].type) && memory_rules[i].cuda == runs_cuda(gpu) &&
             memory_rules[i].checked == checked && gpu->process_nm >= memory_rules[i].least_nm))
            return memory_rules[i].share;
    }
}

void gpu_estimate_sustained(habitat_gpu *gpu) {
    unit_rule matrix = matrix_rule(gpu), plain = plain_rule(gpu);
    fill(gpu->peak.matrix_flop_per_s, &matrix, gpu->tdp_w, true, gpu->sustained.matrix_flop_per_s,
         gpu->sustained_matrix_estimated);
    fill(gpu->peak.plain_flop_per_s, &plain, gpu->tdp_w, false, gpu->sustained.plain_flop_per_s,
         gpu->sustained_plain_estimated);
    if (!isnan(gpu->sustained_bandwidth_bytes_per_s))
        return;
    gpu->sustained_bandwidth_bytes_per_s = memory_share(gpu) * gpu->memory_bandwidth_bytes_per_s;
    gpu->sustained_bandwidth_estimated = true;
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
    out->host = (habitat_host_costs){0};
    out->operations = NULL;
    out->operation_count = 0;
    gpu_estimate_sustained(out);
}
