/* Method mlp: the paper's networks for the operations they know, and nothing else.
 * docs/mlp.md */
#include "predict/networks.h"
#include "predict/plug.h"

const method_plug method_mlp = {.name = "mlp",
                                .askable = true,
                                .asks_models = true,
                                .needs_models = true,
                                .models = HABITAT_MODEL_PAPER,
                                .marked = HABITAT_METHOD_MLP,
                                .prepare = networks_prepare,
                                .free = networks_free,
                                .groups = networks_groups};
