/* Batch norms whose kernels the shape tells: docs/decisions/0456, 0459. */
#ifndef HABITAT_KERNELS_BATCH_NORMS_H
#define HABITAT_KERNELS_BATCH_NORMS_H

#include <habitat/gpu.h>
#include <habitat/work.h>

/* Whether they are other kernels than those the models learned: rows, images with channels last in
 * bf16, or statistics that are given. */
bool batch_norms_told(const habitat_work *work, const habitat_gpu *gpu);

/* What these take [s] past the start of the first kernel. roof_s: each tensor moved once. */
double batch_norms_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                     double floor_s);

/* By how much more than the models say, time_s, one of many small images takes: 1 of all others.
 * docs/decisions/0629. */
double batch_norms_factor(const habitat_work *work, const habitat_gpu *gpu, double time_s);

/* Time at another batch over that at the recorded one, as these and the kernels of images in order
 * grow; NaN where none of them is told. The works are alike but for the samples; fp16 is cuDNN's:
 * with weights in fp16 they are asked in bf16. docs/decisions/0459. */
double batch_norms_growth(const habitat_work *before, const habitat_work *after,
                          const habitat_gpu *gpu);

/* Time in another format over that in the recorded one, of images with channels last, which other
 * kernels run then; NaN where either is not told. docs/decisions/0551. */
double batch_norms_change(const habitat_work *before, const habitat_work *after,
                          const habitat_gpu *gpu);

/* Whether PyTorch's own kernels with channels last run it. */
bool batch_norms_by_channels(const habitat_work *work);

/* Its two large kernels, which come in this order: the one that sums, and the one that goes through
 * the elements. Time [s] of their instructions, and tensors that each passes. */
double batch_norms_issued_s(const habitat_work *work, int kernel, const habitat_gpu *gpu);
double batch_norms_passes(const habitat_work *work, int kernel);

#endif
