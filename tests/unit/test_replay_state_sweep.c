/* One sweep from all states is as many sweeps from one state each, to the bit: of recordings on
 * one stream and on many, with kernels of other GPUs put in, and of ranks together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "recorded.h"
#include "replay/parallel.h"
#include "replay/ranks.h"
#include "replay/state_sweep.h"
#include "workload/workload.h"

static habitat_gpu_table *table;

/* Both ways to ask; to the bit, but for the sign of a zero. */
static bool is_alike(const replay_graph *g, const replay_times *t) {
    static replay_ways way;
    double carry[REPLAY_ALL_STATES];
    double *value = malloc((g->node_count + 1) * sizeof *value);
    bool same = value && replay_find_ways(g, t, way);
    for (size_t i = 0; same && i < g->state_count; i++) {
        for (size_t s = 0; s < REPLAY_ALL_STATES; s++)
            carry[s] = s == i ? 0.0 : -INFINITY;
        replay_sweep(g, t, carry, value);
        for (size_t j = 0; same && j < g->state_count; j++) {
            uint32_t node = g->state_nodes[j];
            double want = node == HABITAT_NONE ? -INFINITY : value[node];
            same = !(way[i][j] < want) && !(way[i][j] > want);
        }
    }
    free(value);
    return same;
}

/* Every other kernel at another speed, and one in ten gone. */
static double *other_times(const replay_graph *g) {
    double *ns = malloc((g->kernel_count + 1) * sizeof *ns);
    for (size_t i = 0; ns && i < g->kernel_count; i++)
        ns[i] = i % 10 == 3 ? 0.0 : 1000.0 + 977.7 * (double)(i * 7919 % 101);
    return ns;
}

static void check_graph(const habitat_replay *r, const replay_graph *g, const char *what) {
    double *ns = other_times(g);
    replay_times t = replay_times_of(r, ns);
    CHECK(ns && is_alike(g, &t));
    t.cpu_scale = 0.0;
    CHECK(is_alike(g, &t));
    t.cpu_scale = 1.7;
    t.gap_scale = t.waits_gone = 0.3;
    CHECK(is_alike(g, &t));
    t.with_room = true;
    CHECK(is_alike(g, &t));
    t.without_gpu = true;
    CHECK(is_alike(g, &t));
    CHECK(g->slot_count < g->node_count / 2); /* rows are used again */
    free(ns);
    printf("# %s: %zu states of %zu nodes, in %zu slots\n", what, g->state_count, g->node_count,
           g->slot_count);
    check_case(what);
}

static void check_shared(const habitat_replay *r, const char *name) {
    habitat_error err = {0};
    replay_parallel p = {0};
    double *ns = other_times(&r->graph);
    CHECK(ns && replay_share(r, ns, r->workload->origin, 4, &p, &err) == HABITAT_OK);
    check_graph(r, &p.graph, name);
    replay_parallel_free(&p);
    free(ns);
}

static void check_recording(const char *name, size_t fewest, size_t most) {
    habitat_error err = {0};
    habitat_replay *r = NULL;
    recorded of = recorded_open(table, name);
    CHECK(of.w && habitat_replay_create(of.w, NULL, &r, &err) == HABITAT_OK);
    if (r) {
        CHECK(r->graph.state_count >= fewest && r->graph.state_count <= most);
        check_graph(r, &r->graph, name);
        check_shared(r, name);
    }
    habitat_replay_free(r);
    recorded_close(&of);
}

/* The same recording as two ranks: twice the states. */
static void check_ranks(const char *name, size_t fewest) {
    habitat_error err = {0};
    replay_ranks ranks = {0};
    recorded of = recorded_open(table, name);
    const habitat_workload *both[] = {of.w, of.w};
    CHECK(of.w && replay_ranks_create(both, 2, NULL, &ranks, &err) == HABITAT_OK);
    CHECK(ranks.joint.graph.state_count >= fewest);
    if (ranks.joint.graph.slot)
        check_graph(&ranks.joint, &ranks.joint.graph, name);
    replay_ranks_free(&ranks);
    recorded_close(&of);
}

int main(void) {
    habitat_error err = {0};
    CHECK(habitat_gpu_table_create(NULL, &table, &err) == HABITAT_OK);
    check_recording("dcgan_b64_fp32_h200", 2, 2);
    check_recording("inception_v3_b16_fp32_h200", 3, 8);
    check_recording("gnmt_b16_fp32_h200", 9, 16);
    check_ranks("gnmt_b16_fp32_h200", 17);
    check_ranks("two_gpus/bert_large_b8_tf32.rank0", 3);
    habitat_gpu_table_free(table);
    return check_done();
}
