/* Judging the memory of iterations: recordings against recordings and against measured peaks. */
#ifndef HABITAT_LAB_MEMORY_H
#define HABITAT_LAB_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include <habitat/gpu.h>
#include <habitat/memory.h>

#include "lab/recordings.h"

typedef enum memory_truth {
    MEMORY_TRUTH_RECORDED, /* another recording's peak */
    MEMORY_TRUTH_SHAPES,   /* the recording's own peak, predicted without its notes */
    MEMORY_TRUTH_STEPS,    /* measured_steps_*.csv */
    MEMORY_TRUTH_LIMITS,   /* measured_limits_*.csv */
} memory_truth;

/* Bounds on the correction of a training step: 1.00, 1.01 .. */
enum { MEMORY_BOUNDS = 11 };

/* One prediction of a peak. */
typedef struct memory_case {
    memory_truth truth;
    size_t family; /* index of the first case of its family: memory_family_length() */
    char script[48], origin[RECORDING_NAME];
    double origin_batch, batch;
    habitat_memory_format format; /* of the measured step, as memory_format_named() has it */
    bool same_format;             /* as the recording's */
    double measured_bytes;        /* NaN: did not fit, or not known */
    double predicted_bytes;
    double device_bytes; /* of the GPU measured; NaN for recordings */
    int fits, predicted_fits;
    const habitat_gpu *gpu;
    habitat_memory_parts parts;
    double bounded_bytes[MEMORY_BOUNDS]; /* predicted, the correction bounded by each */
} memory_case;

/* A run that found no room, as PyTorch told it [byte]. */
typedef struct memory_failure {
    char script[48], precision[16];
    size_t family; /* as that of its cases */
    double batch, asked_bytes, allocated_bytes;
    double pieces_bytes;  /* free in what PyTorch holds: in pieces too small for what was asked */
    double outside_bytes; /* free outside of it */
    double largest_bytes; /* of the largest tensor, as predicted */
} memory_failure;

enum { MEMORY_FAILURES_MOST = 64 };

typedef struct memory_set {
    memory_case *cases;
    size_t count, capacity;
    memory_failure failures[MEMORY_FAILURES_MOST];
    size_t failure_count;
} memory_set;

/* Every prediction of a folder's recordings. Free in every case. */
habitat_status memory_collect(const habitat_gpu_table *gpus, const char *folder, memory_set *out,
                              habitat_error *err);
void memory_free(memory_set *set);
/* A copy of a case at the end, its family found. */
habitat_status memory_add(memory_set *set, const memory_case *made, habitat_error *err);

/* As the tables name it: "fp32", "tf32", "amp-bf16"; weights in half precision ("bf16") are
 * RECORDED.
 */
habitat_memory_format memory_format_named(const char *precision);
/* "bert" of "bert_large_training_s512": models of one family are judged as one. */
size_t memory_family_length(const char *script);
double memory_bound(int at); /* 1 + at / 100 */
/* Runs that say whether a rule for what fits is right: that failed, or took more than half of the
 * GPU's memory. */
bool memory_near_limit(const memory_case *c);

/* memory_failures.c: those of a folder's failed runs whose models are among the cases. No table:
 * none. */
habitat_status memory_read_failures(const char *folder, memory_set *set, habitat_error *err);

/* What was free in pieces over the largest tensor, the median of all runs but a family's;
 * MEMORY_ALL: of all. NaN without any. */
double memory_pieces_share(const memory_set *set, ptrdiff_t without);

#endif
