/* Memory of each of several GPUs. */
#ifndef HABITAT_REPLAY_PARALLEL_MEMORY_H
#define HABITAT_REPLAY_PARALLEL_MEMORY_H

#include "replay/sharded.h"

/* `one` has the memory of one GPU alone; it becomes that of one of several, and whether it fits.
 * bucket_bytes: of all gradients of an iteration. told: what is in parts; NULL: weights are whole,
 * and buckets are memory of their own. The largest batch is told where the recording notes what of
 * its memory grows. */
void parallel_set_memory(const habitat_replay *r, double bucket_bytes, const replay_parted *told,
                         habitat_prediction *one);

#endif
