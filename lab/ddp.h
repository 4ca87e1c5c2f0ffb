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
    char name[RECORDING_NAME]; /* "resnet50_b64_tf32_h200" */
    const habitat_gpu *gpu;    /* where it was measured, and recorded */
    uint32_t gpus;
    double measured_ms, one_ms, predicted_ms, low_ms, high_ms, communication_ms, exposed_ms;
    double measured_one_ms; /* one GPU of the host that measured; NAN where it was not */
    double spread;  /* of the medians of its groups: largest less smallest, over the median */
    bool gpu_binds; /* on one GPU, as recorded; with `precision`, as predicted */
    habitat_precision precision; /* asked of a recording in fp32; RECORDED: of the step's own */
    bool has_ranks;              /* both GPUs' recordings of the step are there */
    ranks_case ranks;
} ddp_case;

typedef struct ddp_set {
    ddp_case *cases;
    size_t count;
} ddp_set;

typedef struct ddp_result {
    ddp_set seen;      /* steps on which constants were chosen: recorded and measured on one host */
    ddp_set unseen;    /* steps of other recordings, measured later on another host */
    ddp_set one_host;  /* recorded on one GPU, then measured on two of the same host */
    ddp_set from_fp32; /* of `unseen`, those that were recorded in fp32, too: from that recording */
} ddp_result;

/* Every row of FOLDER/two_gpus/measured_ddp.csv (seen), FOLDER/measured_ddp.csv (unseen) and, where
 * there is one, FOLDER/two_h100s/measured_ddp.csv (one_host), each from the recording beside it
 * that the row names. `out` zeroed; free in every case. HABITAT_E_IO without one of the first two;
 * HABITAT_E_UNKNOWN_GPU; HABITAT_E_RANGE for a row without a name, or whose recording is of another
 * GPU. */
habitat_status ddp_collect(const habitat_gpu_table *gpus, const char *folder, ddp_result *out,
                           habitat_error *err);
void ddp_free(ddp_result *result);

#endif
