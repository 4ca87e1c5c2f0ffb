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
    uint8_t gpu;
    uint8_t kind; /* of the GPU: GPUs of one kind are judged together and count as one */
} train_held_out;

/* Ends of the 80 % interval of log(measured / predicted) on a GPU that is none of those of `rows`,
 * as wide downwards as upwards; the fewer kinds of GPU stand behind it, the wider.
 * shrink: what the corrections count. miss: standard deviation of the logs of estimated rates, at
 * least; 0 = on measured rates. docs/modelling.md#protocol
 * @return false without memory. */
bool train_interval(const train_held_out *rows, size_t n, double shrink, double miss, float *low,
                    float *high);

/* The same on a GPU that is one of those of `rows`. */
bool train_seen_interval(const train_held_out *rows, size_t n, float *low, float *high);

#endif
