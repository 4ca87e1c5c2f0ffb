/* A workload that nobody timed, on a destination. */
#ifndef HABITAT_PREDICT_UNTIMED_H
#define HABITAT_PREDICT_UNTIMED_H

#include <habitat/predict.h>

/* models: NULL: there are none. Every operation by the method asked for; what the paper's networks
 * do not know goes through the roofline of the spec sheet, as `fallback`. HABITAT_E_UNSUPPORTED
 * where the method scales measured times; HABITAT_E_NO_SPEC, HABITAT_E_RANGE, HABITAT_E_MEMORY. */
habitat_status untimed_predict(const habitat_workload *w, habitat_method method,
                               const habitat_models *models, const habitat_gpu *dest,
                               habitat_prediction **out, habitat_error *err);

/* The whole iteration of a recording without a GPU: kernels follow each other while the CPU needs
 * what its table says, and the longer of the two is the iteration. factor: by which the CPU's side
 * may be off, either way. Nothing to do without a CPU side: cpu_ms is NaN. */
void untimed_assemble(const habitat_workload *w, double cpu_ms, double factor,
                      habitat_prediction *p);

/* How wide an iteration's interval is, in words. text: receives them, of `size` bytes. factor: by
 * which the CPU's side may be off; 0: it is not in it. */
void untimed_width_words(double factor, char *text, size_t size);

/* By the table, beside this GPU; NaN where shapes alone were given, without a recording. */
double untimed_cpu_ms(const habitat_workload *w, const habitat_gpu *gpu);

#endif
