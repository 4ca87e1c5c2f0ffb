/* Copies between the memory of a GPU and that of its host. */
#ifndef HABITAT_KERNELS_HOST_COPY_H
#define HABITAT_KERNELS_HOST_COPY_H

#include <habitat/gpu.h>
#include <habitat/work.h>

/* One direction between a GPU and its CPU's memory [byte/s]; NaN: not known. */
double host_copy_link_bytes_per_s(const habitat_gpu *gpu);

/* The time of one that nobody measured [ms], by its bytes and the host's memory; NaN where the link
 * is not known, and of a work that is no such copy. */
double host_copy_ms(const habitat_work *work, const habitat_gpu *gpu);

#endif
