/* What a recording can be: when its times are doubted, and the CPU where no GPU was recorded. */
#ifndef HABITAT_BASE_CONSTANTS_RECORDINGS_H
#define HABITAT_BASE_CONSTANTS_RECORDINGS_H

#include "base/constant.h"

/* clang-format off */

/* ---- the iteration noted beside the trace ---- */
CONSTANT(chosen, noted_beside_share, 0.5, "of the time of kernels beside a collective", "what they take without it at least: one that waits spins on SMs, and some products took twice as long beside it; docs/decisions/0455")
CONSTANT(chosen, noted_least_share, 0.9, "of the kernels' time",
         "of 155 steps timed without the profiler 1 is shorter than its profiled kernels, by 3 % (vgg16_inference_b12_tf32_h200)")
CONSTANT(chosen, noted_most, 1.5, "of the profiled iteration", "the same 155 steps: at most 1.0003; a host may have been busy with something else")
CONSTANT(chosen, noted_clock_most, 2, "times the noted iteration",
         "what the CPU takes by the clock; of 65 recordings that hold both 1.42 at most: a host quicker in a row")
CONSTANT(chosen, noted_several, 2, "times the noted iteration",
         "the profiler alone stretches a step up to 3.1 times (CPU-bound ones), two steps are at least twice as long: said, not decided")
CONSTANT(chosen, stream_overlap_share, 0.01, "of the kernels' time",
         "kernels that start while the one before ends (dependent launches) share 0.0013 at most in data/recordings, 3.6 us each")
CONSTANT(chosen, much_spread, 0.1, "of the iteration's median", "from here on a recording's spread is warned of, as the recorder does")
CONSTANT(chosen, rounding_ms, 2e-6, "ms", "recorders write six digits: a median of groups may differ so much from that of all")
CONSTANT(chosen, waits_of_loop, 500, "waits an iteration", "a solver that never converges on made-up values has 1022; the 414 recordings without a GPU of this repository have 286 at most, docs/decisions/0600")
CONSTANT(chosen, wide_range, 1.0, "of the iteration's median", "80 % of the iterations timed lie further apart: 5 of 673 recordings, and nothing scaled from one is known better, docs/decisions/0662")

/* ---- another unit of time ---- */
CONSTANT(chosen, quickest_kernel_ns, 100.0, "ns",
         "half of the kernels shorter: another unit of time. In 146 recordings the shortest kernel takes 670 ns, the least median is 2.1 us")
CONSTANT(chosen, slow_kernel_ns, 2e5, "ns",
         "no kernel of many shorter: another unit of time. In 146 recordings the shortest takes 1.1 us at most, of 12 compiled kernels 77 us")
CONSTANT(chosen, many_kernels, 20.0, "kernels", "so many are never all long: counts, fills and casts are among them")
CONSTANT(chosen, far_from_roof, 0.004, "of the least time, over the recorded one",
         "no operation nearer: another unit of time. The best one of 146 recordings comes to 0.29 of its roof at least, mostly to 1; a thousandth is 0.0016 at most")
CONSTANT(chosen, roof_least_ms, 1e-3, "ms", "operations of less work are all launch, and far from every roof")
CONSTANT(chosen, beyond_roof, 10.0, "times the least time, of all operations",
         "more: another unit of time or another GPU. 146 recordings come to 0.70 at most; what stays in a GPU's cache may be five times as quick as its memory")

/* ---- steps recorded without a GPU: docs/recording.md#without-a-gpu ---- */
CONSTANT(fitted, cpu_operation_s, 33e-6, "s an operation",
         "those that autograd follows or asks for: least absolute logarithms over 397 steps of 66 scripts, the longer of GPU and CPU, on 18 hosts or days, hosts and models alike; of the middle host; tools/fit_cpu_table.py, docs/decisions/0628")
CONSTANT(fitted, cpu_list_s, 110e-6, "s an operation", "as cpu_operation_s, of lists of tensors, as an optimiser goes over all its parameters")
CONSTANT(fitted, cpu_plain_s, 20e-6, "s an operation", "as cpu_operation_s: those that autograd does not follow")
CONSTANT(fitted, cpu_gradient_s, 60e-6, "s a gradient", "as cpu_operation_s: one that is added to its parameter, with what an optimiser's Python does for it")
CONSTANT(fitted, cpu_copy_s, 17e-6, "s a copy or cast", "what autocast adds to the same step on the same host, over its casts: the middle of 33 models; docs/decisions/0620")
CONSTANT(fitted, cpu_scaled_gradient_s, 20e-6, "s a gradient", "as cpu_operation_s: what the scaler of fp16 does in Python")
CONSTANT(fitted, cpu_operation_all_s, 51e-6, "s an operation", "as cpu_operation_s, of recordings that note no gradients")
CONSTANT(fitted, cpu_call_s, 5.5e-6, "s a call of CUDA", "those within a recurrent layer or the gradient of a sorted table: three steps that the CPU bound, on two hosts, 4.6 to 8; docs/decisions/0428")
CONSTANT(fitted, cpu_step_s, 3.1e-6, "s a step",
         "between two neighbouring points of a CPU's thread, what DDP and FSDP add is counted in: median of 146 recordings, half of them 2.5 to 4.1; docs/decisions/0590")
CONSTANT(fitted, sorted_table_calls, 32, "calls of CUDA", "counted in the gradients of 26 tables: 22 kernels and 10 fills each; docs/decisions/0428")
CONSTANT(fitted, cpu_table_factor, 1.35, "either way", "80 % of steps with hosts and models left out are within 1.17, of each host's within 1.09 to 1.49, and scripts whose CPU does other things are further off; tools/fit_cpu_table.py, docs/decisions/0628")
CONSTANT(fitted, cpu_table_host_factor, 1.22, "either way", "as cpu_table_factor, the host known and the model left out")
CONSTANT(fitted, middle_launch_ns, 5850.0, "ns", "what `habitat calibrate` measures of a host, over how much longer it takes than the table says for 13 steps: two hosts, three processes each, 5.0 to 6.2 us; tools/judge_hosts.py --middle, docs/decisions/0623, 0628")
CONSTANT(fitted, middle_forward_ns, 26900.0, "ns a layer", "as middle_launch_ns: 25.3 to 28.8")
CONSTANT(fitted, middle_backward_ns, 94500.0, "ns a layer", "as middle_launch_ns: 82 to 103")

CONSTANT(chosen, weight_bytes_per_s, 2e12, "byte/s", "a GPU of today: which operations of a step count most, where no GPU is named yet")
CONSTANT(chosen, weight_flop_per_s, 4e14, "flop/s", "as weight_bytes_per_s")
CONSTANT(chosen, weight_launch_s, 2e-6, "s", "as weight_bytes_per_s: of each operation")

/* clang-format on */

#endif
