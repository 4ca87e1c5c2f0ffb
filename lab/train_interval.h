/* How far answers of a fit are off on a GPU that it has not seen. */
#ifndef HABITAT_LAB_TRAIN_INTERVAL_H
#define HABITAT_LAB_TRAIN_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One row held out of a fit, weighted so that every GPU counts alike. */
typedef struct train_held_out {
    double residual, residual_estimated; /* log(measured / analytic), on own and estimated rates */
    double correction, correction_estimated;
    double weight;
    double spread, spread_estimated; /* log: how uncertain this row is beside others */
    const float *x, *x_estimated;    /* its inputs, borrowed; NULL where nothing asks for them */
    uint8_t gpu;
    uint8_t kind; /* of the GPU: GPUs of one kind are judged together and count as one */
    uint8_t way;  /* of the library: operator_way() */
} train_held_out;

/* Ends of the 80 % interval of log(measured / predicted) on a GPU that is none of those of `rows`,
 * as wide downwards as upwards; the fewer kinds of GPU stand behind it, the wider.
 * shrink: what the corrections count. miss: standard deviation of the logs of estimated rates, at
 * least; 0 = on measured rates. docs/modelling.md#protocol
 * @return false without memory. */
bool train_interval(const train_held_out *rows, size_t n, double shrink, double miss, float *low,
                    float *high);

/* The same for answers of a way that no GPU ran, from rows whose way was left out of their fits:
 * the error that rows of a way have in common is drawn anew, as a GPU's is. half: log. */
bool train_way_interval(const train_held_out *rows, size_t n, double shrink, double miss,
                        float *half);

/* What its width is made of, as logarithms: what single rows err by at a spread of 0, and what all
 * rows of a GPU have in common. NaN: no row tells. */
typedef struct train_width {
    double rows, bias;
} train_width;
bool train_width_of(const train_held_out *rows, size_t n, double shrink, double miss,
                    train_width *out);

/* |error - bias of its GPU| of each row, on own rates. out: shape (n). */
bool train_deviations(const train_held_out *rows, size_t n, double shrink, double *out);

/* The error of a row in log(time): measured over predicted. */
double train_error_of(const train_held_out *row, double shrink, bool estimated);

/* The same on a GPU that is one of those of `rows`. */
bool train_seen_interval(const train_held_out *rows, size_t n, float *low, float *high);

#endif
