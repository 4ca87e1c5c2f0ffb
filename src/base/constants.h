/* The numbers that predictions rest on, one row each: what was fitted, what is hardware, what was
 * chosen. A formula takes such a number by its name; a bare one beside it is of the formula itself
 * (2 flop a multiply-add, 1/2 of a mean).
 *
 *   kind      fitted    set so that training rows are met; the source says which rows and how
 *             hardware  a fact of GPUs or libraries, published or measured; the source says where
 *             chosen    a limit or a caution that no data decides; the source says why
 *   unit      "1" where it has none
 *   source    a heading without a page (#kinds) is of docs/modelling.md
 *
 * Tables of several columns stay in the file of their formula and name their source there: tiles
 * (operator/products.c, conv.c, convolution.c, rnn.c, matrix.c, predict/tiles.c), cycles of row
 * operations (softmax.c, norm.c, attention_plain.c, predict/batch_norms.c), costs of timings and
 * doubts (operator/class.c), spreads of classes (predict/interval.c), the rule for rates that
 * nobody measured (gpu/sustained.c). What trees and networks learned is in the model file. */
#ifndef HABITAT_BASE_CONSTANTS_H
#define HABITAT_BASE_CONSTANTS_H

#define CONSTANT(kind, name, value, unit, source) static const double kind##_##name = value;

/* clang-format off */

/* ---- caches and memory ---- */
CONSTANT(fitted, l2_bytes_per_cycle, 38, "byte a cycle and SM", "training shapes of collected_h200.csv.gz that fit the cache; docs/modelling.md#what-memory-limits-otherwise")
CONSTANT(hardware, l2_bytes_per_s_per_sm, 24 * 1.7e9, "byte/s an SM", "24 byte a cycle at 1.7 GHz, below every data sheet; docs/modelling.md#products-on-matrix-units")
CONSTANT(hardware, sm_path_bytes_per_cycle, 40, "byte a cycle and SM", "of the 64 that an SM's path to the L2 is built for; docs/modelling.md#products-on-matrix-units")
CONSTANT(hardware, issued_lanes, 128, "instruction a cycle and SM", "four schedulers of a warp each; CUDA C++ programming guide, arithmetic instructions, since compute capability 5.0")
CONSTANT(hardware, register_bytes_per_sm, 262144, "byte", "65536 registers of 4 byte; CUDA C++ programming guide, technical specifications")
CONSTANT(hardware, threads_per_sm, 2048, "threads", "resident on an SM where a GPU's own limit is unknown; CUDA C++ programming guide, technical specifications")
CONSTANT(fitted, norm_flight_share, .33, "of the L2 cache", "rows in flight that are read again from it: layer norm of six GPUs, training rows; #what-memory-limits-otherwise")
CONSTANT(fitted, norm_flight_softness, .6, "of what is in flight", "as norm_flight_share")
CONSTANT(fitted, softmax_flight_share, .15, "of the L2 cache", "as norm_flight_share, softmax of six GPUs")
CONSTANT(fitted, softmax_flight_softness, 1, "of what is in flight", "as softmax_flight_share")
CONSTANT(fitted, copy_memory_share, .63, "of the sustained bandwidth", "copies of the H200, training shapes of collected_h200.csv.gz; #what-memory-limits-otherwise")
CONSTANT(fitted, copy_cache_share, .4, "of the cache's rate", "as copy_memory_share")
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

/* ---- the CPU ---- */
CONSTANT(fitted, cpu_operation_s, 44e-6, "s an operation",
         "median of the CPU's side over operations, 20 scripts on six hosts that the CPU bound, each host alike (30 to 58 by host; no LSTM); docs/decisions/0330, 0348")
CONSTANT(fitted, cpu_copy_share, 0.35, "of an operation", "a copy or cast: steps in fp32 and autocast measured in turns on two hosts, 0.26 to 0.43 by model; docs/decisions/0275")
CONSTANT(fitted, cpu_call_s, 5.5e-6, "s a call of CUDA", "those within a recurrent layer or the gradient of a sorted table: three steps that the CPU bound, on two hosts, 4.6 to 8; docs/decisions/0428")
CONSTANT(fitted, sorted_table_calls, 32, "calls of CUDA", "counted in the gradients of 26 tables: 22 kernels and 10 fills each; docs/decisions/0428")
CONSTANT(fitted, cpu_table_factor, 1.40, "either way", "80 % of the steps of a host by the others' constants, 1.40 to 1.44; docs/decisions/0348")

CONSTANT(fitted, film_gradient_factor, 2.5, "of the upper end",
         "gradients of a network's convolutions in three dimensions, strict fp32 on an H200, against those of images; docs/decisions/0431")
CONSTANT(fitted, group_gradient_factor, 1.6, "of the upper end", "nine in ten of 514 gradients of groups in strict fp32 on an H200, layers left out; docs/decisions/0535")
CONSTANT(fitted, untimed_width, .25, "of the iteration", "steps recorded without a GPU against the same steps on an H200: docs/recording.md#without-a-gpu")

/* ---- links ---- */
CONSTANT(hardware, host_link_share, .86, "of the link's rate", "pinned memory to and from an H100 and an H200, from 16 MiB on: data/measurements/host_copies.csv; docs/decisions/0263")

/* ---- products ---- */
CONSTANT(fitted, bmm_unaligned_factor, 1.08, "of the time", "fp32 batches of five GPUs whose rows are not aligned to 16 byte; docs/modelling.md#products-on-plain-units")
CONSTANT(fitted, bmm_share_64_columns, .8, "of a tile's rate",
         "training batches of P4, P100, V100, T4 and A100: half of what others than the GPU left out ask for, in log; docs/decisions/0233")
CONSTANT(hardware, without_winograd_capability, 90, "compute capability x 10",
         "cuDNN's forward kernels through Winograd's tiles end at 8.9: none of 937 3x3 convolutions of an H200 took one, 228 of them the quickest of all; docs/decisions/0355")
CONSTANT(hardware, ampere_capability, 80, "compute capability x 10", "the A100; parts for graphics follow from 8.6 on")
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

/* ---- kernels ---- */
CONSTANT(hardware, kernel_floor_cycles, 2200.0, "cycles",
         "from start to end of a kernel that does next to nothing, 1.1 us on an H200; docs/formulas.md#auto")
CONSTANT(chosen, unknown_begin_floors, 2.5, "kernel floors",
         "a kernel of unknown work has half of its usual pace after so long; docs/decisions/0130")
CONSTANT(chosen, launch_ns, 3000.0, "ns",
         "below the launch of an eager framework, for GPUs where nobody measured it; docs/formulas.md")
CONSTANT(chosen, tiles_worst_factor, 8.0, "of the flop as counted",
         "long inner dimensions are split among SMs by the libraries; docs/formulas.md#operation")

/* ---- work that nobody counted: docs/formulas.md#unknown-work ---- */
CONSTANT(chosen, guess_least_floors, 8.0, "kernel floors",
         "the time of a shorter product says little of its sizes: recordings a little worse than without, steps of others better; docs/decisions/0288")
CONSTANT(chosen, guess_head_rows, 512.0, "rows and columns",
         "a batched product whose kernel does not tell its sizes: scores of an attention; docs/decisions/0288")
CONSTANT(chosen, guess_head_columns, 64.0, "columns", "as guess_head_rows: a head")
CONSTANT(chosen, guess_pixels, 12544.0, "pixels of a batch",
         "a convolution whose kernel does not tell its sizes: 16 images of 28x28; docs/decisions/0288")
CONSTANT(chosen, guess_batch, 16.0, "images", "as guess_pixels")
CONSTANT(chosen, layer_near, 0.12, "in log(length of sums)",
         "a sum that fits the channels of the convolution before is of these: sides 3, 4 and 5 are 0.45 and more apart; docs/decisions/0325")
CONSTANT(fitted, guess_long_sum, 1100.0, "elements",
         "sums of 3x3 kernels are longer, of 1x1 shorter: convolutions of data/recordings, halves of the models alike from 900 to 1500; docs/decisions/0288")
CONSTANT(fitted, guess_residual_xmma, 1.25, "of the models' time",
         "counted TF32 products of data/recordings (H100, H200) by kernels with sm90_xmma in the name; docs/decisions/0288")
CONSTANT(fitted, guess_residual_older, 1.84, "of the models' time", "as guess_residual_xmma: CUTLASS kernels for sm80")
CONSTANT(fitted, guess_residual_other, 0.95, "of the models' time", "as guess_residual_xmma: nvjet, and fp32 by CUTLASS")
CONSTANT(fitted, guess_residual_conv_3, 2.0, "of the models' time", "as guess_residual_xmma: fp32 convolutions of 3x3 kernels, for which the models expect Winograd")
CONSTANT(fitted, guess_residual_conv_1, 1.12, "of the models' time", "as guess_residual_xmma: fp32 convolutions of 1x1 kernels")
CONSTANT(fitted, unsized_conv_plain, 0.5, "of the arithmetic roof",
         "counted convolutions of data/recordings by their time, in the end; docs/decisions/0288")
CONSTANT(fitted, unsized_conv_tf32, 0.45, "of the arithmetic roof", "as unsized_conv_plain: in TF32")
CONSTANT(fitted, unsized_conv_half, 0.55, "of the arithmetic roof", "as unsized_conv_plain: in 16 bit")
CONSTANT(fitted, unsized_conv_floors, 14.0, "kernel floors", "as unsized_conv_plain: half of that after so long")
CONSTANT(fitted, step_cache_share, 0.59, "of what repeated measurements find in the L2 cache",
         "least squares over DRAM bytes by counters of 4681 kernels in eight steps on an H200, 0.56 to 0.61 without one model; docs/decisions/0305")
CONSTANT(fitted, forward_cache_share, 0.88, "of what repeated measurements find in the L2 cache",
         "as step_cache_share: 538 kernels of four forward passes, 0.87 to 0.92 without one model; docs/decisions/0361")
CONSTANT(fitted, usual_gemm_plain, 0.95, "of the arithmetic roof", "mean over counted kernels of data/recordings (H200), rounded: gemm on plain units")
CONSTANT(fitted, usual_gemm_nvjet, 0.95, "of the arithmetic roof", "as usual_gemm_plain: gemm, nvjet in the name")
CONSTANT(fitted, usual_gemm_matrix, 0.7, "of the arithmetic roof", "as usual_gemm_plain: other gemm on matrix units")
CONSTANT(fitted, usual_gemm_aligned_4, 0.3, "of the arithmetic roof", "as usual_gemm_plain: gemm whose name says operands aligned to 4 byte")
CONSTANT(fitted, usual_conv_plain, 0.3, "of the arithmetic roof", "as usual_gemm_plain: convolutions on plain units")
CONSTANT(fitted, usual_conv_nvjet, 0.7, "of the arithmetic roof", "as usual_gemm_plain: convolutions, nvjet in the name")
CONSTANT(fitted, usual_conv_matrix, 0.45, "of the arithmetic roof", "as usual_gemm_plain: other convolutions on matrix units")
CONSTANT(fitted, usual_conv_aligned_4, 0.2, "of the arithmetic roof", "as usual_gemm_plain: convolutions aligned to 4 byte")
CONSTANT(fitted, usual_aligned_2, 0.15, "of the arithmetic roof", "as usual_gemm_plain: gemm and convolutions aligned to 2 byte")
CONSTANT(fitted, usual_aligned_8, 0.45, "of the arithmetic roof", "as usual_gemm_plain: the same, to 8 byte and more")
CONSTANT(fitted, usual_bmm_matrix, 0.75, "of the arithmetic roof", "as usual_gemm_plain: batched products on matrix units")
CONSTANT(fitted, usual_bmm_plain, 0.5, "of the arithmetic roof", "as usual_gemm_plain: batched products on plain units")
CONSTANT(fitted, usual_attention_half, 0.35, "of the arithmetic roof", "as usual_gemm_plain: fused attention in 16 bit and less")
CONSTANT(fitted, usual_attention_single, 0.1, "of the arithmetic roof", "as usual_gemm_plain: fused attention in fp32, slow everywhere")
CONSTANT(fitted, usual_rnn_matrix, 0.2, "of the arithmetic roof", "as usual_gemm_plain: recurrent layers on matrix units")
CONSTANT(fitted, usual_rnn_plain, 0.4, "of the arithmetic roof", "as usual_gemm_plain: recurrent layers on plain units")
CONSTANT(fitted, usual_vectorized, 0.95, "of the memory roof", "as usual_gemm_plain: vectorized_elementwise in the name: goes through memory in order")
CONSTANT(fitted, usual_elementwise, 0.4, "of the memory roof", "as usual_gemm_plain: other elementwise_kernel")
CONSTANT(fitted, usual_other, 0.7, "of the memory roof", "as usual_gemm_plain: other element-wise kernels and copies")
CONSTANT(fitted, usual_optimizer_of_three, 0.95, "of the memory roof",
         "kernels of three lists (TernaryOp, PointwiseOp) between an H100 and an H200; docs/decisions/0503")
CONSTANT(fitted, usual_optimizer, 0.86, "of the memory roof", "DRAM bytes of multi-tensor optimisers by counters in five steps on an H200, every model alike (0.72 to 0.95); docs/decisions/0305")
CONSTANT(fitted, usual_softmax, 0.85, "of the memory roof", "as usual_gemm_plain: soft-max")
CONSTANT(fitted, usual_rows, 0.25, "of the memory roof", "as usual_gemm_plain: norms and reductions")
CONSTANT(fitted, usual_indexed, 0.1, "of the memory roof", "as usual_gemm_plain: pooling, embedding, loss")
CONSTANT(fitted, usual_helper, 0.5, "of the memory roof", "as usual_gemm_plain: helpers of products: layouts, sums of parts, fills")

/* ---- operations that no model covers: docs/formulas.md#operation ---- */
CONSTANT(fitted, alone_late_floors, 40, "kernel floors",
         "least error over operations of data/recordings (H200), every script alike; each script left out chooses it for sums; docs/decisions/0237")
CONSTANT(fitted, list_quick_cycles, 400, "cycle a round of a block",
         "258 calls of Adam's operations over lists recorded on an H200, 13 % off; 14 % on 258 of an H100: tools/judge_shapes.py; docs/decisions/0452")
CONSTANT(fitted, list_slow_cycles, 870, "cycle a round of a block", "as list_quick_cycles: roots, quotients, products, interpolation")
CONSTANT(fitted, list_share, .9, "of the memory roof", "as list_quick_cycles: blocks of 320 are not shared out evenly")
CONSTANT(hardware, list_round, 2048, "element a round",
         "512 threads of four elements; PyTorch's MultiTensorApply.cuh and ForeachFunctors.cuh")
CONSTANT(fitted, sum_start_cycles, 5590, "cycle", "112 shapes of sums by column of the eight first models on an H200, 7 % off; left out: 7 % on 101 of an H100, 13 % on 174 of other models, 14 % on 194 of ways to train; docs/decisions/0480")
CONSTANT(fitted, sum_near_cycles, 275, "cycle a round of four values", "as sum_start_cycles: in the cache")
CONSTANT(fitted, sum_missed_cycles, 1030, "cycle a round of four values", "as sum_start_cycles: in memory")
CONSTANT(fitted, sum_issue_cycles, 20, "cycle a round of a warp", "as sum_start_cycles: warps that share a multiprocessor")
CONSTANT(fitted, sum_gather_cycles, 6390, "cycle", "as sum_start_cycles: where several blocks share a sum")
CONSTANT(fitted, sum_part_cycles, 560, "cycle a block", "as sum_gather_cycles: that a thread of the last one adds up")
CONSTANT(fitted, sum_held, .6, "of the L2", "as sum_start_cycles: tensors up to here miss part of it; .5 and .7 fit alike, .3 and 1 a tenth worse")
CONSTANT(hardware, sum_threads, 512, "thread a block", "PyTorch's Reduce.cuh, MAX_NUM_THREADS; grids so worked out are those of 1118 of 1158 recorded shapes")
CONSTANT(hardware, sum_vector, 4, "element", "sums beside each other that a thread takes, and values it has under way: output_vec_size and vt0 of PyTorch's Reduce.cuh")
CONSTANT(hardware, sum_least_rows, 16, "value a thread", "PyTorch's Reduce.cuh, setReduceConfig(): min_values_per_thread")
CONSTANT(hardware, sum_long_rows, 256, "value a thread", "PyTorch's Reduce.cuh, setReduceConfig(): max_values_per_thread")
CONSTANT(fitted, bias_start_cycles, 2760, "cycle", "23 shapes of gradients of a convolution's bias of VGG-16 and diffusion on an H200, 7 % off; left out: 5 % on 32 of VAE, TCN and DeepLab and on 32 of an H100; docs/decisions/0480")
CONSTANT(fitted, bias_near_cycles, 1046, "cycle a round of four values", "as bias_start_cycles: in the cache")
CONSTANT(fitted, bias_missed_cycles, 1394, "cycle a round of four values", "as bias_start_cycles: in memory")
CONSTANT(fitted, bias_issue_cycles, 50, "cycle a round of a warp", "as bias_start_cycles: warps that share a multiprocessor")
CONSTANT(hardware, pixel_threads, 512, "thread a block", "batch norms with channels last: PyTorch's Normalization.cuh, MAX_BLOCK_SIZE; blocks of 32 x 16 in all recordings")
CONSTANT(hardware, pixel_width, 32, "thread", "as pixel_threads: side by side, OPTIMAL_TILE_W")
CONSTANT(hardware, pixel_each, 16, "pixel a thread", "as pixel_threads: ELEMENTS_PER_THREAD")
CONSTANT(hardware, pixel_round, 4, "pixel a thread", "as pixel_threads: under way at once, ELEMENTS_PER_ITER")
CONSTANT(hardware, pixel_blocks, 128, "block", "as pixel_threads: one below the other at most, MAX_H_BLOCK")
CONSTANT(hardware, pixel_shared, 8, "block", "as pixel_threads: fewer do not share sums, one takes all (flexible_launch_configs())")
CONSTANT(fitted, last_forward_cycles, .66, "cycle of an SM an element",
         "cuDNN's batch norms with channels last: ResNet-50 in TF32 on an H200 (12 shapes, 13 % off, 12 on an H100 that was left out); predict/batch_norms.c; docs/decisions/0524")
CONSTANT(fitted, last_backward_cycles, .49, "cycle of an SM an element", "as last_forward_cycles, 7 % off and 8")
CONSTANT(fitted, pixel_gather_cycles, 4700, "cycle",
         "batch norms in bf16 of four scripts recorded on an H200: blocks add their sums up; predict/batch_norms.c; docs/decisions/0456")
CONSTANT(fitted, scaled_block_cycles, 155, "cycle a block and SM",
         "batch norms with given statistics of DenseNet-121 and MobileNetV2 in fp32 and fp16 on an H200, 7 % off; sums of ResNet-50's, left out, -8 to +3 %; docs/decisions/0456")
CONSTANT(fitted, scaled_element_cycles, .51, "cycle an element and SM", "as scaled_block_cycles: in the cache, in either format")
CONSTANT(fitted, scaled_missed, 1.8, "of the memory roof's time", "as scaled_block_cycles: of what the cache does not hold")
CONSTANT(fitted, scaled_wait_cycles, 1725, "cycle", "as scaled_block_cycles: the first block's loads, one behind the other")
CONSTANT(hardware, kept_channel, 131072, "byte", "batch norms by cuDNN: kernels that read a channel once end, in all recordings, between 100 kB and this in fp32, and between this and 200 kB in 16 bit; docs/decisions/0459")
CONSTANT(fitted, channel_held, .7, "of the L2", "batch norms of ResNet-50, DCGAN and TCN recorded on an H200: tensors up to here miss nothing; docs/decisions/0459")
CONSTANT(fitted, channel_spread, .6, "of the L2", "as channel_held: so much more, and all is missed")
CONSTANT(fitted, alone_pool, .16, "of the memory roof", "as alone_late_floors: pooling of ResNet-50 and Inception")
CONSTANT(fitted, alone_turned, .6, "of the memory roof", "clones along another dimension than their source; as strided_per_cycle, 28 scripts, 13 % off, 19 on the larger steps")
CONSTANT(fitted, strided_per_cycle, 1.6, "elements a cycle and SM",
         "copies along the same dimension in pieces, in 2 and 4 byte: 41 scripts on an H100 and an H200, 8 % off, 7 on 15 steps of larger models that were left out; predict/usual.c; docs/decisions/0525")
CONSTANT(fitted, turned_per_cycle, .65, "elements a cycle and SM", "as alone_turned")
CONSTANT(fitted, alone_gather, .5, "of the memory roof", "gathers and bags in two scripts on an H200, .49 and .53 in fp32; docs/decisions/0346")
CONSTANT(fitted, picked_per_cycle, 1.5, "elements a cycle and SM", "as alone_gather: 250 to 421 thousand million elements a second, in fp32 and bf16 alike")
CONSTANT(fitted, widened_per_cycle, 1.3, "elements a cycle and SM", "casts of 16 bit to fp32, PyTorch's kernel without vectors: 330 to 351 thousand million a second in six scripts on an H200, 308 to 326 in two on an H100; docs/decisions/0392")
CONSTANT(fitted, placed_per_cycle, 1.15, "elements a cycle and SM", "as widened_per_cycle: additions and products of operands that differ in order, size or format, 203 to 415 in seven scripts, the middle of most 260 to 340; docs/decisions/0393")
CONSTANT(fitted, widened_start_cycles, 2600, "cycle", "casts of 16 bit to fp32 of up to 65,536 elements, of 35 scripts on an H200 the one in the middle; docs/decisions/0472")
CONSTANT(fitted, placed_start_cycles, 1100, "cycle", "as widened_start_cycles: operands that differ in order, size or format, 16 scripts")
CONSTANT(hardware, placed_block, 512, "element a block", "PyTorch's elementwise_kernel and unrolled_elementwise_kernel: 128 threads of four elements")
CONSTANT(fitted, window_cycles, 2.2, "cycle an element and SM", "pooling of images of Inception and VGG-16 in three formats on an H200; nine other scripts, left out: docs/decisions/0473")
CONSTANT(fitted, window_tap_cycles, .205, "cycle a tap and SM", "as window_cycles")
CONSTANT(fitted, mean_gradient_cycles, 4.56, "cycle an element and SM", "as window_cycles: of the image")
CONSTANT(fitted, mean_gradient_window_cycles, .338, "cycle a window and SM", "as window_cycles: of those that an element is in")
CONSTANT(fitted, maximum_gradient_cycles, 2.8, "cycle an element and SM", "as window_cycles: of the image")
CONSTANT(fitted, rolled_per_cycle, .85, "elements a cycle and SM", "roll, which divides for each place: 198 to 230 thousand million a second in one script on an H200; docs/decisions/0392")
CONSTANT(hardware, unsorted_rows_most, 3072, "rows", "PyTorch sorts the indices of more (embedding_dense_backward_cuda)")
CONSTANT(fitted, unsorted_row_cycles, 83, "cycles a row", "gradients of tables of seven scripts on an H200, 43 to 55 ns a row (two of positions 29); docs/decisions/0346")
CONSTANT(fitted, sorted_table_floors, 73, "kernel floors", "29 kernels, the median of nine scripts on an H200; docs/decisions/0346")
CONSTANT(fitted, alone_sorted_table, .14, "of the memory roof", "as sorted_table_floors: past those kernels")
CONSTANT(fitted, sorted_places_floors, 14, "kernel floors", "index_put that accumulates, nine kernels: three scripts on an H200; docs/decisions/0346")
CONSTANT(fitted, alone_sorted_places, .5, "of the memory roof", "as sorted_places_floors: 0.45 and 0.8 in two scripts")
CONSTANT(fitted, additions_per_cycle, .5, "a cycle and SM", "scatter_add, index_add and a resize's gradient, 97 to 143 thousand million a second in three scripts on an H200; docs/decisions/0346")
CONSTANT(fitted, additions_per_part, 1.5, "a cycle", "one operation that adds to 4 KB alone: a bilinear resize of single pixels")
CONSTANT(hardware, atomic_part_bytes, 4096, "byte", "as additions_per_part: neighbours that one slice of the cache serves")
CONSTANT(fitted, alone_loss, .05, "of the memory roof", "as alone_late_floors: losses, left out .05")
CONSTANT(fitted, alone_norm, .5, "of the memory roof", "as alone_late_floors: RMS norms of one script alone")
CONSTANT(fitted, moments_waiting_cycles, .85, "cycles an element of a group", "group norms of three scripts at two batch sizes on an H200: 0.68 to 1.06 where the cache holds the tensor; docs/decisions/0419")
CONSTANT(fitted, moments_missed_cycles, .65, "cycles an element of a group", "as moments_waiting_cycles: 1.39 and 1.50 in all where it does not")
CONSTANT(fitted, moments_issue_cycles, .6, "cycles an element on each SM", "as moments_waiting_cycles: .51 to .73 where groups are many")
CONSTANT(fitted, moments_start_floors, 4, "kernel floors", "as moments_waiting_cycles: sums of a block, and two kernels more")
CONSTANT(fitted, group_gradient_floors, 8, "kernel floors", "as moments_waiting_cycles: five kernels")
CONSTANT(fitted, alone_group_sums, .6, "of the memory roof", "as moments_waiting_cycles: sums by channel that read two tensors, 2.1 to 3.0 TB/s on an H200")

/* ---- another batch size or precision ---- */
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
         "whole iterations of the same recordings; docs/iteration.md")
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
CONSTANT(chosen, said_batch_share, 0.5, "of the kernels' time, without optimiser and messages",
         "a batch size that was said is refused below: the true ones of the recordings have 0.59 and more, nine in ten wrong ones less")
CONSTANT(chosen, passes_share, 0.5, "of the kernels' time, without optimiser and messages",
         "operations that come once in each of several passes, or a multiple: less, and they are passes of several networks")
CONSTANT(chosen, least_batch_share, 0.1, "of the kernels' time, without optimiser and messages",
         "less that changes with the batch is by chance: another batch size is refused, as its answer would be the recorded one. An optimiser of products may take most of a step")
CONSTANT(chosen, scale_assumed_share, 0.02, "of the kernels' time",
         "kernels without shapes, of which it is only assumed that they grow with the batch: less says nothing")

/* ---- a whole iteration ---- */
CONSTANT(fitted, link_efficiency, 0.70, "of one direction of the link",
         "bus bandwidth of NCCL with large messages: A100 over NVLink 0.64 to 0.74, H200 0.71 (2 GPUs), "
         "L40S over PCIe 0.63 (2 GPUs), GTX 1080 Ti 0.76 (2) to 0.55 (8)")
CONSTANT(fitted, collective_latency_ns_per_gpu, 2000.0, "ns a GPU",
         "smallest all-reduce: 6, 9 and 15 us on 2, 4 and 8 H200, 10, 14 and 21 us on A100")
CONSTANT(chosen, cpu_bound_ratio, 1.10, "of the busy time",
         "the GPU waits for its CPU when the iteration is this much longer; docs/formulas.md#whole-iteration")
CONSTANT(fitted, iteration_least_width, 0.03, "of the iteration",
         "equal GPUs in other hosts differ by 0.4 to 4 %; docs/formulas.md#intervals")
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
CONSTANT(chosen, format_least_share, 0.01, "of the kernels' time",
         "a format below it says nothing about the iteration")

/* ---- replay: docs/iteration.md ---- */
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
CONSTANT(chosen, replay_gap_scale_most, 2.2, "of the recorded pauses", "longer ones are no pauses of the GPU: the CPU bound the step then")
CONSTANT(chosen, replay_cpu_step, 0.9, "of the CPU tried before", "how finely a CPU quicker than the rule's is looked for, where the recorded time only says that it was not slower")
CONSTANT(chosen, replay_cpu_least, 0.1, "of the rule", "as replay_cpu_step: from here on the GPU alone is to blame")
CONSTANT(chosen, replay_cpu_factor_most, 50, "of the profiled CPU time", "no profiler stretches more")
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
CONSTANT(fitted, replay_gap_ns, 1100, "ns", "median over data/recordings: from a kernel to the next of its stream")
CONSTANT(fitted, replay_gap_across_ns, 2200, "ns", "as replay_gap_ns: to one that waits for another stream")
CONSTANT(fitted, replay_latency_ns, 1000, "ns", "as replay_gap_ns: from a launch to its kernel on an idle GPU")
CONSTANT(chosen, replay_gap_most_ns, 10000, "ns", "longer is no pause but something unknown")
CONSTANT(chosen, replay_far_ns, 1e6, "ns", "launched so long before it could begin: pauses are those of a GPU far behind its CPU; 0.2 and 3 ms give much the same")

/* ---- device memory: docs/memory.md ---- */
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

/* ---- several GPUs: docs/iteration.md#several-gpus ---- */
CONSTANT(fitted, ring_efficiency, 0.86, "of one direction of NVLink",
         "all-reduces of collectives.csv.gz (nccl, fp16, A100 and H200 on NVSwitch), together with ring_fill_root_ns")
CONSTANT(fitted, ring_fill_root_ns, 145.5, "ns a root of ns",
         "as ring_efficiency: 4.6 us a root of us; what a message costs beside its bytes grows with their root")
CONSTANT(fitted, ring_efficiency_pcie, 0.66, "of one direction of PCIe",
         "two L40S, 1080 Ti and Titan Xp of collectives.csv.gz: 0.64 to 0.78; four to eight reach 0.05 to 0.7 by host")
CONSTANT(chosen, host_gpus, 8.0, "GPUs of a host",
         "the boards of DGX and HGX; more do not share one host, and the link between them is unknown")
CONSTANT(chosen, network_bytes_per_s, 12.5e9, "byte/s a host",
         "100 Gbit/s; the clusters of collectives.csv.gz reach 5 to 22e9; a recording cannot say")
CONSTANT(chosen, network_latency_ns, 20000.0, "ns a doubling of the hosts",
         "small all-reduces between hosts of collectives.csv.gz take 40 to 90 us longer than within one")
CONSTANT(fitted, beside_collective, 0.25, "of the time shared",
         "kernels beside NCCL's in the traces of two H200s take 0.13 to 0.37 longer, median 0.25, beside messages that outlast them; docs/decisions/0156")
CONSTANT(fitted, beside_quick_collective, 0.7, "of the time shared",
         "what two H200s add to 20 steps that the GPU binds (0.65 to 0.75 alike), full-size steps left out; docs/decisions/0536")
CONSTANT(chosen, parallel_doubt, 0.75, "of what several GPUs add", "over PCIe and networks, of which no steps were measured: twice that of NVLink")
CONSTANT(fitted, quick_parallel_doubt, 0.35, "of what several GPUs add",
         "24 GPU-bound steps of two and four H200s: what they add is 0.87 to 1.31 times as long as predicted (10 and 90 %); docs/decisions/0536")
CONSTANT(chosen, message_end_spread_ns, 1e6, "ns",
         "all-reduces of ten steps of two H200s end 0.1 ms apart at most on the two; of different steps, several ms")
CONSTANT(chosen, slow_rank_share, 0.01, "of the iteration",
         "a rank is called slow from here on: what other GPUs do nothing but wait, less what its own does")
CONSTANT(chosen, device_least_share, 0.01, "of the busiest device's kernel time",
         "a device of one program counts as one that it drives from here on; below it a stray fill or check would be a GPU to pay for")
CONSTANT(hardware, bucket_first_bytes, 1048576.0, "byte", "torch.nn.parallel.DistributedDataParallel, first bucket")
CONSTANT(hardware, bucket_bytes, 26214400.0, "byte", "torch.nn.parallel.DistributedDataParallel, bucket_cap_mb=25")
CONSTANT(hardware, bucket_fill_steps, 5.0, "usual steps of the CPU a gradient",
         "DistributedDataParallel's hook, its product and the launch: six recorded ranks of three models, 6.7 to 9.3 profiled steps, of which 0.6 stay without the profiler; docs/decisions/0340")
CONSTANT(hardware, bucket_return_steps, 3.0, "usual steps of the CPU a gradient or buffer", "as bucket_fill_steps, its copy back: 4.6 to 5.3")
CONSTANT(hardware, message_steps, 30.0, "usual steps of the CPU a message", "as bucket_fill_steps, of NCCL's own call, events and streams: 46 to 57")

/* ---- 80 % intervals of auto: docs/formulas.md#intervals ---- */
CONSTANT(fitted, common_sigma, 0.040, "in log(time)",
         "common to all kernels of an iteration: whole networks, one GPU left out in turn")
CONSTANT(fitted, convolution_sigma, 0.12, "in log(time), of the share of convolutions",
         "76 iterations of four networks on four GPUs (habitat eval cnn), least interval score; with GPU and model left out 0 to 0.20; docs/decisions/0363")
CONSTANT(fitted, short_kernel_sigma, 1.00, "in log(time), upwards", "as convolution_sigma; left out 0.5 to 1.0; docs/decisions/0363")
CONSTANT(fitted, short_kernel_ns, 20e3, "ns", "as convolution_sigma: mean kernel from which the host's share falls off; left out 20 or 30")
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
CONSTANT(chosen, unexplained_share, 0.5, "of the recorded peak",
         "what stays between iterations and is no part of the step is told above this; recordings of a step alone: at most 0.32")
CONSTANT(chosen, fallback_sigma, 0.32, "in log(time)", "kernels that no method covers: wide enough to say so")
CONSTANT(fitted, unsized_pair_sigma, 0.02, "in log(time)",
         "what the steps of two GPUs of one chip are off beyond pair_sigma where their sizes are withheld: docs/shapes.md, docs/decisions/0290")
CONSTANT(fitted, told_bias, 0.065, "in log(time)",
         "as unsized_bias of predict/interval.c, of convolutions whose sizes their kernels told; docs/decisions/0326")
CONSTANT(fitted, unknown_bias, 0.12, "in log(time)",
         "work taken from usual shares: steps without their shapes against the same with them; tests/prop/prop_shapes.c")
CONSTANT(chosen, same_arch_spread, 0.5, "of a class's spread",
         "GPUs of one compute capability run the same kernels; the pairs measured hold none")

/* clang-format on */

#endif
