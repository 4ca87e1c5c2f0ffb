/* The same step with another batch size or precision. */
#ifndef HABITAT_BASE_CONSTANTS_SCALING_H
#define HABITAT_BASE_CONSTANTS_SCALING_H

#include "base/constant.h"

/* clang-format off */

/* ---- kernels and whole steps: docs/formulas.md#another-batch-size-or-precision ---- */
CONSTANT(fitted, scale_model_share, 0.5, "of the exponent",
         "both ways between batch sizes of resnet50, gnmt, gpt2 and bert on H100 and H200; docs/formulas.md#another-batch-size-or-precision")
CONSTANT(fitted, scale_fading, 0.2, "of the logarithm of the models' ratio",
         "products between batch sizes of resnet50, gnmt, gpt2 and bert on H100 and H200: the best of 0 to 1; docs/decisions/0396")
CONSTANT(fitted, scale_conv_gradient_share, 0.75, "of the exponent",
         "gradients of convolutions on matrix units between batch sizes of resnet50, their time alone; docs/decisions/0240, 0314")
CONSTANT(fitted, scale_attention_share, 0.75, "of the exponent",
         "attention between batch sizes: .5, .75 and 1 on the eight first models, the new ones and the ways to train, H100 and H200; docs/decisions/0534")
CONSTANT(fitted, scale_format_share, 0.25, "of the exponent",
         "products in another number format: as between architectures (auto_models.c); of convolutions from and to fp32 the best of 0 to 1 on shapes that the models did not see: docs/decisions/0285")
CONSTANT(fitted, scale_groups_share, .75, "of the exponent",
         "groups that run in turn, forward and for the image, four times the images or a fourth: the best of 0 to 1 on shapes that trees did not see; docs/decisions/0535")
CONSTANT(fitted, scale_groups_weight_share, .25, "of the exponent", "as scale_groups_share, with gradients of weights: 0 in 16 bit, .5 in TF32 and fp32")
CONSTANT(fitted, scale_conv_rate_share, .65, "of the matrix units' sustained rate",
         "ResNet-50 under autocast and in TF32, batch 16 and 64, H100 and H200; docs/formulas.md#another-batch-size-or-precision")
CONSTANT(fitted, scale_conv_reads, 3.0, "times each tensor",
         "as scale_conv_rate_share: layouts are changed before and after")
CONSTANT(fitted, scale_conv_share, .5, "of the exponent",
         "as scale_conv_rate_share: how much of what fp32 took beyond the formula stays; between TF32 and 16 bit how much of the formula counts, and what of the models' residual stays")
CONSTANT(fitted, scale_mixed_factor, 1.5, "of the traffic's time",
         "kernels of two formats read one element at a time: casts of 1 to 100 million elements from bf16 to fp32, first models on an H100, 1.3 to 1.55; docs/decisions/0511")
CONSTANT(fitted, scale_places_share, 0.2, "of the exponent",
         "copies and element-wise kernels without vectors in another format: fp32 and TF32 to bf16 on an H100, first models alone .15 to .2, others .15 to .3, all in view; docs/decisions/0511")
CONSTANT(fitted, scale_sigma, 0.05, "in log(time)",
         "whole iterations of the same recordings; docs/iteration-figures.md")
CONSTANT(fitted, scale_assumed_sigma, 0.15, "in log(time), of log(batch size over the recorded one)",
         "what is taken to grow with the batch: of 31 pairs of recordings on the H200 without their shapes, busy time, 24 are inside (13 without); most err by 0.05 to 0.15 of it, DCGAN and GNMT by 0.3")
CONSTANT(chosen, twin_sizes, 0.01, "of a size", "of two recordings of one step: the edges of random graphs differ by 4e-5")
CONSTANT(fitted, scale_image_blocks, 4, "blocks a multiprocessor", "gradients of weights by blocks of images (wgrad_alg0_engine), 266 pairs of ResNet-50, DCGAN and Inception on an H200: 7 % off, in proportion 26; left out: 8 % on an H100's; docs/decisions/0482")
CONSTANT(fitted, scale_soon_share, .25, "of the exponent", "what of the model counts beside scale_image_blocks: of 0, .25, .5 and 1 the least error of the first models' sums, largest batch from smallest and back; docs/decisions/0482")
CONSTANT(hardware, turned_tile, 32, "channels, and places, a block", "kernels of cuDNN 9 that turn a layout (nchwToNhwcKernel, nhwcToNchwKernel): all recorded grids; docs/decisions/0532")
CONSTANT(fitted, stream_held, .4, "of the L2", "element-wise operations and copies between batch sizes: the best of four spans on recordings of the eight first models, the new ones and the ways to train; docs/decisions/0530")
CONSTANT(fitted, stream_lost, 1.2, "of the L2", "as stream_held: where nothing is found in the cache any more")
CONSTANT(fitted, stream_cache_rate, 1.5, "of memory's sustained rate", "as stream_held: the best of 1.2, 1.35, 1.5, 1.75 and 2")
CONSTANT(fitted, stream_power, 8, "power", "as stream_held: 6 to 12 are alike, 2 and 4 worse")
CONSTANT(fitted, channel_norm_power, 2, "power", "batch norms with channels last between batch sizes, as stream_power: of 1, 2, 4 and 8 the least error on the new models and the ways to train; docs/decisions/0531")
CONSTANT(hardware, gamma_rows, 65536, "rows", "gradients of a layer norm's weights: PyTorch's layer_norm_kernel.cu, LaunchGammaBetaBackwardCUDAKernel(): more rows than this are shared out among blocks where columns are few")
CONSTANT(hardware, gamma_columns, 32, "columns a block", "as gamma_rows: fewer blocks of them than half of the multiprocessors")
CONSTANT(fitted, gamma_row_cycles, 9, "cycles a row", "as gamma_rows: 8.1 to 9.5 on an H200 where rows are not shared out and leave the L2 (windows, mixer, channels_last, checkpoint); docs/decisions/0533")
CONSTANT(fitted, gamma_rate_share, .9, "of memory's sustained rate", "as gamma_rows: .79 to .93 on an H200 where they are shared out (windows, channels_last)")
CONSTANT(fitted, scale_idle_sigma, 0.25, "in log(time), of log(batch size over the recorded one)",
         "kernels that leave multiprocessors idle: 0.23 of two GPUs' recordings, 0.29 of others")
CONSTANT(fitted, scale_format_sigma, 0.14, "in log(time)", "least of a grid that holds 80 % of 56 sums of kernels in another precision (habitat eval scale); with each model left out 0.12 to 0.16")
CONSTANT(fitted, scale_cpu_doubt, 1.1, "either way, on the CPU's side", "least of a grid of tenths that holds 80 % of the 37 whole steps that the CPU binds (28 without it, 33 with); with each model left out 1.0 to 1.1; docs/decisions/0386")
CONSTANT(chosen, said_batch_share, 0.5, "of the kernels' time, without optimiser and messages",
         "a batch size that was said is refused below: the true ones of the recordings have 0.59 and more, nine in ten wrong ones less")
CONSTANT(chosen, passes_share, 0.5, "of the kernels' time, without optimiser and messages",
         "operations that come once in each of several passes, or a multiple: less, and they are passes of several networks")
CONSTANT(chosen, least_batch_share, 0.1, "of the kernels' time, without optimiser and messages",
         "less that changes with the batch is by chance: another batch size is refused, as its answer would be the recorded one. An optimiser of products may take most of a step")
CONSTANT(chosen, scale_assumed_share, 0.02, "of the kernels' time",
         "kernels without shapes, of which it is only assumed that they grow with the batch: less says nothing")
CONSTANT(chosen, format_least_share, 0.01, "of the kernels' time",
         "a format below it says nothing about the iteration")

/* ---- the CPU's casts and scaler: docs/iteration.md#another-precision ---- */
CONSTANT(hardware, cast_points, 12, "begins and ends of operations and calls",
         "PyTorch's aten::to, _to_copy, empty_strided, copy_ and the launch make 10 in a forward pass, with autograd's two 14 in a backward pass; docs/iteration.md#another-precision")
CONSTANT(fitted, cast_step_share, 0.54, "of the usual step",
         "times between them: four models in fp32 and autocast measured in turns on two hosts, 0.37 to 0.71 by model, left out 0.49 to 0.60; docs/decisions/0429")
CONSTANT(fitted, rnn_call_share, 0.5, "of a call of CUDA",
         "a call in a recurrent layer, where the clock or the recorded time says what the CPU takes: GNMT in fp32, TF32 and autocast by the clock, three hosts, 0.46 to 0.53 alone, 0.47 to 0.51 with one left out; docs/decisions/0434")
CONSTANT(fitted, rnn_call_share_ruled, 0.7, "of a call of CUDA",
         "the same where the rule says it, which has those calls in full: GNMT in fp32 and autocast, five hosts, 0.39 to 1.02 alone, 0.60 to 0.76 with one left out; docs/decisions/0434")
CONSTANT(hardware, scaler_calls, 18, "calls of CUDA's time, an iteration",
         "13 operations inside no other and 7 calls that recordings in fp16 have beyond those in bf16 (BERT, ResNet-50, ViT), an operation in calls by the weights of the rule; docs/decisions/0429")
CONSTANT(fitted, scaler_gradient_calls, 0.3, "calls of CUDA's time",
         "its loop over gradients in Python against the launch of a small operation on a host without a GPU, 0.17 to 0.28, and a kernel for every 20 of them; docs/decisions/0429")
CONSTANT(hardware, cast_outermost, 0.5, "operations inside no other, a cast",
         "forward a cast is inside the operation that asks for it, backward it is one of autograd's own; 0.3 to 0.6 of the casts of the steps recorded in both")

/* clang-format on */

#endif
