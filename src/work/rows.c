/* Operations that go along rows: softmax, normalisations and reductions.
 *
 * Bytes are what a good kernel must move: each input once even where statistics need a pass of
 * their own, because a row (or a channel's share) can stay on the chip. Flop are the arithmetic of
 * the textbook formula an element; an elementary function counts 1. */
#include "work/rule.h"

#include <math.h>
#include <string.h>

/* Textbook arithmetic an element. Softmax: max, subtract, exp, sum, divide; backward: multiply,
 * sum, subtract, multiply. Normalisation: mean 1, variance 3, normalise 2, scale and shift 2. */
enum {
    SOFTMAX_FLOP = 5,
    SOFTMAX_BACKWARD_FLOP = 4,
    NORM_FLOP = 8,           /* batch, layer, group */
    NORM_FIXED_FLOP = 4,     /* batch norm with stored statistics */
    RMS_FLOP = 4,            /* square, sum, normalise, scale */
    BATCH_BACKWARD_FLOP = 9, /* x^ 2, sum dy 1, sum dy x^ 2, dx 4 */
    BATCH_FIXED_BACKWARD_FLOP = 6,
    LAYER_INPUT_FLOP = 10, /* x^ 2, dy w 1, two sums 3, dx 4 */
    LAYER_WEIGHT_FLOP = 2,
    LAYER_BIAS_FLOP = 1,
    RMS_INPUT_FLOP = 7,    /* x^ 1, dy w 1, sum 2, dx 3 */
    WEIGHT_INPUT_FLOP = 5, /* dw v 1, sum 1, dv 3 */
};

static void set_rows(habitat_work *out, double rows, double columns) {
    out->shape.rows.rows = rows;
    out->shape.rows.columns = columns;
}

/* Softmax: forward self, dim, half_to_float; backward grad, output, dim, input_dtype. */
void work_do_softmax(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    bool backward = out->pass == HABITAT_PASS_BACKWARD;
    const habitat_input *x = work_tensor(op, 0);
    double dim = work_number(op, backward ? 2 : 1);
    if (!x || isnan(dim))
        return;
    double elements = work_elements(x), columns = x->rank ? work_dim_at(x, dim) : 1;
    if (!(columns > 0))
        return;
    habitat_dtype result = x->dtype;
    if (backward) {
        habitat_dtype given = work_dtype_argument(op, 3);
        result = given != HABITAT_DTYPE_UNKNOWN ? given : result;
    } else if (work_number(op, 2) == 1) {
        result = HABITAT_DTYPE_FP32;
    }
    out->dtype = x->dtype;
    set_rows(out, elements / columns, columns);
    out->flop = elements * (backward ? SOFTMAX_BACKWARD_FLOP : SOFTMAX_FLOP);
    out->read_bytes = work_bytes(x) + (backward ? work_bytes(work_tensor(op, 1)) : 0);
    if (backward && !work_tensor(op, 1))
        out->read_bytes = NAN;
    out->write_bytes = work_size(elements, result);
}

/* How many rows share one mean: channels for batch norm, positions for layer norm, groups of one
 * sample for group norm. NaN if it cannot be told. */
static double norm_rows(const work_call *call, const habitat_input *x) {
    const habitat_operation *op = call->op;
    work_list list;
    double rows = 1;
    switch (call->rule->variant) {
    case WORK_NORM_BATCH:
    case WORK_NORM_BATCH_TRAINING:
    case WORK_NORM_BATCH_FIXED:
    case WORK_NORM_BATCH_BACKWARD:
    case WORK_NORM_CUDNN_BACKWARD:
        return work_dim(x, 1);
    case WORK_NORM_GROUP:
        return work_number(op, 3) * work_number(op, 6);
    case WORK_NORM_GROUP_BACKWARD:
        return work_number(op, 5) * work_number(op, 8);
    case WORK_NORM_GROUP_API:
        return work_dim(x, 0) * work_number(op, 1);
    default: /* the normalised shape is a list: argument 1 forward, 2 backward */
        if (!work_numbers(op, call->rule->pass == HABITAT_PASS_BACKWARD ? 2 : 1, &list))
            return NAN;
        for (uint32_t i = 0; i + list.count < x->rank; i++)
            rows *= (double)x->dims[i];
        return rows;
    }
}

static bool is_batch_norm(uint32_t variant) {
    return variant <= WORK_NORM_BATCH_FIXED;
}

/* Images or rows whose channels are neighbours and which leave no gaps, as PyTorch asks
 * (batch_norm_choose_impl()). Where a dimension has one element its stride says nothing. */
static bool is_channels_last(const habitat_input *x) {
    static const uint32_t images[] = {1, 3, 2, 0}, rows[] = {1, 0};
    const uint32_t *order = x->rank == 2 ? rows : images;
    double stride = 1; /* of a shape that no memory holds, too */
    if (!x->strides || (x->rank != 2 && x->rank != 4))
        return x->rank == 2 && x->dims[1] > 1; /* in order */
    for (uint32_t i = 0; i < x->rank; i++) {
        uint32_t d = order[i];
        if (x->dims[d] > 1 && (double)x->strides[d] != stride)
            return false;
        stride *= (double)x->dims[d];
    }
    return x->dims[1] > 1;
}

void work_do_norm(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    uint32_t variant = call->rule->variant;
    const habitat_input *x = work_tensor(op, 0);
    if (!x)
        return;
    double rows = norm_rows(call, x), elements = work_elements(x);
    if (!(rows > 0) || !(elements > 0))
        return;
    double training = variant == WORK_NORM_BATCH_FIXED ? 0
                      : variant == WORK_NORM_BATCH     ? work_number(op, 5)
                                                       : 1;
    out->dtype = x->dtype;
    set_rows(out, rows, elements / rows);
    out->channels_last = is_batch_norm(variant) && is_channels_last(x);
    out->images = is_batch_norm(variant) && x->rank > 2 ? work_dim(x, 0) : 0;
    out->scaled_images = training == 0 ? work_dim(x, 0) : 0;
    out->own_norm = variant == WORK_NORM_BATCH && training == 1 && !work_tensor(op, 1) &&
                    out->images > 0 && !out->channels_last;
    out->read_bytes = 0;
    for (uint32_t i = 0; i < call->count; i++) /* x, weight, bias, running statistics */
        out->read_bytes += work_bytes(work_tensor(op, i));
    out->write_bytes = work_bytes(x) > 0 ? work_size(elements, x->dtype) : NAN;
    out->flop = elements * (variant == WORK_NORM_RMS ? RMS_FLOP
                            : training != 0          ? NORM_FLOP
                                                     : NORM_FIXED_FLOP);
    double kept = variant == WORK_NORM_RMS ? 1 : 2; /* mean and 1/deviation of each row */
    if (isnan(training)) {
        out->flop = NAN;
    } else if (training != 0) {
        out->write_bytes += work_size(kept * rows, work_statistics_dtype(x->dtype));
        if (is_batch_norm(variant)) /* running statistics are updated */
            out->write_bytes += work_bytes(work_tensor(op, 3)) + work_bytes(work_tensor(op, 4));
    }
}

/* Argument positions of the backward forms; -1: there is none. */
static const struct norm_backward_signature {
    int8_t grad, input, weight, saved_a, saved_b, train, mask;
} backward_signatures[] = {
    [WORK_NORM_BATCH_BACKWARD] = {0, 1, 2, 5, 6, 7, 9},
    [WORK_NORM_CUDNN_BACKWARD] = {1, 0, 2, 5, 6, -1, -1},
    [WORK_NORM_LAYER_BACKWARD] = {0, 1, 5, 3, 4, -1, 7},
    [WORK_NORM_GROUP_BACKWARD] = {0, 1, 4, 2, 3, -1, 9},
    [WORK_NORM_RMS_BACKWARD] = {0, 1, 4, 3, -1, -1, 5},
};

void work_do_norm_backward(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    uint32_t variant = call->rule->variant;
    const struct norm_backward_signature *at = &backward_signatures[variant];
    const habitat_input *grad = work_tensor(op, (uint32_t)at->grad);
    const habitat_input *x = work_tensor(op, (uint32_t)at->input);
    const habitat_input *weight = work_tensor(op, (uint32_t)at->weight);
    work_list mask = {3, {1, 1, 1}};
    if (!x || !grad)
        return;
    double rows = norm_rows(call, x), elements = work_elements(x);
    if (!(rows > 0) || !(elements > 0))
        return;
    if (at->mask >= 0 && (!work_numbers(op, (uint32_t)at->mask, &mask) || mask.count < 2))
        return;
    bool want_input = mask.value[0] != 0, want_weight = mask.value[1] != 0 && weight;
    bool want_bias = mask.count > 2 && mask.value[2] != 0 && variant != WORK_NORM_RMS_BACKWARD;
    bool batch = variant == WORK_NORM_BATCH_BACKWARD || variant == WORK_NORM_CUDNN_BACKWARD;
    double train = at->train >= 0 ? work_number(op, (uint32_t)at->train) : 1;
    out->dtype = x->dtype;
    set_rows(out, rows, elements / rows);
    out->channels_last = batch && is_channels_last(x) && is_channels_last(grad);
    out->images = batch && x->rank > 2 ? work_dim(x, 0) : 0;
    out->own_norm = variant == WORK_NORM_BATCH_BACKWARD && train == 1 && !weight &&
                    out->images > 0 && !out->channels_last;
    out->read_bytes = work_bytes(grad) + work_bytes(x) + work_bytes(weight) +
                      work_bytes(work_tensor(op, (uint32_t)at->saved_a));
    if (at->saved_b >= 0)
        out->read_bytes += work_bytes(work_tensor(op, (uint32_t)at->saved_b));
    double parameters = weight ? work_bytes(weight) : work_size(elements / rows, x->dtype);
    out->write_bytes = (want_input ? work_size(elements, x->dtype) : 0) +
                       (want_weight ? parameters : 0) + (want_bias ? parameters : 0);
    double flop = 0;
    if (batch)
        flop = train != 0 ? BATCH_BACKWARD_FLOP : BATCH_FIXED_BACKWARD_FLOP;
    else
        flop = (want_input ? variant == WORK_NORM_RMS_BACKWARD ? RMS_INPUT_FLOP : LAYER_INPUT_FLOP
                : want_weight ? 2 /* x^ */
                              : 0) +
               (want_weight ? LAYER_WEIGHT_FLOP : 0) + (want_bias ? LAYER_BIAS_FLOP : 0);
    out->flop = isnan(train) ? NAN : flop * elements;
}

/* v, g, dim: the rows of v along dim get the lengths g, and those that they had are kept. Backward:
 * gradient, v, g, the lengths, dim. */
void work_do_weight_norm(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    bool backward = out->pass == HABITAT_PASS_BACKWARD;
    const habitat_input *v = work_tensor(op, backward ? 1 : 0);
    const habitat_input *g = work_tensor(op, backward ? 2 : 1);
    double dim = work_number(op, backward ? 4 : 2);
    if (!v || !g || isnan(dim))
        return;
    double rows = work_dim_at(v, dim), elements = work_elements(v);
    if (!(rows > 0) || !(elements > 0))
        return;
    out->dtype = v->dtype;
    set_rows(out, rows, elements / rows);
    double lengths = work_size(rows, work_statistics_dtype(v->dtype));
    out->flop = elements * (backward ? WEIGHT_INPUT_FLOP : RMS_FLOP);
    out->read_bytes = work_bytes(v) * (backward ? 2 : 1) + work_bytes(g) + (backward ? lengths : 0);
    out->write_bytes = work_size(elements, v->dtype) + (backward ? work_bytes(g) : lengths);
}

void work_do_shared_norm(const work_call *call, habitat_work *out) {
    static const double flop[] = {[WORK_SHARED_STATISTICS] = NORM_FLOP - NORM_FIXED_FLOP,
                                  [WORK_SHARED_GATHER] = NORM_FLOP,
                                  [WORK_SHARED_APPLY] = NORM_FIXED_FLOP,
                                  [WORK_SHARED_REDUCE] = BATCH_BACKWARD_FLOP - 4,
                                  [WORK_SHARED_APPLY_BACKWARD] = 4};
    uint32_t variant = call->rule->variant;
    bool backward = out->pass == HABITAT_PASS_BACKWARD;
    bool gathers = variant == WORK_SHARED_GATHER; /* goes by the means: its input says the format */
    const habitat_input *x = work_tensor(call->op, backward || gathers ? 1 : 0);
    if (!x || !(work_elements(x) > 0) || x->rank < 2)
        return;
    double elements = work_elements(x), channels = work_dim(x, 1);
    double sums = work_size(channels, work_statistics_dtype(x->dtype));
    out->dtype = x->dtype;
    set_rows(out, channels, elements / channels);
    out->flop = elements * flop[variant];
    out->read_bytes = 0;
    for (uint32_t i = gathers ? 1 : 0; i < call->count; i++)
        out->read_bytes += work_bytes(work_tensor(call->op, i));
    if (variant == WORK_SHARED_APPLY || variant == WORK_SHARED_APPLY_BACKWARD)
        out->write_bytes = work_size(elements, x->dtype);
    else
        out->write_bytes = (variant == WORK_SHARED_STATISTICS ? 2 : 4) * sums;
}

/* Which dimensions go: `*removed` elements become one. False if not recorded. */
static bool reduced_size(const work_call *call, const habitat_input *x, double *removed) {
    const habitat_operation *op = call->op;
    uint32_t variant = call->rule->variant;
    uint32_t at = variant == WORK_REDUCE_NORM ? 2 : 1;
    bool all = at >= call->count || work_absent(op, at);
    /* sum(self, dtype), prod(self, dtype), var(self, unbiased): no dimension among two arguments */
    if (call->count <= 2 && (variant == WORK_REDUCE_SUM || variant == WORK_REDUCE_SPREAD ||
                             variant == WORK_REDUCE_PAIR))
        all = true;
    work_list dims;
    if (!all && !work_numbers(op, at, &dims))
        return false;
    *removed = 1;
    if (all || dims.count == 0) {
        *removed = work_elements(x);
        return true;
    }
    for (uint32_t i = 0; i < dims.count; i++)
        *removed *= x->rank ? work_dim_at(x, dims.value[i]) : 1;
    return *removed > 0;
}

/* Whether the dimension that is innermost in memory stays. */
static bool goes_by_column(const work_call *call, const habitat_input *x) {
    uint32_t at = call->rule->variant == WORK_REDUCE_NORM ? 2 : 1, inner = x->rank;
    work_list dims;
    if (at >= call->count || !work_numbers(call->op, at, &dims) || dims.count == 0)
        return false;
    for (uint32_t i = 0; i < x->rank; i++) /* without strides the last one is */
        if (x->dims[i] > 1 &&
            (inner == x->rank || !x->strides || x->strides[i] < x->strides[inner]))
            inner = i;
    for (uint32_t i = 0; i < dims.count; i++)
        if (dims.value[i] == inner || dims.value[i] + x->rank == inner)
            return false;
    return inner < x->rank;
}

/* Elements of one row of a scan, sort or topk. */
static double row_length(const work_call *call, const habitat_input *x, double *kept) {
    const habitat_operation *op = call->op;
    uint32_t variant = call->rule->variant;
    double dim = work_number(op, 1);
    if (variant == WORK_REDUCE_TOPK) /* self, k, dim, largest, sorted */
        dim = work_number(op, 2);
    if (variant == WORK_REDUCE_SORT && call->count > 3) /* self, stable, dim, descending */
        dim = work_number(op, 2);
    double length = isnan(dim) ? NAN : x->rank ? work_dim_at(x, dim) : 1;
    *kept = variant == WORK_REDUCE_TOPK ? work_number(op, 1) : length;
    return length;
}

/* Whether neighbours in memory are in different rows of a scan, which is of what lies in order:
 * other tensors are copied before. Of one row alone there are none. */
static bool scans_by_column(const work_call *call, const habitat_input *x, double length) {
    double dim = work_number(call->op, 1);
    return x->rank > 1 && work_elements(x) > length && dim != -1 && dim + 1 != x->rank;
}

static void scan(const work_call *call, const habitat_input *x, habitat_work *out) {
    uint32_t variant = call->rule->variant;
    double elements = work_elements(x), kept, length = row_length(call, x, &kept);
    if (!(length > 0) || isnan(kept))
        return;
    habitat_dtype result = x->dtype;
    if (variant == WORK_REDUCE_SCAN && work_category(x->dtype) < 2)
        result = HABITAT_DTYPE_INT64;
    double written = elements / length * kept;
    set_rows(out, elements / length, length);
    out->by_column = variant == WORK_REDUCE_SCAN && length > 1 && scans_by_column(call, x, length);
    out->read_bytes = work_bytes(x);
    out->write_bytes = work_size(written, result);
    if (variant != WORK_REDUCE_SCAN)
        out->write_bytes += work_size(written, HABITAT_DTYPE_INT64);
    out->flop = elements * call->rule->flop * work_flop_factor(x->dtype, 2);
}

/* Each element is counted in one of so many places. */
static void count_places(const work_call *call, const habitat_input *x, habitat_work *out) {
    bool whole = call->rule->variant == WORK_REDUCE_COUNT;
    double elements = work_elements(x), places = work_number(call->op, whole ? 2 : 1);
    if (!(places > 0) && !(whole && places == 0)) /* 0: as many as the largest value says */
        return;
    set_rows(out, 1, elements);
    out->flop = elements * call->rule->flop * work_flop_factor(x->dtype, 2);
    out->read_bytes = work_bytes(x) + (whole ? work_bytes(work_tensor(call->op, 1)) : 0);
    out->write_bytes = work_size(fmax(places, 1), whole ? HABITAT_DTYPE_INT64 : x->dtype);
}

/* Where elements are true; how many are is known of a result that was recorded alone. */
static void list_places(const work_call *call, const habitat_input *x, habitat_work *out) {
    const habitat_input *places = work_tensor(call->op, 1);
    if (!places)
        return;
    set_rows(out, 1, work_elements(x));
    out->flop = work_elements(x) * call->rule->flop * work_flop_factor(x->dtype, 2);
    out->read_bytes = work_bytes(x);
    out->write_bytes = work_bytes(places);
}

/* As the table's row of "maximum". */
static const work_rule pairwise = {.name = "maximum",
                                   .op_class = HABITAT_CLASS_ELEMENTWISE,
                                   .pass = HABITAT_PASS_FORWARD,
                                   .handler = work_do_elementwise,
                                   .arity = 2,
                                   .variant = WORK_OUT_PROMOTED,
                                   .flop = 1};

void work_do_reduce(const work_call *call, habitat_work *out) {
    uint32_t variant = call->rule->variant;
    const habitat_input *x = work_tensor(call->op, 0);
    if (!x || !(work_elements(x) > 0))
        return;
    if (variant == WORK_REDUCE_BOTH && work_tensor(call->op, 1)) { /* max(self, other) */
        work_call pair = *call;
        pair.rule = &pairwise;
        out->op_class = HABITAT_CLASS_ELEMENTWISE;
        work_do_elementwise(&pair, out);
        return;
    }
    out->dtype = x->dtype;
    if (variant == WORK_REDUCE_UNKNOWN)
        return;
    if (variant == WORK_REDUCE_PLACES) {
        list_places(call, x, out);
        return;
    }
    if (variant == WORK_REDUCE_HISTOGRAM || variant == WORK_REDUCE_COUNT) {
        count_places(call, x, out);
        return;
    }
    if (variant >= WORK_REDUCE_SCAN) {
        scan(call, x, out);
        return;
    }
    double elements = work_elements(x), columns;
    if (!reduced_size(call, x, &columns))
        return;
    double rows = elements / columns;
    habitat_dtype result = x->dtype;
    if (variant == WORK_REDUCE_SUM && work_category(x->dtype) < 2)
        result = HABITAT_DTYPE_INT64;
    if (variant == WORK_REDUCE_BOOL)
        result = HABITAT_DTYPE_BOOL;
    if (variant == WORK_REDUCE_INDEX)
        result = HABITAT_DTYPE_INT64;
    if (variant == WORK_REDUCE_SUM && call->count > 3) { /* sum(self, dim, keepdim, dtype) */
        habitat_dtype given = work_dtype_argument(call->op, 3);
        result = given != HABITAT_DTYPE_UNKNOWN ? given : result;
    }
    set_rows(out, rows, columns);
    out->by_column = rows > 1 && columns > 1 && goes_by_column(call, x);
    out->flop = elements * call->rule->flop * work_flop_factor(x->dtype, 2);
    out->read_bytes = work_bytes(x);
    out->write_bytes = work_size(rows * (variant == WORK_REDUCE_PAIR ? 2 : 1), result);
    if (variant == WORK_REDUCE_BOTH && call->count > 1)
        out->write_bytes += work_size(rows, HABITAT_DTYPE_INT64);
}

/* What cuFFT and PyTorch pass through besides what is read and written [bytes], read and written
 * alike: each dimension but the last is a transform of the complex tensor, by a kernel of its own;
 * one that ends in real numbers is made of a copy, for it would write over what it is given; and
 * what is scaled by the number of points is read and written once more (docs/decisions/0646). */
static double passed_again(const work_call *call, double dims, double complex_bytes,
                           double result_bytes) {
    double scaled = work_number(call->op, 2), again = (dims - 1) * complex_bytes;
    if (call->rule->variant == WORK_FFT_C2R)
        again += complex_bytes;
    return scaled > 0 ? again + result_bytes : again;
}

/* Fourier transforms: 5 n log2 n flop for a complex transform of n points, half for a real one, the
 * conventional count (FFTW's benchmark page). Over several dimensions n is their product. */
void work_do_fft(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    const habitat_input *x = work_tensor(op, 0);
    uint32_t variant = call->rule->variant;
    work_list dims;
    if (!x || !work_numbers(op, 1, &dims) || !dims.count)
        return;
    double points = 1, elements = work_elements(x), result = elements;
    double last = work_dim_at(x, dims.value[dims.count - 1]), full = last;
    if (variant == WORK_FFT_C2R)
        full = work_number(op, 3);
    for (uint32_t i = 0; i + 1 < dims.count; i++)
        points *= work_dim_at(x, dims.value[i]);
    points *= full;
    if (!(points > 0) || !(last > 0))
        return;
    double onesided = variant == WORK_FFT_R2C ? work_number(op, 3) : 0;
    if (variant == WORK_FFT_R2C && onesided != 0)
        result = isnan(onesided) ? NAN : elements / last * (floor(last / 2) + 1);
    if (variant == WORK_FFT_C2R)
        result = elements / last * full;
    bool wide = x->dtype == HABITAT_DTYPE_FP64 || x->dtype == HABITAT_DTYPE_COMPLEX128;
    habitat_dtype complex_dtype = wide ? HABITAT_DTYPE_COMPLEX128 : HABITAT_DTYPE_COMPLEX64;
    habitat_dtype real_dtype = wide ? HABITAT_DTYPE_FP64 : HABITAT_DTYPE_FP32;
    double transformed = variant == WORK_FFT_C2R ? result : elements;
    out->dtype = x->dtype;
    set_rows(out, transformed / points, points);
    out->flop = (variant == WORK_FFT_C2C ? 5 : 5 / 2.) * transformed * log2(points);
    double written = work_size(result, variant == WORK_FFT_C2R ? real_dtype : complex_dtype);
    double again =
        passed_again(call, dims.count, variant == WORK_FFT_R2C ? written : work_bytes(x), written);
    out->read_bytes = work_bytes(x) + again;
    out->write_bytes = written + again;
}
