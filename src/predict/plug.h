/* What a method is to the rest of src/predict: one struct. CONTRIBUTING.md says how to add one. */
#ifndef HABITAT_PREDICT_PLUG_H
#define HABITAT_PREDICT_PLUG_H

#include "predict/operator_model.h"
#include "predict/operation_question.h"
#include "predict/scaling.h"

/* A method. A call that it does not have is NULL. A struct with a name alone marks numbers. */
typedef struct method_plug {
    const char *name;         /* as on the command line */
    bool askable;             /* a person can ask for it */
    bool asks_models;         /* it asks the operator models of `models` ... */
    bool needs_models;        /* ... and has no answer without them */
    habitat_model_use models; /* read where asks_models */
    habitat_method marked;    /* what their answers are marked with */
    bool sustained;           /* single operations: by sustained rates, else by the spec sheet's */

    /* Default interval, low = ms / (1 + width); alike: between GPUs of one architecture. NULL: the
     * usual one, default_width_... of base/constants_intervals.h. */
    double (*width)(bool alike);

    /* Once a workload: what the calls below are given as `state`. models: NULL: there are none. */
    habitat_status (*prepare)(const habitat_workload *w, const habitat_models *models, void **state,
                              habitat_error *err);
    void (*free)(void *state); /* of what prepare() made; NULL is allowed */

    /* Once a destination: times of whole operations. answers: zeroed, freed in every case, before
     * the state; operations: receives how many measured operations of the destination corrected
     * them. */
    habitat_status (*groups)(const scaling *s, const void *state, operator_answers *answers,
                             size_t *operations, habitat_error *err);

    /* Kernel i of an operation that groups() did not cover; ns NaN where this does not either.
     * Never a collective. */
    scaled (*kernel)(const scaling *s, const void *state, size_t i);

    /* In place of it, where times go with the recorded one: kernel i's time over that, as `ns`. It
     * looks at the kernel's launch and work alone, and is asked once for all that are alike
     * (kernel_kinds.h). */
    scaled (*factor)(const scaling *s, size_t i);

    /* Whether its intervals between these GPUs are calibrated, as those of interval.c; and what is
     * known of the kernel whose rate binds kernel i. Both or none. */
    bool (*calibrated)(const scaling *s);
    const habitat_kernel_facts *(*binding)(const scaling *s, const void *state, size_t i);

    /* One operation without a measurement, where no model was asked or none knows it.
     * HABITAT_E_NO_SPEC, HABITAT_E_UNSUPPORTED. */
    habitat_status (*operation)(const method_question *q, method_answer *out, habitat_error *err);
    bool (*covers)(const habitat_work *work); /* which ones it answers; NULL = every one */
} method_plug;

#endif
