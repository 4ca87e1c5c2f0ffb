/* The numbers that predictions rest on are rows of the headers constants_*.h, one subject a header:
 * what was fitted, what is hardware, what was chosen. A formula takes such a number by its name; a
 * bare one beside it is of the formula itself (2 flop a multiply-add, 1/2 of a mean).
 *
 *   kind      fitted    set so that training rows are met; the source says which rows and how
 *             hardware  a fact of GPUs or libraries, published or measured; the source says where
 *             chosen    a limit or a caution that no data decides; the source says why
 *   unit      "1" where it has none
 *   source    a heading without a page (#kinds) is of docs/modelling.md
 *
 * Tables of several columns stay in the file of their formula and name their source there, in
 * initializers of constants. tests/constants.sh reads their list here, FOLDER/FILE.c each:
 *
 *   tiles                  operator/products.c operator/conv.c operator/convolution.c
 *                          operator/convolution_matrix.c operator/rnn.c operator/matrix.c
 *                          kernels/tiles.c kernels/conv_tile_pace.c kernels/conv3d_times.c
 *   cycles of operations   operator/softmax.c operator/norm.c operator/attention_plain.c
 *                          kernels/batch_norms.c kernels/attentions.c kernels/instructions.c
 *   factors by name, kind  operator/class.c kernels/share_by_name.c kernels/elements.c
 *   spreads of classes     predict/interval.c
 *   launches               work/rnn_way.c
 *   the CPU's side         replay/rule.c
 *   rates nobody measured  gpu/sustained.c
 *   ranges that are right  gpu/check.c gpu/fields.c
 *   units, powers of ten   report/gpus.c base/decimal.c
 *
 * What trees and networks learned is in the model file. Bounds that whole numbers set (an enum, a
 * loop) and what a library's source says in whole numbers stand where they are used. */
#ifndef HABITAT_BASE_CONSTANT_H
#define HABITAT_BASE_CONSTANT_H

#define CONSTANT(kind, name, value, unit, source) static const double kind##_##name = value;

#endif
