/* How much memory a workload and a replay keep of each event of a trace, beside the trace. */
#include <stdlib.h>

#include <habitat/replay.h>

#include "check.h"
#include "made_gpu.h"
#include "made_layers.h"
#include "replay/graph.h"
#include "workload/workload.h"

/* Traces of 1 GB hold half a million kernels and three times as many nodes (docs/decisions/0226):
 * what repeats belongs into a list of distinct ones, what is rare into one of its own. */
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(habitat_workload_kernel) == 72, "a kernel of a workload has grown");
_Static_assert(sizeof(habitat_workload_group) == 32, "a group of kernels has grown");
_Static_assert(sizeof(replay_node) == 12, "a node of a replay has grown");
_Static_assert(sizeof(replay_edge) == 8, "an edge of a replay has grown");
#endif

enum { EVENTS_A_LAYER = 3, WORKLOAD_BYTES = 37, REPLAY_BYTES = 37 };

typedef struct subject {
    habitat_trace *trace;
    habitat_workload *w;
    habitat_replay *r;
} subject;

static void write_operation(made_text *text, size_t i) {
    unsigned layer = (unsigned)(i % MADE_LAYERS), at = 10 * (unsigned)i;
    made_write(text,
               "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, "
               "\"tid\": 1, \"ts\": %u, \"dur\": 7, \"args\": {\"External id\": %zu, "
               "\"Input type\": [\"float\", \"float\"], \"Input Dims\": [[%u, 32], [32, 16]]}},\n",
               at + 1, i + 1, layer + 1);
}

static bool make(size_t count, const habitat_gpu *gpu, subject *out) {
    made_text text = made_layers("\"deviceProperties\": [{\"id\": 0, \"name\": \"made\"}], ", count,
                                 write_operation);
    *out = (subject){NULL, NULL, NULL};
    bool fine =
        habitat_trace_read_memory(text.data, text.used, "made", &out->trace, NULL) == HABITAT_OK &&
        habitat_workload_create(out->trace, gpu, &out->w, NULL) == HABITAT_OK &&
        habitat_replay_create(out->w, NULL, &out->r, NULL) == HABITAT_OK;
    free(text.data);
    CHECK(fine);
    return fine;
}

static void forget(subject *s) {
    habitat_replay_free(s->r);
    habitat_workload_free(s->w);
    habitat_trace_free(s->trace);
}

/* Kept, without what the allocator adds; lists of distinct ones as far as they are filled. */
static size_t workload_bytes(const habitat_workload *w) {
    return w->kernel_count * (sizeof *w->kernels + sizeof *w->group_index) +
           w->group_count * sizeof *w->groups + w->launch_count * sizeof *w->launches +
           w->part_count * (sizeof *w->parts + 2 * sizeof *w->edges) + w->arena.used_bytes;
}

static size_t replay_bytes(const habitat_replay *r) {
    const replay_graph *g = &r->graph;
    size_t kernel = sizeof *g->gaps + (g->hidden_ns ? sizeof *g->hidden_ns : 0) +
                    (r->recorded_ns ? sizeof *r->recorded_ns : 0);
    return g->node_count * (sizeof *g->nodes + sizeof *g->slot) + g->edge_count * sizeof *g->edges +
           g->long_count * sizeof *g->long_ns + g->kernel_count * kernel;
}

static size_t distinct_works(const habitat_workload *w) {
    size_t distinct = 0;
    for (size_t i = 0; i < w->group_count; i++) {
        bool met = false;
        for (size_t j = 0; j < i && j < 100 && !met; j++)
            met = w->groups[j].work == w->groups[i].work;
        distinct += !met;
    }
    return distinct;
}

int main(void) {
    enum { FEW = MADE_LAYERS * 300, MANY = 3 * FEW };
    habitat_gpu gpu = made_gpu("made", 80, 1.5, 900, 14);
    subject few, many;
    if (!make(FEW, &gpu, &few) || !make(MANY, &gpu, &many))
        return 1;
    size_t events = (size_t)EVENTS_A_LAYER * (MANY - FEW);
    size_t workload = workload_bytes(many.w) - workload_bytes(few.w);
    size_t replay = replay_bytes(many.r) - replay_bytes(few.r);
    printf("# %.1f and %.1f bytes an event\n", (double)workload / (double)events,
           (double)replay / (double)events);
    CHECK_INT(many.w->group_count, MANY);
    CHECK(workload <= WORKLOAD_BYTES * events);
    check_case("a workload keeps at most 37 bytes an event, if every third is a kernel");
    CHECK(many.r->graph.node_count > 4 * (size_t)MANY);
    CHECK(replay <= REPLAY_BYTES * events);
    check_case("a replay keeps at most 37");
    CHECK(distinct_works(many.w) <= MADE_LAYERS + 1);
    CHECK_INT(distinct_works(many.w), distinct_works(few.w));
    CHECK(many.w->arena.used_bytes == few.w->arena.used_bytes);
    check_case("what alike operations compute is kept once");
    CHECK(!many.w->parts && !many.r->graph.hidden_ns);
    CHECK_INT(many.r->graph.long_count, few.r->graph.long_count);
    check_case("what no two kernels at a time, and no waiting, need takes nothing");
    forget(&few);
    forget(&many);
    return check_done();
}
