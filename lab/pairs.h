/* Judging predictions where the truth has the same software: one step recorded on two GPUs. */
#ifndef HABITAT_LAB_PAIRS_H
#define HABITAT_LAB_PAIRS_H

#include <habitat/predict.h>

#include "lab/recordings.h"
#include "predict/form.h"

/* Methods side by side; UNCHANGED answers with the origin's time. */
enum {
    PAIRS_AUTO = 0,
    PAIRS_HABITAT,
    PAIRS_ROOFLINE,
    PAIRS_WAVE,
    PAIRS_WAVE_LARGE,
    PAIRS_FLOPS,
    PAIRS_BANDWIDTH,
    PAIRS_UNCHANGED,
    PAIRS_METHODS
};

/* What one method says of one step in one direction. Times per iteration [ms], GPU busy time. */
typedef struct pair_outcome {
    double busy_ms;         /* NaN where this build has no such method */
    double low_ms, high_ms; /* 80 % interval */
    habitat_interval_basis basis;
    const char *family;  /* coverage_family(); NULL of UNCHANGED */
    double kernel_error; /* sum of |predicted - measured| over matched kernels, over their sum */
    double class_ms[HABITAT_CLASS_COUNT]; /* predicted, of matched kernels */
} pair_outcome;

/* One step in one direction. */
typedef struct pair_case {
    bool mixed; /* the two recordings are of different versions of framework or libraries */
    char step[RECORDING_NAME]; /* the file's name without the GPU: "resnet50_b16_fp32" */
    char network[48];          /* up to the batch size: "resnet50" */
    const habitat_gpu *origin, *dest;
    double origin_ms, measured_ms; /* busy time */
    double matched;                /* share of the destination's kernel time that is matched */
    double class_origin_ms[HABITAT_CLASS_COUNT], class_measured_ms[HABITAT_CLASS_COUNT];
    pair_outcome by[PAIRS_METHODS];
    double form_ms[AUTO_FORMS]; /* busy time by auto, its rule in each form */
} pair_case;

typedef struct pair_set {
    pair_case *cases;
    size_t count;
} pair_set;

const char *pairs_method_name(int method);

/* Every pair of recordings of a folder whose names differ in their last part alone, both
 * directions. bare: as if recorded without sizes of operations. HABITAT_OK; HABITAT_E_IO (no
 * folder); HABITAT_E_ARG (no pair in it); what reading and predicting return. Free in every case.
 */
habitat_status pairs_collect(const habitat_gpu_table *gpus, const char *folder, bool bare,
                             pair_set *out, habitat_error *err);
void pairs_free(pair_set *set);

#endif
