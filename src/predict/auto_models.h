/* Operator models in `auto`: what a workload asks them. */
#ifndef HABITAT_PREDICT_AUTO_MODELS_H
#define HABITAT_PREDICT_AUTO_MODELS_H

#include <habitat/predict.h>

/* One operation; equal ones are asked once. */
typedef struct auto_question {
    const habitat_work *work; /* of the first such group */
    uint64_t hash;
    habitat_dtype dtype; /* arithmetic on the origin */
    bool matrix_unit;
} auto_question;

typedef struct auto_models {
    size_t count;
    auto_question *questions; /* shape (count) */
    uint32_t *of_group;       /* shape (group_count): its question; HABITAT_NONE = not asked */
    double *origin_ms;        /* shape (count): M_o; NaN = no model covers it */
} auto_models;

struct habitat_workload;
struct scaling;
struct habitat_operator_answer;

/* Once a workload: its questions and their answers on the origin. */
habitat_status habitat_auto_models_prepare(struct habitat_workload *w);
void habitat_auto_models_free(auto_models *m);

/* Answers for the destination without intervals, shape (group_count); groups no model covers stay
 * as they are. */
habitat_status habitat_auto_models_answer(const struct scaling *s,
                                          struct habitat_operator_answer *out);

#endif
