/* Compute capabilities at which something changes, 10 * major + minor as habitat_gpu holds them; 0,
 * of GPUs that are not NVIDIA's, is below all of them. Each is the first of its kind. */
#ifndef HABITAT_GPU_GENERATION_H
#define HABITAT_GPU_GENERATION_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SM_PASCAL = 60,
    SM_VOLTA = 70, /* matrix units */
    SM_TURING = 75,
    SM_AMPERE = 80,          /* the A100 alone; what follows is for graphics, too */
    SM_AMPERE_GRAPHICS = 86, /* its design goes on in Ada (89) and Blackwell for graphics */
    SM_HOPPER = 90,
    SM_BLACKWELL = 100,
    SM_BLACKWELL_GRAPHICS = 120,
};

/* 9.x and 10.x: clusters of blocks, which parts for graphics have not. */
static inline bool sm_has_clusters(uint32_t capability) {
    return capability >= SM_HOPPER && capability < SM_BLACKWELL_GRAPHICS;
}

/* 10.x. */
static inline bool sm_is_blackwell(uint32_t capability) {
    return capability >= SM_BLACKWELL && capability < SM_BLACKWELL_GRAPHICS;
}

/* Whether corrections by the names and grids of kernels hold. They were fitted on recordings of
 * H100 and H200 alone, where kernels for sm80 run at half of the rate that they have on their own
 * GPUs; elsewhere the models' time counts (docs/decisions/0288, docs/decisions/0325). */
static inline bool sm_kernels_are_measured(uint32_t capability) {
    return capability == SM_HOPPER;
}

#endif
