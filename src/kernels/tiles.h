/* What a matrix product loses to whole tiles and whole waves. */
#ifndef HABITAT_KERNELS_TILES_H
#define HABITAT_KERNELS_TILES_H

#include <habitat/gpu.h>
#include <habitat/work.h>

/* Flop that the GPU spends on an operation; as counted where it is no matrix product. */
double tiles_spent_flop(const habitat_work *work, const habitat_gpu *gpu);

#endif
