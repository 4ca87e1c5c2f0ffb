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
 * Tables of several columns stay in the file of their formula and name their source there: tiles
 * (operator/products.c, conv.c, convolution.c, rnn.c, matrix.c, kernels/tiles.c), cycles of row
 * operations (softmax.c, norm.c, attention_plain.c, kernels/batch_norms.c), costs of timings and
 * doubts (operator/class.c), spreads of classes (predict/interval.c), the rule for rates that
 * nobody measured (gpu/sustained.c). What trees and networks learned is in the model file. */
#ifndef HABITAT_BASE_CONSTANT_H
#define HABITAT_BASE_CONSTANT_H

#define CONSTANT(kind, name, value, unit, source) static const double kind##_##name = value;

#endif
