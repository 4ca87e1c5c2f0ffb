/* The paper's networks: whole operations whose kernels differ between GPUs. */
#ifndef HABITAT_PREDICT_NETWORKS_H
#define HABITAT_PREDICT_NETWORKS_H

#include "predict/operator_model.h"
#include "predict/plug.h"

/* Calls of a method_plug: methods mlp and habitat share them. */
habitat_status networks_prepare(const habitat_workload *w, const habitat_models *models,
                                void **state, habitat_error *err);
void networks_free(void *state);
habitat_status networks_groups(const scaling *s, const void *state, operator_answers *answers,
                               size_t *operations, habitat_error *err);

#endif
