/* Containers: what frameworks record around operations. A container is no operation: kernels inside
 * it can be of any kind, so they are known by their own names. */
#include "work/container.h"

#include <stddef.h>
#include <string.h>

/* Names begin so. What launches a CUDA graph is not in the list: it can be anything, and kernels
 * know that they came out of a graph (habitat_kernel.in_graph). */
static const struct container {
    const char *prefix;
    const char *source;
} containers[] = {
    {"Torch-Compiled Region", "torch.compile: \"Torch-Compiled Region: 0/0\""},
    {"CompiledFunction", "AOTAutograd: CompiledFunction, CompiledFunctionBackward"},
    {"## Call CompiledFxGraph", "Inductor: \"## Call CompiledFxGraph HASH ##\""},
    {"TorchDynamo Cache Lookup", "torch.compile"},
    {"Pregraph bytecode", "torch.compile"},
    {"AOTDispatcher Runtime Wrapper", "AOTAutograd: ... Prologue, ... Epilogue"},
    {"autograd::engine::evaluate_function", "autograd: around the node of each operation"},
    {"torch::autograd::", "autograd's own nodes: AccumulateGrad, GraphRoot, CopySlices"},
    {"Optimizer.", "torch.optim: Optimizer.step#AdamW.step, Optimizer.zero_grad#AdamW.zero_grad"},
    {"ProfilerStep#", "torch.profiler: one iteration"},
    {"habitat_iteration", "habitat record: one iteration"},
    {"nn.Module:", "torch.profiler with modules"},
    {"DistributedDataParallel.", "DDP: DistributedDataParallel.forward"},
    {"FullyShardedDataParallel.", "FSDP: FullyShardedDataParallel.forward"},
    {"FSDP::", "FSDP2: FSDP::pre_forward, FSDP::all_gather"},
    {"enumerate(DataLoader)", "torch.utils.data: enumerate(DataLoader)#..."},
};

bool work_is_container(const char *name) {
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (!strncmp(name, containers[i].prefix, strlen(containers[i].prefix)))
            return true;
    return false;
}

bool work_is_layer(const char *name) {
    static const char *const layers[] = {"aten::linear",
                                         "aten::bilinear",
                                         "aten::conv1d",
                                         "aten::conv2d",
                                         "aten::conv3d",
                                         "aten::embedding",
                                         "aten::layer_norm",
                                         "aten::batch_norm",
                                         "aten::group_norm",
                                         "aten::rms_norm",
                                         "aten::dropout",
                                         "aten::relu",
                                         "aten::gelu",
                                         "aten::silu",
                                         "aten::lstm",
                                         "aten::gru",
                                         "aten::softmax",
                                         "aten::max_pool2d",
                                         "aten::cross_entropy_loss",
                                         "aten::scaled_dot_product_attention"};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        if (!strcmp(name, layers[i]))
            return true;
    return false;
}
