/* Training of operator models: which classes, and all of them. */
#ifndef HABITAT_LAB_TRAIN_H
#define HABITAT_LAB_TRAIN_H

#include "lab/lab.h"
#include "models/learned.h"

/* Bits (1 << operator_class) of the classes that the options name, all when they name none.
 * HABITAT_E_ARG: no such class. */
habitat_status train_named_classes(const habitat_train_options *options, unsigned *out,
                                   habitat_error *err);

/* Classes to train, one bit each (1 << operator_class). */
habitat_status train_classes(const habitat_dataset *data, const habitat_gpu_table *gpus,
                             const habitat_train_options *options, unsigned classes,
                             habitat_models **out, habitat_error *err);

#endif
