/* Classes that few and related GPUs were measured on. */
#ifndef HABITAT_LAB_EVALUATE_KINDS_H
#define HABITAT_LAB_EVALUATE_KINDS_H

#include "lab/op_intervals.h"

/* Rows of the classes that are judged by kind (operator/class.c), each GPU, number format and pass
 * apart.
 * @param named   bit c: class c is judged.
 * @param cases receives the rows whose GPU was left out. */
habitat_status evaluate_kinds(unsigned named, const habitat_dataset *data,
                              const habitat_gpu_table *gpus, const habitat_train_options *options,
                              op_cases *cases, report_text *text, habitat_error *err);

#endif
