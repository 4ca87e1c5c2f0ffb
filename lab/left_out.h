/* Operator models under judgement, and which GPUs are left out together. */
#ifndef HABITAT_LAB_LEFT_OUT_H
#define HABITAT_LAB_LEFT_OUT_H

#include <habitat/models.h>

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

#endif
