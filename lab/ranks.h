/* Recorded ranks of one step, replayed together, against the time of that step. */
#ifndef HABITAT_LAB_RANKS_H
#define HABITAT_LAB_RANKS_H

#include <stdbool.h>

#include <habitat/gpu.h>

/* One step on its own GPU, whose time without the profiler is left aside. Times per iteration [ms].
 */
typedef struct ranks_case {
    double measured_ms, predicted_ms, low_ms, high_ms;
    double communication_ms, exposed_ms, waiting_ms;
} ranks_case;

/* stem: "FOLDER/NAME" of NAME.rank0.json.gz and NAME.rank1.json.gz. found: whether they are there;
 * else HABITAT_OK all the same. */
habitat_status lab_judge_ranks(const habitat_gpu_table *gpus, const char *stem, bool *found,
                               ranks_case *out, habitat_error *err);

#endif
