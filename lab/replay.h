/* Judging replay where the truth is a recording's own time without the profiler. */
#ifndef HABITAT_LAB_REPLAY_H
#define HABITAT_LAB_REPLAY_H

#include "lab/evaluate.h"

#include <habitat/replay.h>

#include "replay/rule.h"

/* One recording, replayed on its own GPU. Times per iteration [ms]. */
typedef struct replay_case {
    char file[96];  /* "resnet50_b16_fp32_h200.json.gz" */
    char model[48]; /* "resnet50": up to the batch size and the mode */
    char step[96];  /* without the batch size: "resnet50 fp32_h200.json.gz" */
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

/* Weights of the rule from the CPU-bound cases of all models but one (NULL: of all): they bring
 * the ratio of rule to measurement nearest to 1, none is negative, and the median ratio is 1. */
void replay_fit(const replay_set *set, const char *without, double out[REPLAY_FEATURES]);

habitat_status replay_collect(const habitat_gpu_table *gpus, const char *folder, replay_set *out,
                              habitat_error *err);
void replay_free(replay_set *set);
void replay_print_tables(const replay_set *set, report_text *text);
void replay_print_cases(const replay_set *set, report_text *text);

#endif
