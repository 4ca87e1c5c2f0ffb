/* Method habitat, as the paper has it: networks for operations whose kernels differ between GPUs,
 * wave scaling for kernels that run on both. docs/mlp.md */
#include "predict/method_wave.h"
#include "predict/networks.h"
#include "predict/plug.h"

static scaled kernel(const scaling *s, const void *state, size_t i) {
    const habitat_workload_kernel *kernel = &s->w->kernels[i];
    (void)state;
    return kernel->varying ? scaled_not_covered() : wave_kernel(s, kernel, false);
}

static bool covers(const habitat_work *work) {
    return work->varying;
}

const method_plug method_habitat = {.name = "habitat",
                                    .askable = true,
                                    .asks_models = true,
                                    .needs_models = true,
                                    .models = HABITAT_MODEL_PAPER,
                                    .marked = HABITAT_METHOD_MLP,
                                    .prepare = networks_prepare,
                                    .free = networks_free,
                                    .groups = networks_groups,
                                    .kernel = kernel,
                                    .covers = covers};
