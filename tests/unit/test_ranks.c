/* Recorded ranks of one step, replayed together: real pairs against their own time, and what a
 * request of them may say. The hand-worked pair is in tests/cli/cases/predict_ranks.sh. */
#include <math.h>

#include <habitat/habitat.h>

#include "check.h"
#include "lab/ranks.h"

/* With the recorded time left aside. */
static void test_steps(const habitat_gpu_table *table) {
    static const struct {
        const char *name;
        double error;
        /* of the last two one rank's kernels were slowed by waiting messages: 0455. The CPU of
         * ResNet-50 was at times as slow as its GPU: the interval holds what was measured. */
    } steps[] = {{"two_gpus/resnet50_b64_tf32", 0.03},
                 {"two_gpus/vit_b64_tf32", 0.01},
                 {"two_gpus/bert_large_b8_tf32", 0.01},
                 {"ways_together/compressed_b16_2xh200", 0.01}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char stem[512];
        bool found = false;
        ranks_case made = {0};
        habitat_error err = {0};
        snprintf(stem, sizeof stem, "%s/data/recordings/%s", HABITAT_SOURCE_DIR, steps[i].name);
        CHECK_INT(lab_judge_ranks(table, stem, &found, &made, &err), HABITAT_OK);
        CHECK(found);
        CHECK_NEAR(made.predicted_ms, made.measured_ms, steps[i].error);
        CHECK(made.communication_ms > 0.0 && made.exposed_ms <= made.communication_ms);
        CHECK(made.waiting_ms >= 0.0 && made.waiting_ms < 0.1 * made.measured_ms);
        CHECK(made.low_ms <= made.predicted_ms && made.predicted_ms <= made.high_ms);
        CHECK(made.low_ms <= made.measured_ms && made.measured_ms <= made.high_ms);
    }
    bool found = true;
    ranks_case none = {0};
    CHECK_INT(lab_judge_ranks(table, "nowhere/x", &found, &none, NULL), HABITAT_OK);
    CHECK(!found);
    check_case("steps of two GPUs, without their time");
}

typedef struct pair {
    habitat_trace *traces[2];
    const habitat_gpu *origin;
} pair;

static pair open_pair(const habitat_gpu_table *table) {
    pair p = {{NULL, NULL}, NULL};
    char path[512];
    habitat_error err = {0};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/data/recordings/two_gpus/resnet50_b64_tf32.rank%d.json.gz",
                 HABITAT_SOURCE_DIR, i);
        CHECK_INT(habitat_trace_read(path, &p.traces[i], &err), HABITAT_OK);
        CHECK_INT(habitat_trace_get_info(p.traces[i])->rank, i);
        CHECK_INT(habitat_trace_get_info(p.traces[i])->world_size, 2);
    }
    CHECK_INT(habitat_gpu_find(table, "H200-SXM5-141GB", &p.origin, NULL, &err), HABITAT_OK);
    return p;
}

static habitat_request request_of(const habitat_gpu_table *table, const pair *p) {
    habitat_request r;
    habitat_request_init(&r);
    r.trace = p->traces[1];
    r.gpus = table;
    r.destinations = &p->origin;
    r.destination_count = 1;
    r.ranks = (const habitat_trace *const *)p->traces;
    r.rank_count = 2;
    return r;
}

/* The recorded iteration, to the bit; its parts fit into it; slower links, longer messages. */
static void test_answer(const habitat_gpu_table *table, const pair *p) {
    habitat_request r = request_of(table, p);
    habitat_answer *own = NULL, *many = NULL;
    habitat_error err = {0};
    r.samples = 1000.0;
    CHECK_INT(habitat_ask(&r, &own, &err), HABITAT_OK);
    CHECK(own->trace == p->traces[0]);
    CHECK_NEAR(own->steps, 8.0, 0.0); /* of 2 x 64 samples */
    CHECK_NEAR(own->rows[0].cost.steps, 8.0, 0.0);
    const habitat_prediction *a = own->rows[0].prediction;
    CHECK_NEAR(a->iteration_ms, habitat_trace_get_info(p->traces[0])->iteration_ms, 0.0);
    CHECK_INT(a->gpu_count, 2);
    CHECK_INT(a->rank_count, 2);
    CHECK_NEAR(a->samples_per_s, 128.0 / a->iteration_ms * 1e3, 1e-12);
    CHECK_NEAR(a->waiting_ms, 0.5 * (a->rank_waiting_ms[0] + a->rank_waiting_ms[1]), 1e-12);
    CHECK(a->waiting_ms < 0.01 * a->iteration_ms); /* what the profiler made them wait is gone */
    r.gpu_count = 8;
    CHECK_INT(habitat_ask(&r, &many, &err), HABITAT_OK);
    const habitat_prediction *b = many->rows[0].prediction;
    CHECK(b->communication_ms > a->communication_ms && b->exposed_ms >= a->exposed_ms);
    CHECK(b->iteration_ms >= a->iteration_ms && b->iteration_ms < 1.05 * a->iteration_ms);
    CHECK_NEAR(b->waiting_ms, a->waiting_ms, 1e-12);
    CHECK_INT(b->gpu_count, 8);
    habitat_answer *each = NULL;
    r.gpu_count = 0;
    r.gpu_counts = (const uint32_t[]){8, 2};
    r.gpu_counts_count = 2;
    CHECK_INT(habitat_ask(&r, &each, &err), HABITAT_OK);
    CHECK_INT(each->row_count, 2 * many->row_count);
    CHECK_NEAR(each->rows[0].prediction->iteration_ms, b->iteration_ms, 0.0);
    const habitat_answer_row *two = &each->rows[many->row_count];
    CHECK_NEAR(two->prediction->iteration_ms, a->iteration_ms, 0.0);
    CHECK(two->key.gpu_count == 2 && two->cost.steps == 8.0 && each->steps == 2.0);
    habitat_answer_free(own);
    habitat_answer_free(many);
    habitat_answer_free(each);
    check_case("an answer about ranks, for one number of GPUs and for several");
}

/* As profiled: a rank computes, sends and waits within its iteration, and all send the same. */
static void test_recorded(const habitat_gpu_table *table, const pair *p) {
    habitat_request r = request_of(table, p);
    habitat_answer *answer = NULL;
    habitat_error err = {0};
    r.no_predictions = true;
    r.destinations = NULL;
    r.destination_count = 0;
    CHECK_INT(habitat_ask(&r, &answer, &err), HABITAT_OK);
    CHECK_INT(answer->rank_count, 2);
    CHECK_INT(answer->row_count, 0);
    CHECK_INT(answer->message_count, 7);
    CHECK_INT(answer->slow_rank, 0);
    for (size_t i = 0; i < 2; i++) {
        const habitat_rank *rank = &answer->ranks[i];
        CHECK(rank->trace == p->traces[i] && rank->iteration_recorded);
        CHECK(rank->compute_ms + rank->exposed_communication_ms + rank->exposed_waiting_ms <
              1.1 * rank->iteration_ms);
        CHECK(rank->exposed_communication_ms <= rank->communication_ms);
        CHECK(rank->exposed_waiting_ms <= rank->waiting_ms);
        CHECK_NEAR(rank->communication_ms, answer->ranks[0].communication_ms, 1e-12);
        CHECK(fabs(rank->clock_offset_ms) < 0.1); /* one host */
    }
    CHECK_INT(answer->ranks[0].last_count + answer->ranks[1].last_count, 7);
    habitat_answer_free(answer);
    check_case("ranks as they were recorded");
}

static void refused(const habitat_request *r, const char *message) {
    habitat_answer *answer = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_ask(r, &answer, &err), HABITAT_E_ARG);
    CHECK_TEXT(err.message, message);
    CHECK(answer == NULL);
}

static void test_refused(const habitat_gpu_table *table, const pair *p) {
    static const char as_recorded[] = "ranks are replayed together as they were recorded; leave "
                                      "out the sum, the batch size and the precision";
    const uint64_t batch = 8;
    habitat_request r = request_of(table, p);
    r.rank_count = 1;
    refused(&r, "from 2 to 32 ranks are replayed together");
    r = request_of(table, p);
    r.ranks = NULL;
    refused(&r, "from 2 to 32 ranks are replayed together");
    const habitat_trace *others[] = {p->traces[0], p->traces[0]};
    r = request_of(table, p);
    r.ranks = others;
    refused(&r, "the trace of the request is none of the ranks");
    r = request_of(table, p);
    r.assemble = HABITAT_ASSEMBLE_SUM;
    refused(&r, as_recorded);
    r = request_of(table, p);
    r.batch_sizes = &batch;
    r.batch_size_count = 1;
    refused(&r, as_recorded);
    r = request_of(table, p);
    r.gpu_count = 1;
    refused(&r, "one GPU sends no messages; predict from a recording of one GPU");
    r.gpu_count = 0;
    r.gpu_counts = (const uint32_t[]){4, 1};
    r.gpu_counts_count = 2;
    refused(&r, "one GPU sends no messages; predict from a recording of one GPU");
    check_case("what ranks do not go with");
}

int main(void) {
    habitat_gpu_table *table = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    test_steps(table);
    pair p = open_pair(table);
    test_recorded(table, &p);
    test_answer(table, &p);
    test_refused(table, &p);
    habitat_trace_free(p.traces[0]);
    habitat_trace_free(p.traces[1]);
    habitat_gpu_table_free(table);
    return check_done();
}
