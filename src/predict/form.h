/* Forms that auto's rule could have, to be compared (`habitat eval pairs`). Predictions have the
 * first. */
#ifndef HABITAT_PREDICT_FORM_H
#define HABITAT_PREDICT_FORM_H

#include <habitat/predict.h>

typedef enum auto_form {
    AUTO_FORM_RULE = 0,     /* as docs/formulas.md#auto has it */
    AUTO_FORM_RATIO,        /* all of a kernel by the ratio of rooflines */
    AUTO_FORM_NO_CACHE,     /* M by DRAM alone */
    AUTO_FORM_CLOCK,        /* what is beyond M by the clock alone */
    AUTO_FORM_SUM,          /* what is beyond M always added to it */
    AUTO_FORM_UNKNOWN_ROOF, /* work that nobody counted all by its roof */
    AUTO_FORMS
} auto_form;

/* As the tables of `habitat eval pairs` call it; static text. */
const char *auto_form_name(auto_form form);

/** As habitat_predict() with method auto, its rule in another form. */
habitat_status predict_as(const habitat_workload *w, const habitat_gpu *dest, auto_form form,
                          habitat_prediction **out, habitat_error *err);

#endif
