/* The CPU beside its GPU: docs/iteration.md. */
#ifndef HABITAT_BASE_CONSTANTS_REPLAY_H
#define HABITAT_BASE_CONSTANTS_REPLAY_H

#include "base/constant.h"

/* clang-format off */

/* ---- who binds ---- */
CONSTANT(chosen, cpu_bound_ratio, 1.10, "of the busy time",
         "the GPU waits for its CPU when the iteration is this much longer; docs/formulas.md#whole-iteration")

/* ---- replay ---- */
CONSTANT(fitted, replay_factor, 1.2247, "high over point, root of 1.5", "86 % of the CPU-bound steps of models that the rule's weights (replay/rule.c) were not fitted on lie within, 77 % of those of a host that nothing was fitted on; docs/decisions/0386")
CONSTANT(fitted, replay_process_factor, 1.24, "either way, on the CPU's side", "80 % of 20 steps that the CPU binds, recorded twice in two processes of one host, lie within; measured_twice.csv, docs/decisions/0427")
CONSTANT(fitted, replay_host_factor, 1.41, "either way, on the CPU's side", "80 % of 43 steps of tools/steps.py that the CPU binds, from an H100's host to an H200's and back, lie within; docs/decisions/0454")
CONSTANT(fitted, replay_together_factor, 1.7, "over the high of the rule", "13 of 16 recordings of ranks with weights, states, tables or work in parts, their time left aside, lie within: hooks of layers and tensors in parts are Python, which the rule does not see; docs/decisions/0455")
CONSTANT(chosen, replay_others_most, 1.1, "of the recorded time", "steady hosts move by as much; a rank that waits longer waited under the profiler alone: one rank's file by itself is 3.5 % from all together on an A100, 7.1 where only what has no room is left out (docs/ways-together.md); docs/decisions/0455")
CONSTANT(chosen, ranks_large_bytes, 1048576.0, "byte", "above what norms, losses and counts of words need; an activation or a layer's weights are larger")
CONSTANT(chosen, replay_point, 0.96, "of the rule",
         "an iteration is the longer of two sides: a CPU's side that is too long errs for steps of both kinds, one that is too short only for one")
CONSTANT(chosen, replay_quick_windows, 0.1, "of the windows of a thread", "as quick as in the quickest tenth it is when nothing holds its core up; docs/decisions/0306")
CONSTANT(chosen, replay_pause_ns, 10e6, "ns", "a pause of the CPU without a name, or a call that is no launch, so long is no work: twice the longest of 139 recordings of steps without such (5.2 ms); docs/iteration.md#waits")
CONSTANT(chosen, replay_operation_ns, 2e6, "ns", "a pause inside one operation, so long is its own work; the longest of 139 recordings are 1.5 ms; docs/iteration.md#waits")
CONSTANT(chosen, replay_loader_ns, 1e6, "ns", "the same of a pause inside a data loader's operation or range")
CONSTANT(chosen, replay_bare_share, 0.8, "of the recorded CPU time", "recordings without operations, of which the profiler stretches less")
CONSTANT(chosen, replay_thin, 0.1, "of the profiled CPU time", "half of the least that the rule says of any recording here (.22 of 700); a sampled one of others has .02; docs/decisions/0637")
CONSTANT(chosen, replay_bare_factor, 1.6, "of it, either way", "as replay_bare_share: wide, as nothing checks it")
CONSTANT(chosen, replay_given_factor, 1.1, "either way", "a CPU time known from elsewhere: doubts about the host")
CONSTANT(fitted, host_factor, 1.2, "either way", "80 % of the steps of one host from another, scaled by 3 s of figures (H100 and H200 machines, 15 steps; 1.18); docs/decisions/0274")
CONSTANT(fitted, replay_clock_factor, 1.16, "either way", "80 % of the 166 steps of data/recordings/in_turns and in_turns_again that the CPU binds lie within 1.157, as timed in a row over the clock; each script left out 1.13 to 1.17; docs/decisions/0447")
CONSTANT(chosen, replay_kernel_scale_most, 1.25, "of the recorded kernels", "what kernels may be longer than recorded where clock or rule say that the CPU did not hold them up; GNMT's overlap less than the replay lets them, 1.06")
CONSTANT(chosen, replay_clock_weight, 0.6, "of the clock, in log(time), the rest the rule's", "five runs on as many hosts: 0.5 and 0.7 are 8.7 % off, the clock alone 9.8, the rule 11.5; docs/decisions/0447")
CONSTANT(chosen, replay_clock_share, 0.5, "of the clock's time", "that follows the CPU's times at least: else the iteration mostly waited for its GPU, and its clock says little of the CPU")
CONSTANT(chosen, replay_clock_least, 0.1, "of the recorded CPU times", "no profiler stretches more: a clock that says less is of something else; of 65 recordings 0.19 at least")
CONSTANT(chosen, replay_clock_step, 0.1, "of the CPU's times", "so much shorter ones tell replay_clock_share: well beyond rounding, well within what the clock may be off")
CONSTANT(hardware, replay_queue_room, 900, "launches", "of one stream, under way before a launch waits for room: BERT-Large stood still with 1,000 to 1,020; docs/decisions/0433")
CONSTANT(chosen, replay_queue_full, 500, "launches", "under way on all streams: one that took much longer than usual waited for room, whichever stream's queue was full; of one stream that holds more than replay_queue_room none surely had room")
CONSTANT(chosen, replay_gap_scale_most, 2.2, "of the recorded pauses", "longer ones are no pauses of the GPU: the CPU bound the step then")
CONSTANT(chosen, replay_cpu_step, 0.9, "of the CPU tried before", "how finely a CPU quicker than the rule's is looked for, where the recorded time only says that it was not slower")
CONSTANT(chosen, replay_cpu_least, 0.1, "of the rule", "as replay_cpu_step: from here on the GPU alone is to blame")
CONSTANT(chosen, replay_cpu_factor_most, 50, "of the profiled CPU time", "no profiler stretches more")
CONSTANT(fitted, replay_gap_ns, 1100, "ns", "median over data/recordings: from a kernel to the next of its stream")
CONSTANT(fitted, replay_gap_across_ns, 2200, "ns", "as replay_gap_ns: to one that waits for another stream")
CONSTANT(fitted, replay_latency_ns, 1000, "ns", "as replay_gap_ns: from a launch to its kernel on an idle GPU")
CONSTANT(chosen, replay_usual_launch_least_ns, 1000.0, "ns", "the usual launch is taken as no shorter: what is much longer than it is measured by it")
CONSTANT(chosen, replay_gap_most_ns, 10000, "ns", "longer is no pause but something unknown")
CONSTANT(chosen, replay_far_ns, 1e6, "ns", "launched so long before it could begin: pauses are those of a GPU far behind its CPU; 0.2 and 3 ms give much the same")

/* clang-format on */

#endif
