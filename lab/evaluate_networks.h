/* The published per-class metric: operators of whole models. */
#ifndef HABITAT_LAB_EVALUATE_NETWORKS_H
#define HABITAT_LAB_EVALUATE_NETWORKS_H

#include "lab/left_out.h"
#include "lab/report.h"

/* The published per-class metric over folder/e2e_ops. */
habitat_status evaluate_published(const judged_models *models, const habitat_gpu_table *gpus,
                                  const char *folder, report_text *text, habitat_error *err);

#endif
