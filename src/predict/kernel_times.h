/* What a prediction keeps of single kernels: all that is known of each, or its time alone. A
 * recording of 1 GB has half a million kernels: seven numbers of each, for every GPU of the table,
 * are more than its trace. */
#ifndef HABITAT_PREDICT_KERNEL_TIMES_H
#define HABITAT_PREDICT_KERNEL_TIMES_H

#include <stdlib.h>

#include <habitat/predict.h>

/* Its predictions hold no trace_kernels, but trace_kernel_ms. Of workloads without times it changes
 * nothing. */
void predictor_keep_times_alone(habitat_predictor *predictor);

/* Time of kernel i [ms]; until prediction_forget_kernels(). */
static inline double prediction_kernel_ms(const habitat_prediction *p, size_t i) {
    return p->trace_kernels ? p->trace_kernels[i].ms : p->trace_kernel_ms[i];
}

static inline void prediction_forget_kernels(habitat_prediction *p) {
    free(p->trace_kernels);
    free(p->trace_kernel_ms);
    p->trace_kernels = NULL;
    p->trace_kernel_ms = NULL;
}

#endif
