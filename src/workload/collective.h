/* What of a collective's recorded time its message needs, and what is waiting for other GPUs. */
#ifndef HABITAT_WORKLOAD_COLLECTIVE_H
#define HABITAT_WORKLOAD_COLLECTIVE_H

#include "workload/workload.h"

/* Sets waiting_ns of every collective of the workload, and counts those without a message size.
 * Returns HABITAT_OK or HABITAT_E_MEMORY. */
habitat_status habitat_collective_prepare(habitat_workload *w);

/* One direction of the link between GPUs [byte/s]: NVLink, or PCIe where the GPU has none; NaN if
 * unknown. */
double collective_link_bytes_per_s(const habitat_gpu *gpu);

/* Whether messages among `count` GPUs stay on NVLink, in one host: one of usual size is done before
 * a usual product is. */
bool collective_is_quick(const habitat_gpu *gpu, uint32_t count);

/* What kernels beside a sum of gradients among `count` GPUs lose, of the time that they share.
 * Never so much less among more GPUs that it outweighs the longer sum. */
double collective_beside_share(const habitat_gpu *gpu, uint32_t count);

/* Whether the recording tells what is sent, over a link that is the GPU's own. */
bool collective_message_known(const habitat_kernel *kernel);

/* What a message of no bytes takes [ns]. */
double collective_latency_ns(const habitat_kernel *kernel);

/* What a message needs on a machine that is not the recording's: `bytes` between `count` GPUs,
 * eight of them a host, hosts over a network. ALL_REDUCE, ALL_GATHER and REDUCE_SCATTER (bytes: of
 * all), or ONE_WAY. NaN where no link is known. Never less for more bytes, more GPUs or a slower
 * link. */
double collective_time_ns(const habitat_gpu *gpu, habitat_collective kind, double bytes,
                          uint32_t count);

#endif
