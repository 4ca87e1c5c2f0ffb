/* A step of events, its workload and its replay. Included once by a test. */
#ifndef HABITAT_TESTS_REPLAY_SUBJECT_H
#define HABITAT_TESTS_REPLAY_SUBJECT_H

#include <habitat/replay.h>

#include "check.h"
#include "made_gpu.h"
#include "made_trace.h"

static habitat_gpu gpu;

typedef struct event {
    char kind; /* o operation, c call, k kernel, w noted wait of a stream, n kernel of NCCL, s mark
                */
    const char *name;
    double start, duration;
    unsigned thread, stream, correlation;
    const char *more; /* arguments, with a comma before each; or NULL */
} event;

static void write_event(made_text *text, const event *e) {
    static const char *const categories[] = {"cpu_op", "cuda_runtime", "kernel", "cuda_sync",
                                             "user_annotation"};
    int of = e->kind == 'o' ? 0 : e->kind == 'c' ? 1 : e->kind == 'w' ? 3 : e->kind == 's' ? 4 : 2;
    bool on_gpu = of == 2 || of == 3;
    made_write(text,
               "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %u, "
               "\"ts\": %.3f, \"dur\": %.3f, \"args\": {\"correlation\": %u",
               categories[of], e->name, on_gpu ? 0 : 1, on_gpu ? e->stream : e->thread,
               1000.0 + e->start, e->duration, e->correlation);
    if (on_gpu)
        made_write(text, ", \"device\": 0, \"stream\": %u", e->stream);
    if (of == 2 && !(e->more && strstr(e->more, "grid")))
        made_write(text, ", \"grid\": [400, 1, 1], \"block\": [256, 1, 1]");
    made_write(text, "%s}},\n", e->more ? e->more : "");
}

typedef struct subject {
    habitat_trace *trace;
    habitat_workload *w;
    habitat_replay *r;
    const habitat_replay_info *info;
} subject;

/* One step of `length`; 0: nothing marks it. */
static subject subject_of(const event *list, size_t count, double length, const char *extra,
                          const habitat_replay_options *options) {
    made_text text = {0};
    subject s = {0};
    habitat_error err = {0};
    made_write(&text, "{%s \"deviceProperties\": [{\"id\": 0, \"name\": \"made\"}], ", extra);
    made_write(&text, "\"traceEvents\": [\n");
    for (size_t i = 0; i < count; i++)
        write_event(&text, &list[i]);
    if (length > 0.0)
        made_write(&text,
                   "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#1\", "
                   "\"pid\": 1, \"tid\": 1, \"ts\": 1000.0, \"dur\": %.3f},\n",
                   length);
    made_write(&text, "{\"ph\": \"M\", \"name\": \"x\", \"pid\": 1, \"args\": {}}]}\n");
    if (habitat_trace_read_memory(text.data, text.used, "made", &s.trace, &err) != HABITAT_OK ||
        habitat_workload_create(s.trace, &gpu, &s.w, &err) != HABITAT_OK ||
        habitat_replay_create(s.w, options, &s.r, &err) != HABITAT_OK)
        printf("# no replay: %s\n", err.message);
    free(text.data);
    s.info = s.r ? habitat_replay_get_info(s.r) : NULL;
    return s;
}

#define SUBJECT(list, length, extra, ...)                                                          \
    subject_of(list, sizeof list / sizeof *list, length, extra,                                    \
               &(habitat_replay_options){__VA_ARGS__})

static void done(subject *s) {
    habitat_replay_free(s->r);
    habitat_workload_free(s->w);
    habitat_trace_free(s->trace);
}

/* Replay with all kernels `share` times as long. */
static inline habitat_replay_result run(const subject *s, double share) {
    double ns[64];
    size_t count = 0;
    habitat_replay_result result = {0};
    habitat_error err = {0};
    const habitat_workload_kernel *kernels = habitat_workload_kernels(s->w, &count);
    for (size_t i = 0; i < count; i++)
        ns[i] = share * (double)kernels[i].kernel->duration_ns;
    CHECK_INT(habitat_replay_run(s->r, ns, &result, &err), HABITAT_OK);
    return result;
}

#endif
