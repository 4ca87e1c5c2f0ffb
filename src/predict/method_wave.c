/* Methods wave and wave-large: the paper's equations 1 and 2. docs/formulas.md#wave */
#include "predict/method_wave.h"

#include "predict/plug.h"

/* Memory-boundedness of a kernel on the destination; NaN where its peak is unknown. */
static double exponent(const scaling *s, const habitat_kernel_facts *facts) {
    if (!formula_known(facts->flop) || !formula_known(facts->bytes) ||
        (facts->flop == 0.0 && facts->bytes == 0.0))
        return 1.0;
    formula_rates rates = scaling_rates(&s->spec_dest, facts);
    return formula_exponent(facts->flop / facts->bytes, rates.flop_per_s / rates.bytes_per_s);
}

/* The factor on the origin's time, as `ns`. */
static scaled factor_of(const scaling *s, const habitat_workload_kernel *kernel, bool large) {
    if (kernel->launch == HABITAT_NONE)
        return scaled_not_covered();
    uint64_t origin = s->w->origin_waves[kernel->launch], dest = s->dest_waves[kernel->launch];
    if (!origin || !dest || !formula_usable(s->clock_ratio))
        return scaled_not_covered();
    const habitat_kernel_facts *facts = &kernel->facts;
    double g = exponent(s, facts);
    if (large || kernel->persistent)
        return (scaled){formula_wave_large(origin, dest, s->bandwidth_ratio, s->clock_ratio, g),
                        HABITAT_METHOD_WAVE_LARGE};
    return (scaled){
        formula_wave(facts->blocks, origin, dest, s->bandwidth_ratio, s->clock_ratio, g),
        HABITAT_METHOD_WAVE};
}

scaled wave_kernel(const scaling *s, const habitat_workload_kernel *kernel, bool large) {
    return scaled_by(kernel, factor_of(s, kernel, large));
}

static scaled by_wave(const scaling *s, size_t i) {
    return factor_of(s, &s->w->kernels[i], false);
}

static scaled by_wave_large(const scaling *s, size_t i) {
    return factor_of(s, &s->w->kernels[i], true);
}

const method_plug method_wave = {.name = "wave", .askable = true, .factor = by_wave};

const method_plug method_wave_large = {
    .name = "wave-large", .askable = true, .factor = by_wave_large};
