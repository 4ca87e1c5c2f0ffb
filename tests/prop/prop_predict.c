/* Properties of predictions that hold whatever the trace and the GPUs: random traces and random
 * pairs of GPUs from a fixed seed.
 *
 * By the formulas as they stand, three sentences need their limits said, and each limit is shown:
 * - wave scaling with g taken from the destination is monotonic in bandwidth and clock only while
 *   |ln h| <= 1, h = (D_o W_d C_d) / (D_d W_o C_o) (docs/formulas.md#monotonic): g itself moves;
 * - by equation 1 more SMs slow a kernel that fills less than a wave; `auto` never does;
 * - `auto` holds the floor of a kernel fixed, so scaling all times scales its work part only. */
#include <habitat/predict.h>

#include "check.h"
#include "made_gpu.h"
#include "made_trace.h"
#include "one_kernel.h"
#include "random.h"

enum { ROUNDS = 60, KERNELS = 40 };

static const habitat_method methods[] = {HABITAT_METHOD_AUTO,       HABITAT_METHOD_WAVE,
                                         HABITAT_METHOD_WAVE_LARGE, HABITAT_METHOD_FLOPS,
                                         HABITAT_METHOD_BANDWIDTH,  HABITAT_METHOD_ROOFLINE};
enum { METHODS = sizeof methods / sizeof *methods };

/* ---- random input ---- */

static double between(double low, double high) {
    return low + (high - low) * (double)(next() >> 11) / 9007199254740992.0;
}

static char dims[KERNELS][64];

static void random_kernels(made_kernel *list, size_t count) {
    static const char *const names[] = {"vectorized_elementwise_kernel", "ampere_sgemm_128x64_nn",
                                        "softmax_warp_forward", "reduce_kernel"};
    uint64_t at_ns = 1000000;
    for (size_t i = 0; i < count; i++) {
        list[i] = (made_kernel){.name = names[below(4)],
                                .start_ns = at_ns,
                                .duration_ns = 800 + below(400000),
                                .stream = 7,
                                .grid = 1 + below(4000),
                                .block = 32 * (1 + below(32)),
                                .registers = 16 + below(48),
                                .shared_bytes = below(4) ? below(48000) : below(160000)};
        if (list[i].block > 512)
            list[i].shared_bytes = 0;
        if (below(2)) {
            snprintf(dims[i], sizeof dims[i], "[[%u, %u], [%u, %u]]", 32 + below(2000), 512u, 512u,
                     32 + below(2000));
            list[i].op = "aten::mm";
            list[i].dims = dims[i];
        }
        if (below(10) == 0)
            list[i] = (made_kernel){.name = "Memset (Device)",
                                    .category = "gpu_memset",
                                    .start_ns = at_ns,
                                    .duration_ns = 700 + below(3000),
                                    .stream = 7,
                                    .bytes = 1 + below(100000)};
        at_ns += list[i].duration_ns + below(5000);
    }
}

static habitat_gpu random_gpu(const char *name) {
    habitat_gpu gpu =
        made_gpu(name, 16 + below(140), between(1.0, 2.5), between(200, 4000), between(4, 80));
    if (below(2)) { /* as compute capability 7.5 */
        gpu.limits.threads_per_sm = 1024;
        gpu.limits.blocks_per_sm = 16;
        gpu.limits.shared_memory_per_sm_bytes = 65536;
        gpu.limits.shared_memory_per_block_bytes = 65536;
        gpu.limits.shared_memory_reserved_bytes = 0;
        gpu.limits.shared_memory_allocation_bytes = 256;
        gpu.compute_capability = 75;
    }
    return gpu;
}

/* ---- one prediction ---- */

typedef struct outcome {
    habitat_trace *trace;
    habitat_workload *w;
    habitat_prediction *p;
} outcome;

static outcome predict_list(const made_kernel *list, size_t count, const size_t *order,
                            const habitat_gpu *origin, const habitat_gpu *dest,
                            habitat_method method) {
    outcome o = {0};
    habitat_error err = {0};
    o.trace = made_trace(list, count, order, "", 0);
    if (!o.trace || habitat_workload_create(o.trace, origin, &o.w, &err) != HABITAT_OK ||
        habitat_predict(o.w, dest, method, &o.p, &err) != HABITAT_OK) {
        printf("# no prediction: %s\n", err.message);
        exit(1);
    }
    return o;
}

static void done(outcome *o) {
    habitat_prediction_free(o->p);
    habitat_workload_free(o->w);
    habitat_trace_free(o->trace);
}

/* ---- properties ---- */

static void same_gpu(void) {
    made_kernel list[KERNELS];
    for (int round = 0; round < ROUNDS; round++) {
        random_kernels(list, KERNELS);
        habitat_gpu gpu = random_gpu("g"), copy = gpu;
        uint64_t sum_ns = 0;
        for (size_t i = 0; i < KERNELS; i++)
            sum_ns += list[i].bytes ? 0 : list[i].duration_ns; /* sets are no kernels */
        outcome o = predict_list(list, KERNELS, NULL, &gpu, &copy, methods[round % METHODS]);
        CHECK(o.p->kernel_ms == (double)sum_ns / 1e6);
        for (size_t i = 0; i < KERNELS; i++)
            CHECK(o.p->trace_kernels[i].ms == (double)list[i].duration_ns / 1e6);
        done(&o);
    }
    check_case("the same GPU gives every kernel and the sum back to the bit");
}

/* ln of h above; the larger of both directions must stay within 1 over the whole change. */
static bool within_limits(const habitat_workload_kernel *k, const habitat_gpu *o,
                          const habitat_gpu *d) {
    uint32_t per_o = 0, per_d = 0;
    habitat_launch launch = one_kernel_launch(k->kernel);
    if (habitat_occupancy_blocks(o, &launch, &per_o, NULL) != HABITAT_OK ||
        habitat_occupancy_blocks(d, &launch, &per_d, NULL) != HABITAT_OK)
        return true; /* not by wave scaling */
    double h = o->memory_bandwidth_bytes_per_s / d->memory_bandwidth_bytes_per_s *
               ((double)per_d * d->sm_count) / ((double)per_o * o->sm_count) * d->boost_clock_hz /
               o->boost_clock_hz;
    return fabs(log(h)) <= 1.0;
}

/* Returns how many kernels became slower on `better` although within the limits. */
static size_t slower_kernels(const outcome *o, const habitat_gpu *origin, const habitat_gpu *dest,
                             const habitat_gpu *better, habitat_method method) {
    size_t count = 0, slower = 0;
    habitat_prediction *p = NULL;
    const habitat_workload_kernel *kernels = habitat_workload_kernels(o->w, &count);
    if (habitat_predict(o->w, better, method, &p, NULL) != HABITAT_OK)
        return count;
    bool wave = method == HABITAT_METHOD_WAVE || method == HABITAT_METHOD_WAVE_LARGE;
    for (size_t i = 0; i < count; i++) {
        bool counts = !wave || (within_limits(&kernels[i], origin, dest) &&
                                within_limits(&kernels[i], origin, better));
        slower += counts && p->trace_kernels[i].ms > o->p->trace_kernels[i].ms * (1 + 1e-12);
    }
    habitat_prediction_free(p);
    return slower;
}

static void more_bandwidth_or_clock(void) {
    made_kernel list[KERNELS];
    for (int round = 0; round < ROUNDS; round++) {
        random_kernels(list, KERNELS);
        habitat_gpu origin = random_gpu("o"), dest = random_gpu("d");
        for (size_t m = 0; m < METHODS; m++) {
            outcome o = predict_list(list, KERNELS, NULL, &origin, &dest, methods[m]);
            double more = between(1.0, 3.0);
            habitat_gpu wide = dest, fast = dest, strong = dest;
            wide.memory_bandwidth_bytes_per_s *= more;
            wide.sustained_bandwidth_bytes_per_s *= more;
            CHECK_INT(slower_kernels(&o, &origin, &dest, &wide, methods[m]), 0);
            fast.boost_clock_hz *= more;
            CHECK_INT(slower_kernels(&o, &origin, &dest, &fast, methods[m]), 0);
            strong.boost_clock_hz *= more; /* and what a clock brings with it */
            strong.peak.plain_flop_per_s[HABITAT_DTYPE_FP32] *= more;
            strong.sustained.plain_flop_per_s[HABITAT_DTYPE_FP32] *= more;
            CHECK_INT(slower_kernels(&o, &origin, &dest, &strong, methods[m]), 0);
            done(&o);
        }
    }
    check_case("more bandwidth or clock never slows a kernel (wave scaling: within its limits)");
}

static void wave_limits(void) {
    /* Compute-bound, x = 32 with R = 8 at 1000 GB/s: g = 1/8. Bandwidth e^2 times the origin's at
     * the same waves and clock: ln h = -2. Ten times more drives g towards 0 and the time up. */
    habitat_gpu o = made_gpu("o", 100, 1.0, 1000, 10), d = made_gpu("d", 100, 1.0, 7389, 59.1);
    habitat_gpu wide = d;
    wide.memory_bandwidth_bytes_per_s *= 10;
    one_kernel k = {.time_ns = 1000,
                    .blocks = 1000,
                    .launch = {1024, 32, 0},
                    .flop = 32e6,
                    .bytes = 1e6,
                    .dtype = HABITAT_DTYPE_FP32};
    double g = 0, g_wide = 0, ns = 0, wide_ns = 0, held_ns = 0;
    habitat_wave_exponent(&k, &d, &g);
    habitat_wave_exponent(&k, &wide, &g_wide);
    habitat_wave_time(&k, &o, &d, g, &ns);
    habitat_wave_time(&k, &o, &wide, g_wide, &wide_ns);
    habitat_wave_time(&k, &o, &wide, g, &held_ns);
    CHECK_NEAR(g, 0.125, 1e-3);
    CHECK(wide_ns > ns); /* outside the limits: g moved */
    CHECK(held_ns < ns); /* with g held, equation 1 is monotonic everywhere */
    check_case("outside its limits wave scaling slows a kernel down on more bandwidth");
}

static void more_sms(void) {
    made_kernel list[KERNELS];
    size_t slower_by_wave = 0;
    for (int round = 0; round < ROUNDS; round++) {
        random_kernels(list, KERNELS);
        for (size_t i = 0; i < KERNELS; i++)
            if (list[i].grid)
                list[i].grid = 1 + list[i].grid % 16; /* less than a wave */
        habitat_gpu origin = random_gpu("o"), dest = random_gpu("d"), more = dest, bare = dest;
        more.sm_count *= 2; /* with the arithmetic they bring */
        more.peak.plain_flop_per_s[HABITAT_DTYPE_FP32] *= 2;
        more.sustained.plain_flop_per_s[HABITAT_DTYPE_FP32] *= 2;
        bare.sm_count *= 2; /* and without */
        outcome o = predict_list(list, KERNELS, NULL, &origin, &dest, HABITAT_METHOD_AUTO);
        CHECK_INT(slower_kernels(&o, &origin, &dest, &more, HABITAT_METHOD_AUTO), 0);
        CHECK_INT(slower_kernels(&o, &origin, &dest, &bare, HABITAT_METHOD_AUTO), 0);
        done(&o);
        o = predict_list(list, KERNELS, NULL, &origin, &dest, HABITAT_METHOD_WAVE);
        habitat_prediction *p = NULL;
        habitat_predict(o.w, &bare, HABITAT_METHOD_WAVE, &p, NULL);
        for (size_t i = 0; i < KERNELS; i++)
            slower_by_wave += p->trace_kernels[i].ms > o.p->trace_kernels[i].ms * 1.5;
        habitat_prediction_free(p);
        done(&o);
    }
    CHECK(slower_by_wave > ROUNDS);
    check_case("more SMs slow less than a wave of blocks by equation 1, and nothing by auto");
}

static void scaled_times(void) {
    made_kernel list[KERNELS], longer[KERNELS];
    for (int round = 0; round < ROUNDS; round++) {
        random_kernels(list, KERNELS);
        uint64_t at_ns = 1000000;
        for (size_t i = 0; i < KERNELS; i++) {
            longer[i] = list[i];
            longer[i].duration_ns *= 8;
            longer[i].start_ns = at_ns;
            at_ns += longer[i].duration_ns + 1000;
        }
        habitat_gpu origin = random_gpu("o"), dest = random_gpu("d");
        for (size_t m = 0; m < METHODS; m++) {
            outcome a = predict_list(list, KERNELS, NULL, &origin, &dest, methods[m]);
            outcome b = predict_list(longer, KERNELS, NULL, &origin, &dest, methods[m]);
            if (methods[m] == HABITAT_METHOD_AUTO) {
                CHECK(b.p->kernel_ms > a.p->kernel_ms);
            } else {
                CHECK_NEAR(b.p->kernel_ms, 8 * a.p->kernel_ms, 1e-12);
                CHECK_NEAR(b.p->iteration_ms, 8 * a.p->iteration_ms, 1e-12);
            }
            done(&a);
            done(&b);
        }
    }
    check_case("scaling all times scales the result");
}

static void order_in_the_file(void) {
    made_kernel list[KERNELS];
    size_t order[KERNELS];
    for (int round = 0; round < ROUNDS; round++) {
        random_kernels(list, KERNELS);
        for (size_t i = 0; i < KERNELS; i++)
            order[i] = i;
        for (size_t i = KERNELS - 1; i > 0; i--) {
            size_t j = below((uint32_t)i + 1), kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
        habitat_gpu origin = random_gpu("o"), dest = random_gpu("d");
        habitat_method method = methods[round % METHODS];
        outcome a = predict_list(list, KERNELS, NULL, &origin, &dest, method);
        outcome b = predict_list(list, KERNELS, order, &origin, &dest, method);
        CHECK(a.p->kernel_ms == b.p->kernel_ms && a.p->iteration_ms == b.p->iteration_ms);
        done(&a);
        done(&b);
    }
    check_case("the order of events in the file does not matter, to the bit");
}

static void units_in_the_file(void) {
    /* the same kernel with its times written in other ways, and another display unit */
    static const char *const forms[] = {"\"ts\": 100.5, \"dur\": 12.25",
                                        "\"ts\": 1.005e2, \"dur\": 1225e-2",
                                        "\"ts\": 100.500, \"dur\": 12.250000"};
    habitat_gpu o = made_gpu("o", 100, 1.0, 1000, 10), d = made_gpu("d", 50, 2.0, 500, 8);
    double first = 0;
    for (size_t i = 0; i < 3; i++) {
        char text[1024];
        int size = snprintf(text, sizeof text,
                            "{\"displayTimeUnit\": \"%s\", \"deviceProperties\": [{\"id\": 0, "
                            "\"name\": \"made\"}], \"traceEvents\": [{\"ph\": \"X\", \"cat\": "
                            "\"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 7, %s, \"args\": "
                            "{\"device\": 0, \"stream\": 7, \"correlation\": 1, \"grid\": [64, 1, "
                            "1], \"block\": [128, 1, 1], \"registers per thread\": 32, \"shared "
                            "memory\": 0}}]}",
                            i ? "ms" : "ns", forms[i]);
        habitat_trace *trace = NULL;
        habitat_workload *w = NULL;
        habitat_prediction *p = NULL;
        CHECK_INT(habitat_trace_read_memory(text, (size_t)size, "made", &trace, NULL), HABITAT_OK);
        CHECK_INT(habitat_workload_create(trace, &o, &w, NULL), HABITAT_OK);
        CHECK_INT(habitat_predict(w, &d, HABITAT_METHOD_WAVE, &p, NULL), HABITAT_OK);
        CHECK(habitat_workload_get_info(w)->kernel_ms == 0.01225);
        first = i ? first : p->kernel_ms;
        CHECK(p->kernel_ms == first);
        habitat_prediction_free(p);
        habitat_workload_free(w);
        habitat_trace_free(trace);
    }
    check_case("how the file writes its numbers does not matter");
}

static void twice(void) {
    made_kernel list[2 * KERNELS];
    for (int round = 0; round < ROUNDS; round++) {
        random_kernels(list, KERNELS);
        uint64_t shift_ns = list[KERNELS - 1].start_ns + list[KERNELS - 1].duration_ns;
        for (size_t i = 0; i < KERNELS; i++) {
            list[KERNELS + i] = list[i];
            list[KERNELS + i].start_ns += shift_ns;
        }
        habitat_gpu origin = random_gpu("o"), dest = random_gpu("d");
        for (size_t m = 0; m < METHODS; m++) {
            outcome once = predict_list(list, KERNELS, NULL, &origin, &dest, methods[m]);
            outcome both = predict_list(list, 2 * KERNELS, NULL, &origin, &dest, methods[m]);
            CHECK_NEAR(both.p->kernel_ms, 2 * once.p->kernel_ms, 1e-12);
            CHECK_NEAR(both.p->iteration_ms, 2 * once.p->iteration_ms, 1e-12);
            done(&once);
            done(&both);
        }
    }
    check_case("a step run twice costs twice");
}

static void consistent(void) {
    made_kernel list[KERNELS];
    size_t fell_back = 0;
    for (int round = 0; round < ROUNDS; round++) {
        random_kernels(list, KERNELS);
        habitat_gpu origin = random_gpu("o"), dest = random_gpu("d");
        for (size_t m = 0; m < METHODS; m++) {
            outcome o = predict_list(list, KERNELS, NULL, &origin, &dest, methods[m]);
            size_t count = 0;
            const habitat_workload_kernel *kernels = habitat_workload_kernels(o.w, &count);
            double coverage = 0, classes = 0, sum = 0;
            for (int c = 0; c < HABITAT_METHOD_COUNT; c++)
                coverage += o.p->coverage[c];
            for (size_t c = 0; c < o.p->class_count; c++)
                classes += o.p->by_class[c].ms;
            for (size_t i = 0; i < count; i++) {
                const habitat_estimate *e = &o.p->trace_kernels[i];
                sum += kernels[i].kernel->form->kind == HABITAT_KERNEL_COMPUTE ? e->ms : 0;
                CHECK(e->ms > 0 && e->low_ms < e->ms && e->ms < e->high_ms && isfinite(e->high_ms));
                uint32_t blocks = 0;
                habitat_launch launch = one_kernel_launch(kernels[i].kernel);
                bool here =
                    kernels[i].launch != HABITAT_NONE &&
                    habitat_occupancy_blocks(&origin, &launch, &blocks, NULL) == HABITAT_OK &&
                    habitat_occupancy_blocks(&dest, &launch, &blocks, NULL) == HABITAT_OK;
                if (methods[m] == HABITAT_METHOD_WAVE || methods[m] == HABITAT_METHOD_WAVE_LARGE) {
                    CHECK(here == (e->method != HABITAT_METHOD_FALLBACK));
                    fell_back += kernels[i].launch != HABITAT_NONE && !here;
                }
            }
            CHECK_NEAR(coverage, 1, 1e-12);
            CHECK_NEAR(classes, o.p->kernel_ms, 1e-12);
            CHECK_NEAR(sum, o.p->kernel_ms, 1e-12);
            CHECK(o.p->low_ms < o.p->iteration_ms && o.p->iteration_ms < o.p->high_ms);
            done(&o);
        }
    }
    CHECK(fell_back > 0);
    check_case("parts sum to the whole; wave covers exactly the kernels that are resident");
}

enum { STREAMS = 8 };

/* The kernels on several streams, each stream in order, and collectives on the last. */
static void on_streams(made_kernel *list, size_t count) {
    uint64_t end_ns[STREAMS];
    for (size_t s = 0; s < STREAMS; s++)
        end_ns[s] = 1000000;
    for (size_t i = 0; i < count; i++) {
        uint32_t stream = below(STREAMS);
        if (stream == STREAMS - 1)
            list[i] =
                (made_kernel){.name = below(2) ? "ncclDevKernel_AllReduce" : "ncclKernel_Send",
                              .duration_ns = 800 + below(900000),
                              .grid = 16,
                              .block = 512,
                              .registers = 96};
        list[i].stream = stream;
        list[i].start_ns = end_ns[stream] + below(3) * 10000;
        end_ns[stream] = list[i].start_ns + list[i].duration_ns;
    }
}

/* How much longer a kernel takes than on the origin, in the piece from `at_ns` to the next; of
 * waiting 0, where nothing runs -1. */
static double factor_in(const habitat_workload_kernel *k, double ms, uint64_t at_ns) {
    const habitat_kernel *of = k->kernel;
    double waiting = (double)k->waiting_ns;
    if (at_ns < of->start_ns || at_ns >= of->start_ns + of->duration_ns)
        return -1.0;
    if (at_ns < of->start_ns + k->waiting_ns)
        return 0.0;
    return (ms * 1e6 - waiting) / ((double)of->duration_ns - waiting);
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The rule of docs/formulas.md#busy-time, piece by piece and kernel by kernel. */
static double busy_by_rule_ms(const outcome *o) {
    size_t count = 0, edges = 0;
    uint64_t at_ns[3 * KERNELS];
    const habitat_workload_kernel *k = habitat_workload_kernels(o->w, &count);
    double busy_ns = 0;
    for (size_t i = 0; i < count; i++) {
        at_ns[edges++] = k[i].kernel->start_ns;
        at_ns[edges++] = k[i].kernel->start_ns + k[i].waiting_ns;
        at_ns[edges++] = k[i].kernel->start_ns + k[i].kernel->duration_ns;
    }
    qsort(at_ns, edges, sizeof *at_ns, by_number);
    for (size_t e = 0; e + 1 < edges; e++) {
        double slowest = -1.0;
        for (size_t i = 0; i < count; i++)
            slowest = fmax(slowest, factor_in(&k[i], o->p->trace_kernels[i].ms, at_ns[e]));
        if (slowest >= 0.0)
            busy_ns += (slowest > 0.0 ? slowest : 1.0) * (double)(at_ns[e + 1] - at_ns[e]);
    }
    return busy_ns / 1e6;
}

static void check_streams(const outcome *o) {
    size_t count = 0;
    const habitat_workload_kernel *kernels = habitat_workload_kernels(o->w, &count);
    double stream_ms[STREAMS] = {0}, sum_ms = 0;
    for (size_t i = 0; i < count; i++) {
        stream_ms[kernels[i].kernel->form->stream] +=
            o->p->trace_kernels[i].ms - (double)kernels[i].waiting_ns / 1e6;
        sum_ms += o->p->trace_kernels[i].ms;
    }
    for (int s = 0; s < STREAMS; s++)
        CHECK(o->p->busy_ms >= stream_ms[s] * (1 - 1e-12));
    CHECK(o->p->busy_ms <= sum_ms * (1 + 1e-12));
    CHECK_NEAR(o->p->busy_ms, busy_by_rule_ms(o), 1e-9);
}

static void overlapping(void) {
    made_kernel list[KERNELS];
    for (int round = 0; round < ROUNDS; round++) {
        random_kernels(list, KERNELS);
        on_streams(list, KERNELS);
        habitat_gpu origin = random_gpu("o"), dest = random_gpu("d"), twin = origin, wide = dest;
        origin.nvlink_bytes_per_s = 300e9;
        dest.nvlink_bytes_per_s = between(50e9, 900e9);
        twin.name = "twin";
        twin.nvlink_bytes_per_s = 300e9;
        for (size_t m = 0; m < METHODS; m++) {
            outcome o = predict_list(list, KERNELS, NULL, &origin, &dest, methods[m]);
            check_streams(&o);
            done(&o);
        }
        outcome o = predict_list(list, KERNELS, NULL, &origin, &twin, HABITAT_METHOD_BANDWIDTH);
        CHECK_NEAR(o.p->busy_ms, habitat_workload_get_info(o.w)->busy_ms, 1e-12);
        done(&o);
        wide.memory_bandwidth_bytes_per_s *= between(1.0, 3.0);
        wide.nvlink_bytes_per_s = dest.nvlink_bytes_per_s * between(1.0, 3.0);
        o = predict_list(list, KERNELS, NULL, &origin, &dest, HABITAT_METHOD_BANDWIDTH);
        outcome more = predict_list(list, KERNELS, NULL, &origin, &wide, HABITAT_METHOD_BANDWIDTH);
        CHECK(more.p->busy_ms <= o.p->busy_ms * (1 + 1e-12));
        done(&more);
        done(&o);
    }
    check_case(
        "several streams: at least the longest, at most the sum, the origin's own union, and "
        "shorter where every kernel is");
}

int main(void) {
    same_gpu();
    more_bandwidth_or_clock();
    wave_limits();
    more_sms();
    scaled_times();
    order_in_the_file();
    units_in_the_file();
    twice();
    consistent();
    overlapping();
    return check_done();
}
