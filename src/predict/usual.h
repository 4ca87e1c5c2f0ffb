/* What kernels usually do in their time, where nobody counted their work. */
#ifndef HABITAT_PREDICT_USUAL_H
#define HABITAT_PREDICT_USUAL_H

#include <habitat/workload.h>

/* The share of its time, 0..1, that a kernel needs by the roof of its class: a product by
 * arithmetic, any other kernel by memory. The mean of kernels of its class and name whose work was
 * counted, in the recorded steps. docs/formulas.md#unknown-work */
double usual_share(const habitat_workload_kernel *kernel);

/* What an operation that no model covers, and no product, takes past the floor of any kernel [s],
 * where its roof is roof_s. docs/formulas.md#operation */
double usual_time_s(habitat_class op_class, double roof_s, double floor_s);

#endif
