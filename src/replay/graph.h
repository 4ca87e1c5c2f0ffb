/* The graph: points of CPU threads and kernels, in an order in which each comes after all it waits
 * for. A node happens when the last of its edges allows it; a kernel's node is its end. */
#ifndef HABITAT_REPLAY_GRAPH_H
#define HABITAT_REPLAY_GRAPH_H

#include <math.h>

#include <habitat/replay.h>

enum {
    REPLAY_STREAMS_MAX = 256, /* followed */
    REPLAY_STATES_MAX = 17,   /* carried from one iteration to the next: the CPU, 16 streams */
    REPLAY_ALL_STATES = 65,   /* the same of all ranks together */
    REPLAY_LAUNCH = 1,        /* edge flags: adds the launch latency */
    REPLAY_GAP = 2,           /* adds the node's pause */
    REPLAY_WAIT = 16,         /* a part of its time is a wait for something outside, or grows with
                                 the batch */
    REPLAY_ROOM = 4,          /* from a kernel: not its end, but when so little of it is left that
                                 another one has room beside it */
};
#define REPLAY_CARRY (UINT32_C(1) << 31) /* edge from state `from - REPLAY_CARRY` */

typedef enum replay_kind {
    REPLAY_BEGIN = 0,     /* of the iterations */
    REPLAY_SEGMENT_BEGIN, /* an outermost operation: index of an operation */
    REPLAY_SEGMENT_END,
    REPLAY_CALL,   /* start of a call that the GPU sees: index of a call */
    REPLAY_WAKE,   /* end of a call that waits */
    REPLAY_KERNEL, /* index of a workload's kernel */
    REPLAY_END,
} replay_kind;

/* A graph of a long trace has millions of nodes and edges: they are small. When a node was recorded
 * is replay_recorded_ns(). */
enum { REPLAY_PLACE_BITS = 29, REPLAY_PLACE_MOST = (1 << REPLAY_PLACE_BITS) - 1 };
typedef struct replay_node {
    uint32_t index; /* HABITAT_NONE of BEGIN and END */
    uint32_t first_edge;
    uint32_t kind : 3;                  /* replay_kind */
    uint32_t place : REPLAY_PLACE_BITS; /* CPU: thread; kernel: number of its stream */
} replay_node;

/* Where it leads to is the node whose edges it is among. */
typedef struct replay_edge {
    uint32_t from; /* node, earlier; or REPLAY_CARRY and a state */
    uint32_t way;  /* replay_edge_flags() and replay_edge_cpu_ns() */
} replay_edge;

typedef struct replay_graph {
    replay_node *nodes; /* shape (node_count + 1): the last one only ends the edges */
    size_t node_count;
    replay_edge *edges;
    size_t edge_count, edge_capacity;
    double *long_ns; /* shape (long_count): what a way has no room for: the CPU's times and pauses
                        [ns], and the share of a kernel that REPLAY_ROOM leaves */
    size_t long_count, long_capacity;
    uint32_t *gaps;    /* shape (kernel_count): ways; pause before each, after another kernel */
    double *hidden_ns; /* shape (kernel_count): of a collective's time, waiting beside other work;
                          NULL where none waits */
    size_t kernel_count;
    uint32_t *slot;                /* shape (node_count), below slot_count: replay_set_slots() */
    size_t slot_count, most_edges; /* of one node */
    uint64_t begin_ns, end_ns;     /* of the nodes BEGIN and END, recorded */
    double slow_work_ns;           /* of pauses that are an operation's work */
    double latency_ns;             /* from a launch's end to its kernel's start */
    uint32_t state_nodes[REPLAY_ALL_STATES]; /* which node leaves a state behind; or NONE */
    size_t state_count;                      /* state 0 is the CPU */
    bool has_cpu, has_waits;
} replay_graph;

/* What a graph is run with. */
typedef struct replay_times {
    const double *kernel_ns; /* shape (kernel_count); NULL: those of `own` */
    double kernel_scale, cpu_scale, gap_scale;
    bool without_gpu; /* kernels, pauses and latency cost nothing, and all have room */
    const habitat_workload_kernel *own;
    bool with_room;    /* all kernels have room, whatever runs on other streams */
    double waits_gone; /* share of the waits for something outside that is left out: 0 mostly */
    double data_more;  /* of the time spent on a batch's data, so much more: 0 as recorded */
} replay_times;

/* Rebuild the graph; counts go into `info`. Free the graph in every case. */
habitat_status replay_build(const habitat_workload *w, replay_graph *graph,
                            habitat_replay_info *info, habitat_error *err);
void replay_graph_free(replay_graph *graph);

/* Another edge to the last node that was begun; false when out of memory. cpu_ns: the CPU's time on
 * the way, as recorded; with REPLAY_ROOM the share of the kernel `from` that is left. */
bool replay_add_edge(replay_graph *graph, uint32_t from, uint32_t flags, double cpu_ns);

/* The CPU's side of a way. */
typedef struct replay_side {
    double cpu_ns;
    double wait_ns;      /* for something outside: no scale of the CPU changes it */
    double data_work_ns; /* of cpu_ns, spent on the data of a batch; */
    double data_wait_ns; /* of wait_ns */
} replay_side;

/* The same with a wait, or with data, on the way. */
bool replay_add_waiting_edge(replay_graph *graph, uint32_t from, uint32_t flags, replay_side side);

/* An edge's way: its flags, whether its time is elsewhere, and the time or where it is. */
enum { REPLAY_WAY_LONG = 8, REPLAY_WAY_BITS = 5 };

static inline uint32_t replay_edge_flags(const replay_edge *edge) {
    return edge->way & (REPLAY_LAUNCH | REPLAY_GAP | REPLAY_ROOM);
}

/* The CPU's time alone, and a short one. */
static inline bool replay_edge_is_plain(const replay_edge *edge) {
    return !(edge->way & ((1U << REPLAY_WAY_BITS) - 1));
}

static inline double replay_way_time(const replay_graph *graph, uint32_t way) {
    uint32_t value = way >> REPLAY_WAY_BITS;
    return way & REPLAY_WAY_LONG ? graph->long_ns[value] : (double)value;
}

static inline double replay_edge_cpu_ns(const replay_graph *graph, const replay_edge *edge) {
    return replay_way_time(graph, edge->way);
}

static inline replay_side replay_edge_side(const replay_graph *graph, const replay_edge *edge) {
    replay_side out = {.cpu_ns = replay_edge_cpu_ns(graph, edge)};
    if (edge->way & REPLAY_WAIT) {
        const double *more = &graph->long_ns[edge->way >> REPLAY_WAY_BITS];
        out.wait_ns = more[1];
        out.data_work_ns = more[2];
        out.data_wait_ns = more[3];
    }
    return out;
}

/* What a way waits for something outside, with what more there is of a batch's data. */
static inline double replay_edge_outside_ns(const replay_graph *graph, const replay_edge *edge,
                                            const replay_times *times) {
    replay_side side = replay_edge_side(graph, edge);
    return (side.wait_ns + side.data_wait_ns * times->data_more) * (1.0 - times->waits_gone);
}

/* What the CPU's side of a way takes. */
static inline double replay_edge_side_ns(const replay_graph *graph, const replay_edge *edge,
                                         const replay_times *times) {
    if (!(edge->way & REPLAY_WAIT))
        return replay_edge_cpu_ns(graph, edge) * times->cpu_scale;
    replay_side side = replay_edge_side(graph, edge);
    double work_ns = side.cpu_ns + side.data_work_ns * times->data_more;
    return work_ns * times->cpu_scale + replay_edge_outside_ns(graph, edge, times);
}

static inline double replay_gap_ns(const replay_graph *graph, size_t kernel) {
    return replay_way_time(graph, graph->gaps[kernel]);
}

/* Puts a time into a way that has none yet; false when out of memory. */
bool replay_set_way(replay_graph *graph, uint32_t *way, double ns);

/* When a node was recorded; of a collective where its message begins. */
uint64_t replay_recorded_ns(const habitat_workload *w, const replay_graph *graph,
                            const replay_node *node);

/* When every node happens [ns], if the states of the iteration before are left at `carry` [ns]
 * (shape (state_count), -INFINITY: no one waits for it). value: shape (node_count). */
void replay_sweep(const replay_graph *graph, const replay_times *times, const double *carry,
                  double *value);

/* The same of an iteration in parts, each of which begins at 0 when all before it is over; so are
 * waits for something outside on the way from one part to another. part: shape (node_count), or
 * NULL; only the first one, 0, goes on from `carry`. */
void replay_sweep_parts(const replay_graph *graph, const replay_times *times, const double *carry,
                        const uint32_t *part, double *value);

/* Time of the whole recording [ns] when it follows itself again and again: the slowest cycle
 * through the states. HABITAT_E_MEMORY. */
habitat_status replay_period(const replay_graph *graph, const replay_times *times, double *out_ns,
                             habitat_error *err);

/* The same; and the state that the slowest cycle begins with, and where each state is left when
 * iterations begin so far apart [ns] (shape (REPLAY_ALL_STATES), finite). */
habitat_status replay_steady(const replay_graph *graph, const replay_times *times, double *out_ns,
                             size_t *critical, double *carry, habitat_error *err);

/* What the kernels `from` to `to - 1` cover of such a period [ns]: at most the period.
 * HABITAT_E_MEMORY. */
habitat_status replay_busy(const replay_graph *graph, const replay_times *times, double period_ns,
                           const double *carry, size_t from, size_t to, double *out_ns,
                           habitat_error *err);

/* What is on the way that decides, from state `state` to itself. The three add up. */
typedef struct replay_path {
    double cpu_ns, kernel_ns, gap_ns;
} replay_path;
habitat_status replay_follow(const replay_graph *graph, const replay_times *times, size_t state,
                             replay_path *out, habitat_error *err);

/* Adds what is on the way to a node of an iteration in parts. part: or NULL, carry and value: as of
 * replay_sweep_parts(). */
void replay_walk_back(const replay_graph *graph, const replay_times *times, const double *carry,
                      const uint32_t *part, const double *value, size_t node, replay_path *out);

/* When every node happens in an iteration that begins on an idle GPU [ns since it began]. */
void replay_from_idle(const replay_graph *graph, const replay_times *times, double *value);

/* What a kernel's node lasts [ns]; 0 of others. */
double replay_own_ns(const replay_graph *graph, const replay_times *times, const replay_node *node);

struct habitat_replay {
    const habitat_workload *workload;
    habitat_replay_options options;
    habitat_replay_info info;
    replay_graph graph;
    double *recorded_ns; /* shape (kernel_count); NULL: those of the workload */
    double wait_ns;      /* of the recording: the CPU's side on an endless fast host */
    double data_wait_ns; /* by so much it grows when the data of a batch doubles, */
    double data_work_ns; /* and by so much the rest of the CPU's side, as profiled */
    double data_more;    /* of the prediction: how much more data there is, over the recorded */
    double waits_gone;   /* share of the waits that the recorded iteration cannot hold */
    double others_gone;  /* the same of waiting for other ranks, of one that is recorded alone */
    double *others_ns;   /* shape (kernel_count): that waiting; NULL: not asked for */
    double held_ms; /* without a CPU side: what an iteration takes at least, as its GPU waited so
                       long in the recording; 0 it did not */
    double held_more_ms; /* all that it waited */
    bool first_use;      /* most of the CPU's recorded time set something up; the rest is by rule */
    bool thin;           /* what was recorded of the CPU explains little of its time */
    bool passing_wait;   /* one iteration was recorded, under the profiler alone, and it waits for
                            something outside that nothing names */
    double cpu_factor;   /* from the profiled CPU times to info.cpu_ms */
    double cast_share;   /* of the CPU's side, what one cast more adds to it; 0 = not known */
    double call_share;   /* the same of a call of CUDA in an operation that is there */
    double usual_ns;     /* between two neighbouring points of a thread; 0 = not known */
    double iterations;
    bool scaler_waits; /* a scaler that was not recorded waits for the gradients */
};

/* Time of the whole recording [ns] if its CPU waits for all that was launched before each step of
 * an optimiser, and what lies on the way that decides it; 0 where one of them is one kernel, and
 * where none is marked. */
habitat_status replay_scaler_ns(const habitat_replay *replay, const replay_times *times,
                                double *out_ns, replay_path *path, habitat_error *err);

/* Sets cpu_factor, gap_scale, kernel_scale and what says why. */
habitat_status replay_calibrate(habitat_replay *replay, habitat_error *err);

/* Whether the recorded kernels take the recorded iteration: it is known, and was calibrated with.
 */
bool replay_knows_origin(const habitat_replay *replay);

/* Times of the recorded kernels in a prediction, shape (its kernels). Kernels that were not
 * recorded (casts of another precision) have no launch and no place: the others take their time
 * along, each in proportion. */
void replay_set_times(const habitat_replay *replay, const habitat_prediction *p, double *ns);

/* The replay for a prediction of another precision: its CPU launches the casts that were added, and
 * not those that are gone, and calls CUDA as often as its libraries do there (calls_more). Borrows
 * what `replay` holds; not to be freed. */
habitat_replay replay_with_casts(const habitat_replay *replay, const habitat_prediction *p);

/* Whether the prediction is for another host than the recorded one, of which nothing is said. */
bool replay_is_elsewhere(const habitat_replay *replay, const habitat_prediction *p);

/* Widens what is known of the CPU's side by what hosts differ by, where the prediction is for
 * another GPU than the recorded one, or processes, where it is of another batch size or precision.
 */
void replay_doubt_run(const habitat_replay *replay, const habitat_prediction *p,
                      habitat_replay_info *info);

/* What a kernel took in the recording. */
double replay_kernel_recorded_ns(const habitat_replay *replay, size_t kernel);

/* What a replay runs its graph with; kernel_ns NULL: as recorded. */
replay_times replay_times_of(const habitat_replay *replay, const double *kernel_ns);

/* One iteration with an endless fast CPU that waits for nothing but the GPU. */
habitat_status replay_gpu_ms(const habitat_replay *replay, const double *kernel_ns,
                             double kernel_scale, double *out_ms, habitat_error *err);

/* Per iteration, what the kernels `from` to `to - 1` keep the GPU busy. */
habitat_status replay_busy_ms(const habitat_replay *replay, const double *kernel_ns, size_t from,
                              size_t to, double *out_ms, habitat_error *err);

/* busy_ms of a prediction that has its replayed iteration_ms and still the busy time of its sum:
 * what was measured of the origin's own kernels stays, unless they cannot have taken so long
 * without the profiler. */
double replay_busy_known(const habitat_prediction *p, bool measured, double replayed_ms);

/* One iteration with kernels and the CPU's side stretched. */
habitat_status replay_iteration_ms(const habitat_replay *replay, const double *kernel_ns,
                                   double kernel_scale, double cpu_scale, double *out_ms,
                                   habitat_error *err);

#endif
