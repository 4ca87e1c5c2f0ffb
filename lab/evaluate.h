/* Judging operator models: shared by the two protocols. */
#ifndef HABITAT_LAB_EVALUATE_H
#define HABITAT_LAB_EVALUATE_H

#include "lab/report.h"
#include "models/learned.h"

/* GPUs that are left out together: one chip under several names. */
typedef struct leave_out {
    const char *title;
    const char *names[4];
    size_t count;
} leave_out;
enum { LEAVE_OUTS = 8 };
extern const leave_out leave_outs[LEAVE_OUTS];

/* Models trained without each group in turn; and with all but its test rows. The paper's networks
 * are trained once with all GPUs' training rows. */
typedef struct judged_models {
    habitat_models *without[LEAVE_OUTS];
    habitat_models *seen[LEAVE_OUTS];
    habitat_models *seen_paper;
} judged_models;

/* The published per-class metric over folder/e2e_ops. */
habitat_status evaluate_published(const judged_models *models, const habitat_gpu_table *gpus,
                                  const char *folder, report_text *text, habitat_error *err);

/* Rows of the classes that are judged by kind (operator/class.c), each GPU, number format and pass
 * apart. */
habitat_status evaluate_kinds(const habitat_dataset *data, const habitat_gpu_table *gpus,
                              const habitat_train_options *options, report_text *text,
                              habitat_error *err);

#endif
