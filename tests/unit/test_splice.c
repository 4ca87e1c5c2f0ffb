/* New kernels among those of a graph (replay/splice.c): a graph of two kernels, made by hand.
 *
 *     CPU:     0 begin --100-- 1 call --50-- 3 call --10-- 5 end
 *     stream:        (20) 2 kernel of 1000 --30-- (20) 4 kernel of 500
 *
 * Latency from a launch is 20, the pause before the second kernel 30. */
#include "replay/splice.h"

#include <stdlib.h>

#include "check.h"
#include "replay/state_sweep.h"

enum { BEGIN, FIRST_CALL, FIRST, SECOND_CALL, SECOND, END, NODES };

static void put(replay_graph *g, replay_kind kind, uint32_t index) {
    g->nodes[g->node_count++] = (replay_node){
        .index = index, .kind = (unsigned)kind & 7, .first_edge = (uint32_t)g->edge_count};
}

static replay_graph made(void) {
    replay_graph g = {.nodes = calloc(NODES + 1, sizeof *g.nodes),
                      .gaps = calloc(3, sizeof *g.gaps),
                      .kernel_count = 2,
                      .latency_ns = 20,
                      .state_nodes = {END, SECOND},
                      .state_count = 2,
                      .has_cpu = true};
    put(&g, REPLAY_BEGIN, HABITAT_NONE);
    replay_add_edge(&g, REPLAY_CARRY, 0, 0);
    put(&g, REPLAY_CALL, 0);
    replay_add_edge(&g, BEGIN, 0, 100);
    put(&g, REPLAY_KERNEL, 0);
    replay_add_edge(&g, FIRST_CALL, REPLAY_LAUNCH, 0);
    put(&g, REPLAY_CALL, 1);
    replay_add_edge(&g, FIRST_CALL, 0, 50);
    put(&g, REPLAY_KERNEL, 1);
    replay_add_edge(&g, SECOND_CALL, REPLAY_LAUNCH, 0);
    replay_add_edge(&g, FIRST, REPLAY_GAP, 0);
    put(&g, REPLAY_END, HABITAT_NONE);
    replay_add_edge(&g, SECOND_CALL, 0, 10);
    replay_add_edge(&g, SECOND, 0, 0);
    g.nodes[NODES].first_edge = (uint32_t)g.edge_count;
    replay_set_way(&g, &g.gaps[1], 30);
    CHECK(replay_set_slots(&g));
    return g;
}

/* The longer graph of a splice, which is freed, and when its nodes happen; a new kernel takes 200.
 */
static void make(splice *s, const replay_graph *old, replay_graph *out, double *value) {
    static const double kernel_ns[] = {1000, 500, 200, 200};
    const double carry[] = {0, -INFINITY};
    replay_times times = {
        .kernel_ns = kernel_ns, .kernel_scale = 1, .cpu_scale = 1, .gap_scale = 1};
    CHECK_INT(splice_make(s, old, 7, out, NULL), HABITAT_OK);
    replay_sweep(out, &times, carry, value);
    splice_free(s);
}

static void check_nothing_new(void) {
    replay_graph old = made(), out;
    splice s;
    double value[NODES];
    CHECK(splice_begin(&s, &old));
    make(&s, &old, &out, value);
    CHECK_INT(out.node_count, NODES);
    CHECK_INT(out.edge_count, old.edge_count);
    CHECK(value[FIRST] == 1120 && value[SECOND_CALL] == 150);
    CHECK(value[SECOND] == 1650 && value[END] == 1650); /* 1120 + 30 + 500 */
    replay_graph_free(&out);
    replay_graph_free(&old);
    check_case("without a new kernel the graph is as it was");
}

static void check_behind(void) {
    replay_graph old = made(), out;
    splice s;
    double value[NODES + 1];
    CHECK(splice_begin(&s, &old));
    uint32_t new = splice_add(&s, &(splice_node){.at = FIRST, .in_stream = true, .time_ns = 200});
    CHECK_INT(new, SPLICE_NEW);
    CHECK(splice_link(&s, FIRST, new, REPLAY_GAP));
    make(&s, &old, &out, value);
    CHECK_INT(out.node_count, NODES + 1);
    CHECK_INT(out.nodes[FIRST + 1].kind, REPLAY_KERNEL);
    CHECK_INT(out.nodes[FIRST + 1].index, 2); /* behind those of the old graph */
    CHECK_INT(out.kernel_count, 3);
    CHECK(value[FIRST + 1] == 1327);  /* 1120, a pause of 7, 200 */
    CHECK(value[SECOND + 1] == 1857); /* its own pause of 30 now comes after the new one */
    CHECK(value[SECOND_CALL + 1] == 150 && value[END + 1] == 1857);
    CHECK_INT(out.state_nodes[0], END + 1);
    CHECK_INT(out.state_nodes[1], SECOND + 1);
    replay_graph_free(&out);
    replay_graph_free(&old);
    check_case("a kernel behind another: what follows on the stream follows it");
}

static void check_beside(void) {
    replay_graph old = made(), out;
    splice s;
    double value[NODES + 1];
    CHECK(splice_begin(&s, &old));
    uint32_t new = splice_add(&s, &(splice_node){.at = FIRST, .stream = 1, .time_ns = 200});
    CHECK(splice_link(&s, FIRST, new, REPLAY_GAP));
    make(&s, &old, &out, value);
    CHECK_INT(out.nodes[FIRST + 1].place, 1);
    CHECK(value[FIRST + 1] == 1327 && value[SECOND + 1] == 1650); /* nobody waits for it */
    replay_graph_free(&out);
    replay_graph_free(&old);
    check_case("a kernel of another stream holds nobody up");
}

static void check_before(void) {
    for (int launched = 0; launched < 2; launched++) {
        replay_graph old = made(), out;
        splice s;
        double value[NODES + 1];
        CHECK(splice_begin(&s, &old));
        uint32_t new = splice_add(
            &s, &(splice_node){
                    .at = SECOND, .before = true, .launched = launched != 0, .time_ns = 200});
        CHECK(splice_link(&s, new, SECOND, REPLAY_GAP));
        make(&s, &old, &out, value);
        CHECK(value[SECOND] == 1327 && value[SECOND + 1] == 1857);
        /* one edge more where it also waits for the launch of the old one */
        CHECK_INT(out.nodes[SECOND + 1].first_edge - out.nodes[SECOND].first_edge, 2 - launched);
        CHECK_INT(out.edge_count, old.edge_count + 3 - (size_t)launched);
        replay_graph_free(&out);
        replay_graph_free(&old);
    }
    check_case("a kernel before another waits for what that waits for");
}

static void check_order(void) {
    replay_graph old = made(), out;
    splice s;
    double value[NODES + 2];
    CHECK(splice_begin(&s, &old));
    uint32_t behind = splice_add(&s, &(splice_node){.at = FIRST, .in_stream = true});
    uint32_t before = splice_add(&s, &(splice_node){.at = FIRST, .before = true});
    CHECK(splice_link(&s, FIRST, behind, REPLAY_GAP) && splice_link(&s, before, FIRST, REPLAY_GAP));
    make(&s, &old, &out, value);
    CHECK_INT(out.nodes[FIRST].index, 3);
    CHECK_INT(out.nodes[FIRST + 1].index, 0);
    CHECK_INT(out.nodes[FIRST + 2].index, 2);
    CHECK(value[FIRST] == 320 && value[FIRST + 1] == 1320); /* 100 + 20 + 200, 1000 */
    CHECK(value[FIRST + 2] == 1527 && value[SECOND + 2] == 2057);
    replay_graph_free(&out);
    replay_graph_free(&old);
    check_case("what stands before a kernel comes first, whenever it was added");
}

static void check_cpu(void) {
    replay_graph old = made(), out;
    splice s;
    double value[NODES + 2];
    CHECK(splice_begin(&s, &old));
    s.cpu_ns[FIRST_CALL] = 40;
    uint32_t last = splice_add(&s, &(splice_node){.at = SECOND, .in_stream = true});
    uint32_t first = splice_add(&s, &(splice_node){.at = FIRST, .before = true, .stream = 1});
    CHECK_INT(last, SPLICE_NEW);
    CHECK_INT(first, SPLICE_NEW + 1);
    CHECK(splice_link(&s, SECOND, last, REPLAY_GAP));
    CHECK(splice_link(&s, SECOND, first, REPLAY_GAP)); /* stands behind: nobody waits for it */
    make(&s, &old, &out, value);
    CHECK_INT(out.nodes[FIRST].index, 3);      /* `first` stands before all of them */
    CHECK(value[FIRST] == 320);                /* 100, the old one's launch of 20, 200 */
    CHECK(value[SECOND_CALL + 1] == 190);      /* 100 + 50 + 40 */
    CHECK(value[SECOND + 2] == 1857);          /* 1650, a pause of 7, 200 */
    CHECK_INT(out.state_nodes[1], SECOND + 2); /* the stream is left behind by the new one */
    replay_graph_free(&out);
    replay_graph_free(&old);
    check_case("the CPU does more behind a point; links backwards are none");
}

int main(void) {
    check_nothing_new();
    check_behind();
    check_beside();
    check_before();
    check_order();
    check_cpu();
    return check_done();
}
