/* Replay of made traces of every odd kind: several CPU threads that end before they began anything,
 * launches that are missing or stand for many kernels, kernels of no time or before their launch,
 * tens of streams, events and waits for streams that have no work, annotations across all of it.
 * Each is replayed or refused; the answer is a time that its path, its busy time and its streams
 * fit into; and a GPU whose every kernel is slower, by whatever factors, never has a shorter
 * iteration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay_subject.h"

enum { EVENTS = 400, ROUNDS = 600, SLOWER = 12 };

static uint64_t state = 11;

/* 0 <= x < 1, the same every time. */
static double draw(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static unsigned below(unsigned n) {
    return (unsigned)(draw() * n);
}

/* What a trace is made of. */
typedef struct kind {
    unsigned threads, streams;
    double span;               /* us */
    double missing, in_graph;  /* shares of kernels: without a launch, of a graph's */
    double empty, early, late; /* of no time; before their launch; long after it */
} kind;

static kind draw_kind(void) {
    kind k = {
        1 + below(6), 1 + below(draw() < 0.2 ? 60 : 6), 50.0 + 3000.0 * draw(), 0, 0, 0, 0, 0};
    double *const shares[] = {&k.missing, &k.in_graph, &k.empty, &k.early, &k.late};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        *shares[i] = draw() < 0.6 ? 0.0 : draw();
    return k;
}

static const char *const grids[] = {
    NULL, ", \"grid\": [1, 1, 1], \"block\": [32, 1, 1]",
    ", \"grid\": [60, 1, 1], \"block\": [256, 1, 1]",
    ", \"grid\": [400, 1, 1], \"block\": [256, 1, 1], \"graph node id\": 7"};

/* A call, and the kernels that it launches; their number. */
static size_t add_launch(const kind *k, event *list, unsigned correlation) {
    bool graph = draw() < k->in_graph, missing = draw() < k->missing;
    double at = draw() * k->span, begin = at + (draw() < k->early ? -3.0 : 8.0 * draw());
    begin += draw() < k->late ? 100.0 * draw() : 0.0;
    size_t count = 0, kernels = graph ? 1 + below(6) : 1;
    unsigned stream = 7 + below(k->streams);
    const char *name = draw() < 0.05 ? "ncclDevKernel_AllReduce" : "a";
    if (!missing)
        list[count++] = (event){'c',
                                graph ? "cudaGraphLaunch" : "cudaLaunchKernel",
                                at,
                                1.0 + 5.0 * draw(),
                                1 + below(k->threads),
                                0,
                                correlation,
                                NULL};
    for (size_t i = 0; i < kernels; i++) {
        double lasts = draw() < k->empty ? 0.0 : 60.0 * draw() * draw();
        list[count++] = (event){'k', name,   fmax(0.0, begin), lasts,
                                0,   stream, correlation,      grids[graph ? 3 : below(3)]};
        begin += lasts + 2.0 * draw();
        stream = draw() < 0.3 ? 7 + below(k->streams) : stream;
    }
    return count;
}

static event draw_other(const kind *k, unsigned correlation) {
    static const char *const calls[] = {"cudaEventRecord",       "cudaStreamWaitEvent",
                                        "cudaDeviceSynchronize", "cudaStreamSynchronize",
                                        "cudaEventSynchronize",  "cudaMalloc",
                                        "cudaMemcpyAsync"};
    static const char *const marks[] = {"step", "nn.Module: A", "Optimizer.step#SGD.step",
                                        "enumerate(DataLoader)#_SingleProcess.__next__"};
    double at = draw() * k->span, lasts = draw() * draw() * 0.2 * k->span;
    unsigned thread = 1 + below(k->threads);
    switch (below(4)) {
    case 0:
        return (event){'o', below(2) ? "aten::mm" : "aten::add", at, lasts, thread, 0, 0, NULL};
    case 1:
        return (event){'s', marks[below(4)], at, lasts, thread, 0, 0, NULL};
    case 2:
        return (event){'w', "Stream Wait Event",       at,          1,
                       0,   7 + below(k->streams + 1), correlation, ", \"wait_on_stream\": -1"};
    default:
        return (event){'c', calls[below(7)], at, lasts, thread, 0, correlation, NULL};
    }
}

static size_t draw_trace(const kind *k, event *list) {
    size_t count = 0, most = 20 + below(EVENTS - 40);
    unsigned correlation = 0;
    while (count < most) {
        if (draw() < 0.6)
            count += add_launch(k, &list[count], ++correlation);
        else
            list[count++] = draw_other(k, draw() < 0.5 ? correlation : ++correlation);
    }
    return count;
}

/* The answer is in itself sound. */
static double check_run(const subject *s, const double *ns) {
    habitat_replay_result r = {0};
    habitat_error err = {0};
    CHECK_INT(habitat_replay_run(s->r, ns, &r, &err), HABITAT_OK);
    double all = r.iteration_ms * (1.0 + 1e-9) + 1e-12;
    CHECK(isfinite(r.iteration_ms) && r.iteration_ms >= 0.0);
    CHECK(r.busy_ms >= 0.0 && r.busy_ms <= all);
    CHECK(r.idle_ms >= -1e-12 && r.idle_ms <= all);
    CHECK(r.gpu_ms <= all || isnan(r.cpu_ms));
    CHECK(r.path_cpu_ms >= 0.0 && r.path_kernel_ms >= -1e-12 && r.path_gap_ms >= -1e-12);
    CHECK(r.path_cpu_ms + r.path_kernel_ms + r.path_gap_ms <= all);
    return r.iteration_ms;
}

static void check_slower(const subject *s) {
    size_t count = 0;
    const habitat_workload_kernel *kernels = habitat_workload_kernels(s->w, &count);
    double *ns = malloc((count + 1) * sizeof *ns), before = 0.0;
    for (size_t i = 0; i < count; i++)
        ns[i] = 0.5 * kernels[i].facts.time_ns;
    for (int round = 0; round < SLOWER; round++) {
        double after = check_run(s, ns);
        CHECK(after >= before * (1.0 - 1e-12));
        before = after;
        double most = round % 2 ? 1.0 : 3.0 / (double)(count + 1), by = 1.0 + 3.0 * draw();
        for (size_t i = 0; i < count; i++) /* all of them, or one or few */
            ns[i] = draw() < most ? ns[i] * by * (1.0 + draw()) + 1.0 : ns[i];
    }
    free(ns);
}

static void test_odd(void) {
    static event list[EVENTS + 16];
    size_t replayed = 0, several = 0;
    for (int round = 0; round < ROUNDS; round++) {
        kind k = draw_kind();
        size_t count = draw_trace(&k, list);
        static const char own_time[] = "\"habitat\": {\"iteration_ms\": 0.5},";
        subject s =
            subject_of(list, count, draw() < 0.5 ? 0.9 * k.span : 0.0, draw() < 0.3 ? own_time : "",
                       &(habitat_replay_options){.cpu_ms = draw() < 0.3 ? 0.2 : 0.0,
                                                 .withhold = draw() < 0.5});
        if (s.r) {
            replayed++;
            several += s.info->thread_count > 1 && s.info->stream_count > 1;
            check_slower(&s);
        }
        done(&s);
    }
    CHECK(replayed > ROUNDS / 2);
    CHECK(several > ROUNDS / 4);
    check_case("odd traces are replayed, and slower kernels never shorten them");
}

/* Kernels of more streams than are followed, or than are carried on. */
static void test_streams(void) {
    static event list[2 * 302];
    for (unsigned streams = 1; streams <= 302; streams += streams < 20 ? 1 : 47) {
        for (unsigned i = 0; i < streams; i++) {
            list[2 * i] = (event){'c', "cudaLaunchKernel", 3.0 * i, 2, 1 + i % 3, 0, i + 1, NULL};
            list[2 * i + 1] = (event){'k', "a", 3.0 * i + 4.0, 40, 0, 7 + i, i + 1, grids[i % 3]};
        }
        subject s = subject_of(list, 2 * (size_t)streams, 1000, "",
                               &(habitat_replay_options){.withhold = true});
        CHECK((s.r != NULL) == (streams <= 256));
        if (s.r)
            check_slower(&s);
        done(&s);
    }
    check_case("of any number of streams; of more than are followed none is replayed");
}

int main(void) {
    gpu = made_gpu("made", 10, 1.0, 1000, 10);
    test_odd();
    test_streams();
    return check_done();
}
