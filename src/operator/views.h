/* The analytic time and inputs of each class of operations: private to the operator models. */
#ifndef HABITAT_OPERATOR_VIEWS_H
#define HABITAT_OPERATOR_VIEWS_H

#include "operator/operator.h"

/* Seconds the work takes by analysis; fills the inputs of the class. */
typedef double (*operator_look_function)(const habitat_model_query *query, operator_class c,
                                         const operator_gpu *gpu, float *inputs);

enum {
    OPERATOR_GEMM_INPUTS = 29,
    OPERATOR_CONV_INPUTS = 32,
    OPERATOR_ELEMENTWISE_INPUTS = 9,
    OPERATOR_COPY_INPUTS = 3,
    OPERATOR_ROWS_INPUTS = 11,
    OPERATOR_WARM_ROWS_INPUTS = 15,
    OPERATOR_MATRIX_INPUTS = 29,
    OPERATOR_ATTENTION_INPUTS = 12,
    OPERATOR_ATTENTION_PLAIN_INPUTS = 10,
    OPERATOR_CONVOLUTION_INPUTS = 34,
    OPERATOR_RNN_INPUTS = 27,
};
extern const operator_input operator_gemm_inputs[OPERATOR_GEMM_INPUTS];
extern const operator_input operator_conv_inputs[OPERATOR_CONV_INPUTS];
extern const operator_input operator_elementwise_inputs[OPERATOR_ELEMENTWISE_INPUTS];
extern const operator_input operator_copy_inputs[OPERATOR_COPY_INPUTS];
extern const operator_input operator_rows_inputs[OPERATOR_ROWS_INPUTS];
extern const operator_input operator_warm_rows_inputs[OPERATOR_WARM_ROWS_INPUTS];
extern const operator_input operator_matrix_inputs[OPERATOR_MATRIX_INPUTS];
extern const operator_input operator_attention_inputs[OPERATOR_ATTENTION_INPUTS];
extern const operator_input operator_attention_plain_inputs[OPERATOR_ATTENTION_PLAIN_INPUTS];
extern const operator_input operator_convolution_inputs[OPERATOR_CONVOLUTION_INPUTS];
extern const operator_input operator_rnn_inputs[OPERATOR_RNN_INPUTS];

double operator_look_gemm(const habitat_model_query *, operator_class, const operator_gpu *,
                          float *);
double operator_look_conv(const habitat_model_query *, operator_class, const operator_gpu *,
                          float *);
double operator_look_elementwise(const habitat_model_query *, operator_class, const operator_gpu *,
                                 float *);
double operator_look_copy(const habitat_model_query *, operator_class, const operator_gpu *,
                          float *);
double operator_look_rows(const habitat_model_query *, operator_class, const operator_gpu *,
                          float *);
double operator_look_softmax(const habitat_model_query *, operator_class, const operator_gpu *,
                             float *);
double operator_look_layer_norm(const habitat_model_query *, operator_class, const operator_gpu *,
                                float *);
double operator_look_batch_norm(const habitat_model_query *, operator_class, const operator_gpu *,
                                float *);
double operator_look_attention_plain(const habitat_model_query *, operator_class,
                                     const operator_gpu *, float *);
double operator_look_matrix(const habitat_model_query *, operator_class, const operator_gpu *,
                            float *);
double operator_look_attention(const habitat_model_query *, operator_class, const operator_gpu *,
                               float *);
double operator_look_convolution(const habitat_model_query *, operator_class, const operator_gpu *,
                                 float *);
double operator_look_rnn(const habitat_model_query *, operator_class, const operator_gpu *,
                         float *);

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

/* Inputs of operations along rows of `columns` elements: OPERATOR_WARM_ROWS_INPUTS. */
void operator_rows_describe(const habitat_model_query *query, const operator_gpu *gpu,
                            const operator_rows_parts *parts, float *inputs);

/* ---- Kernels on matrix units: operator_matrix.c, operator_attention.c --------------------------
 */

/* What all L2 caches deliver, per SM [byte/s]: 24 byte a cycle at 1.7 GHz, below every data sheet.
 */
static const double operator_l2_bytes_per_s_per_sm = 24 * 1.7e9;
/* Of the sustained rate, an upper quantile, that a long kernel of this kind holds. */
static const double operator_power_share = .92;

/* From compute capability 9.0 on, clusters of SMs share what they load; not Blackwell's cards for
 * graphics (12.x). */
bool operator_has_clusters(const operator_gpu *gpu);

typedef struct operator_kernel_costs {
    double sm_bytes_per_s; /* that one SM takes from the cache */
    double tile_s;         /* beginning and end of a tile of 128 x 128 */
    double wave;           /* what the missing part of a partly filled wave counts */
} operator_kernel_costs;
operator_kernel_costs operator_kernel_costs_of(const operator_gpu *gpu);

/* The later of the units at their peak and of the power, rounded where they are close. */
double operator_powered(double tiled_s, double power_s);

#endif
