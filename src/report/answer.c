/* Answers as JSON text: the reports, written into memory. */
#include <habitat/answer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gpu/gpu.h"

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

habitat_status habitat_answer_gpus(const habitat_gpu_table *table, const habitat_gpu *gpu,
                                   char **out, habitat_error *err) {
    if (!table || !out)
        return habitat_fail(err, HABITAT_E_ARG, "table and out must not be NULL");
    text t = {0};
    habitat_report_options options = into(&t);
    habitat_status status = gpu ? habitat_report_gpu(table, gpu, &options, err)
                                : habitat_report_gpus(table, &options, err);
    return finish(status, &t, out, err);
}

enum { NOTE_BYTES = 512 };

/* What `asked` says, unless the recording proves it wrong, else what the trace says. `note`
 * receives one line where the recording names another GPU, else "". */
static habitat_status find_origin(const habitat_gpu_table *table, const habitat_trace *trace,
                                  const habitat_gpu *asked, const habitat_gpu **out,
                                  char note[NOTE_BYTES], habitat_error *err) {
    static const char prefix[] = "origin: ";
    const habitat_device_facts *facts = &habitat_trace_get_info(trace)->device_facts;
    enum { PREFIX_BYTES = sizeof prefix - 1 };
    note[0] = '\0';
    if (!asked)
        return habitat_gpu_match(table, facts, out, err);
    char line[NOTE_BYTES - PREFIX_BYTES];
    habitat_status status = habitat_gpu_check_origin(table, asked, facts, line, sizeof line, err);
    if (status != HABITAT_OK)
        return status;
    if (*line)
        snprintf(note, NOTE_BYTES, "%s%s", prefix, line);
    *out = asked;
    return HABITAT_OK;
}

habitat_status habitat_answer_trace(const habitat_gpu_table *table, const habitat_trace *trace,
                                    const habitat_gpu *asked, char **out, habitat_error *err) {
    if (!table || !trace || !out)
        return habitat_fail(err, HABITAT_E_ARG, "table, trace and out must not be NULL");
    const habitat_gpu *origin = NULL;
    habitat_workload *workload = NULL;
    habitat_error unknown = {0};
    char note[NOTE_BYTES] = "";
    const char *warnings[1] = {note};
    text t = {0};
    habitat_report_options options = into(&t);
    habitat_report_predictions what = {.trace = trace};
    habitat_status status = HABITAT_OK;
    if (!habitat_trace_get_info(trace)->device_count) {
        /* of the CPU alone: no GPU to look up */
    } else if (find_origin(table, trace, asked, &origin, note, &unknown) == HABITAT_OK) {
        status = habitat_workload_create(trace, origin, &workload, err);
    } else if (asked) {
        if (err)
            *err = unknown;
        return unknown.code;
    } else {
        warnings[0] = unknown.message; /* a GPU that nobody knows is no error here */
    }
    what.warnings = warnings;
    what.warning_count = *warnings[0] != '\0';
    what.workload = workload;
    if (status == HABITAT_OK)
        status = habitat_report_trace(&what, &options, err);
    habitat_workload_free(workload);
    return finish(status, &t, out, err);
}

/* Predictions of one question, with the warnings that came up on the way. */
typedef struct made {
    habitat_workload *workload;
    habitat_predictor *predictor;
    habitat_method method;
    habitat_prediction **predictions;
    size_t count;
    char origin_note[NOTE_BYTES];
    char (*notes)[NOTE_BYTES];
    const char **warnings;
    size_t warning_count;
} made;

static void made_free(made *m) {
    for (size_t i = 0; i < m->count; i++)
        habitat_prediction_free(m->predictions[i]);
    free(m->predictions);
    free(m->notes);
    free(m->warnings);
    habitat_predictor_free(m->predictor);
    habitat_workload_free(m->workload);
}

static habitat_status predict_all(const habitat_question *q, made *m, habitat_error *err) {
    m->predictions = calloc(q->count, sizeof(*m->predictions));
    m->notes = calloc(q->count, sizeof *m->notes);
    m->warnings = calloc(q->count + q->warning_count + 1, sizeof(*m->warnings));
    if (!m->predictions || !m->notes || !m->warnings)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (m->origin_note[0])
        m->warnings[m->warning_count++] = m->origin_note;
    for (size_t i = 0; i < q->warning_count; i++)
        m->warnings[m->warning_count++] = q->warnings[i];
    for (size_t i = 0; i < q->count; i++) {
        habitat_error failed = {0};
        habitat_status status = habitat_predictor_predict(m->predictor, q->destinations[i],
                                                          &m->predictions[m->count], &failed);
        if (status == HABITAT_OK) {
            m->count++;
        } else if (status == HABITAT_E_NO_SPEC && q->count > 1) {
            snprintf(m->notes[i], sizeof m->notes[i], "%s: left out: %s", q->destinations[i]->name,
                     failed.message);
            m->warnings[m->warning_count++] = m->notes[i];
        } else {
            if (err)
                *err = failed;
            return status;
        }
    }
    return HABITAT_OK;
}

static habitat_status prepare(const habitat_gpu_table *table, const habitat_trace *trace,
                              const habitat_question *q, made *m, habitat_report_by *by,
                              habitat_error *err) {
    const habitat_gpu *origin = NULL;
    habitat_status status = HABITAT_OK;
    if (q->method)
        status = habitat_method_from_name(q->method, &m->method, err);
    if (status == HABITAT_OK && q->by)
        status = habitat_report_by_from_name(q->by, by, err);
    if (status == HABITAT_OK)
        status = find_origin(table, trace, q->origin, &origin, m->origin_note, err);
    if (status == HABITAT_OK)
        status = habitat_workload_create(trace, origin, &m->workload, err);
    if (status == HABITAT_OK)
        status = habitat_predictor_create(m->workload, m->method, &m->predictor, err);
    if (status == HABITAT_OK)
        status = predict_all(q, m, err);
    return status;
}

habitat_status habitat_answer_prediction(const habitat_gpu_table *table, const habitat_trace *trace,
                                         const habitat_question *question, char **out,
                                         habitat_error *err) {
    if (!table || !trace || !question || !out || !question->count || !question->destinations)
        return habitat_fail(err, HABITAT_E_ARG,
                            "table, trace, question with destinations and out must be given");
    made m = {.method = HABITAT_METHOD_AUTO};
    text t = {0};
    habitat_report_options options = into(&t);
    habitat_status status = prepare(table, trace, question, &m, &options.by, err);
    if (status == HABITAT_OK) {
        habitat_report_predictions what = {
            .trace = trace,
            .workload = m.workload,
            .method = m.method,
            .count = m.count,
            .predictions = (const habitat_prediction *const *)m.predictions,
            .warning_count = m.warning_count,
            .warnings = m.warnings,
        };
        status = question->explain ? habitat_report_explanation(&what, &options, err)
                                   : habitat_report_prediction(&what, &options, err);
    }
    made_free(&m);
    return finish(status, &t, out, err);
}

void habitat_answer_free(char *answer) {
    free(answer);
}
