/* The lists of autocast for CUDA, as in PyTorch's aten/src/ATen/autocast_mode.h (2.11), and the
 * inner operations that a trace has in their place.
 * docs/formulas.md#another-batch-size-or-precision
 */
#include "workload/autocast.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *const narrow[] = {"_convolution",
                                     "conv1d",
                                     "conv2d",
                                     "conv3d",
                                     "conv_tbc",
                                     "conv_transpose1d",
                                     "conv_transpose2d",
                                     "conv_transpose3d",
                                     "convolution",
                                     "cudnn_convolution",
                                     "cudnn_convolution_transpose",
                                     "prelu",
                                     "addmm",
                                     "addmv",
                                     "addr",
                                     "matmul",
                                     "einsum",
                                     "mm",
                                     "mv",
                                     "linalg_vecdot",
                                     "linear",
                                     "addbmm",
                                     "baddbmm",
                                     "bmm",
                                     "chain_matmul",
                                     "linalg_multi_dot",
                                     "_thnn_fused_lstm_cell",
                                     "_thnn_fused_gru_cell",
                                     "lstm_cell",
                                     "gru_cell",
                                     "rnn_tanh_cell",
                                     "rnn_relu_cell",
                                     "lstm",
                                     "gru",
                                     "_cudnn_rnn",
                                     "scaled_dot_product_attention",
                                     "_scaled_dot_product_flash_attention",
                                     "_scaled_dot_product_efficient_attention",
                                     "_scaled_dot_product_cudnn_attention"};

static const char *const wide[] = {"acos",
                                   "asin",
                                   "cosh",
                                   "erfinv",
                                   "exp",
                                   "expm1",
                                   "log",
                                   "log10",
                                   "log2",
                                   "log1p",
                                   "reciprocal",
                                   "rsqrt",
                                   "sinh",
                                   "tan",
                                   "pow",
                                   "softplus",
                                   "layer_norm",
                                   "native_layer_norm",
                                   "group_norm",
                                   "native_group_norm",
                                   "frobenius_norm",
                                   "nuclear_norm",
                                   "cosine_similarity",
                                   "poisson_nll_loss",
                                   "cosine_embedding_loss",
                                   "nll_loss",
                                   "nll_loss2d",
                                   "nll_loss_forward",
                                   "hinge_embedding_loss",
                                   "kl_div",
                                   "l1_loss",
                                   "smooth_l1_loss",
                                   "huber_loss",
                                   "mse_loss",
                                   "margin_ranking_loss",
                                   "multilabel_margin_loss",
                                   "soft_margin_loss",
                                   "triplet_margin_loss",
                                   "multi_margin_loss",
                                   "binary_cross_entropy_with_logits",
                                   "dist",
                                   "pdist",
                                   "cdist",
                                   "renorm",
                                   "logsumexp",
                                   "upsample_nearest2d",
                                   "upsample_bilinear2d",
                                   "upsample_bicubic2d"};

static const char *const wide_inside[] = {
    "prod",    "softmax", "_softmax",           "log_softmax",        "_log_softmax",
    "cumprod", "cumsum",  "linalg_vector_norm", "linalg_matrix_norm", "norm",
    "sum"};

static bool listed(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

autocast_policy autocast_of(const char *name) {
    if (strncmp(name, "aten::", 6) == 0)
        name += 6;
    if (listed(name, narrow, sizeof narrow / sizeof *narrow))
        return AUTOCAST_NARROW;
    if (listed(name, wide_inside, sizeof wide_inside / sizeof *wide_inside))
        return AUTOCAST_WIDE_INSIDE;
    return listed(name, wide, sizeof wide / sizeof *wide) ? AUTOCAST_WIDE : AUTOCAST_NOT_LISTED;
}
