/* The lists of autocast for CUDA, as in PyTorch's aten/src/ATen/autocast_mode.h (2.11), and the
 * inner operations that a trace has in their place.
 * docs/formulas.md#another-batch-size-or-precision
 */
#include "work/autocast.h"

#include <stdlib.h>
#include <string.h>

#include "trace/names.h"

typedef struct listed {
    const char *name; /* without "aten::" */
    autocast_policy policy;
} listed;

/* Sorted by name (strcmp). */
static const listed operations[] = {
    {"_convolution", AUTOCAST_NARROW},
    {"_cudnn_rnn", AUTOCAST_NARROW},
    /* in no list of PyTorch's: it is given what its weights have, and products inside it are made
     * in place, which autocast leaves alone */
    {"_grouped_mm", AUTOCAST_WIDE},
    {"_log_softmax", AUTOCAST_WIDE_INSIDE},
    {"_scaled_dot_product_cudnn_attention", AUTOCAST_NARROW},
    {"_scaled_dot_product_efficient_attention", AUTOCAST_NARROW},
    {"_scaled_dot_product_flash_attention", AUTOCAST_NARROW},
    {"_softmax", AUTOCAST_WIDE_INSIDE},
    {"_thnn_fused_gru_cell", AUTOCAST_NARROW},
    {"_thnn_fused_lstm_cell", AUTOCAST_NARROW},
    {"_upsample_bicubic2d_aa", AUTOCAST_WIDE},
    {"_upsample_bilinear2d_aa", AUTOCAST_WIDE},
    {"_upsample_nearest_exact1d", AUTOCAST_WIDE},
    {"_upsample_nearest_exact2d", AUTOCAST_WIDE},
    {"_upsample_nearest_exact3d", AUTOCAST_WIDE},
    {"acos", AUTOCAST_WIDE},
    {"addbmm", AUTOCAST_NARROW},
    {"addmm", AUTOCAST_NARROW},
    {"addmv", AUTOCAST_NARROW},
    {"addr", AUTOCAST_NARROW},
    {"asin", AUTOCAST_WIDE},
    {"baddbmm", AUTOCAST_NARROW},
    {"binary_cross_entropy_with_logits", AUTOCAST_WIDE},
    {"bmm", AUTOCAST_NARROW},
    {"cdist", AUTOCAST_WIDE},
    {"chain_matmul", AUTOCAST_NARROW},
    {"conv1d", AUTOCAST_NARROW},
    {"conv2d", AUTOCAST_NARROW},
    {"conv3d", AUTOCAST_NARROW},
    {"conv_tbc", AUTOCAST_NARROW},
    {"conv_transpose1d", AUTOCAST_NARROW},
    {"conv_transpose2d", AUTOCAST_NARROW},
    {"conv_transpose3d", AUTOCAST_NARROW},
    {"convolution", AUTOCAST_NARROW},
    {"cosh", AUTOCAST_WIDE},
    {"cosine_embedding_loss", AUTOCAST_WIDE},
    {"cosine_similarity", AUTOCAST_WIDE},
    {"cudnn_convolution", AUTOCAST_NARROW},
    {"cudnn_convolution_transpose", AUTOCAST_NARROW},
    {"cumprod", AUTOCAST_WIDE_INSIDE},
    {"cumsum", AUTOCAST_WIDE_INSIDE},
    {"dist", AUTOCAST_WIDE},
    {"einsum", AUTOCAST_NARROW},
    {"erfinv", AUTOCAST_WIDE},
    {"exp", AUTOCAST_WIDE},
    {"expm1", AUTOCAST_WIDE},
    {"frobenius_norm", AUTOCAST_WIDE},
    {"group_norm", AUTOCAST_WIDE},
    {"gru", AUTOCAST_NARROW},
    {"gru_cell", AUTOCAST_NARROW},
    {"hinge_embedding_loss", AUTOCAST_WIDE},
    {"huber_loss", AUTOCAST_WIDE},
    {"kl_div", AUTOCAST_WIDE},
    {"l1_loss", AUTOCAST_WIDE},
    {"layer_norm", AUTOCAST_WIDE},
    {"linalg_matrix_norm", AUTOCAST_WIDE_INSIDE},
    {"linalg_multi_dot", AUTOCAST_NARROW},
    {"linalg_vecdot", AUTOCAST_NARROW},
    {"linalg_vector_norm", AUTOCAST_WIDE_INSIDE},
    {"linear", AUTOCAST_NARROW},
    {"log", AUTOCAST_WIDE},
    {"log10", AUTOCAST_WIDE},
    {"log1p", AUTOCAST_WIDE},
    {"log2", AUTOCAST_WIDE},
    {"log_softmax", AUTOCAST_WIDE_INSIDE},
    {"logsumexp", AUTOCAST_WIDE},
    {"lstm", AUTOCAST_NARROW},
    {"lstm_cell", AUTOCAST_NARROW},
    {"margin_ranking_loss", AUTOCAST_WIDE},
    {"matmul", AUTOCAST_NARROW},
    {"miopen_rnn", AUTOCAST_NARROW},
    {"mm", AUTOCAST_NARROW},
    {"mse_loss", AUTOCAST_WIDE},
    {"multi_margin_loss", AUTOCAST_WIDE},
    {"multilabel_margin_loss", AUTOCAST_WIDE},
    {"mv", AUTOCAST_NARROW},
    {"native_group_norm", AUTOCAST_WIDE},
    {"native_layer_norm", AUTOCAST_WIDE},
    {"nll_loss", AUTOCAST_WIDE},
    {"nll_loss2d", AUTOCAST_WIDE},
    {"nll_loss2d_forward", AUTOCAST_WIDE},
    {"nll_loss_forward", AUTOCAST_WIDE},
    {"norm", AUTOCAST_WIDE_INSIDE},
    {"nuclear_norm", AUTOCAST_WIDE},
    {"pdist", AUTOCAST_WIDE},
    {"poisson_nll_loss", AUTOCAST_WIDE},
    {"pow", AUTOCAST_WIDE},
    {"prelu", AUTOCAST_NARROW},
    {"prod", AUTOCAST_WIDE_INSIDE},
    {"reciprocal", AUTOCAST_WIDE},
    {"renorm", AUTOCAST_WIDE},
    {"rnn_relu_cell", AUTOCAST_NARROW},
    {"rnn_tanh_cell", AUTOCAST_NARROW},
    {"rsqrt", AUTOCAST_WIDE},
    {"scaled_dot_product_attention", AUTOCAST_NARROW},
    {"sinh", AUTOCAST_WIDE},
    {"smooth_l1_loss", AUTOCAST_WIDE},
    {"soft_margin_loss", AUTOCAST_WIDE},
    {"softmax", AUTOCAST_WIDE_INSIDE},
    {"softplus", AUTOCAST_WIDE},
    {"sum", AUTOCAST_WIDE_INSIDE},
    {"tan", AUTOCAST_WIDE},
    {"triplet_margin_loss", AUTOCAST_WIDE},
    {"upsample_bicubic2d", AUTOCAST_WIDE},
    {"upsample_bilinear2d", AUTOCAST_WIDE},
    {"upsample_linear1d", AUTOCAST_WIDE},
    {"upsample_nearest1d", AUTOCAST_WIDE},
    {"upsample_nearest2d", AUTOCAST_WIDE},
    {"upsample_nearest3d", AUTOCAST_WIDE},
    {"upsample_trilinear3d", AUTOCAST_WIDE},
};

static int by_name(const void *key, const void *row) {
    return strcmp(key, ((const listed *)row)->name);
}

autocast_policy autocast_of(const char *name) {
    name = name_bare(name);
    const listed *found = bsearch(name, operations, sizeof operations / sizeof *operations,
                                  sizeof *operations, by_name);
    return found ? found->policy : AUTOCAST_NOT_LISTED;
}

habitat_dtype autocast_narrow(const char *name, habitat_dtype narrow) {
    static const char *const layers[] = {"_cudnn_rnn", "_cudnn_rnn_backward", "miopen_rnn",
                                         "miopen_rnn_backward"};
    name = name_bare(name);
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        if (strcmp(name, layers[i]) == 0)
            return HABITAT_DTYPE_FP16;
    return narrow;
}
