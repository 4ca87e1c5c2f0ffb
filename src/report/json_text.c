/* Answers as JSON text and as pages: the reports, written into memory. */
#include <habitat/json.h>
#include <habitat/report.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef struct text {
    char *data;
    size_t size, capacity;
} text;

/* habitat_write of the reports: appends; keeps a NUL behind the end. */
static int append(void *context, const char *data, size_t size) {
    text *t = context;
    if (t->capacity - t->size <= size) {
        size_t capacity = (t->size + size + 1) * 2;
        char *grown = realloc(t->data, capacity);
        if (!grown)
            return -1;
        t->data = grown;
        t->capacity = capacity;
    }
    memcpy(t->data + t->size, data, size);
    t->size += size;
    t->data[t->size] = '\0';
    return 0;
}

static habitat_report_options into(text *t) {
    return (habitat_report_options){.format = HABITAT_REPORT_JSON, .write = append, .context = t};
}

/* Hands the text over, or frees it when the report failed; a refused write is missing memory. */
static habitat_status finish(habitat_status status, text *t, char **out, habitat_error *err) {
    if (status == HABITAT_OK && t->data) {
        *out = t->data;
        return HABITAT_OK;
    }
    free(t->data);
    if (status == HABITAT_OK || status == HABITAT_E_IO)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return status;
}

habitat_status habitat_json_gpus(const habitat_gpu_table *table, const habitat_gpu *gpu, char **out,
                                 habitat_error *err) {
    if (!table || !out)
        return habitat_fail(err, HABITAT_E_ARG, "table and out must not be NULL");
    text t = {0};
    habitat_report_options options = into(&t);
    habitat_status status = gpu ? habitat_report_gpu(table, gpu, &options, err)
                                : habitat_report_gpus(table, &options, err);
    return finish(status, &t, out, err);
}

static habitat_status write_answer(const habitat_request *r, const habitat_answer *answer,
                                   bool explain, const habitat_report_options *options,
                                   habitat_error *err) {
    if (r->operations)
        return habitat_report_operation(answer, options, err);
    if (r->no_predictions)
        return habitat_report_trace(answer, options, err);
    return explain ? habitat_report_explanation(answer, options, err)
                   : habitat_report_prediction(answer, options, err);
}

static habitat_status answer_text(const habitat_request *request, bool explain,
                                  const habitat_report_options *options, text *t, char **out,
                                  habitat_error *err) {
    habitat_answer *answer = NULL;
    habitat_status status = habitat_ask(request, &answer, err);
    if (status == HABITAT_OK)
        status = write_answer(request, answer, explain, options, err);
    habitat_answer_free(answer);
    return finish(status, t, out, err);
}

habitat_status habitat_json_answer(const habitat_request *request, const char *by, bool explain,
                                   char **out, habitat_error *err) {
    text t = {0};
    habitat_report_options options = into(&t);
    if (!request || !out)
        return habitat_fail(err, HABITAT_E_ARG, "a request and a place for its answer are needed");
    habitat_status status = by ? habitat_report_by_from_name(by, &options.by, err) : HABITAT_OK;
    return status == HABITAT_OK ? answer_text(request, explain, &options, &t, out, err) : status;
}

habitat_status habitat_html_answer(const habitat_request *request, bool explain, char **out,
                                   habitat_error *err) {
    text t = {0};
    habitat_report_options options = into(&t);
    if (!request || !out)
        return habitat_fail(err, HABITAT_E_ARG, "a request and a place for its answer are needed");
    options.format = HABITAT_REPORT_HTML;
    options.shorten = request->destination_count == 0;
    return answer_text(request, explain, &options, &t, out, err);
}

habitat_status habitat_json_operation(const habitat_request *request, const char *op,
                                      const char *shape, const char *dtype, const char *pass,
                                      char **out, habitat_error *err) {
    habitat_measurement parts[HABITAT_OPERATION_PARTS_MAX];
    habitat_model_query questions[HABITAT_OPERATION_PARTS_MAX];
    if (!request)
        return habitat_fail(err, HABITAT_E_ARG, "no request given");
    habitat_request asked = *request;
    habitat_status status =
        habitat_operation_from_words(op, shape, dtype, pass, parts, &asked.operation_count, err);
    if (status != HABITAT_OK)
        return status;
    for (size_t i = 0; i < asked.operation_count; i++)
        questions[i] = habitat_strict_query(&parts[i]);
    asked.operations = questions;
    asked.name = op;
    asked.shape = shape;
    return habitat_json_answer(&asked, NULL, false, out, err);
}

void habitat_json_free(char *json) {
    free(json);
}
