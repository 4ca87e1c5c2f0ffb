/* Operator models in `auto`: what a workload asks them. */
#ifndef HABITAT_PREDICT_AUTO_MODELS_H
#define HABITAT_PREDICT_AUTO_MODELS_H

#include "kernels/unsized_products.h"
#include "kernels/unsized_convolutions.h"
#include "predict/operator_model.h"
#include "predict/scaling.h"

/* One operation; equal ones are asked once. */
typedef struct auto_question {
    const habitat_work *work; /* of the first such group */
    habitat_dtype dtype;      /* arithmetic on the origin */
    bool matrix_unit;
} auto_question;

/* What the models say of a question on one GPU, and what the GPU's measured operations say of the
 * models. */
typedef struct auto_answer {
    double ms;               /* M; NaN = no model covers it */
    double correction;       /* measured operations add this to log M */
    double weight;           /* theirs, 0 to 1; 0 = there are none */
    habitat_outside outside; /* a size that M is not trained on */
} auto_answer;

typedef struct auto_models {
    size_t count;
    auto_question *questions; /* shape (count) */
    size_t guess_count;
    unsized_product *guesses; /* shape (guess_count): operations whose sizes nobody recorded */
    uint32_t *of_group;       /* shape (group_count): its question; HABITAT_NONE = not asked */
    auto_answer *origin;      /* shape (count) */
} auto_models;

/* Once a workload: its questions and their answers on the origin; m zeroed, it borrows of `told`;
 * models NULL where there are none. HABITAT_E_MEMORY, or what is wrong with the operations of the
 * origin's file. Free in every case. */
habitat_status auto_models_prepare(const habitat_workload *w, const unsized_convolutions *told,
                                   const habitat_models *models, auto_models *m,
                                   habitat_error *err);
void auto_models_free(auto_models *m);

/* Whether the destination computes a convolution in TF32 if that is quicker: its answer is for fp32
 * then, and counts where the rule takes longer. */
bool auto_models_permits(const scaling *s, const auto_question *q);

/* Answers for the destination without intervals; they borrow of m. operations: receives how many of
 * the destination's measured operations corrected them. Free them in every case. */
habitat_status auto_models_answer(const scaling *s, const auto_models *m, operator_answers *out,
                                  size_t *operations, habitat_error *err);

#endif
