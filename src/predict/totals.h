/* From kernels to an iteration. */
#ifndef HABITAT_PREDICT_TOTALS_H
#define HABITAT_PREDICT_TOTALS_H

#include "predict/interval.h"

/* Sums over kernels [ns, all iterations]. */
typedef struct totals {
    double kernel_ns, copy_ns, busy_ns, busy_low_ns, busy_high_ns;
    double by_method_ns[HABITAT_METHOD_COUNT];
    double class_ns[HABITAT_CLASS_COUNT], class_origin_ns[HABITAT_CLASS_COUNT];
    bool has_class[HABITAT_CLASS_COUNT];
    bool calibrated;
    interval_sum interval;
} totals;

/* Add a kernel of this time [ns], of which busy_ns count in the busy time. */
void totals_add(totals *sum, const habitat_workload_kernel *kernel, double ns, double busy_ns,
                const habitat_estimate *estimate);

/* Everything of a prediction that is a sum over its kernels. Of a scaled workload the classes'
 * times on the origin are those of the recording. */
void totals_set(const scaling *s, totals *sum, habitat_prediction *out);

/* The same on the origin: the measurement, to the bit. */
void totals_give_back(const scaling *s, habitat_prediction *out);

#endif
