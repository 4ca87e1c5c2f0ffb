/* Replays that are judged: one recording each, and pairs of them. */
#ifndef HABITAT_LAB_REPLAY_CASE_H
#define HABITAT_LAB_REPLAY_CASE_H

#include <habitat/gpu.h>
#include <habitat/replay.h>

#include "lab/recordings.h"
#include "replay/rule.h"

/* One recording, replayed on its own GPU. Times per iteration [ms]. */
typedef struct replay_case {
    char file[RECORDING_NAME]; /* "resnet50_b16_fp32_h200.json.gz" */
    char model[48];            /* "resnet50": up to the batch size and the mode */
    char step[RECORDING_NAME]; /* without the batch size: "resnet50 fp32_h200.json.gz" */
    uint64_t batch;
    const habitat_gpu *gpu;
    double measured_ms, busy_ms, spread;
    size_t kernels;
    bool cpu_bound;                   /* as habitat_workload_info says */
    double features[REPLAY_FEATURES]; /* of the rule */
    double replayed_ms;               /* calibrated with its own time */
    double cpu_ms;                    /* what that says of its CPU */
    habitat_cpu_basis basis;
    double withheld_ms, low_ms, high_ms; /* its time withheld, the rule fitted on other models */
} replay_case;

/* Another batch size or another GPU, predicted. */
typedef struct replay_pair {
    size_t from, to; /* cases */
    double sum_ms;   /* busy time: of the other recording; or predicted for the other GPU */
    double replayed_ms;
    double low_ms, high_ms;
} replay_pair;

typedef struct replay_set {
    replay_case *cases;
    size_t count;
    replay_pair *batches, *gpus;
    size_t batch_count, gpu_count;
    double weights[REPLAY_FEATURES]; /* of the rule, fitted on all */
} replay_set;

#endif
