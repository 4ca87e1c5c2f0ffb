/* A predicted time with its interval and what binds it. */
#ifndef HABITAT_PREDICT_ESTIMATE_H
#define HABITAT_PREDICT_ESTIMATE_H

#include "predict/scaling.h"

/* Relative width of the default interval; low = ms / (1 + width), high = ms (1 + width). alike: the
 * measurement is from a GPU of the same architecture. */
double estimate_default_width(bool alike, habitat_method method);

/* These widths in words: "15 % within an architecture, ...". text: receives them, of `size` bytes.
 */
void estimate_width_words(char *text, size_t size);

/* What binds a kernel or operation that takes ms on a GPU. */
habitat_bound estimate_bound(const habitat_gpu *gpu, double flop, double bytes, formula_rates rates,
                             double ms);

/* All of `out` but busy_ms and what binds it. */
void estimate_set_times(const scaling *s, const habitat_workload_kernel *kernel, scaled time,
                        habitat_estimate *out);

/* What binds a kernel of such a time. */
void estimate_set_bound(const scaling *s, const habitat_workload_kernel *kernel,
                        habitat_estimate *out);

#endif
