/* What the scaler of fp16 adds to the GPU's work in a step that was recorded without one. */
#ifndef HABITAT_RESCALE_SCALER_ADDED_H
#define HABITAT_RESCALE_SCALER_ADDED_H

#include "rescale/added.h"

/* Its pass over all gradients, in every iteration. Nothing where no optimiser was recorded: then no
 * scaler runs. */
void scaler_added(const habitat_workload *w, added_list *list);

#endif
