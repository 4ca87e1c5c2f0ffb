/* What is said of a recorded iteration at another batch size, and what is refused. after, shape
 * (group_count of w): what its groups do then; out: where warnings go. Each returns
 * HABITAT_E_MEMORY where there is none. */
#ifndef HABITAT_PREDICT_RESCALE_WORDS_H
#define HABITAT_PREDICT_RESCALE_WORDS_H

#include "rescale/scale.h"

/* HABITAT_E_ARG: forward passes that share the batch take a sample each at least. */
habitat_status rescale_check_shared(uint32_t parts, uint64_t batch, habitat_error *err);

/* HABITAT_E_UNSUPPORTED: next to nothing changes with the batch that the recording notes. */
habitat_status rescale_check_grows(const habitat_workload *w, const scale_group *after,
                                   habitat_error *err);

/* How much grows, and how that was found. */
habitat_status rescale_warn_of_batch(const habitat_workload *w, const scale_group *after,
                                     uint32_t parts, uint64_t batch, habitat_workload *out,
                                     habitat_error *err);

/* A step that gathers gradients may note the samples of one of its passes. */
habitat_status rescale_warn_of_passes(const habitat_workload *recorded, uint32_t parts,
                                      habitat_workload *out, habitat_error *err);

/* Operations that a second recording, or NULL, does not have. */
habitat_status rescale_warn_of_twins(const habitat_workload *other, const scale_twins *twins,
                                     habitat_workload *out, habitat_error *err);

/* Operations whose results are as long as their values say; */
size_t rescale_count_by_values(const habitat_workload *w);
habitat_status rescale_warn_of_values(const habitat_workload *w, const scale_group *after,
                                      size_t by_values, habitat_workload *out, habitat_error *err);

/* and how far apart the answers are with what stays, if that grows or not, in log(time). */
double rescale_values_sigma(const habitat_workload *w, const scale_group *after, uint64_t batch,
                            const habitat_workload *made);

#endif
