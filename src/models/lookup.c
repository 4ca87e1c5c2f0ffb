/* Which model answers for a class and a GPU, and what one model says of one operation. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/constants_operators.h"
#include "base/words.h"
#include "gpu/gpu.h"
#include "models/learned.h"

static const word uses[] = {{"auto", HABITAT_MODEL_AUTO, NULL},
                            {"seen", HABITAT_MODEL_SEEN, NULL},
                            {"transfer", HABITAT_MODEL_TRANSFER, NULL},
                            {"mlp", HABITAT_MODEL_PAPER, NULL}};
static const vocabulary model_uses = VOCABULARY("use of a model", uses);

const char *habitat_model_use_name(habitat_model_use use) {
    const char *name = word_name(&model_uses, (int)use);
    return name ? name : "unknown";
}

void learned_kind_name(const habitat_gpu *gpu, char out[LEARNED_KIND_BYTES]) {
    snprintf(out, LEARNED_KIND_BYTES, "sm_%u", gpu->compute_capability);
}

bool learned_names_kind(const char *name) {
    return strncmp(name, "sm_", 3) == 0;
}

size_t learned_kinds(const operator_model *model) {
    size_t kinds = 0;
    for (uint32_t i = 0; i < model->gpu_count; i++)
        kinds += learned_names_kind(model->gpus[i]);
    return kinds ? kinds : model->gpu_count;
}

const operator_model *learned_find(const habitat_models *models, unsigned class_number,
                                   habitat_model_use use) {
    for (uint32_t i = 0; i < models->count; i++)
        if (models->models[i].use == (uint8_t)use && models->models[i].class_number == class_number)
            return &models->models[i];
    return NULL;
}

bool learned_knows(const operator_model *model, const char *gpu) {
    for (uint32_t i = 0; model && i < model->gpu_count; i++)
        if (strcmp(model->gpus[i], gpu) == 0)
            return true;
    return false;
}

bool learned_knows_way(const operator_model *model, unsigned way) {
    return model->ways.known == 0 || (model->ways.known >> way & 1);
}

double learned_tree_ms(const operator_model *model, const operator_view *view) {
    bool known = learned_knows_way(model, view->way);
    double shrink = model->use == HABITAT_MODEL_SEEN ? 1
                    : known                          ? (double)model->shrink
                                                     : (double)model->ways.shrink;
    double correction = shrink * trees_predict(&model->trees, view->inputs);
    return fmax(view->base_ms * exp(correction), view->floor_ms);
}

learned_ends learned_ends_of(const operator_model *model, const operator_view *view,
                             bool estimated) {
    const learned_spread *s = &model->spread;
    if (!learned_knows_way(model, view->way)) {
        double half = (double)(estimated ? model->ways.half_estimated : model->ways.half);
        return (learned_ends){-half, half};
    }
    if (s->trees.count == 0)
        return estimated
                   ? (learned_ends){(double)model->low_estimated, (double)model->high_estimated}
                   : (learned_ends){(double)model->low, (double)model->high};
    double rows = (double)(estimated ? s->rows_estimated : s->rows);
    double bias = (double)(estimated ? s->bias_estimated : s->bias);
    double own = rows * exp((double)s->power * trees_predict(&s->trees, view->inputs));
    bool is_long = view->base_ms >= chosen_long_operation_ms;
    double half = fmax(hypot(own, bias), is_long ? chosen_least_width_long : chosen_least_width);
    return (learned_ends){-half, half};
}

bool learned_on_estimates(const habitat_gpu *gpu, operator_class c, habitat_dtype arithmetic) {
    if (operator_facts_of(c)->memory_bound)
        return gpu->sustained_bandwidth_estimated;
    if (operator_on_matrix_units(operator_facts_of(c)->estimated_unit, arithmetic))
        return gpu->sustained_matrix_estimated[arithmetic];
    return gpu->sustained_plain_estimated[HABITAT_DTYPE_FP32];
}
