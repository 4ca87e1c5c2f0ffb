/* Recorded iterations of real models: counts, sums and links, against numbers worked out of the
 * same files with Python's json and decimal modules. The files are not part of this repository:
 * $HABITAT_TRACES or ../shared/traces; the test is skipped without them. */
#include <stdlib.h>
#include <unistd.h>

#include <habitat/trace.h>

#include "check.h"

typedef struct expected {
    const char *file;
    size_t operations, kernels, copies;
    uint64_t kernel_ns, copy_ns;
    size_t backward; /* operations that carry a forward thread id */
} expected;

static const expected table[] = {
    {"resnet50_b32_fp32_h200.json.gz", 2508, 725, 17, 16947968, 21889, 356},
    {"inception_v3_b32_fp32_h200.json.gz", 4661, 1517, 74, 34361925, 83584, 634},
    {"bert_large_b8_fp32_h200.json.gz", 15134, 1823, 215, 216538294, 241314, 2872},
};

static const char *folder(void) {
    const char *given = getenv("HABITAT_TRACES");
    return given ? given : HABITAT_SOURCE_DIR "/../shared/traces";
}

static void check_order(const habitat_trace *t) {
    size_t operation_count, kernel_count;
    const habitat_operation *o = habitat_trace_operations(t, &operation_count);
    const habitat_kernel *k = habitat_trace_kernels(t, &kernel_count);
    for (size_t i = 1; i < operation_count; i++)
        CHECK(o[i - 1].thread < o[i].thread ||
              (o[i - 1].thread == o[i].thread && o[i - 1].start_ns <= o[i].start_ns));
    for (size_t i = 0; i < operation_count; i++) {
        if (o[i].parent == HABITAT_NONE)
            continue;
        const habitat_operation *p = &o[o[i].parent];
        CHECK(o[i].parent < i && p->thread == o[i].thread && p->start_ns <= o[i].start_ns);
        CHECK(p->start_ns + p->duration_ns >= o[i].start_ns + o[i].duration_ns);
        CHECK(p->kernel_count >= o[i].kernel_count);
    }
    for (size_t i = 1; i < kernel_count; i++)
        CHECK(k[i - 1].device < k[i].device ||
              (k[i - 1].device == k[i].device && k[i - 1].start_ns <= k[i].start_ns));
}

static void check_links(const habitat_trace *t, const expected *e) {
    size_t operation_count, kernel_count, linked = 0, backward = 0;
    const habitat_operation *o = habitat_trace_operations(t, &operation_count);
    const habitat_kernel *k = habitat_trace_kernels(t, &kernel_count);
    for (size_t i = 0; i < kernel_count; i++) {
        linked += k[i].operation != HABITAT_NONE;
        CHECK(k[i].launch_thread != HABITAT_NONE && k[i].launch_start_ns <= k[i].start_ns);
        CHECK(!k[i].in_graph && k[i].device == 0 && k[i].iteration == 0);
        if (k[i].kind == HABITAT_KERNEL_COMPUTE)
            CHECK(k[i].grid[0] && k[i].block[0] && k[i].registers_per_thread);
    }
    CHECK_INT(linked, kernel_count);
    for (size_t i = 0; i < operation_count; i++)
        backward += o[i].forward != HABITAT_NONE && o[i].sequence >= 0 &&
                    o[o[i].forward].sequence == o[i].sequence;
    CHECK_INT(backward, e->backward);
}

static void check_trace(const expected *e) {
    char path[4096];
    habitat_trace *t;
    habitat_error err = {0};
    size_t count;
    snprintf(path, sizeof path, "%s/%s", folder(), e->file);
    habitat_status status = habitat_trace_read(path, &t, &err);
    if (status != HABITAT_OK)
        printf("# %s: %s\n", err.file, err.message);
    CHECK_INT(status, HABITAT_OK);
    check_case(e->file);
    if (status != HABITAT_OK)
        return;
    const habitat_trace_info *info = habitat_trace_get_info(t);
    const habitat_iteration *it = habitat_trace_iterations(t, &count);
    CHECK_INT(count, 1);
    CHECK_INT(it->kernel_count, e->kernels);
    CHECK_INT(it->copy_count, e->copies);
    CHECK_INT(llround(it->kernel_ms * 1e6), e->kernel_ns);
    CHECK_INT(llround(it->copy_ms * 1e6), e->copy_ns);
    CHECK(it->busy_ms <= it->kernel_ms + it->copy_ms && it->busy_ms <= it->span_ms);
    habitat_trace_operations(t, &count);
    CHECK_INT(count, e->operations);
    CHECK_TEXT(info->format, "kineto");
    CHECK_TEXT(info->device_facts.name, "NVIDIA H200");
    CHECK_INT(info->device_facts.sm_count, 132);
    CHECK_INT(info->device_facts.compute_capability, 90);
    CHECK(info->has_operations && info->has_shapes && !info->has_counters);
    CHECK(isnan(info->iteration_ms) && info->batch_size == 0);
    CHECK_INT(info->unlinked_kernels, 0);
    check_case("counts and sums, to the nanosecond");
    check_order(t);
    check_case("sorted and properly nested");
    check_links(t, e);
    check_case("every kernel has its operation, every backward operation its forward one");
    habitat_trace_free(t);
}

int main(void) {
    if (access(folder(), R_OK) != 0) {
        printf("# skipped: no recorded traces at %s\n", folder());
        return 77;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check_trace(&table[i]);
    return check_done();
}
