/* Ranges of what a model was trained on. */
#include "models/range.h"

#include <math.h>

#include "base/constants_operators.h"
#include "work/class.h"

static double log2_of(const operator_extent *extent) {
    return isfinite(extent->value) && extent->value > 0 ? log2(extent->value) : NAN;
}

void range_add(learned_range *range, const habitat_work *work) {
    operator_extent sizes[OPERATOR_EXTENTS_MAX];
    size_t count = operator_extents(work, sizes);
    for (size_t i = 0; i < count; i++) {
        bool first = i >= range->count;
        float value = (float)log2_of(&sizes[i]);
        if (isnan(value))
            value = 0;
        range->least[i] = first ? value : fminf(range->least[i], value);
        range->most[i] = first ? value : fmaxf(range->most[i], value);
    }
    range->count = (uint32_t)count;
    range->formats |= 1U << work->dtype;
}

/* Kernels of one kind differ by the bytes that they move. fp64 has few units, or is computed in
 * software; of fp8 most libraries have products alone. */
typedef enum number_kind {
    KIND_FLOAT,
    KIND_DOUBLE,
    KIND_BYTE,
    KIND_INTEGER,
    KIND_COMPLEX
} number_kind;

static number_kind kind_of(habitat_dtype dtype) {
    switch (dtype) {
    case HABITAT_DTYPE_FP64:
        return KIND_DOUBLE;
    case HABITAT_DTYPE_FP8:
        return KIND_BYTE;
    case HABITAT_DTYPE_INT8:
    case HABITAT_DTYPE_INT16:
    case HABITAT_DTYPE_INT32:
    case HABITAT_DTYPE_INT64:
    case HABITAT_DTYPE_BOOL:
        return KIND_INTEGER;
    case HABITAT_DTYPE_COMPLEX64:
    case HABITAT_DTYPE_COMPLEX128:
        return KIND_COMPLEX;
    default:
        return KIND_FLOAT;
    }
}

bool range_knows_format(const learned_range *range, habitat_dtype dtype) {
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++)
        if (range->formats >> d & 1 && kind_of((habitat_dtype)d) == kind_of(dtype))
            return true;
    return range->formats == 0;
}

/* How much more an operation does than the smallest measured ones, as a logarithm; 0: no more. One
 * with hardly more to do than those takes what a launch takes, whatever its shape. */
static double excess_of(const learned_range *range, const operator_extent *sizes) {
    double most = 0;
    for (size_t i = 0; i < OPERATOR_TOTALS; i++)
        most = fmax(most, (log2_of(&sizes[i]) - (double)range->least[i]) * log(2));
    return fmax(0, most - log(chosen_far_small));
}

/* |log(value / edge)| outside of a range less the margin, 0 within. It counts by half of the excess
 * at most, so that an operation with more to do takes no less time. Totals above their most say
 * nothing where each size is within: such an operation fills any GPU. Nor does a size that was the
 * same in all rows: `b` where products of one matrix were measured alone. edge: set where it is
 * outside. */
static double beyond(const learned_range *range, size_t i, double value, double excess,
                     double *edge) {
    double least = (double)range->least[i], most = (double)range->most[i];
    double above = (value - most) * log(2) - log(chosen_far_margin);
    double below = (least - value) * log(2) - log(chosen_far_margin_below);
    bool total = i < OPERATOR_TOTALS;
    if (total && range->count > OPERATOR_TOTALS)
        above = 0;
    else if (total) /* copies and sums of a constant or a row read next to nothing */
        below = 0;
    else if (least == most)
        above = below = 0;
    double distance = fmax(0, fmin(above > 0 ? above : below, 0.5 * excess));
    if (distance > 0)
        *edge = exp2(above > 0 ? most : least);
    return distance;
}

habitat_outside range_outside(const learned_range *range, const habitat_work *work) {
    habitat_outside found = {.value = NAN, .edge = NAN};
    if (!range_knows_format(range, work->dtype))
        found.size = habitat_dtype_name(work->dtype);
    operator_extent sizes[OPERATOR_EXTENTS_MAX];
    size_t count = operator_extents(work, sizes);
    double excess = excess_of(range, sizes), named = 0;
    if (range->count != count) /* a file without ranges */
        return found;
    for (size_t i = 0; i < count; i++) {
        /* how often an element is touched: `op` and tables count it differently */
        if (i == 0 && class_of(work->op_class)->by_element)
            continue;
        double edge = NAN, value = log2_of(&sizes[i]);
        double distance = isnan(value) ? 0 : beyond(range, i, value, excess, &edge);
        if (distance <= 0)
            continue;
        /* a size that a person gave says more than a total */
        if (isnan(found.value) || (i >= OPERATOR_TOTALS && distance > named)) {
            found.size = sizes[i].name;
            found.value = sizes[i].value;
            found.edge = edge;
            named = i >= OPERATOR_TOTALS ? distance : 0;
        }
        found.distance = fmax(found.distance, distance);
    }
    return found;
}
