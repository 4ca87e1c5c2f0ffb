/* Which algorithm cuDNN takes where it tries all of them: the fastest. In strict fp32. */
#ifndef HABITAT_MEMORY_FASTEST_H
#define HABITAT_MEMORY_FASTEST_H

#include <stdbool.h>

#include <habitat/gpu.h>

#include "memory/algorithms.h"

/* What of a GPU the times need; a zero is not known. */
typedef struct memory_speed {
    double flop_per_s, bytes_per_s, sm_count;
} memory_speed;

/* What of it they reach: rows of base/constants_memory.h, in this order. */
typedef enum memory_cost {
    MEMORY_COST_DIRECT,        /* share of the flop/s, direct */
    MEMORY_COST_SMALL,         /* the same in small tiles */
    MEMORY_COST_WHOLE_TRAFFIC, /* times that spectra of whole images are moved */
    MEMORY_COST_TILED_TRAFFIC, /* the same of tiles */
    MEMORY_COST_START,         /* of spectra [s] */
    MEMORY_COST_WEIGHTS,       /* share of the flop/s, gradients of weights */
    MEMORY_COST_TILES_TRAFFIC, /* times that Winograd's tiles are moved */
    MEMORY_COST_COUNT,
} memory_cost;

typedef struct memory_costs {
    double of[MEMORY_COST_COUNT];
} memory_costs;

memory_costs memory_costs_built(void);

/* False where something is not known; `out` is zero then. gpu: NULL for none. */
bool memory_speed_of(const habitat_gpu *gpu, memory_speed *out);

/* Winograd's tiles with which the gradient of the weights can be made; 0: with none. */
double memory_tiles_side(const habitat_conv_shape *s);

/* log(time of the direct algorithm / time with spectra, or tiles for the gradient of the weights);
 * -INFINITY where these cannot be. */
double memory_gain(const habitat_conv_shape *s, memory_pass pass, const memory_speed *speed,
                   const memory_costs *costs);

/* What the fastest works in. */
memory_workspace memory_fastest(const habitat_conv_shape *s, memory_pass pass,
                                const memory_speed *speed);

#endif
