/* Roofs of recorded kernels; see recorded_roofs.h. */
#include "kernels/recorded_roofs.h"

#include <math.h>

#include "formula/formula.h"
#include "formula/rates.h"
#include "workload/share.h"

double recorded_rate(const habitat_gpu *gpu, habitat_dtype dtype, bool matrix_unit) {
    habitat_dtype used = HABITAT_DTYPE_UNKNOWN;
    bool matrix = false;
    return habitat_arithmetic_rate(gpu, dtype, matrix_unit, true, &used, &matrix);
}

double recorded_roofline_ns(const habitat_gpu *gpu, const habitat_kernel_facts *facts,
                            double ratio) {
    double rate = recorded_rate(gpu, facts->dtype, facts->matrix_unit);
    double seconds = formula_roofline_s(facts->flop * ratio, facts->bytes * ratio, rate,
                                        habitat_memory_rate(gpu, true));
    return formula_usable(seconds) ? seconds * 1e9 : NAN;
}

bool recorded_on_matrix_units(const habitat_workload *w, const habitat_workload_group *group) {
    workload_arithmetic does = workload_arithmetic_of(w, group);
    habitat_dtype used = HABITAT_DTYPE_UNKNOWN;
    bool matrix = false;
    habitat_arithmetic_rate(w->origin, does.dtype, does.matrix_unit, true, &used, &matrix);
    return matrix;
}
