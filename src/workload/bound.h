/* The iteration beside the busy time: what it waits for, its spread, samples a second. */
#ifndef HABITAT_WORKLOAD_BOUND_H
#define HABITAT_WORKLOAD_BOUND_H

#include "workload/workload.h"

/* Whether the GPU waits for its CPU, in an iteration of which it is busy for busy_ms. */
bool habitat_waits_for_cpu(double iteration_ms, double busy_ms);

/* What an iteration of the recorded step waits for where the GPU is busy for busy_ms: on another
 * GPU, at another batch size or precision, which launch as many kernels. */
habitat_bound_by habitat_bound_of(const habitat_workload_info *recorded, double busy_ms);

/* Whether the recording has several times of its iteration, whose spread is an interval. */
bool habitat_spread_known(const habitat_workload *w);

/* Whether single iterations lie so far apart that their median says little of the next one. */
bool habitat_spread_wide(const habitat_workload *w);

/* Sets low_share and high_share of the workload. */
habitat_status habitat_spread_prepare(habitat_workload *w, habitat_error *err);

/* Samples that pass in a second. NaN without a batch size; and where iteration_ms is no more than
 * the busy time while the recording's GPU waited for its CPU, at another batch size or precision
 * too. The origin's own is that of its recorded iteration. */
double habitat_samples_per_s(const habitat_workload *w, bool origin, double iteration_ms);

#endif
