/* Operations that a calibration measured, as questions to the models, and what they say of the
 * models' answers for their GPU: docs/modelling.md#calibrated-operations. */
#ifndef HABITAT_MODELS_CALIBRATED_H
#define HABITAT_MODELS_CALIBRATED_H

#include "models/offset.h"

typedef struct calibrated {
    habitat_measurement *rows; /* shape (count) */
    size_t count;
    size_t unknown; /* operations no model is trained for: left out */
} calibrated;

/* The operations of `gpu`; none is no error. An operation whose sizes cannot be is HABITAT_E_RANGE
 * with the GPU's file and line. Free in every case. */
habitat_status calibrated_read(const habitat_gpu *gpu, calibrated *out, habitat_error *err);
void calibrated_free(calibrated *c);

/* Gradients of a convolution or attention are told apart; those of other classes are products or
 * rows like the forward pass. */
enum { OFFSET_PASSES = HABITAT_PASS_BACKWARD_WEIGHT + 1 };
typedef struct class_offsets {
    class_offset of[OPERATOR_CLASSES][OFFSET_PASSES];
} class_offsets;

/* predicted: of each row on `gpu`, shape (count); those not covered are not counted. */
habitat_status calibrated_offsets(const calibrated *c, const habitat_gpu *gpu,
                                  const habitat_model_estimate *predicted, class_offsets *out,
                                  habitat_error *err);

/* The offset of a question's class and pass; weight 0 where no operation tells. */
class_offset calibrated_offset_of(const class_offsets *offsets, const habitat_model_query *query);

/* Measured operations behind the offsets of n questions, each counted once. */
size_t calibrated_count(const class_offsets *offsets, const habitat_model_query *queries, size_t n);

#endif
