/* Element-wise functions that take more instructions than memory leaves time for. */
#ifndef HABITAT_KERNELS_INSTRUCTIONS_H
#define HABITAT_KERNELS_INSTRUCTIONS_H

#include <habitat/gpu.h>

/* Instructions that a kernel of this name issues for each byte it moves, each lane counted; 0 where
 * memory is what such a kernel waits for on every GPU. `name` may be NULL. */
double instructions_a_byte(const char *name);

/* Time [s] in which a GPU moves `bytes` in `memory_s` and issues so many instructions for each. */
double instructions_s(const habitat_gpu *gpu, double bytes, double a_byte, double memory_s);

#endif
