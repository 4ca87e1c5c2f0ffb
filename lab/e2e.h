/* `habitat eval e2e`: recordings predicted onto GPUs where somebody measured the same network. */
#ifndef HABITAT_LAB_E2E_H
#define HABITAT_LAB_E2E_H

#include <habitat/predict.h>

#include "lab/held_out.h"

/* Methods side by side. ESTIMATED is auto with the destination's sustained rates taken away and
 * estimated by rule: what a GPU gets that nobody measured. FEW have five measured operations of
 * each class beside, as `habitat calibrate` gives them. */
enum {
    E2E_AUTO = 0,
    E2E_FEW,
    E2E_ESTIMATED,
    E2E_ESTIMATED_FEW,
    E2E_HABITAT,
    E2E_ROOFLINE,
    E2E_FLOPS,
    E2E_BANDWIDTH,
    E2E_WAVE,
    E2E_WAVE_LARGE,
    E2E_METHODS
};

/* One method's iteration [ms]; NaN where this build has no such method. */
typedef struct e2e_outcome {
    double ms, low_ms, high_ms;
    double forward_ms, backward_ms;
    habitat_interval_basis basis;
    const char *family; /* coverage_family(); NULL where nothing was predicted */
    interval_parts parts;
} e2e_outcome;

/* A measured iteration with its predictions from one recording. */
typedef struct e2e_case {
    char network[48], mode[24], dtype[12];
    char recorded[12]; /* number format of the recording: dtype, or tf32 for fp32 */
    const habitat_gpu *gpu;
    double batch, length;                                          /* samples, tokens of one */
    double measured_ms, measured_forward_ms, measured_backward_ms; /* NaN = not told apart */
    double fastest_ms, slowest_ms; /* of several machines; measured_ms is their median */
    size_t recording; /* index: cases of one recording are one network, mode, batch and length */
    const habitat_gpu *origin;
    e2e_outcome by[E2E_METHODS];
} e2e_case;

typedef struct e2e_set {
    e2e_case *cases;
    size_t count;
    size_t recordings;
} e2e_set;

/* Cases of every iteration measured by `source` that a recording in `recordings` stands for.
 * bare: as if recorded without sizes of operations. Free in every case. */
habitat_status e2e_collect(const habitat_gpu_table *gpus, const char *source,
                           const char *measurements, const char *recordings, bool bare,
                           e2e_set *out, habitat_error *err);
void e2e_free(e2e_set *set);

const char *e2e_method_name(int method);

#endif
