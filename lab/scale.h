/* Judging other batch sizes and precisions where the truth is another recording of the same GPU. */
#ifndef HABITAT_LAB_SCALE_H
#define HABITAT_LAB_SCALE_H

#include <habitat/gpu.h>
#include <habitat/status.h>
#include <habitat/words.h>

#include "lab/recordings.h"
#include "lab/scale_steps.h"

/* One recording scaled to what another one holds. Times are sums over kernels and copies [ms]. */
typedef struct scale_case {
    char from[RECORDING_NAME], to[RECORDING_NAME]; /* file names */
    char model[48];                                /* "resnet50" */
    habitat_precision precision;                   /* asked for; RECORDED: another batch size */
    habitat_precision recorded;                    /* of `from`; RECORDED: another batch size */
    bool upwards;                                  /* to a larger batch */
    bool by_recording;                             /* a third recording told which sizes change */
    bool chosen_on;                                /* the rules were chosen on this model */
    double from_ms, predicted_ms, measured_ms;
    scale_step step; /* of another batch size, and of another precision from fp32 */
} scale_case;

typedef struct scale_set {
    scale_case *cases;
    size_t count;
} scale_set;

/* Every case of a folder. Free in every case. */
habitat_status scale_collect(const habitat_gpu_table *gpus, const char *folder, scale_set *out,
                             habitat_error *err);
void scale_free(scale_set *set);

#endif
