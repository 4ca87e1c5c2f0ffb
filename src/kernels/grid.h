/* What PyTorch's kernels work their grids out with. */
#ifndef HABITAT_KERNELS_GRID_H
#define HABITAT_KERNELS_GRID_H

#include <math.h>

/* last_pow2(): the largest power of two up to `most`; 1 below. */
static inline double grid_power_of_two(double most) {
    return exp2(floor(log2(fmax(most, 1))));
}

#endif
