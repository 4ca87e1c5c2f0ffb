/* Questions: when two are the same one. */
#ifndef HABITAT_QUESTION_QUERY_H
#define HABITAT_QUESTION_QUERY_H

#include <stdint.h>

#include <habitat/question.h>

/* The question that a measurement answers; borrows `row`. */
habitat_model_query question_of(const habitat_measurement *row);

/* Hash of everything that decides a question's answer but the GPU. */
uint64_t question_hash(const habitat_model_query *query);

/* Whether everything that question_hash() looks at is the same. */
bool question_same(const habitat_model_query *a, const habitat_model_query *b);

#endif
