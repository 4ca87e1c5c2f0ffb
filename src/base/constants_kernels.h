/* Kernels that no operator model covers: floors, links, usual shares, formulas of their own. */
#ifndef HABITAT_BASE_CONSTANTS_KERNELS_H
#define HABITAT_BASE_CONSTANTS_KERNELS_H

#include "base/constant.h"

/* clang-format off */

/* ---- kernels ---- */
CONSTANT(hardware, kernel_floor_cycles, 2200.0, "cycles",
         "from start to end of a kernel that does next to nothing, 1.1 us on an H200; docs/formulas.md#auto")
CONSTANT(chosen, unknown_begin_floors, 2.5, "kernel floors",
         "a kernel of unknown work has half of its usual pace after so long; docs/decisions/0130")
CONSTANT(chosen, launch_ns, 3000.0, "ns",
         "below the launch of an eager framework, for GPUs where nobody measured it; docs/formulas.md")
CONSTANT(chosen, tiles_worst_factor, 8.0, "of the flop as counted",
         "long inner dimensions are split among SMs by the libraries; docs/formulas.md#operation")
CONSTANT(hardware, list_piece_elements, 65536, "elements", "a block of PyTorch's multi_tensor_apply takes so much of one tensor; aten/src/ATen/native/cuda/MultiTensorApply.cuh")
CONSTANT(hardware, list_launch_pieces, 320, "pieces", "as list_piece_elements: a launch takes so many, and as many tensors as its arguments have room for (work/lists.c)")
CONSTANT(fitted, beside_power, 2.5, "power", "memory and instructions of kernels whose threads do not wait for each other, side by side: chosen among 1, 1.5, 2, 2.5, 3 and 4 by 55 steps recorded on two GPUs, each model left out; docs/decisions/0501")

/* ---- links ---- */
CONSTANT(hardware, host_link_share, .86, "of the link's rate", "pinned memory to and from an H100 and an H200, from 16 MiB on: data/measurements/host_copies.csv; docs/decisions/0263")
CONSTANT(fitted, pinned_start_s, 9e-6, "s", "a copy between pinned memory and a GPU beyond its bytes: host_copies.csv, two hosts, 11 % off in the mean; docs/decisions/0621")
CONSTANT(fitted, pageable_start_s, 20e-6, "s", "as pinned_start_s, of pageable memory")
CONSTANT(fitted, pageable_bytes_per_s, 10e9, "byte/s", "what the CPU copies, on top of the link: 7.7 to 14 in recorded steps, 20 where nothing else is copied; docs/decisions/0621")

/* ---- work that nobody counted: docs/formulas.md#unknown-work ---- */
CONSTANT(chosen, guess_least_floors, 8.0, "kernel floors",
         "the time of a shorter product says little of its sizes: recordings a little worse than without, steps of others better; docs/decisions/0288")
CONSTANT(chosen, guess_head_rows, 512.0, "rows and columns",
         "a batched product whose kernel does not tell its sizes: scores of an attention; docs/decisions/0288")
CONSTANT(chosen, guess_head_columns, 64.0, "columns", "as guess_head_rows: a head")
CONSTANT(chosen, guess_pixels, 12544.0, "pixels of a batch",
         "a convolution whose kernel does not tell its sizes: 16 images of 28x28; docs/decisions/0288")
CONSTANT(chosen, guess_batch, 16.0, "images", "as guess_pixels")
CONSTANT(chosen, guess_large, 64.0, "rows or columns", "products of less have sizes of whole vectors, from here on of whole warps")
CONSTANT(chosen, guess_large_step, 32.0, "rows or columns", "as guess_large: a warp")
CONSTANT(chosen, guess_small_step, 8.0, "rows or columns", "as guess_large: a vector of 16 byte in 16 bit")
CONSTANT(chosen, guess_channel_step, 4.0, "channels", "as guess_small_step, of convolutions; fewer are taken as they come")
CONSTANT(chosen, guess_product_least, 16.0, "elements a side", "where the search for the size ends; docs/decisions/0288")
CONSTANT(chosen, guess_product_most, 65536.0, "elements a side", "as guess_product_least")
CONSTANT(chosen, guess_sum_least, 4.0, "elements of a convolution's sum", "as guess_product_least")
CONSTANT(chosen, guess_sum_most, 20000.0, "elements of a convolution's sum", "as guess_product_most")
CONSTANT(chosen, guess_begin, 512.0, "elements a side", "where the search for the size begins; the measured time decides where it ends")
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
         "cuDNN's batch norms with channels last: ResNet-50 in TF32 on an H200 (12 shapes, 13 % off, 12 on an H100 that was left out); kernels/batch_norms.c; docs/decisions/0524")
CONSTANT(fitted, last_backward_cycles, .49, "cycle of an SM an element", "as last_forward_cycles, 7 % off and 8")
CONSTANT(fitted, pixel_gather_cycles, 4700, "cycle",
         "batch norms in bf16 of four scripts recorded on an H200: blocks add their sums up; kernels/batch_norms.c; docs/decisions/0456")
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
         "copies along the same dimension in pieces, in 2 and 4 byte: 41 scripts on an H100 and an H200, 8 % off, 7 on 15 steps of larger models that were left out; kernels/unmodelled_times.c; docs/decisions/0525")
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
CONSTANT(chosen, narrow_row, 128, "columns", "as narrow_row_saved_cycles: four blocks of 32; rows of 384 and more take what others do")
CONSTANT(fitted, narrow_row_saved_cycles, 33, "cycles a row", "gradients of rows of 64 and 128 in three scripts on an H100 and an H200, 25 ns a row; docs/decisions/0641")
CONSTANT(hardware, row_piece_bytes, 16, "byte", "PyTorch's vectorized_gather_kernel: what a thread copies of a row; 256 threads a block at most")
CONSTANT(fitted, row_block_cycles, 158, "cycles a block and SM", "gathers of rows of 16 to 512 bytes in nine scripts on an H100 and an H200: .61 to .63 ns a block, all in view; docs/decisions/0641")
CONSTANT(fitted, sorted_table_floors, 73, "kernel floors", "29 kernels, the median of nine scripts on an H200; docs/decisions/0346")
CONSTANT(fitted, alone_sorted_table, .14, "of the memory roof", "as sorted_table_floors: past those kernels")
CONSTANT(fitted, sorted_places_floors, 14, "kernel floors", "index_put that accumulates, nine kernels: three scripts on an H200; docs/decisions/0346")
CONSTANT(fitted, alone_sorted_places, .5, "of the memory roof", "as sorted_places_floors: 0.45 and 0.8 in two scripts")
CONSTANT(fitted, additions_per_cycle, .5, "a cycle and SM", "scatter_add, index_add and a resize's gradient, 97 to 143 thousand million a second in three scripts on an H200; docs/decisions/0346")
CONSTANT(fitted, short_rows_cycles, 58, "cycles a warp and SM", "sums of rows of 3 to 64 numbers recorded on an H200, 33 shapes, most of them of attention's gradients, all in view: 58 to 69 of more than 50 us; docs/decisions/0641")
CONSTANT(fitted, short_rows_round_cycles, 10, "cycles a round and SM", "as short_rows_cycles: rows of more than a warp")
CONSTANT(fitted, scattered_per_cycle, 1.2, "a cycle and SM", "scatter_add of slices of 1 to 128 numbers in four scripts on an H100 and an H200, 54 to 384 thousand million a second, all in view: 20 % off; docs/decisions/0641")
CONSTANT(fitted, scattered_alone_per_cycle, .27, "a cycle and SM", "as scattered_per_cycle: of numbers whose neighbours go elsewhere")
CONSTANT(fitted, additions_per_part, 1.5, "a cycle", "one operation that adds to 4 KB alone: a bilinear resize of single pixels")
CONSTANT(hardware, atomic_part_bytes, 4096, "byte", "as additions_per_part: neighbours that one slice of the cache serves")
CONSTANT(fitted, odd_product_share, .2, "of the roof of real numbers", "8 products of complex matrices recorded on an H100 with the copies of their factors, all in view: 18 to 63 us; docs/decisions/0638")
CONSTANT(fitted, sort_prepared_floors, 3, "kernel floors", "copies and places before a sort of short rows: 40 sorts and 26 topk in recordings of an H100 and an H200, all in view; docs/decisions/0634")
CONSTANT(fitted, bitonic_floors, 4, "kernel floors", "as sort_prepared_floors: rows of 32 at most")
CONSTANT(fitted, short_sort_floors, 8, "kernel floors", "as sort_prepared_floors: rows of up to 4096")
CONSTANT(fitted, short_sort_byte_floors, 2.7, "kernel floors a byte of the key", "as sort_prepared_floors")
CONSTANT(chosen, sort_filled, 2048, "elements", "as sort_prepared_floors: from here on a block's threads are all at work")
CONSTANT(fitted, long_sort_floors, 18, "kernel floors", "as sort_prepared_floors: longer rows, what is not of a pass")
CONSTANT(fitted, long_sort_pass_floors, 5, "kernel floors a pass", "as sort_prepared_floors")
CONSTANT(fitted, largest_floors, 4.5, "kernel floors", "as sort_prepared_floors: topk of rows that are a block each")
CONSTANT(fitted, largest_cycles, 8.9, "cycles an element of the row", "as sort_prepared_floors")
CONSTANT(fitted, shared_rows_floors, 40, "kernel floors", "as sort_prepared_floors: topk of rows that blocks share, in 16 to 22 kernels")
CONSTANT(fitted, shared_row_cycles, 5200, "cycles of an SM a row", "as sort_prepared_floors")
CONSTANT(fitted, shared_element_cycles, 3, "cycles of an SM an element", "as sort_prepared_floors")
CONSTANT(fitted, alone_loss, .05, "of the memory roof", "as alone_late_floors: losses that pick a class, left out .05")
CONSTANT(fitted, loss_sum_floors, 12, "kernel floors", "the sum of all elements of a loss: 34 losses of 256 to 8.4 million elements on an H100 and an H200; docs/decisions/0633")
CONSTANT(fitted, loss_gradient, .8, "of the memory roof", "as loss_sum_floors: their gradients")
CONSTANT(fitted, alone_norm, .5, "of the memory roof", "as alone_late_floors: RMS norms of one script alone")
CONSTANT(fitted, moments_waiting_cycles, .85, "cycles an element of a group", "group norms of three scripts at two batch sizes on an H200: 0.68 to 1.06 where the cache holds the tensor; docs/decisions/0419")
CONSTANT(fitted, moments_missed_cycles, .65, "cycles an element of a group", "as moments_waiting_cycles: 1.39 and 1.50 in all where it does not")
CONSTANT(fitted, moments_block_cycles, 1348.0, "cycles a group on each SM",
         "16,384 groups of 1,024 and of 2,048 elements (a network that an ODE solver calls, fp32, H200), together with moments_small_cycles; 3 and 9 % off on 2,048 groups of a diffusion model; docs/decisions/0558")
CONSTANT(fitted, moments_small_cycles, .44, "cycles an element on each SM", "as moments_block_cycles")
CONSTANT(fitted, moments_issue_cycles, .6, "cycles an element on each SM", "as moments_waiting_cycles: .51 to .73 where groups are many")
CONSTANT(fitted, moments_start_floors, 4, "kernel floors", "as moments_waiting_cycles: sums of a block, and two kernels more")
CONSTANT(fitted, group_gradient_floors, 8, "kernel floors", "as moments_waiting_cycles: five kernels")
CONSTANT(fitted, alone_group_sums, .6, "of the memory roof", "as moments_waiting_cycles: sums by channel that read two tensors, 2.1 to 3.0 TB/s on an H200")

/* clang-format on */

#endif
