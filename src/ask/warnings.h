/* Every warning of an answer comes from here. */
#ifndef HABITAT_ASK_WARNINGS_H
#define HABITAT_ASK_WARNINGS_H

#include "ask/answer.h"

/* Adds one line, of no kind or of one. HABITAT_E_MEMORY. */
habitat_status warnings_add(made_answer *out, habitat_warning_about about, const char *text,
                            habitat_error *err);
habitat_status warnings_add_kind(made_answer *out, habitat_warning_about about,
                                 habitat_warning_kind kind, const char *text, habitat_error *err);

/* All that recording, destinations and rows give reason to say, behind what was added before, and
 * of each row what it alone gives. HABITAT_E_MEMORY. */
habitat_status warnings_assemble(size_t count, const habitat_gpu *const *destinations,
                                 made_answer *out, habitat_error *err);

enum { WARNING_BYTES = 400 };

/* The single kinds. predictions, gpus: shape (count). text: receives one line, of WARNING_BYTES;
 * untouched where there is nothing to say, which is false. */

/* Destinations without matrix units for a narrow format (fp16, bf16, fp8, int8) in which the
 * origin's units computed `share` of the kernels' time of w: the prediction is for another format.
 */
bool warn_of_format(double share, const habitat_workload *w, const habitat_gpu *const *gpus,
                    size_t count, habitat_dtype dtype, char *text);
double format_share(const habitat_workload *workload, habitat_dtype dtype);

/* Destinations that compute the precision asked for as they compute another one. */
bool warn_of_precision(habitat_precision asked, const habitat_gpu *const *gpus, size_t count,
                       char *text);

/* The same of one operation that computes in `dtype`. */
bool warn_of_operation_format(const habitat_gpu *const *gpus, size_t count, habitat_dtype dtype,
                              char *text);

/* Destinations of another vendor than the origin's; NULL: none. */
const char *warn_of_vendor(const habitat_gpu *origin, const habitat_gpu *const *gpus, size_t count);

/* Operations measured on destinations moved what operator models say of them. */
bool warn_of_calibration(const habitat_prediction *const *predictions, size_t count, char *text);

/* Operations far beyond what the models were trained on. */
bool warn_of_outside(const habitat_prediction *const *predictions, size_t count, char *text);

/* versions.c: a second recording of another framework, CUDA or cuDNN than the first. */
bool warn_of_versions(const habitat_trace_info *own, const habitat_trace_info *other, char *text);

/* Intervals that are not calibrated. timed: of a recording that a GPU timed; else by which factor
 * its CPU's side may be off. */
bool warn_of_intervals(bool timed, double factor, const habitat_prediction *const *predictions,
                       size_t count, char *text);

#endif
