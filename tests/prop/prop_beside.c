/* Threads beside the step: one that never asks the GPU for anything (it writes a log, or reads
 * files) changes no answer, wherever its operations lie. Recordings of the repository, with the
 * operations of such threads written into them; one GPU and four, as recorded and in amp-fp16. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "random.h"
#include "recorded_text.h"

enum { OPERATIONS = 200 };

static habitat_gpu_table *table;

/* The trace with operations of a thread of its own, of this process or another one, in front. */
static text_sink with_thread(const text_sink *plain, const call *calls, size_t count,
                             int operations, bool own_process) {
    const char *events = strstr(plain->data, "\"traceEvents\":[");
    size_t head = (size_t)(events - plain->data) + strlen("\"traceEvents\":[");
    text_sink t = {0};
    append(&t, plain->data, head);
    for (int i = 0; i < operations; i++) {
        const call *c = &calls[below((uint32_t)count)], *d = &calls[below((uint32_t)count)];
        double start_us = i % 2 ? c->ts_us : c->ts_us / 2 + d->ts_us / 2; /* in pauses, too */
        char line[512];
        int size =
            snprintf(line, sizeof line,
                     "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::add\",\"pid\":%ld,"
                     "\"tid\":4242,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"Input Dims\":"
                     "[[4,4],[4,4],[]],\"Input type\":[\"float\",\"float\",\"Scalar\"]}},\n",
                     own_process ? 4242 : c->pid, start_us, c->dur_us < 100 ? c->dur_us : 100.0);
        append(&t, line, (size_t)size);
    }
    append(&t, plain->data + head, plain->size - head);
    return t;
}

typedef struct outcome {
    habitat_trace *trace;
    habitat_answer *answers[2]; /* one GPU and four; amp-fp16 */
} outcome;

static outcome ask_text(const text_sink *t) {
    static const uint32_t counts[] = {1, 4};
    outcome o = {0};
    habitat_error err = {0};
    const habitat_gpu *to[2] = {NULL, NULL};
    habitat_request request;
    habitat_request_init(&request);
    bool fine =
        habitat_trace_read_memory(t->data, t->size, "threads", &o.trace, &err) == HABITAT_OK &&
        habitat_gpu_find(table, "H100", &to[0], NULL, &err) == HABITAT_OK &&
        habitat_gpu_find(table, "T4", &to[1], NULL, &err) == HABITAT_OK;
    request.trace = o.trace;
    request.gpus = table;
    request.destinations = to;
    request.destination_count = 2;
    request.gpu_counts = counts;
    request.gpu_counts_count = 2;
    fine = fine && habitat_ask(&request, &o.answers[0], &err) == HABITAT_OK;
    request.gpu_counts = NULL;
    request.gpu_counts_count = 0;
    request.precision = HABITAT_PRECISION_AMP_FP16;
    fine = fine && habitat_ask(&request, &o.answers[1], &err) == HABITAT_OK;
    if (!fine) {
        printf("# no answer: %s\n", err.message);
        exit(1);
    }
    return o;
}

static void done(outcome *o) {
    habitat_answer_free(o->answers[0]);
    habitat_answer_free(o->answers[1]);
    habitat_trace_free(o->trace);
}

static void same(const outcome *a, const outcome *b) {
    for (int i = 0; i < 2; i++) {
        CHECK_INT(b->answers[i]->row_count, a->answers[i]->row_count);
        for (size_t k = 0; k < a->answers[i]->row_count; k++) {
            const habitat_prediction *x = a->answers[i]->rows[k].prediction;
            const habitat_prediction *y = b->answers[i]->rows[k].prediction;
            CHECK_NEAR(y->iteration_ms, x->iteration_ms, 1e-9);
            CHECK_NEAR(y->low_ms, x->low_ms, 1e-9);
            CHECK_NEAR(y->high_ms, x->high_ms, 1e-9);
            CHECK_NEAR(y->cpu_ms, x->cpu_ms, 1e-9);
        }
    }
}

static void threads_change_nothing(const char *name) {
    static call calls[CALLS_MAX];
    char path[1024];
    snprintf(path, sizeof path, "%s/data/recordings/%s", HABITAT_SOURCE_DIR, name);
    text_sink plain = unpacked(path);
    size_t count = plain.data ? find_calls(&plain, calls) : 0;
    CHECK(count > 100);
    if (count > 100) {
        outcome before = ask_text(&plain);
        for (int round = 0; round < 4; round++) {
            text_sink t =
                with_thread(&plain, calls, count, round < 2 ? 3 : OPERATIONS, round % 2 == 1);
            outcome after = ask_text(&t);
            same(&before, &after);
            done(&after);
            text_sink_clear(&t);
        }
        done(&before);
    }
    free(plain.data);
    check_case(name);
}

int main(void) {
    habitat_error err = {0};
    if (habitat_gpu_table_create(NULL, &table, &err) != HABITAT_OK)
        return 1;
    threads_change_nothing("resnet50_b4_fp32_h100.json.gz");
    threads_change_nothing("bert_b2_fp32_h100.json.gz");
    threads_change_nothing("gpt2_b4_tf32_h200.json.gz");
    threads_change_nothing("training_ways/lightning_b32_h200.json.gz");
    habitat_gpu_table_free(table);
    return check_done();
}
