/* What operator models compute with: rates of caches and memory, products, attention, convolutions,
 * recurrent layers; and when a trained model is believed. */
#ifndef HABITAT_BASE_CONSTANTS_OPERATORS_H
#define HABITAT_BASE_CONSTANTS_OPERATORS_H

#include "base/constant.h"

/* clang-format off */

/* ---- caches and memory ---- */
CONSTANT(fitted, l2_bytes_per_cycle, 38, "byte a cycle and SM", "training shapes of collected_h200.csv.gz that fit the cache; docs/modelling.md#what-memory-limits-otherwise")
CONSTANT(fitted, row_cache_share, .51, "of the L2 cache", "element-wise and other row operations: what of them is found in it again; as l2_bytes_per_cycle")
CONSTANT(fitted, row_cache_softness, .45, "of the footprint", "as row_cache_share: how gradually larger ones miss")
CONSTANT(chosen, unit_headroom, 1.15, "of the sustained rate", "at least so fast are matrix units while power allows: cards clock above what is printed; an A100's share, the least of the GPUs with measured products (L40S, B200, H200 have more); docs/decisions/0631")
CONSTANT(hardware, l2_bytes_per_s_per_sm, 24 * 1.7e9, "byte/s an SM", "24 byte a cycle at 1.7 GHz, below every data sheet; docs/modelling.md#products-on-matrix-units")
CONSTANT(hardware, sm_path_bytes_per_cycle, 40, "byte a cycle and SM", "of the 64 that an SM's path to the L2 is built for; docs/modelling.md#products-on-matrix-units")
CONSTANT(hardware, issued_lanes, 128, "instruction a cycle and SM", "four schedulers of a warp each; CUDA C++ programming guide, arithmetic instructions, since compute capability 5.0")
CONSTANT(hardware, register_bytes_per_sm, 262144, "byte", "65536 registers of 4 byte; CUDA C++ programming guide, technical specifications")
CONSTANT(hardware, threads_per_sm, 2048, "threads", "resident on an SM where a GPU's own limit is unknown; CUDA C++ programming guide, technical specifications")
CONSTANT(fitted, norm_flight_share, .33, "of the L2 cache", "rows in flight that are read again from it: layer norm of six GPUs, training rows; #what-memory-limits-otherwise")
CONSTANT(fitted, norm_flight_softness, .6, "of what is in flight", "as norm_flight_share")
CONSTANT(fitted, softmax_flight_share, .15, "of the L2 cache", "as norm_flight_share, softmax of six GPUs")
CONSTANT(fitted, softmax_flight_softness, 1, "of what is in flight", "as softmax_flight_share")
CONSTANT(fitted, gelu_start_s, 4e-7, "s", "GELU rows of the H200; #what-memory-limits-otherwise")
CONSTANT(chosen, hidden_launch_floors, 10, "of the least that a call shows",
         "eager row operations from here on are their kernel: ten microseconds more or less of a call are 3 % at most")
CONSTANT(hardware, norm_most_rows, 65536, "rows", "up to here one block walks all rows of its columns, as shapes of the H200 show; #what-memory-limits-otherwise")
CONSTANT(fitted, norm_row_cycles, 5.2, "cycles a row", "backward layer norm of the H200, sums down the columns; #what-memory-limits-otherwise")
CONSTANT(fitted, norm_block_share, .147, "of a wave", "as norm_row_cycles")
CONSTANT(fitted, norm_sums_traffic, 1.53, "of two tensors' time", "as norm_row_cycles")
CONSTANT(fitted, norm_shared_traffic, .6, "of two tensors' time", "as norm_row_cycles, where blocks share rows")
CONSTANT(fitted, log_softmax_warp, .68, "of softmax's issue", "no quotient and one exponential: training shapes of the H200; #what-memory-limits-otherwise")
CONSTANT(fitted, log_softmax_block, .85, "of softmax's issue", "as log_softmax_warp, rows of a block each")
CONSTANT(fitted, softmax_second_start_s, 1.2e-6, "s", "backward softmax of the H200, two kernels; #what-memory-limits-otherwise")

/* ---- products ---- */
CONSTANT(fitted, bmm_unaligned_factor, 1.08, "of the time", "fp32 batches of five GPUs whose rows are not aligned to 16 byte; docs/modelling.md#products-on-plain-units")
CONSTANT(fitted, bmm_share_64_columns, .8, "of a tile's rate",
         "training batches of P4, P100, V100, T4 and A100: half of what others than the GPU left out ask for, in log; docs/decisions/0233")
CONSTANT(hardware, without_winograd_capability, 90, "compute capability x 10",
         "cuDNN's forward kernels through Winograd's tiles end at 8.9: none of 937 3x3 convolutions of an H200 took one, 228 of them the quickest of all; docs/decisions/0355")
CONSTANT(fitted, tf32_one_turned, .70, "of the peak", "TF32 products of the H200's training rows, both sides of 512 and more: .64 of the peak in the median with the first operand along k alone, .73 with both; docs/decisions/0347")
CONSTANT(fitted, tf32_both_turned, .53, "of the peak", "as tf32_one_turned: .49 of the peak with neither")
CONSTANT(hardware, volta_kernels_capability, 70, "compute capability x 10",
         "first of the libraries' next family of fp32 kernels: before it batches have none of fewer than 128 columns (steps in the training rows of P4 and P100); docs/decisions/0300")
CONSTANT(fitted, biased_parts_most, 4, "parts of k", "training linear layers of P100, V100, T4, A100 and H200, better on each of them; docs/decisions/0302")
CONSTANT(fitted, biased_parts_fill, .1, "of the units", "as biased_parts_most: tiles are fewer than this")
CONSTANT(fitted, far_rows_from, 10000, "elements of k",
         "training rows of the P100 in fp32, both operands stored along k; half of what they ask for, in log; docs/decisions/0302")
CONSTANT(fitted, far_rows_to, 30000, "elements of k", "as far_rows_from: from here on all of it")
CONSTANT(fitted, far_rows_at_1024, .3, "of log(time)", "as far_rows_from, with 1024 rows")
CONSTANT(fitted, far_rows_doubled, .08, "of log(time)", "as far_rows_from, with twice as many rows")
CONSTANT(fitted, far_rows_most, .55, "of log(time)", "as far_rows_from")
CONSTANT(fitted, bmm_share_32_columns, .65, "of a tile's rate", "as bmm_share_64_columns")
CONSTANT(fitted, power_share, .92, "of the sustained rate",
         "bf16 products of A100, L40S and H200: what a long kernel holds of an upper quantile; #products-on-matrix-units")
CONSTANT(fitted, product_dram_share, .92, "of the bandwidth of copies", "as power_share")
CONSTANT(fitted, product_cache_share, .4, "of a cache in two halves",
         "as power_share: what products find there again; twice that on parts for graphics from 8.6 on, whose caches are one; docs/decisions/0375")
CONSTANT(fitted, product_cache_softness, .7, "of the footprint", "as product_cache_share: how gradually larger products miss")
CONSTANT(hardware, tensor_memory_capability, 100, "compute capability x 10",
         "first whose sums lie in a memory of the matrix units' own (tcgen05 in the PTX ISA; not 12.x); docs/decisions/0376")
CONSTANT(fitted, product_split_s, 3e-6, "s",
         "summing the parts of k: training products of A100, H200, L40S and B200; chosen anew without each: docs/decisions/0232")
CONSTANT(chosen, product_least_part, 256, "elements of k",
         "shorter parts do not pay for their sums; docs/modelling.md#products-on-matrix-units")
CONSTANT(hardware, product_path_bytes_per_cycle, 32, "byte a cycle and SM",
         "half of what an SM's path to the L2 is built for; as product_split_s")
CONSTANT(hardware, whole_path_bytes_per_cycle, 64, "byte a cycle and SM", "what an SM's path to the L2 is built for since 8.0; docs/decisions/0413")
CONSTANT(hardware, graphics_path_bytes_per_cycle, 16, "byte a cycle and SM",
         "reading the L2 with all SMs: L40 5.71 TB/s at 2.49 GHz, A40 2.43 at 1.74; te42kyfo/gpu-benches 71a3611, gpu-cache; docs/decisions/0365")
CONSTANT(hardware, volta_path_bytes_per_cycle, 23, "byte a cycle and SM", "as graphics_path_bytes_per_cycle: V100-PCIE 2.52 TB/s at 1.38 GHz")
CONSTANT(hardware, cluster_path_bytes_per_cycle, 80, "byte a cycle and SM", "as sm_path_bytes_per_cycle: one load for two")
CONSTANT(fitted, product_tile_end_s, 2.2e-6, "s",
         "as product_split_s: beginning and end of a tile of 128 x 128")
CONSTANT(fitted, product_wave_clusters, .3, "of the missing part of a wave",
         "as product_split_s; older kernels make whole waves")
CONSTANT(fitted, unaligned_flop_per_cycle, 900, "flop a cycle and SM, 16 bit",
         "training products of the H200 with rows not aligned to 16 byte; confirmed on an H100; docs/decisions/0231")
CONSTANT(hardware, fp8_multiple, 16, "elements",
         "n and k of 8-bit products, as cuBLASLt and torch._scaled_mm require; docs/decisions/0262")
CONSTANT(fitted, tired_share, 1.06, "of sustained over peak rate",
         "long products of A100, H200, L40S and B200, under two frameworks; chosen anew without each: docs/decisions/0232")
CONSTANT(fitted, tired_within, 5, "times the length from which on it acts", "as tired_share")
CONSTANT(fitted, tile_end_s, 1.6e-6, "s", "as power_share: beginning and end of a tile of 128 x 128")
CONSTANT(fitted, tile_end_clusters_s, 8e-7, "s", "the same with clusters: the end of one tile overlaps the next")
CONSTANT(fitted, partial_wave, .8, "of the missing part of a wave", "as power_share")
CONSTANT(fitted, partial_wave_clusters, .5, "of the missing part of a wave", "as power_share, with clusters")

/* ---- attention in 16 bit ---- */
CONSTANT(fitted, attention_unit_share, .75, "of the matrix units' peak",
         "rows of A100, L40S and H200, a compromise of the three: docs/modelling.md#attention, #what-was-tried")
CONSTANT(fitted, attention_vector_steps, 4.2, "plain operations an element",
         "training rows of A100, H200, L40S and B200; chosen anew without each: docs/decisions/0232")
CONSTANT(fitted, attention_overlap, 2.5, "exponent; 1 = one after the other", "as attention_unit_share")
CONSTANT(fitted, attention_append_factor, 3.5, "of the traffic of keys and values",
         "causal rows of serving frameworks, which also write and read the cache; docs/modelling.md#attention")
CONSTANT(fitted, attention_cache_share, .55, "of the L2 cache", "as attention_unit_share: queries, keys and values that are found in it")
CONSTANT(fitted, attention_cache_softness, .65, "of the footprint", "as attention_cache_share: how gradually larger ones miss")
CONSTANT(fitted, attention_memory_overlap, 1.4, "of the sustained bandwidth", "as attention_vector_steps")
CONSTANT(fitted, trtllm_loop_factor, 1.5, "of the inner loop's time",
         "rows of TensorRT-LLM, whose kernels are built for all GPUs since 8.0, but 10.x; docs/modelling.md#attention")
CONSTANT(fitted, trtllm_query_factor, 2, "of the traffic of queries",
         "causal rows of TensorRT-LLM, which rearranges them, as attention_vector_steps")
CONSTANT(fitted, trtllm_call_factor, 1.3, "of the constant of a timing", "as trtllm_loop_factor")
CONSTANT(hardware, attention_key_tile, 64, "keys",
         "step of the fused kernels along the keys; docs/modelling.md#attention")
CONSTANT(hardware, exponentials_per_cycle, 16, "a cycle and SM",
         "throughput of special functions from compute capability 7.0 on; CUDA C++ programming guide")

/* ---- convolutions ---- */
CONSTANT(fitted, zero_input_peak_share, 0.9, "of the peak",
         "fp32 rows measured on zeros, which draw little power; docs/modelling.md#convolution")
CONSTANT(fitted, convolution_plain_reads, 3, "times each tensor",
         "training rows of all GPUs, sum of |log(t/a)|, each kind alike; docs/modelling.md#convolutions, #kinds")
CONSTANT(fitted, convolution_tried_reads, 2.2, "times each tensor",
         "as convolution_plain_reads where all algorithms are tried: training rows of DeepBench's seven GPUs; docs/decisions/0356")
CONSTANT(fitted, convolution_direct_share, .1, "of the plain peak", "as convolution_plain_reads: an input of the trees, what a kernel without tiles would take")
CONSTANT(fitted, convolution_plain_cache_share, .5, "of the L2 cache", "as convolution_plain_reads: tensors that are found in it")
CONSTANT(fitted, convolution_plain_cache_softness, .75, "of the footprint", "as convolution_plain_cache_share: how gradually larger ones miss")
CONSTANT(fitted, convolution_thin_strided_image, .4, "of the tiles' time", "gradients of images of four channels at most, with a stride; docs/decisions/0356")
CONSTANT(fitted, convolution_pixel_strided_image, 1.6, "of the tiles' time", "gradients of images of 1 x 1 kernels with a stride; docs/decisions/0356")
CONSTANT(fitted, convolution_thin_weight, 1.4, "of the tiles' time", "gradients of weights of four channels at most, without a stride; docs/decisions/0356")
CONSTANT(fitted, convolution_pixel_weight, 1.35, "of the tiles' time", "gradients of 1 x 1 weights where the library guesses; docs/decisions/0381")
CONSTANT(fitted, convolution_pixel_strided_weight, 2, "of the tiles' time", "as convolution_pixel_weight, with a stride")
CONSTANT(fitted, convolution_matrix_cache_share, .4, "of the L2 cache", "as convolution_gathered_bytes_per_cycle: tensors that are found in it")
CONSTANT(fitted, convolution_matrix_cache_softness, .7, "of the footprint", "as convolution_matrix_cache_share: how gradually larger ones miss")
CONSTANT(fitted, convolution_gathered_bytes_per_cycle, 29, "byte a cycle and SM", "training rows of two GPUs; what they are without each: docs/decisions/0314: what an implicit product gathers, whether or not clusters share what they load")
CONSTANT(fitted, convolution_gathered_reads, .7, "of the bytes", "as convolution_gathered_bytes_per_cycle: reads of implicit products that go through memory")
CONSTANT(fitted, convolution_gathered_tile_s, 2.2e-6, "s", "as convolution_gathered_bytes_per_cycle: start and end of a tile of an implicit product")
CONSTANT(fitted, convolution_gathered_wave_clusters, .35, "of a wave", "as convolution_gathered_bytes_per_cycle: what clusters leave idle of the last one")
CONSTANT(fitted, convolution_split_s, 11e-6, "s", "as convolution_gathered_bytes_per_cycle: adding the parts of sums that were cut")
CONSTANT(fitted, convolution_rearranging_s, 5.9e-6, "s", "as convolution_gathered_bytes_per_cycle: starts of the kernels that rearrange NCHW images")
CONSTANT(fitted, convolution_rearranging_half, 2.8, "times the bytes of all tensors", "as convolution_gathered_bytes_per_cycle: rearranging in 16 bit")
CONSTANT(fitted, convolution_rearranging_wide, 1.9, "times the bytes of all tensors", "as convolution_gathered_bytes_per_cycle: rearranging in TF32")
CONSTANT(fitted, convolution_rearranging_fastest, .26, "times the bytes of all tensors", "as convolution_gathered_bytes_per_cycle: rearranging where the library tries all algorithms, some of which read NCHW")
CONSTANT(fitted, convolution_gathered_start_s, 1.2e-6, "s", "as convolution_gathered_bytes_per_cycle: start of an implicit product beyond a plain one")
CONSTANT(fitted, convolution_thin_reads, 1.4, "times the bytes", "as convolution_gathered_bytes_per_cycle: reads of images of few channels")
CONSTANT(fitted, convolution_thin_rearranging_s, 3.5e-6, "s", "as convolution_gathered_bytes_per_cycle: starts of the kernels that rearrange images of few channels")
CONSTANT(fitted, convolution_thin_rearranging, 1.7, "times the bytes of all tensors", "as convolution_gathered_bytes_per_cycle: rearranging images of few channels")
CONSTANT(fitted, convolution_wide_weight_share, .25, "of the rate", "as convolution_gathered_bytes_per_cycle: gradients of weights in TF32")
CONSTANT(fitted, convolution_wide_plain_weight_share, .45, "of the rate", "as convolution_gathered_bytes_per_cycle: gradients of 1x1 weights in TF32, images in NCHW; docs/decisions/0381")
CONSTANT(fitted, depthwise_last_weight_factor, .5, "of the time", "training rows of an H200: depthwise gradients of weights in 16 bit, channels last, stride 1; docs/decisions/0381")
CONSTANT(fitted, depthwise_rate_last, .15, "of the plain units' peak", "training rows of an H200: channels last; times the share of each of the three products; docs/modelling.md#convolutions")
CONSTANT(fitted, depthwise_rate, .045, "of the plain units' peak", "as depthwise_rate_last: images in NCHW")
CONSTANT(fitted, depthwise_reads_last, 1.4, "times each tensor", "as depthwise_rate_last")
CONSTANT(fitted, depthwise_reads, 3.5, "times each tensor", "as depthwise_rate")
CONSTANT(fitted, depthwise_turns_share, .0039, "of the plain units' peak", "four training rows of an H200 (.0036 to .0047), and a script with layers of 7 x 7 at two batch sizes (.0028 to .0065): half a multiply-add a cycle and SM; docs/decisions/0421")
CONSTANT(fitted, depthwise_turns_tf32_share, .005, "of the plain units' peak", "as depthwise_turns_share: .0036 to .0063 where four such rows are in TF32")
CONSTANT(fitted, depthwise_last_share, .105, "of the plain units' peak", "as depthwise_turns_share: forward and gradients of images, 5 x 5, .097 to .111")
CONSTANT(fitted, depthwise_last_large_share, .075, "of the plain units' peak", "as depthwise_last_share: above 5 x 5, .074 to .119 of two rows, .047 to .079 of the script")
CONSTANT(fitted, group_term_cycles, 26, "cycles a term of the sum", "groups that run in turn in fp32: 13 ns forward and for the image on an H200; docs/decisions/0535")
CONSTANT(fitted, depthwise_strided_image_factor, 1.45, "of the time",
         "as depthwise_last_weight_factor: gradients of images with a stride; in 16 bit with channels last cuDNN's kernels skip what it leaves out")
CONSTANT(fitted, depthwise_strided_wide_factor, .75, "of the time", "as depthwise_last_weight_factor: forward in fp32 with a stride")
CONSTANT(fitted, convolution_wide_nchw_share, .72, "of the rate",
         "one pixel in TF32, images in NCHW as they are: training rows of the H200; docs/decisions/0357")
CONSTANT(chosen, convolution_least_part, 256, "elements of k", "as product_least_part")

/* ---- recurrent layers ---- */
CONSTANT(fitted, rnn_traffic_factor, 1.3, "of weights and gates that no cache holds",
         "rows of a V100 and two Maxwells with weights of many caches; docs/decisions/0380")
CONSTANT(fitted, rnn_launched_step_s, 20e-6, "s a step",
         "launches of a step beside its work: DeepBench's eager rows, cuDNN 5 to 7 on all its GPUs; docs/decisions/0380")
CONSTANT(fitted, rnn_cache_share, .7, "of the L2 cache", "as rnn_traffic_factor: weights of all layers, read in turn, that are found in it")
CONSTANT(fitted, rnn_cache_softness, .5, "of the footprint", "as rnn_cache_share: how gradually larger ones miss")
CONSTANT(fitted, rnn_uncut_forward, .8, "of a tile's time", "as rnn_launched_step_s, before compute capability 7.0: no sum of a step is cut; docs/decisions/0380")
CONSTANT(fitted, rnn_uncut_backward, .6, "of a tile's time", "as rnn_uncut_forward")
CONSTANT(fitted, rnn_launched_traffic, 2, "times weights and gates", "as rnn_launched_step_s")
CONSTANT(fitted, rnn_term_cycles, 30, "cycles a term of a step's sum", "as rnn_launched_step_s")
CONSTANT(fitted, rnn_pascal_term_cycles, 170, "cycles a term of a step's sum", "as rnn_term_cycles, with 32 sequences on 6.x: 187 on the P100, 170 on three others, from 1024 wide to 4096; docs/decisions/0380")

/* ---- operator models ---- */
CONSTANT(chosen, judged_kinds, 3, "kinds of GPU",
         "errors on two, each left out, do not tell how far a third may be off: of 561 such answers 64 % were inside; docs/decisions/0259")
CONSTANT(fitted, residual_share, 0.5, "of the exponent",
         "how much of a measurement beyond the model holds on another architecture: operations that several GPUs measured, each left out in turn; docs/formulas.md#auto")
CONSTANT(fitted, residual_product_share, 0.25, "of the exponent", "as residual_share: matrix products and attention")
CONSTANT(chosen, largest_residual, 32, "of the model's time", "beyond it a measurement says something else than the model means")
CONSTANT(chosen, same_arch_width, 2, "of an interval, in log(time)",
         "a GPU of an architecture that was measured: five GPUs of DeepBench; docs/modelling.md#kinds")
CONSTANT(chosen, least_width, .04, "log of the ratio to the answer, either way",
         "no interval of one operation is narrower: runs of one program differ by as much; docs/decisions/0304")
CONSTANT(chosen, least_width_long, .02, "log of the ratio to the answer, either way",
         "as least_width, of operations from long_operation_ms on whose width is their own; docs/decisions/0322")
CONSTANT(chosen, long_operation_ms, .010, "ms", "as least_width_long: medians of kernels on two hosts, below and above")
CONSTANT(chosen, calibrated_least_caches, 2, "L2 caches",
         "row operations are measured on the same tensors: smaller ones run from the cache, those of a step do not")
CONSTANT(chosen, calibrated_least_dimension, 64, "elements",
         "thinner products than any layer's spread three times as much; docs/modelling.md#calibrated-operations")
CONSTANT(chosen, far_margin, 16, "of the most of a size",
         "vocabularies of 128,000 to 250,000 words lie so far beyond the measured softmax rows; docs/decisions/0181")
CONSTANT(chosen, far_margin_below, 32, "parts of the least of a size",
         "one output channel, one column: layers that common models end in; docs/decisions/0181")
CONSTANT(chosen, far_small, 128, "of the least flop or bytes",
         "with less to do an operation takes what a launch takes, whatever its shape; docs/decisions/0181")
CONSTANT(chosen, far_fade, 0.9, "of log(size / edge)",
         "below 1, so that an operation with more to do never takes less time; docs/decisions/0182")
CONSTANT(chosen, far_kept, 3, "times the analytic time, or a third of it",
         "a share of its rates that GPUs reach in whole networks: no sign of a shape that nobody saw; docs/decisions/0182")
CONSTANT(chosen, outside_share, 0.1, "of the time of an iteration",
         "with more of it far outside of what was measured, an iteration has no calibrated interval; docs/decisions/0182")
CONSTANT(chosen, far_width, 0.9, "of log(size / edge)",
         "as far_fade: the ends lie as much farther as may have faded; docs/decisions/0182")
CONSTANT(chosen, far_most_factor, 10, "of the interval's ends",
         "a kernel that nobody saw may use a tenth of the GPU; one that uses less would be no kernel to keep; docs/decisions/0182")

/* clang-format on */

#endif
