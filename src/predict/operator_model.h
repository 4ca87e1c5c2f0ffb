/* Where learned operator models enter a prediction: a batch of operations at a time. */
#ifndef HABITAT_PREDICT_OPERATOR_MODEL_H
#define HABITAT_PREDICT_OPERATOR_MODEL_H

#include <math.h>

#include <habitat/models.h>
#include <habitat/predict.h>

/* A whole operation's time on the destination. */
typedef struct habitat_operator_answer {
    bool covered; /* false: the models do not cover this operation; no number */
    double ms;
    double low_ms, high_ms;  /* 80 % interval; 0 = the method's default width */
    habitat_method method;   /* what made it */
    bool guessed;            /* no measurement checks the interval */
    habitat_outside outside; /* of what the models were trained on: operator_analytic() */
} habitat_operator_answer;

/* Answers for the groups of a workload: alike ones have one. */
typedef struct operator_answers {
    habitat_operator_answer *each; /* NULL: none is covered */
    const uint32_t *of_group;      /* shape (group_count), borrowed: which of `each`, or
                                      HABITAT_NONE; NULL: that of its own number */
    double *ms;                    /* shape (group_count): times of the groups, NaN: not covered;
                                      NULL: those of `each` */
} operator_answers;

static inline habitat_operator_answer operator_answer_of(const operator_answers *a, size_t group) {
    size_t at = a->each && a->of_group ? a->of_group[group] : group;
    habitat_operator_answer out = {.covered = false};
    if (!a->each || at == HABITAT_NONE)
        return out;
    out = a->each[at];
    if (a->ms) {
        out.ms = a->ms[group];
        out.covered = !isnan(out.ms);
    }
    return out;
}

/* Frees `each` and `ms`, not what is borrowed. */
void operator_answers_free(operator_answers *a);

/* Times of n operations on `gpu`.
 * models:  NULL: there are none.
 * queries: shape (n); work known.
 * method:  what the answers are marked with.
 * out:     shape (n); untouched on error.
 * Returns HABITAT_OK; HABITAT_E_UNSUPPORTED (no models, or none of `use`); HABITAT_E_MEMORY. */
habitat_status operator_models_ask(const habitat_models *models, habitat_model_use use,
                                   habitat_method method, const habitat_gpu *gpu, size_t n,
                                   const habitat_model_query *queries, habitat_operator_answer *out,
                                   habitat_error *err);

/* Whether a size is outside, so that the time is analytic; else a number format is, or nothing. */
bool operator_analytic(const habitat_outside *outside);

enum { OUTSIDE_BYTES = sizeof((habitat_prediction *)0)->outside_note };

/* One line about such an operation. text: OUTSIDE_BYTES. */
void outside_text(const habitat_outside *outside, char *text);

#endif
