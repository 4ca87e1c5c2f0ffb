/* Words that are operations. */
#ifndef HABITAT_QUESTION_KNOWN_H
#define HABITAT_QUESTION_KNOWN_H

#include <stdbool.h>

/* Whether tables know this word of an operation, as `habitat op` does. (schema_operations.c) */
bool question_knows_operation(const char *name);

/* Whether its two gradients are two products. */
bool question_is_product(const char *name);

#endif
