/* Few-shot correction of a class on one GPU: docs/modelling.md#few-shot.
 *
 * The median of few residuals is off by chance; shrinking it as if `doubt` further operations had
 * agreed with the model keeps what chance says from doing harm. */
#include "models/offset.h"

#include <math.h>

#include "base/quantile.h"

/* Operations that the model's word weighs as much as: columns `doubt` and `doubt_estimated` of the
 * table of classes. On estimated rates the rate itself is what is off: leaving training GPUs out, 2
 * helps every class but convolutions, which rest on the rate by half and differ more from shape to
 * shape. On measured rates classes differ: some are off from shape to shape more than from GPU to
 * GPU, others the other way round. Products and attention in 16 bits and fp8 are taken as fp32
 * products, what else moves memory as layer norm: too few GPUs measured them. */
static double doubt_of(operator_class c, bool estimated) {
    const operator_facts *facts = operator_facts_of(c);
    return estimated ? facts->doubt_estimated : facts->doubt;
}

class_offset offset_fit(operator_class c, bool estimated, const double *residuals, size_t n) {
    enum { MOST = 64 };
    double sorted[MOST];
    size_t count = 0;
    for (size_t i = 0; i < n && count < MOST; i++)
        if (isfinite(residuals[i]))
            sorted[count++] = residuals[i];
    if (count == 0)
        return (class_offset){0};
    habitat_sort_numbers(sorted, count);
    return (class_offset){.count = count,
                          .median = habitat_quantile(sorted, count, 0.5),
                          .weight = (double)count / ((double)count + doubt_of(c, estimated))};
}
