/* 80 % intervals: docs/formulas.md#intervals. */
#ifndef HABITAT_BASE_CONSTANTS_INTERVALS_H
#define HABITAT_BASE_CONSTANTS_INTERVALS_H

#include "base/constant.h"

/* clang-format off */

CONSTANT(fitted, common_sigma, 0.040, "in log(time)",
         "common to all kernels of an iteration: whole networks, one GPU left out in turn")
CONSTANT(fitted, convolution_sigma, 0.12, "in log(time), of the share of convolutions",
         "76 iterations of four networks on four GPUs (habitat eval cnn), least interval score; with GPU and model left out 0 to 0.20; docs/decisions/0363")
CONSTANT(fitted, short_kernel_sigma, 1.00, "in log(time), upwards", "as convolution_sigma; left out 0.5 to 1.0; docs/decisions/0363")
CONSTANT(fitted, short_kernel_ns, 20e3, "ns", "as convolution_sigma: mean kernel from which the part falls off; left out 20 or 30")
CONSTANT(chosen, short_kernel_told, 1.25, "a factor", "upper ends that short kernels alone move as far are told of where the CPU is stated, docs/decisions/0661")
CONSTANT(fitted, short_row_sigma, 0.15, "in log(time), of single short copies and element-wise kernels",
         "3400 of them in steps of H100 and H200, models counting alike: 80 % within 0.2 up to 25 us, within 0.05 to 0.12 above 50; docs/decisions/0267")
CONSTANT(fitted, short_row_ns, 25e3, "ns", "as short_row_sigma")
CONSTANT(fitted, pair_sigma, 0.015, "in log(time)",
         "root mean square over 110 steps H100 to H200 and back (habitat eval pairs)")
CONSTANT(chosen, same_chip_clock, 0.05, "of the boost clock", "the pairs measured agree in it; so far it may differ")
CONSTANT(chosen, same_chip_power, 0.10, "of the power limit", "as same_chip_clock: parts of less power clock lower under load")
CONSTANT(chosen, default_width_alike, 0.15, "of the time",
         "methods that say nothing else, between GPUs of one architecture: no measured iteration checks them")
CONSTANT(chosen, default_width_across, 0.25, "of the time", "as default_width_alike, between two architectures")
CONSTANT(chosen, bare_high, 10, "of the time",
         "convolutions, attention and recurrent layers in a format that no model knows: in fp16 and fp32 a 3 x 3 convolution, attention and an LSTM take 1.1 to 18 times what rates allow, a first layer's gradients 3 to 57 (op --method auto over roofline on an H100, A100, B200); docs/decisions/0448")
CONSTANT(chosen, rough_width, 0.50, "of the time",
         "the fallback; and GPUs without a compute capability: no measured iteration checks them, and 25 % held a fifth of those tried")
CONSTANT(fitted, plain_rate_sigma, 0.14, "in log(time)",
         "estimated against measured rates, deviation (0.12) on cards that did not fit the rule, rounded up; docs/gpus.md")
CONSTANT(fitted, matrix_rate_sigma, 0.10, "in log(time)", "as plain_rate_sigma (0.08)")
CONSTANT(fitted, memory_rate_sigma, 0.03, "in log(time)", "twice the deviation (0.014) over the GPUs that the rule was made from")
CONSTANT(fitted, other_unit_sigma, 0.20, "in log(time)", "ResNet-50, TF32 on matrix units becoming plain fp32")
CONSTANT(chosen, fallback_sigma, 0.32, "in log(time)", "kernels that no method covers: wide enough to say so")
CONSTANT(fitted, unsized_pair_sigma, 0.02, "in log(time)",
         "what the steps of two GPUs of one chip are off beyond pair_sigma where their sizes are withheld: docs/shapes.md, docs/decisions/0290")
CONSTANT(fitted, told_bias, 0.065, "in log(time)",
         "as unsized_bias of predict/interval.c, of convolutions whose sizes their kernels told; docs/decisions/0326")
CONSTANT(fitted, unknown_bias, 0.12, "in log(time)",
         "work taken from usual shares: steps without their shapes against the same with them; tests/prop/prop_shapes.c")
CONSTANT(chosen, same_arch_spread, 0.5, "of a class's spread",
         "GPUs of one compute capability run the same kernels; the pairs measured hold none")
CONSTANT(fitted, iteration_least_width, 0.03, "of the iteration",
         "equal GPUs in other hosts differ by 0.4 to 4 %; docs/formulas.md#intervals")
CONSTANT(chosen, low_quantile, 0.1, "of the iterations", "lower end of the 80 % interval of what was recorded; docs/formulas.md#intervals")
CONSTANT(chosen, high_quantile, 0.9, "of the iterations", "as low_quantile: upper end")
CONSTANT(fitted, film_gradient_factor, 2.5, "of the upper end",
         "gradients of a network's convolutions in three dimensions, strict fp32 on an H200, against those of images; docs/decisions/0431")
CONSTANT(fitted, group_gradient_factor, 1.6, "of the upper end", "nine in ten of 514 gradients of groups in strict fp32 on an H200, layers left out; docs/decisions/0535")
CONSTANT(fitted, shapes_shared, .5, "of an operation's own width in log(time)",
         "what the operations of a class share in a step: steps recorded without a GPU against the same steps on H100s and H200s, models left out; docs/decisions/0625")
CONSTANT(fitted, shapes_capability, 90, "compute capability x 10", "of the GPUs that shapes_shared was fitted on; on others nothing averages out")
CONSTANT(chosen, shapes_fallback_share, .1, "of the time", "steps that shapes_shared was fitted on hold less of it")
CONSTANT(fitted, untimed_width, .25, "of the iteration", "steps recorded without a GPU against the same steps on an H200: docs/recording.md#without-a-gpu")

/* clang-format on */

#endif
