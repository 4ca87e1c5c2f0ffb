/* The table of methods. */
#ifndef HABITAT_PREDICT_METHOD_H
#define HABITAT_PREDICT_METHOD_H

#include "predict/plug.h"

/* NULL for a number that is no method. */
const method_plug *method_of(habitat_method method);

/* Names of the methods that a person can ask for and `wanted` accepts, in the order of the table:
 * "auto, mlp or wave", where `last` is " or ". text: cut off at `size` bytes. */
void method_list(bool (*wanted)(const method_plug *plug), const char *last, char *text,
                 size_t size);

/* What answers of these models are marked with, whichever method asks them. */
habitat_method method_marked(habitat_model_use use);

/* HABITAT_E_UNSUPPORTED, naming the other methods, where the method needs operator models and there
 * are none (NULL). */
habitat_status method_check_models(const method_plug *plug, const habitat_models *models,
                                   habitat_error *err);

enum { METHOD_LIST_BYTES = 256 };

#endif
