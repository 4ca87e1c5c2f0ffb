/* The busy time of kernels on several streams, and collectives that wait, worked by hand.
 *
 * o: 1000 GB/s, 10 TFLOP/s, NVLink 100 GB/s in each direction, of which 0.7 count: 70 byte/ns. An
 * all-reduce of 700 kB on two GPUs needs 2 us x 3 and 700 kB / 70 = 16 us. */
#include <string.h>

#include <habitat/predict.h>

#include "check.h"
#include "made_gpu.h"
#include "made_trace.h"

static habitat_gpu o;

/* Times in microseconds. `send`: arguments of a collective, with a comma before each; or "". */
typedef struct piece {
    const char *name;
    double start, duration;
    unsigned stream, device;
    const char *send;
} piece;

#define SENDS(elements, group)                                                                     \
    ", \"Collective name\": \"allreduce\", \"dtype\": \"Float\", \"In msg nelems\": " #elements    \
    ", \"Out msg nelems\": " #elements ", \"Group size\": " #group
#define NCCL  "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
#define US(x) ((x) / 1e3)

static habitat_trace *trace_of(const piece *list, size_t count, const char *extra) {
    made_text text = {0};
    habitat_trace *trace = NULL;
    habitat_error err = {0};
    made_write(&text, "{%s \"deviceProperties\": [{\"id\": 0, \"name\": \"made\"}], ", extra);
    made_write(&text, "\"traceEvents\": [\n");
    for (size_t i = 0; i < count; i++) {
        bool copy = strncmp(list[i].name, "Memcpy", 6) == 0;
        made_write(&text,
                   "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %u, \"tid\": %u, "
                   "\"ts\": %.3f, \"dur\": %.3f, \"args\": {\"device\": %u, \"stream\": %u, "
                   "\"correlation\": %zu, \"grid\": [400, 1, 1], \"block\": [1024, 1, 1]%s}}%s\n",
                   copy ? "gpu_memcpy" : "kernel", list[i].name, list[i].device, list[i].stream,
                   100 + list[i].start, list[i].duration, list[i].device, list[i].stream, i + 1,
                   list[i].send, i + 1 < count ? "," : "]}");
    }
    if (habitat_trace_read_memory(text.data, text.used, "made", &trace, &err) != HABITAT_OK)
        printf("# made trace does not read: %s\n", err.message);
    free(text.data);
    return trace;
}

typedef struct subject {
    habitat_trace *trace;
    habitat_workload *w;
} subject;

static subject subject_of(const piece *list, size_t count) {
    subject s = {trace_of(list, count, ""), NULL};
    habitat_error err = {0};
    if (!s.trace || habitat_workload_create(s.trace, &o, &s.w, &err) != HABITAT_OK)
        printf("# no workload: %s\n", err.message);
    return s;
}

static void done(subject *s) {
    habitat_workload_free(s->w);
    habitat_trace_free(s->trace);
}

/* A GPU of `bandwidth` and `link` times o's. */
static habitat_gpu other(double bandwidth, double link) {
    habitat_gpu gpu = o;
    gpu.name = "other";
    gpu.memory_bandwidth_bytes_per_s *= bandwidth;
    gpu.nvlink_bytes_per_s *= link;
    return gpu;
}

static habitat_prediction *predicted(const subject *s, habitat_gpu dest, habitat_method method) {
    habitat_prediction *p = NULL;
    static habitat_gpu kept; /* the prediction borrows it */
    kept = dest;
    if (habitat_predict(s->w, &kept, method, &p, NULL) != HABITAT_OK)
        printf("# no prediction\n");
    return p;
}

static double iteration_us(const subject *s, habitat_gpu dest) {
    habitat_prediction *p = predicted(s, dest, HABITAT_METHOD_BANDWIDTH);
    double us = p->iteration_ms * 1e3;
    habitat_prediction_free(p);
    return us;
}

static bool warned(const subject *s, const char *part) {
    size_t count = 0;
    const char *const *list = habitat_workload_warnings(s->w, &count);
    for (size_t i = 0; i < count; i++)
        if (strstr(list[i], part))
            return true;
    return false;
}

static uint64_t waiting_ns(const subject *s, size_t kernel) {
    size_t count = 0;
    return habitat_workload_kernels(s->w, &count)[kernel].waiting_ns;
}

static void test_waiting(void) {
    /* waits 84 us, 40 of them beside the kernel, then sends for 16 */
    const piece list[] = {{NCCL, 0, 100, 8, 0, SENDS(175000, 2)}, {"kernel", 0, 40, 7, 0, ""}};
    subject s = subject_of(list, 2);
    size_t at = waiting_ns(&s, 0) ? 0 : 1; /* two that start together */
    CHECK_INT(waiting_ns(&s, at), 84000);
    CHECK_INT(waiting_ns(&s, 1 - at), 0);
    CHECK(habitat_workload_get_info(s.w)->busy_ms == 0.1);
    CHECK(warned(&s, "1 collective kernels an iteration: 0.084 of their 0.1 ms are waiting for"));
    CHECK(!warned(&s, "does not tell what the message needs"));
    check_case("what a message does not need is waiting, and the warning says how much");

    CHECK_NEAR(iteration_us(&s, other(1, 1)), 100, 1e-12);
    CHECK_NEAR(iteration_us(&s, other(0.1, 1)), 400 + 44 + 16, 1e-12);
    CHECK_NEAR(iteration_us(&s, other(10, 1)), 4 + 44 + 16, 1e-12);
    CHECK_NEAR(iteration_us(&s, other(1, 0.1)), 40 + 44 + (6 + 100), 1e-12);
    check_case("a kernel beside waiting counts whole; waiting alone stays as recorded");

    habitat_prediction *p = predicted(&s, other(0.1, 0.1), HABITAT_METHOD_BANDWIDTH);
    CHECK_NEAR(p->trace_kernels[at].ms, US(84 + 106), 1e-12);
    CHECK_INT(p->trace_kernels[at].method, HABITAT_METHOD_FALLBACK);
    CHECK_NEAR(p->trace_kernels[at].busy_ms, US(44 + 106), 1e-12);
    CHECK_NEAR(p->trace_kernels[1 - at].busy_ms, US(400), 1e-12);
    CHECK_NEAR(p->kernel_ms, US(84 + 106 + 400), 1e-12);
    CHECK(p->busy_ms == p->iteration_ms);
    habitat_prediction_free(p);
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++) {
        if (!habitat_method_askable((habitat_method)m))
            continue;
        p = predicted(&s, other(0.1, 0.1), (habitat_method)m);
        CHECK_NEAR(p->trace_kernels[at].ms, US(84 + 106), 1e-12);
        CHECK(p->iteration_ms >= p->trace_kernels[1 - at].ms);
        habitat_prediction_free(p);
    }
    check_case("a collective is predicted by its message, whatever the method");
    done(&s);
}

/* What the message of a collective needs, of 100 us. */
static void test_kinds(void) {
    static const struct {
        const char *name, *type;
        unsigned elements, group;
        uint64_t message_ns;
    } of[] = {
        {"allreduce", "Float", 175000, 2, 6000 + 10000},
        {"allreduce", "Half", 175000, 2, 6000 + 5000},
        {"allreduce", "Float", 175000, 4, 10000 + 15000},
        {"allreduce", "Float", 175000, 8, 18000 + 17500},
        {"_allgather_base", "Float", 175000, 2, 6000 + 5000},
        {"_reduce_scatter_base", "BFloat16", 175000, 2, 6000 + 2500},
        {"all_to_all", "Float", 175000, 4, 10000 + 7500},
        {"broadcast", "Float", 175000, 4, 10000 + 10000},
        {"send", "Double", 175000, 2, 6000 + 20000},
        {"allreduce", "Float", 1, 2, 6001}, /* whole nanoseconds, upwards */
        {"allreduce", "Float", 17500000, 2, 100000},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char send[256];
        unsigned in = i % 2 ? of[i].elements : 1, out = i % 2 ? 1 : of[i].elements;
        snprintf(send, sizeof send,
                 ", \"Collective name\": \"%s\", \"dtype\": \"%s\", \"In msg nelems\": %u, \"Out "
                 "msg nelems\": %u, \"Group size\": %u",
                 of[i].name, of[i].type, in, out, of[i].group);
        const piece list[] = {{NCCL, 0, 100, 8, 0, send}};
        subject s = subject_of(list, 1);
        CHECK_INT(waiting_ns(&s, 0), 100000 - of[i].message_ns);
        CHECK(!warned(&s, "does not tell"));
        done(&s);
    }
    check_case("what a message needs, by kind, format and number of GPUs");
}

static void test_partly_hidden(void) {
    /* all of it message; the kernel ends while it sends */
    const piece list[] = {{"kernel", 0, 10, 7, 0, ""}, {NCCL, 4, 16, 8, 0, SENDS(175000, 2)}};
    subject s = subject_of(list, 2);
    CHECK_INT(waiting_ns(&s, 1), 0);
    CHECK_NEAR(iteration_us(&s, other(1, 1)), 20, 1e-12);
    CHECK_NEAR(iteration_us(&s, other(1 / 3.0, 1)), 12 + 18 + 10, 1e-12);
    CHECK_NEAR(iteration_us(&s, other(1, 0.1)), 4 + 106, 1e-12);
    CHECK_NEAR(iteration_us(&s, other(1 / 3.0, 10)), 12 + 18 + 10 * 7 / 16.0, 1e-12);
    check_case("a message and a kernel that overlap: the slower of both counts");
    done(&s);
}

static void test_two_streams(void) {
    /* by arithmetic, 2 times slower; the copy falls back to bandwidth, 4 times slower */
    const piece list[] = {{"kernel", 0, 10, 7, 0, ""},
                          {"Memcpy DtoD (Device -> Device)", 4, 4, 8, 0, ", \"bytes\": 1000"},
                          {"kernel", 20, 5, 7, 0, ""}};
    subject s = subject_of(list, 3);
    habitat_gpu slow = other(0.25, 1);
    slow.peak.plain_flop_per_s[HABITAT_DTYPE_FP32] /= 2;
    habitat_prediction *p = predicted(&s, slow, HABITAT_METHOD_FLOPS);
    CHECK_NEAR(p->iteration_ms, US(8 + 16 + 4 + 10), 1e-12);
    CHECK_NEAR(p->trace_kernels[0].busy_ms, US(8 + 4), 1e-12);
    CHECK_NEAR(p->trace_kernels[1].busy_ms, US(16), 1e-12);
    /* default widths: 15 % within an architecture, 50 % for the fallback */
    CHECK_NEAR(p->low_ms, US(22 / 1.15 + 16 / 1.5), 1e-12);
    CHECK_NEAR(p->high_ms, US(22 * 1.15 + 16 * 1.5), 1e-12);
    check_case("two streams without collectives: each piece as slow as its slowest kernel");
    habitat_prediction_free(p);
    done(&s);
}

static void test_one_stream(void) {
    /* a dependent launch starts before the kernel before it has ended */
    const piece list[] = {{"a", 0, 10, 7, 0, ""}, {"b", 9, 5, 7, 0, ""}, {"c", 14, 0, 7, 0, ""}};
    subject s = subject_of(list, 3);
    CHECK(habitat_workload_get_info(s.w)->busy_ms == 0.014);
    CHECK_NEAR(iteration_us(&s, other(0.5, 1)), 28, 1e-12);
    check_case("kernels of one stream that overlap go on overlapping; none lasts 0 ns for long");
    done(&s);
}

static void test_devices(void) {
    /* a pipeline: the other GPU's kernels overlap these in time and do not count */
    const piece list[] = {{"kernel", 0, 40, 7, 0, ""},
                          {"kernel", 0, 39, 7, 1, ""},
                          {NCCL, 10, 20, 8, 1, SENDS(175000, 2)},
                          {"kernel", 60, 10, 7, 0, ""}};
    subject s = subject_of(list, 4);
    CHECK(habitat_workload_get_info(s.w)->busy_ms == 0.039); /* device 1 has most kernel time */
    CHECK_INT(waiting_ns(&s, 1), 4000);
    done(&s);
    const piece first[] = {list[0], list[1], list[3]};
    s = subject_of(first, 3);
    CHECK(habitat_workload_get_info(s.w)->busy_ms == 0.05);
    CHECK_NEAR(iteration_us(&s, other(0.1, 1)), 500, 1e-12);
    CHECK(warned(&s, "the trace holds 2 devices: only device 0 is predicted"));
    CHECK(!warned(&s, "collective"));
    check_case("of several devices one is predicted, by its own kernels");
    done(&s);
}

/* Two collectives of one kernel 100 and 30 us long, with these arguments. */
static subject twins(const char *send) {
    const piece list[] = {{NCCL, 0, 100, 8, 0, send}, {NCCL, 200, 30, 8, 0, send}};
    return subject_of(list, 2);
}

static void test_unknown_message(void) {
    static const char *const unknown[] = {
        "",
        SENDS(175000, 1),
        SENDS(0, 2),
        ", \"Collective name\": \"allreduce\", \"dtype\": \"Float\", \"In msg nelems\": 175000",
        ", \"Collective name\": \"allreduce\", \"dtype\": \"Float4\", \"In msg nelems\": 175000, "
        "\"Group size\": 2",
        ", \"Collective name\": \"allreduced\", \"dtype\": \"Float\", \"In msg nelems\": 175000, "
        "\"Group size\": 2",
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        subject s = twins(unknown[i]);
        CHECK_INT(waiting_ns(&s, 0), 70000);
        CHECK_INT(waiting_ns(&s, 1), 0);
        CHECK(warned(&s, "0.07 of their 0.13 ms are waiting"));
        CHECK(warned(
            &s,
            "of 2 collectives an iteration the recording does not tell what the message needs"));
        CHECK_NEAR(iteration_us(&s, other(1, 0.5)), 130, 1e-12);
        done(&s);
    }
    check_case("without a size the shortest of the same kernel stands for the message, and nothing "
               "is scaled");

    subject s = twins(SENDS(175000, 16));
    CHECK_INT(waiting_ns(&s, 0), 70000);
    CHECK(warned(&s, "of 2 collectives"));
    CHECK_NEAR(iteration_us(&s, other(1, 0.5)), 130, 1e-12);
    check_case("between hosts the link is unknown: nothing is scaled");
    done(&s);

    /* 100 us beside 30 us of the same, and of another name, size or group */
    static const struct {
        const char *name, *send;
        uint64_t waiting_ns;
    } longer[] = {{NCCL, SENDS(175000, 16), 70000},
                  {NCCL "128", SENDS(175000, 16), 0},
                  {NCCL, SENDS(350000, 16), 0},
                  {NCCL, SENDS(175000, 32), 0}};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        const piece list[] = {{NCCL, 0, 30, 8, 0, SENDS(175000, 16)},
                              {longer[i].name, 200, 100, 8, 0, longer[i].send}};
        s = subject_of(list, 2);
        CHECK_INT(waiting_ns(&s, 0), 0);
        CHECK_INT(waiting_ns(&s, 1), longer[i].waiting_ns);
        done(&s);
    }
    check_case("the shortest of the same kernel, size and group");
}

static void test_in_operation(void) {
    /* an operator model answers for the product; what was launched beside it waits all the same */
    const made_kernel list[] = {
        {"sgemm", NULL, 100000, 50000, 7, 400, 256, 32, 0, 0, "aten::mm",
         "[[1024, 1024], [1024, 1024]]", false, 0},
        {NCCL, NULL, 100000, 90000, 8, 16, 512, 96, 0, 0, NULL, NULL, true, 0}};
    habitat_gpu_table *table = NULL;
    const habitat_gpu *from = NULL, *to = NULL;
    subject s = {made_trace(list, 2, NULL, "", 0), NULL};
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "A100-SXM4-40GB", &from, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "V100-SXM2-16GB", &to, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_workload_create(s.trace, from, &s.w, NULL), HABITAT_OK);
    habitat_prediction *p = predicted(&s, *to, HABITAT_METHOD_AUTO);
    size_t collective = p->trace_kernels[0].origin_ms == 0.09 ? 0 : 1;
    CHECK_INT(p->trace_kernels[1 - collective].method, HABITAT_METHOD_LEARNED);
    CHECK_INT(p->trace_kernels[collective].method, HABITAT_METHOD_FALLBACK);
    CHECK_NEAR(p->trace_kernels[collective].ms, 0.09, 1e-12);
    subject alone = {made_trace(list, 1, NULL, "", 0), NULL};
    CHECK_INT(habitat_workload_create(alone.trace, from, &alone.w, NULL), HABITAT_OK);
    habitat_prediction *q = predicted(&alone, *to, HABITAT_METHOD_AUTO);
    CHECK(p->trace_kernels[1 - collective].ms == q->trace_kernels[0].ms);
    habitat_prediction_free(q);
    done(&alone);
    check_case("a collective inside an operation that a model answers for");
    habitat_prediction_free(p);
    done(&s);
    habitat_gpu_table_free(table);
}

static void test_links(void) {
    /* NVLink in both directions 200 GB/s, PCIe in one 20 GB/s: the link is 100 and 20 GB/s */
    const piece list[] = {{NCCL, 0, 30, 8, 0, SENDS(175000, 2)}};
    subject s = subject_of(list, 1);
    habitat_gpu bare = other(1, 1);
    bare.nvlink_bytes_per_s = NAN;
    CHECK_NEAR(iteration_us(&s, bare), 14 + 6 + 10 * (100.0 / 20.0), 1e-12);
    bare.pcie_bytes_per_s = NAN;
    CHECK_NEAR(iteration_us(&s, bare), 30, 1e-12);
    check_case("PCIe where a GPU has no NVLink; as recorded where neither is known");
    done(&s);
}

int main(void) {
    o = made_gpu("o", 100, 1.0, 1000, 10);
    o.nvlink_bytes_per_s = 200e9;
    o.pcie_bytes_per_s = 20e9;
    test_waiting();
    test_kinds();
    test_partly_hidden();
    test_two_streams();
    test_one_stream();
    test_devices();
    test_unknown_message();
    test_in_operation();
    test_links();
    return check_done();
}
