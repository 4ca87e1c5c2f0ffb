/* Shares of the memory's roof by the name of the kernel: means over kernels of counted work in the
 * recorded steps, weighted by time, rounded; of blocks fewer than multiprocessors and of
 * short times apart (auto_rule.c). Both halves of the models (every second of the alphabet) give
 * alike shares where both have such kernels; how they differ: docs/decisions/0289. Searched from
 * the top, the first part that a name contains wins. */
#include "kernels/share_by_name.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *part;
    double share;
} shares[] = {
    {"softmax_warp_forward", 0.8},
    {"softmax_warp_backward", 1.0},
    {"cunn_SoftMaxForward", 0.6},
    {"cunn_SoftMaxBackwardSmem", 1.0},
    {"cunn_SoftMaxBackward", 0.7},
    {"vectorized_layer_norm", 0.65},
    {"GammaBetaBackward", 1.0},
    {"layer_norm_grad_input", 0.8},
    {"bn_bw_1C11_singleread_spec", 0.55}, /* cuDNN's batch norm */
    {"bn_bw_1C11_singleread", 0.4},
    {"bn_bw_1C11", 0.25},
    {"bn_fw_tr_1C11_singleread_spec", 0.6},
    {"bn_fw_tr_1C11_singleread", 0.5},
    {"bn_fw_tr_1C11", 0.35},
    {"bn_fw_inf_1C11", 0.75},
    {"batch_norm_backward_kernel", 0.15}, /* PyTorch's */
    {"batch_norm_collect_statistics", 0.16},
    {"batch_norm_transform_input", 0.2},
    {"max_pool_backward", 0.13},
    {"max_pool_forward", 0.4},
    {"avg_pool2d_backward", 0.06},
    {"avg_pool2d_out", 0.14},
    {"embedding_backward_feature", 0.17},
    {"compute_grad_weight", 0.07},
    {"sum_and_scatter", 0.07},
    {"vectorized_gather", 1.0},
    {"radix_sort", 1.0},
    {"fused_dropout_kernel_vec", 0.85},
    {"unrolled_elementwise_kernel", 0.6},
    {"elementwise_kernel<128, 2", 0.6}, /* elements a thread */
    {"elementwise_kernel<128, 4", 0.32},
    {"CatArrayBatchedCopy", 0.3},
    {"reduce_kernel", 0.4},
};

double share_by_name(const char *name) {
    for (size_t i = 0; name && i < sizeof shares / sizeof *shares; i++)
        if (strstr(name, shares[i].part))
            return shares[i].share;
    return NAN;
}
