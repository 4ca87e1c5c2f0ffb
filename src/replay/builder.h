/* Building a graph: a sweep over all points in the order of their recorded time. */
#ifndef HABITAT_REPLAY_BUILDER_H
#define HABITAT_REPLAY_BUILDER_H

#include <math.h>
#include <stdlib.h>

#include "replay/graph.h"
#include "workload/workload.h"

/* What a CPU thread has done so far. */
typedef struct replay_thread {
    uint32_t last;        /* its latest node, or HABITAT_NONE */
    uint64_t last_ns;     /* when that was */
    uint64_t discount_ns; /* of what follows it, waiting for room in the GPU's queue */
    bool apart;           /* it never asks the GPU for anything, and others do */
    bool inside;          /* a segment */
    uint64_t began_ns;    /* that segment */
    uint64_t active_ns;   /* all segments before */
    double others_ns;     /* what the other threads had been active when its last segment ended */
    uint32_t copied_on;   /* stream of its last copy, or HABITAT_NONE */
} replay_thread;

typedef struct replay_stream {
    uint32_t number, device;     /* as recorded */
    uint32_t launched;           /* the kernel launched last, or HABITAT_NONE */
    uint32_t last, last_but_one; /* kernels that began last */
    uint32_t state;              /* carried to the next iteration as; 0: not */
    double busy_ns;
    uint32_t pending_count;
} replay_stream;

/* A stretch of the CPU's time that is no work; see pauses.c. */
typedef struct replay_pause {
    uint64_t from_ns, to_ns;
    uint32_t operation; /* innermost around it, or HABITAT_NONE; of a slow call: the call */
    uint32_t thread;    /* of a slow call */
    bool loader;        /* the data loader's */
    bool data;          /* spent on the data of a batch: grows with its size; data.c */
    bool within;        /* an operation's work, counted with what is around it */
    bool once;          /* what a GPU or a library does when it is first used */
} replay_pause;

/* A call, or a pause inside an operation, that may be a first use; see first_use.c. */
typedef struct replay_slow {
    const char *name; /* borrowed from the trace */
    uint64_t start_ns, ns;
    uint32_t iteration;
} replay_slow;

typedef struct replay_pauses {
    replay_pause *list;
    size_t count, capacity;
} replay_pauses;

/* A kernel waits for another by an event. In the order of the kernels' launches. */
typedef struct replay_held {
    uint32_t awaited;
    uint32_t next; /* of the same kernel, or HABITAT_NONE */
} replay_held;

typedef struct replay_builder {
    const habitat_workload *w;
    const habitat_operation *ops;
    const habitat_call *calls;
    const habitat_kernel *kernels; /* all of the trace */
    const habitat_workload_kernel *own;
    size_t op_count, call_count, kernel_count, own_count;
    replay_graph *graph;
    habitat_replay_info *info;
    replay_thread *threads;
    size_t thread_count;
    replay_stream *streams;
    size_t stream_count;
    uint32_t *pending;       /* shape (stream_count, stream_count): kernels that the next one
                                launched on a stream waits for; or HABITAT_NONE */
    uint32_t *snapshot;      /* shape (stream_count): launched last before the last event */
    uint32_t *own_of;        /* shape (kernel_count): kernel of the workload, or HABITAT_NONE; NULL:
                                the workload holds all */
    uint8_t *slot;           /* shape (own_count): stream */
    uint32_t *kernel_node;   /* shape (own_count): or HABITAT_NONE so far */
    uint32_t *call_node;     /* shape (call_count): or HABITAT_NONE */
    uint32_t *owner;         /* shape (call_count): the call around it that has a node; itself */
    uint32_t *record_kernel; /* shape (call_count): what a recorded event stands behind; NULL: no
                                call waits for one */
    uint32_t *held_first;    /* shape (own_count): index into held, or HABITAT_NONE; NULL: none */
    replay_held *held;
    size_t held_count, held_capacity;
    replay_pauses pauses;     /* of all threads together; apart, in order */
    replay_pauses slow_calls; /* in order of thread and time */
    replay_slow *slow;        /* shape (slow_count): what is compared by name */
    size_t slow_count, slow_capacity;
    double longest_once_ns, longest_block_ns;
    double *at_once_ns; /* shape (node_count): when each happens, were all launched at once */
    uint32_t *by_end;   /* shape (own_count): kernels in the order of their recorded ends */
    size_t launched, ended;
    double usual_launch_ns;
    bool waits_noted;                          /* the profiler noted which stream waits */
    bool waits_recorded;                       /* it recorded events and synchronisations at all */
    bool waits_for_calls;                      /* it noted which call put an event there */
    uint32_t any_pending;                      /* waits of which not even the stream is noted */
    uint64_t active_done_ns, active_starts_ns; /* of all threads: see active_before() */
    size_t inside_count;
    uint32_t ended_node[2], ended_thread[2]; /* segments that ended last, of two threads */
    uint64_t ended_ns[2];
} replay_builder;

/* points.c: nodes without edges, in order. */
habitat_status replay_points(replay_builder *b, habitat_error *err);

/* Whether the call, if it is inside an iteration, has a point of its own or is in one that has. */
bool replay_is_seen(const habitat_call *call);

/* replay_recorded_ns() while the graph is built. */
uint64_t replay_point_ns(const replay_builder *b, const replay_node *node);

/* pauses.c: once the bounds of the graph are known; false when out of memory. */
bool replay_find_pauses(replay_builder *b);

/* data.c: whether an operation's own time on the CPU is spent on the data of a batch. */
bool replay_is_data(const replay_builder *b, uint32_t operation);

/* first_use.c: keep what may be slow, all of it before the first question; false when out of
 * memory. */
bool replay_note_slow(replay_builder *b, replay_slow made);

/* Whether something of its name is as slow in another iteration. */
bool replay_recurs(const replay_builder *b, const replay_slow *slow);

/* Whether a slow call, or a pause inside this operation, is what a GPU or library does when it is
 * first used. */
bool replay_call_is_once(const replay_builder *b, const replay_slow *slow);
bool replay_operation_is_once(const replay_builder *b, uint32_t operation, const replay_slow *slow);

/* Of the time that a thread passes from one point to the next: what it waited for something
 * outside, and what happens once. */
typedef struct replay_split {
    double wait_ns, once_ns;
    double data_wait_ns, data_work_ns; /* spent on the data of a batch: of the waits; of the rest */
} replay_split;

/* Of the recorded time [from, to) of a thread, ns. pauses.c */
replay_split replay_split_way(const replay_builder *b, uint32_t thread, uint64_t from, uint64_t to);

/* What a launch took because its kernel was loaded; 0 mostly. */
double replay_first_use(replay_builder *b, const habitat_call *launch);

/* cpu.c: which threads are apart, once calls have their points. */
void replay_find_apart(replay_builder *b);

/* cpu.c: the edges of a CPU's point; each returns false when out of memory. */
bool replay_cpu_point(replay_builder *b, size_t node);

/* A launch waits for room in the GPU's queue if it takes so many times the usual. */
enum { REPLAY_MUCH_LONGER = 10 };

/* streams.c */
bool replay_launch(replay_builder *b, uint32_t call); /* its kernels take their waits along */
void replay_event(replay_builder *b, uint32_t call);  /* an event recorded or waited for */
bool replay_wake(replay_builder *b, size_t node);     /* edges from what a call waits for */
bool replay_kernel(replay_builder *b, size_t node);
bool replay_is_unmarked(
    const replay_builder *b); /* iterations are the whole trace, or cut by count */

/* Until when all that a kernel waits for was done, as recorded. */
typedef struct replay_reasons {
    double kernels_ns; /* ends of kernels; -INFINITY: none */
    double launch_ns;  /* the end of its launch; -INFINITY: not recorded */
    bool crosses;      /* a kernel of another stream is among them */
    bool message;      /* the last of them to end is a collective */
} replay_reasons;

/* kernel_room.c: of the edges up to `edge_end`; and, where it began later than they say, another
 * one. */
void replay_find_reasons(const replay_builder *b, size_t node, size_t edge_end,
                         replay_reasons *out);
bool replay_kernel_room(replay_builder *b, size_t node); /* false when out of memory */
void replay_at_once(replay_builder *b, size_t node);     /* once its edges are known */

/* gaps.c: pauses and latency, from all kernels and their edges; false when out of memory. */
bool replay_set_gaps(replay_builder *b);
habitat_status replay_set_hidden(replay_builder *b, habitat_error *err);

/* Shape (count + 1), each HABITAT_NONE; NULL when out of memory. */
static inline uint32_t *replay_filled(size_t count) {
    uint32_t *made = malloc((count + 1) * sizeof *made);
    for (size_t i = 0; made && i <= count; i++)
        made[i] = HABITAT_NONE;
    return made;
}

static inline bool replay_is_stream(const replay_stream *s, uint32_t device, uint32_t number) {
    return s->number == number && s->device == device;
}

static inline uint64_t replay_kernel_end(const habitat_kernel *k) {
    return k->start_ns + k->duration_ns;
}

#endif
