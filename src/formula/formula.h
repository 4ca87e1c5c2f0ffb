/* The timing formulas as pure scalar functions. The prediction loop looks the device facts up once,
 * not once a kernel. Ratios are origin over destination, as in the paper. Derivations:
 * docs/formulas.md. */
#ifndef HABITAT_FORMULA_FORMULA_H
#define HABITAT_FORMULA_FORMULA_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A rate or size that can be divided by. */
static inline bool formula_usable(double value) {
    return value > 0.0 && isfinite(value);
}

/* An amount of work that was counted; zero is an amount. */
static inline bool formula_known(double amount) {
    return amount >= 0.0 && isfinite(amount);
}

/* Memory-boundedness g of intensity x [flop/byte] under the ridge point R [flop/byte], R > 0. */
static inline double formula_exponent(double x, double ridge) {
    return x < ridge ? 1.0 - x / (2.0 * ridge) : ridge / (2.0 * x);
}

/* Waves that `blocks` take when `wave` run at a time; both >= 1. */
static inline double formula_waves(uint64_t blocks, uint64_t wave) {
    uint64_t waves = blocks / wave + (blocks % wave != 0);
    return (double)waves;
}

/* Equation 1 as a factor on the origin's time. wave_*: blocks resident on the whole GPU, >= 1. */
static inline double formula_wave(uint64_t blocks, uint64_t wave_origin, uint64_t wave_dest,
                                  double bandwidth_ratio, double clock_ratio, double g) {
    double waves = formula_waves(blocks, wave_dest) / formula_waves(blocks, wave_origin);
    double per_block = bandwidth_ratio * ((double)wave_dest / (double)wave_origin);
    return waves * pow(per_block, g) * pow(clock_ratio, 1.0 - g);
}

/* Equation 2 as a factor on the origin's time. */
static inline double formula_wave_large(uint64_t wave_origin, uint64_t wave_dest,
                                        double bandwidth_ratio, double clock_ratio, double g) {
    double compute_ratio = (double)wave_origin / (double)wave_dest * clock_ratio;
    return pow(bandwidth_ratio, g) * pow(compute_ratio, 1.0 - g);
}

/* Roofline time [s] of flop and bytes; an unknown amount counts nothing. 0 when both are unknown or
 * nothing. rate [flop/s], bandwidth [byte/s] > 0. */
static inline double formula_roofline_s(double flop, double bytes, double rate, double bandwidth) {
    double compute_s = formula_known(flop) ? flop / rate : 0.0;
    double memory_s = formula_known(bytes) ? bytes / bandwidth : 0.0;
    return compute_s >= memory_s || isnan(compute_s) ? compute_s : memory_s;
}

/* Rates of one GPU that a kernel runs at: arithmetic [flop/s] and memory [byte/s]. */
typedef struct formula_rates {
    double flop_per_s, bytes_per_s;
} formula_rates;

/* Ratio of roofline times, destination over origin. A kernel without known arithmetic is bound by
 * memory whatever it moves: the ratio of bandwidths. NaN where a rate that is needed is unknown. */
static inline double formula_roofline_ratio(double flop, double bytes, formula_rates origin,
                                            formula_rates dest) {
    double ratio = origin.bytes_per_s / dest.bytes_per_s;
    if (formula_known(flop) && flop > 0.0)
        ratio = formula_roofline_s(flop, bytes, dest.flop_per_s, dest.bytes_per_s) /
                formula_roofline_s(flop, bytes, origin.flop_per_s, origin.bytes_per_s);
    return formula_usable(ratio) ? ratio : NAN;
}

#endif
