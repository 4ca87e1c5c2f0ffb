/* In which number format a step was recorded, and which precisions a GPU cannot tell apart. */
#ifndef HABITAT_WORKLOAD_RECORDED_FORMAT_H
#define HABITAT_WORKLOAD_RECORDED_FORMAT_H

#include "workload/workload.h"

/* Sets `format` and `doubt` of a workload as recorded, whose kernels and memory are known. */
void recorded_format_tell(habitat_workload *w);

/* "amp-bf16", "fp16 throughout"; static text. */
const char *recorded_format_words(recorded_format format);

/* Whether it is one of autocast's: AMP_FP16 or AMP_BF16. */
bool precision_is_amp(habitat_precision precision);

/* The precision that stands for all those that the GPU computes as it does this one. */
habitat_precision precision_computed_on(const habitat_gpu *gpu, habitat_precision precision);

/* The precision that `asked` comes to on a GPU: RECORDED where that computes in it just what it
 * computes of the step as recorded; one of two where it cannot tell them apart (tf32 and fp32
 * without TF32 units, amp-bf16 and amp-fp16 without bf16 units). asked: RECORDED comes to amp-fp16
 * where a step recorded in amp-bf16 has to train in it. on: NULL tells all apart. */
habitat_precision precision_settle(const habitat_workload *w, habitat_precision asked,
                                   const habitat_gpu *on);

#endif
