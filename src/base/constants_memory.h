/* Device memory: docs/memory.md. */
#ifndef HABITAT_BASE_CONSTANTS_MEMORY_H
#define HABITAT_BASE_CONSTANTS_MEMORY_H

#include "base/constant.h"

/* clang-format off */

CONSTANT(hardware, context_bytes, 0.82e9, "byte",
         "outside of PyTorch's allocator, torch 2.11 on H100 and H200: 0.67 to 0.82; measured_*.csv of data/recordings")
CONSTANT(fitted, gaps_share, 0.02, "of the peak",
         "free blocks too small for what is asked for: near 80 GB ViT held 1.0 % more than it gave out; measured_limits_h100.csv")
CONSTANT(chosen, scaled_margin_share, 0.01, "of the peak", "what a scaled peak may be short of near the limit; docs/memory.md#how-well")
CONSTANT(chosen, shapes_margin_share, 0.5, "of the peak", "the same where no peak was recorded: recordings without their notes; docs/memory.md#how-well")
CONSTANT(chosen, tensors_margin_share, 0.12, "of the peak", "the same of a recording without a GPU, whose tensors alone are counted; docs/decisions/0391")
CONSTANT(chosen, largest_margin_share, 1.0, "of the largest tensor",
         "kept free in one piece; when runs failed 0.98 of it was free in smaller ones; docs/memory.md#how-runs-failed, docs/decisions/0271")
CONSTANT(hardware, blas_hopper_bytes, 35.7e6, "byte a thread", "cuBLAS workspace that PyTorch gives from Hopper on: 32 MiB, in blocks of its allocator")
CONSTANT(hardware, blas_bytes, 8.6e6, "byte a thread", "the same before: 8 MiB and an eighth")
CONSTANT(hardware, matrix_channel_bytes, 16, "byte", "channels that matrix units take at a time: copies with channels last are filled up to it; docs/memory.md#workspaces-of-convolutions")
CONSTANT(hardware, complex_bytes, 8, "byte", "of a number of a spectrum in fp32; docs/memory.md#workspaces-of-convolutions")
CONSTANT(fitted, strict_direct_share, 0.75, "of the fp32 flop/s",
         "convolutions in strict fp32, as cuDNN's choices say: random shapes of data/measurements/convolution_algorithms_h200.csv; docs/decisions/0255")
CONSTANT(fitted, strict_small_share, 0.32, "of the fp32 flop/s", "as strict_direct_share, in tiles of 32 x 32")
CONSTANT(fitted, spectra_whole_traffic, 7.0, "of the bytes of spectra", "as strict_direct_share: spectra of whole images, how often they are moved")
CONSTANT(fitted, spectra_tiled_traffic, 0.96, "of the bytes of spectra", "as strict_direct_share: spectra of tiles, which the cache helps with")
CONSTANT(fitted, spectra_start_s, 1.16e-5, "s", "as strict_direct_share: launches of spectra, of two tiles where there are more")
CONSTANT(fitted, strict_weights_share, 0.675, "of the fp32 flop/s", "as strict_direct_share: gradients of weights, direct and in Winograd's tiles")
CONSTANT(fitted, winograd_traffic, 3.0, "of the bytes of tiles", "as strict_direct_share: how often they are moved")
CONSTANT(chosen, memory_least_correction, 0.5, "of bytes from shapes", "below it something else than activations is wrong")
CONSTANT(fitted, memory_training_correction, 1.01, "of bytes from shapes",
         "peaks of data/recordings and measured_*.csv; leaving each model out picks 1.01 to 1.03; docs/memory.md#one-model-left-out")
CONSTANT(chosen, memory_inference_correction, 4.0, "of bytes from shapes",
         "without a backward pass; recordings need 0.88 to 1.26: what shapes do not see then grows, as far as that is known; docs/decisions/0270")
CONSTANT(chosen, memory_step_tolerance, 0.02, "of the peak", "a recorded peak this near to the optimiser's step is that step")
CONSTANT(chosen, memory_foreign_share, 0.05, "of the kernels", "launched by what is no framework operation: what they keep is unknown then")
CONSTANT(chosen, unexplained_share, 0.5, "of the recorded peak",
         "what stays between iterations and is no part of the step is told above this; recordings of a step alone: at most 0.32")

/* clang-format on */

#endif
