/* The predicted iteration as a Chrome trace: the library's own reader takes it, nothing is lost,
 * nothing crosses, and no kernel comes before its launch. */
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "recorded.h"
#include "text_sink.h"

typedef struct subject {
    recorded of;
    habitat_replay *r;
    habitat_prediction *p;
} subject;

static subject subject_of(const habitat_gpu_table *table, const char *name, const char *to) {
    subject s = {.of = recorded_open(table, name)};
    const habitat_gpu *dest = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_find(table, to, &dest, NULL, &err), HABITAT_OK);
    CHECK_INT(habitat_replay_create(s.of.w, NULL, &s.r, &err), HABITAT_OK);
    CHECK_INT(habitat_predict(s.of.w, dest, HABITAT_METHOD_AUTO, &s.p, &err), HABITAT_OK);
    CHECK_INT(habitat_replay_apply(s.r, s.p, &err), HABITAT_OK);
    return s;
}

static void done(subject *s) {
    habitat_prediction_free(s->p);
    habitat_replay_free(s->r);
    recorded_close(&s->of);
}

/* Operations nest: each ends before the one around it, and its parent is that one. */
static size_t crossing_operations(const habitat_trace *trace) {
    size_t count = 0, crossing = 0, open = 0;
    const habitat_operation *o = habitat_trace_operations(trace, &count);
    uint64_t ends[256];
    for (size_t i = 0; i < count; i++) {
        uint64_t end = o[i].start_ns + o[i].duration_ns;
        if (i && o[i].form->thread != o[i - 1].form->thread)
            open = 0;
        while (open && ends[open - 1] <= o[i].start_ns)
            open--;
        crossing += open && end > ends[open - 1];
        if (open < sizeof ends / sizeof *ends)
            ends[open++] = end;
    }
    return crossing;
}

static size_t crossing_kernels(const habitat_trace *trace) {
    size_t count = 0, crossing = 0;
    const habitat_kernel *k = habitat_trace_kernels(trace, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (k[j].form->stream == k[i].form->stream) {
                crossing += k[j].start_ns < k[i].start_ns + k[i].duration_ns;
                break;
            }
    return crossing;
}

static size_t early_kernels(const habitat_trace *trace) {
    size_t count = 0, early = 0;
    const habitat_kernel *k = habitat_trace_kernels(trace, &count);
    for (size_t i = 0; i < count; i++) {
        const habitat_call *launch = habitat_trace_launch(trace, &k[i]);
        early += launch && k[i].start_ns < launch->start_ns;
    }
    return early;
}

static void test_recording(const habitat_gpu_table *table, const char *name, const char *to) {
    subject s = subject_of(table, name, to);
    text_sink t = {0};
    habitat_trace *read = NULL;
    habitat_error err = {0};
    size_t kernels = 0, count = 0, calls = 0, kept = 0;
    CHECK_INT(habitat_export_timeline(s.r, s.p, append, &t, &err), HABITAT_OK);
    CHECK_INT(habitat_trace_read_memory(t.data, t.size, "timeline", &read, &err), HABITAT_OK);
    if (!read) {
        printf("# %s\n", err.message);
        return;
    }
    const habitat_workload_kernel *own = habitat_workload_kernels(s.of.w, &count);
    const habitat_kernel *k = habitat_trace_kernels(read, &kernels);
    double sum_ns = 0.0, wanted_ns = 0.0;
    for (size_t i = 0; i < kernels; i++)
        sum_ns += (double)k[i].duration_ns;
    for (size_t i = 0; i < count; i++)
        wanted_ns += s.p->trace_kernels[i].ms * 1e6;
    CHECK_INT(kernels, count);
    CHECK(own != NULL);
    CHECK_NEAR(sum_ns, wanted_ns * habitat_replay_get_info(s.r)->kernel_scale, 1e-3);
    habitat_trace_calls(read, &calls);
    habitat_trace_calls(s.of.trace, &kept);
    CHECK(calls > 0 && calls <= kept);
    CHECK_INT(habitat_trace_get_info(read)->iteration_count, 1);
    CHECK_TEXT(habitat_trace_get_info(read)->device_facts.name, to);
    CHECK_INT(crossing_operations(read), 0);
    CHECK_INT(crossing_kernels(read), 0);
    CHECK_INT(early_kernels(read), 0);
    habitat_trace_free(read);
    text_sink_clear(&t);
    t = (text_sink){.refuse_from = 2};
    CHECK_INT(habitat_export_timeline(s.r, s.p, append, &t, &err), HABITAT_E_IO);
    text_sink_clear(&t);
    CHECK_INT(habitat_export_timeline(NULL, s.p, append, &t, &err), HABITAT_E_ARG);
    done(&s);
    check_case(name);
}

int main(void) {
    habitat_gpu_table *table = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    test_recording(table, "gnmt_b16_fp32_h200", "T4");
    test_recording(table, "resnet50_b64_amp_fp16_h200", "B200-SXM-180GB");
    test_recording(table, "bert_b2_fp32_h100", "H100-SXM5-80GB");
    habitat_gpu_table_free(table);
    return check_done();
}
