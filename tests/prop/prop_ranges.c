/* Ranges are the user's remarks on a trace: drawn anywhere, they change no kernel's class and no
 * prediction. Recordings of the repository, with thousands of ranges written into them: around
 * operations, inside them, across their ends, and - where one iteration was recorded: a step is
 * what marks iterations - a profiler's step around everything. */
#include <stdlib.h>
#include <string.h>

#include <habitat/predict.h>

#include "check.h"
#include "random.h"
#include "recorded_text.h"

enum { RANGES = 3000 };

/* ---- ranges ---- */

static void append_range(text_sink *t, const char *name, long pid, long tid, double ts_us,
                         double dur_us, bool nvtx) {
    char line[512];
    int size = snprintf(line, sizeof line,
                        "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%ld,\"tid\":%ld,"
                        "\"ts\":%.3f,\"dur\":%.3f,\"args\":{%s}},\n",
                        nvtx ? "cpu_op" : "user_annotation", name, pid, tid, ts_us, dur_us,
                        nvtx ? "\"nvtx\": true" : "\"Sequence number\":3,\"Fwd thread id\":1");
    append(t, line, (size_t)size);
}

/* Around a call, the same times, inside it, over its start, over its end, far across. Some names
 * are those of operations and containers. */
static void random_range(text_sink *t, const call *c) {
    static const char *const names[] = {"step",
                                        "forward",
                                        "softmax",
                                        "aten::mm",
                                        "embedding",
                                        "Torch-Compiled Region: 0/0",
                                        "## Call Compiled",
                                        "Optimizer.step#Adam.step"};
    double start = c->ts_us, end = c->ts_us + c->dur_us, part = c->dur_us * below(1000) / 1000.0;
    switch (below(6)) {
    case 0:
        start -= 1, end += 1;
        break;
    case 1:
        break;
    case 2:
        start += part / 2, end -= part / 2;
        break;
    case 3:
        start -= part, end -= part / 2;
        break;
    case 4:
        start += part, end += 100 * part;
        break;
    default:
        start -= 1000, end += 2000;
    }
    append_range(t, names[below(8)], c->pid, c->tid, start, end - start, below(3) == 0);
}

/* The trace with ranges in front of its events. */
static text_sink with_ranges(const text_sink *plain, const call *calls, size_t count, int ranges,
                             bool step) {
    const char *events = strstr(plain->data, "\"traceEvents\":[");
    size_t head = (size_t)(events - plain->data) + strlen("\"traceEvents\":[");
    text_sink t = {0};
    append(&t, plain->data, head);
    for (int i = 0; i < ranges; i++)
        random_range(&t, &calls[below((uint32_t)count)]);
    if (step)
        append_range(&t, "ProfilerStep#5", calls[0].pid, calls[0].tid, calls[0].ts_us - 10e6, 20e6,
                     false);
    append(&t, plain->data + head, plain->size - head);
    return t;
}

/* ---- what is compared ---- */

typedef struct outcome {
    habitat_trace *trace;
    habitat_workload *w;
    habitat_prediction *p[2];
} outcome;

static const habitat_method methods[] = {HABITAT_METHOD_AUTO, HABITAT_METHOD_WAVE};

static habitat_gpu_table *table;

static outcome predict_text(const text_sink *t) {
    outcome o = {0};
    habitat_error err = {0};
    const habitat_gpu *origin = NULL, *dest = NULL;
    if (habitat_trace_read_memory(t->data, t->size, "ranges", &o.trace, &err) != HABITAT_OK ||
        habitat_gpu_match(table, &habitat_trace_get_info(o.trace)->device_facts, &origin, &err) !=
            HABITAT_OK ||
        habitat_gpu_find(table, "T4", &dest, NULL, &err) != HABITAT_OK ||
        habitat_workload_create(o.trace, origin, &o.w, &err) != HABITAT_OK ||
        habitat_predict(o.w, dest, methods[0], &o.p[0], &err) != HABITAT_OK ||
        habitat_predict(o.w, dest, methods[1], &o.p[1], &err) != HABITAT_OK) {
        printf("# no prediction: %s\n", err.message);
        exit(1);
    }
    return o;
}

static void done(outcome *o) {
    habitat_prediction_free(o->p[0]);
    habitat_prediction_free(o->p[1]);
    habitat_workload_free(o->w);
    habitat_trace_free(o->trace);
}

static void same(const outcome *a, const outcome *b) {
    size_t count = 0, other_count = 0, groups = 0, other_groups = 0, moved = 0;
    const habitat_workload_kernel *x = habitat_workload_kernels(a->w, &count);
    const habitat_workload_kernel *y = habitat_workload_kernels(b->w, &other_count);
    const habitat_workload_group *g = habitat_workload_groups(a->w, &groups);
    const habitat_workload_group *h = habitat_workload_groups(b->w, &other_groups);
    CHECK_INT(other_count, count);
    CHECK_INT(other_groups, groups);
    for (size_t i = 0; i < count && i < other_count; i++) {
        const habitat_operation *of = g[x[i].group].operation, *is = h[y[i].group].operation;
        moved += x[i].op_class != y[i].op_class || x[i].group != y[i].group || !of != !is ||
                 (of && strcmp(of->form->name, is->form->name) != 0) ||
                 a->p[0]->trace_kernels[i].ms != b->p[0]->trace_kernels[i].ms ||
                 a->p[1]->trace_kernels[i].ms != b->p[1]->trace_kernels[i].ms;
    }
    CHECK_INT(moved, 0);
    for (int m = 0; m < 2; m++)
        CHECK(a->p[m]->iteration_ms == b->p[m]->iteration_ms &&
              a->p[m]->kernel_ms == b->p[m]->kernel_ms && a->p[m]->low_ms == b->p[m]->low_ms &&
              a->p[m]->high_ms == b->p[m]->high_ms);
}

static void ranges_change_nothing(const char *name) {
    static call calls[CALLS_MAX];
    char path[1024];
    snprintf(path, sizeof path, "%s/data/recordings/%s", HABITAT_SOURCE_DIR, name);
    text_sink plain = unpacked(path);
    size_t count = plain.data ? find_calls(&plain, calls) : 0;
    CHECK(count > 100);
    if (count > 100) {
        outcome before = predict_text(&plain);
        const struct {
            int ranges;
            bool step;
        } rounds[] = {{0, true}, {1, false}, {50, false}, {RANGES, false}, {RANGES, true}};
        bool one = habitat_trace_get_info(before.trace)->iteration_count == 1;
        for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
            text_sink t =
                with_ranges(&plain, calls, count, rounds[i].ranges, one && rounds[i].step);
            outcome after = predict_text(&t);
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
    ranges_change_nothing("resnet50_b4_fp32_h200.json.gz");
    ranges_change_nothing("bert_large_training_s512_b2_fp32_h200.json.gz");
    ranges_change_nothing("dcgan_b64_fp32_h200.json.gz");
    ranges_change_nothing("gpt2_b4_bf16_h200.json.gz");
    habitat_gpu_table_free(table);
    return check_done();
}
