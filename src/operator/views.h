/* The analytic time and inputs of each class of operations: private to the operator models. */
#ifndef HABITAT_OPERATOR_VIEWS_H
#define HABITAT_OPERATOR_VIEWS_H

#include "operator/operator.h"

/* The inputs of a class are one list, a macro of one argument with an entry for each:
 *
 *     F("log2 k", RATES, operator_log2(k, 2, 13))
 *
 * a name, which the checksum of the model file holds; what it may tell of the GPU (RATES: nothing
 * beyond its rates; GPU: which one it is); and its value in the words of the function that uses the
 * list. Names and values cannot come apart: OPERATOR_FEATURES() makes the names of the list, and
 * LIST(OPERATOR_FEATURE_VALUE) writes the values to `x`. */
#define OPERATOR_FEATURE_NAME(name, kind, value)  {name, OPERATOR_FEATURE_##kind},
#define OPERATOR_FEATURE_VALUE(name, kind, value) *x++ = (float)(value);
#define OPERATOR_FEATURES(symbol, LIST)                                                            \
    static const operator_input symbol##_names[] = {LIST(OPERATOR_FEATURE_NAME)};                  \
    _Static_assert(sizeof symbol##_names / sizeof *symbol##_names <= OPERATOR_INPUTS_MAX,          \
                   "more inputs than a view holds");                                               \
    const operator_features symbol = {symbol##_names,                                              \
                                      sizeof symbol##_names / sizeof *symbol##_names}

/* clang-format off */
/* What rows and columns tell, of all row operations; in the words of their look functions. */
#define ROW_SHAPE_FEATURES(F) \
    F("bytes/L2", RATES, operator_log(bytes / gpu->l2_bytes, -4, 6)) \
    F("log2 rows", RATES, operator_log2(rows, 0, 20)) \
    F("log2 columns", RATES, operator_log2(columns, 0, 14)) \
    F("multiple of 4", RATES, fmod(columns, 4) == 0) \
    F("rows/SM", RATES, operator_log(rows / gpu->sm_count, -4, 8)) \
    F("rows in flight/L2", RATES, operator_log(columns * element * units * 4 / gpu->l2_bytes, -8, 4)) \
    F("warps' use", RATES, columns / (32 * ceil(columns / 32))) \
    F("blocks' use", RATES, columns / (1024 * ceil(columns / 1024))) \
    F("at most 1024", RATES, columns <= 1024) \
    F("power of two", RATES, columns / exp2(ceil(log2(columns))))
/* clang-format on */

enum { OPERATOR_FEATURE_RATES = false, OPERATOR_FEATURE_GPU = true };

extern const operator_features operator_gemm_features, operator_conv_features,
    operator_elementwise_features, operator_warm_rows_features, operator_row_kernel_features,
    operator_matrix_features, operator_fp8_features, operator_attention_features,
    operator_attention_plain_features, operator_convolution_features, operator_rnn_features;

operator_look_function operator_look_gemm, operator_look_conv, operator_look_elementwise,
    operator_look_softmax, operator_look_layer_norm, operator_look_batch_norm,
    operator_look_attention_plain, operator_look_matrix, operator_look_fp8, operator_look_attention,
    operator_look_convolution, operator_look_rnn;

operator_way_function operator_convolution_way;

/* A product whose result is one column, as the one row that it is: (A x)^T = x^T A^T. Both are kept
 * alike in memory, and libraries run them alike; measured were rows. */
habitat_gemm_shape operator_as_row(const habitat_gemm_shape *s);

/* log of a ratio within limits, as every scale-like input is taken. */
float operator_log(double ratio, double low, double high);
float operator_log2(double value, double low, double high);

/* Output tiles of (rows, columns), how they quantise a product, and the best of them. */
typedef struct operator_tile {
    double rows, columns;
    double rate_share; /* of the sustained rate that full waves of this tile reach */
} operator_tile;

/* Seconds of b products (m, n, k) cut into this tile on `units` units that share `flop_per_s`.
 * `whole` = 1 counts whole waves, 0 none, between them a blend. */
double operator_tile_time(const operator_tile *tile, double b, double m, double n, double k,
                          double units, double flop_per_s, double whole);

/* Waves of tiles, filling of the last wave, and use of the tiles' area. */
void operator_tile_inputs(const operator_tile *tile, double b, double m, double n, double units,
                          double low, double high, float out[3]);

/* Bytes and traffic that miss the L2 cache: the part of `footprint` above `share` of it. */
double operator_miss_share(double footprint, double l2_bytes, double share, double softness);

/* Seconds to move `bytes` of tensors that occupy `footprint`: from the L2 cache while they fit, as
 * those of a step's neighbouring kernels and of repeated measurements do, else from memory. */
double operator_memory_time(const operator_gpu *gpu, double footprint, double bytes);
double operator_warm_share(const operator_gpu *gpu, double footprint);

/* What the time of an operation along rows consists of [s]. */
typedef struct operator_rows_parts {
    double memory;  /* traffic */
    double issue;   /* all rows through the SMs' arithmetic */
    double longest; /* one row from start to end */
} operator_rows_parts;

/* Inputs of operations along rows of `columns` elements: the list of softmax.c. */
void operator_rows_describe(const habitat_model_query *query, const operator_gpu *gpu,
                            const operator_rows_parts *parts, float *inputs);

/* The same of softmax and layer norm, with three more. */
void operator_row_kernel_describe(const habitat_model_query *query, const operator_gpu *gpu,
                                  const operator_rows_parts *parts, float *inputs);

/* ---- Kernels on matrix units: matrix.c, attention.c ---- */

/* From compute capability 9.0 on, clusters of SMs share what they load; not Blackwell's cards for
 * graphics (12.x). */
bool operator_has_clusters(const operator_gpu *gpu);

/* Byte a cycle that an SM draws from the cache while all do, `most` where nothing bounds it. */
double operator_path_bytes_per_cycle(const operator_gpu *gpu, double most);

/* Flop/s of one SM's units. Where rows are not aligned to 16 byte the same old kernels run on every
 * GPU, at no more flop a cycle than on those that measured them; below 4 byte asynchronous copies
 * do not apply either: half. */
double operator_unit_rate(const operator_gpu *gpu, double element, double alignment);

typedef struct operator_kernel_costs {
    double sm_bytes_per_s; /* that one SM takes from the cache */
    double tile_s;         /* beginning and end of a tile of 128 x 128 */
    double wave;           /* what the missing part of a partly filled wave counts */
} operator_kernel_costs;

/* Those of a product; `clusters`: where the GPU has them and rows are aligned for them. */
operator_kernel_costs operator_product_costs(const operator_gpu *gpu, bool clusters);

/* Turning a 16-bit operand of so many rows and columns into 8 bit, as measured products contain. */
double operator_quantising_s(const habitat_model_query *query, const operator_gpu *gpu, double rows,
                             double columns);

/* The later of the units at their peak and of the power, rounded where they are close. */
double operator_powered(double tiled_s, double power_s);

#endif
