/* Judging iterations of several GPUs, predicted from a recording on one, where the same step was
 * measured on them. */
#ifndef HABITAT_LAB_DDP_H
#define HABITAT_LAB_DDP_H

#include <stdbool.h>
#include <stdint.h>

#include <habitat/gpu.h>

#include "lab/ranks.h"
#include "lab/recordings.h"

/* One measured step. Times per iteration [ms]. */
typedef struct ddp_case {
    char name[RECORDING_NAME]; /* "resnet50_b64_tf32" */
    uint32_t gpus;
    double measured_ms, one_ms, predicted_ms, low_ms, high_ms, communication_ms, exposed_ms;
    bool gpu_binds;
    bool has_ranks; /* both GPUs' recordings of the step are there */
    ranks_case ranks;
} ddp_case;

typedef struct ddp_set {
    ddp_case *cases;
    size_t count;
} ddp_set;

/* Every row of two_gpus/measured_ddp.csv in a folder of recordings. Free in every case. */
habitat_status ddp_collect(const habitat_gpu_table *gpus, const char *folder, ddp_set *out,
                           habitat_error *err);
void ddp_free(ddp_set *set);

#endif
