/* One operation on one GPU, as `habitat op` asks for it. */
#ifndef HABITAT_TESTS_ASK_OPERATION_H
#define HABITAT_TESTS_ASK_OPERATION_H

#include <stdio.h>

#include <habitat/ask.h>

static inline habitat_status ask_operation(const habitat_work *work, const habitat_gpu *gpu,
                                           habitat_method method, habitat_estimate *out,
                                           habitat_error *err) {
    habitat_model_query question = {.work = work, .arithmetic = work->dtype};
    habitat_request request;
    habitat_answer *answer = NULL;
    habitat_request_init(&request);
    request.operations = &question;
    request.operation_count = 1;
    request.destinations = &gpu;
    request.destination_count = 1;
    request.method = method;
    habitat_status status = habitat_ask(&request, &answer, err);
    if (status != HABITAT_OK)
        return status;
    const habitat_operation_estimate *whole = &answer->rows[0].whole;
    status = whole->status;
    if (status == HABITAT_OK)
        *out = whole->estimate;
    else if (err)
        snprintf(err->message, sizeof err->message, "%s", whole->reason);
    habitat_answer_free(answer);
    return status;
}

#endif
