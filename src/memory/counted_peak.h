/* Memory of a recording without a GPU, whose tensors the recorder counted. */
#ifndef HABITAT_MEMORY_COUNTED_PEAK_H
#define HABITAT_MEMORY_COUNTED_PEAK_H

#include "memory/model.h"

/* The most of these moments [byte] where tensors that grow with the batch are `factor` times as
 * large; NaN: none is noted. */
double memory_counted_peak(const habitat_memory_moments *moments, double factor);

/* The same of an iteration: at its own batch (factor 1) the noted peak; basis UNKNOWN where nothing
 * is noted. */
void memory_counted(const habitat_trace_info *info, double factor, habitat_memory_parts *out);

/* Samples of the largest batch that is known to fit: 0, not even one; NaN not known. */
double memory_counted_largest_batch(const habitat_trace_info *info, const habitat_gpu *gpu,
                                    uint64_t recorded_batch);

#endif
