/* One origin and one destination: everything the per-kernel rules need, looked up once. */
#ifndef HABITAT_PREDICT_SCALING_H
#define HABITAT_PREDICT_SCALING_H

#include <habitat/predict.h>

#include "formula/formula.h"
#include "predict/form.h"
#include "workload/workload.h"

/* Arithmetic rates by [dtype][on matrix units], and DRAM bandwidth. `unit` numbers what the rate is
 * of: two GPUs on which it differs compute such a kernel on other units. */
typedef struct rate_table {
    double flop_per_s[HABITAT_DTYPE_COUNT][2];
    uint8_t unit[HABITAT_DTYPE_COUNT][2];   /* 2 * dtype + on matrix units */
    bool estimated[HABITAT_DTYPE_COUNT][2]; /* by rule, where sustained */
    double bytes_per_s;
    bool bytes_estimated;
} rate_table;

/* The rates of a GPU, those of its data sheet or the sustained ones. A format that the GPU lacks
 * has the rate of what it computes in instead; NaN: not known. */
void scaling_fill(rate_table *table, const habitat_gpu *gpu, bool sustained);

/* What methods ask of one origin and destination. Pointers to others' things are borrowed. */
typedef struct scaling {
    const habitat_workload *w;
    const habitat_models *models; /* what may be asked; NULL: none */
    const habitat_gpu *origin, *dest;
    rate_table spec_origin, spec_dest;
    rate_table sustained_origin, sustained_dest;
    double bandwidth_ratio, clock_ratio; /* origin over destination, spec sheet */
    double floor_origin_ns;              /* formula_kernel_floor_ns() of the origin */
    bool alike;                          /* of one architecture */
    double cache_share; /* of what repeated measurements find in the cache, a kernel of this step */
    auto_form form;     /* of auto's rule */
    uint64_t *dest_waves; /* shape (launch_count); 0 = not resident or unknown */
} scaling;

/* What the origin alone decides; without a destination, and nothing to free. */
void scaling_begin(const habitat_workload *w, scaling *out);

/* HABITAT_E_NO_SPEC (no bandwidth of one of the two), HABITAT_E_MEMORY; on success free with
 * scaling_free(). */
habitat_status scaling_set_up(const habitat_workload *w, const habitat_models *models,
                              const habitat_gpu *dest, scaling *out, habitat_error *err);
void scaling_free(scaling *s);

static inline formula_rates scaling_rates(const rate_table *table,
                                          const habitat_kernel_facts *facts) {
    return (formula_rates){table->flop_per_s[facts->dtype][facts->matrix_unit], table->bytes_per_s};
}

/* Ratio of roofline times, destination over origin; NaN where a rate is unknown. Of a kernel whose
 * work nobody counted (no shapes, no operations) its class decides: a matrix product is bound by
 * arithmetic, all else by memory. */
static inline double scaling_roofline_ratio(const habitat_workload_kernel *kernel,
                                            const rate_table *origin, const rate_table *dest) {
    formula_rates from = scaling_rates(origin, &kernel->facts);
    formula_rates to = scaling_rates(dest, &kernel->facts);
    if (workload_is_product(kernel) && isnan(kernel->facts.flop))
        return from.flop_per_s / to.flop_per_s;
    return formula_roofline_ratio(kernel->facts.flop, kernel->facts.bytes, from, to);
}

/* A kernel's predicted time and what made it. ns is NaN where the rule does not cover it. */
typedef struct scaled {
    double ns;
    habitat_method method;
} scaled;

static inline scaled scaled_not_covered(void) {
    return (scaled){NAN, HABITAT_METHOD_FALLBACK};
}

/* What a factor makes of a kernel's time. */
static inline scaled scaled_by(const habitat_workload_kernel *kernel, scaled factor) {
    return (scaled){kernel->facts.time_ns * factor.ns, factor.method};
}

#endif
