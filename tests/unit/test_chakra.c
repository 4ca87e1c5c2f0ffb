/* Chakra execution traces: whole microseconds that carry what is rounded off, texts that a protobuf
 * may hold, and traces read back: each node after what it waits for, as long as the replay. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "export/message.h"
#include "export/whole_us.h"
#include "recorded.h"
#include "text_sink.h"

/* 1.4 us five times: 1.4, 2.8, 4.2, 5.6, 7.0 since the beginning are 1, 3, 4, 6, 7 whole ones. */
static void test_carry(void) {
    static const uint64_t wanted[] = {1, 2, 1, 2, 1};
    whole_us sum = {0.0, 0};
    for (int i = 0; i < 5; i++)
        CHECK_INT(whole_us_next(&sum, 1400.0), wanted[i]);
    CHECK_INT(sum.us, 7);
    static const double ns[] = {300.0, 300.0, 0.0, 2500000.0, 900.0, 100.0};
    static const uint64_t us[] = {0, 1, 0, 2500, 1, 0}; /* 0.3, 0.6, 0.6, 2500.6, 2501.5, 2501.6 */
    sum = (whole_us){0.0, 0};
    for (int i = 0; i < 6; i++)
        CHECK_INT(whole_us_next(&sum, ns[i]), us[i]);
    check_case("what is rounded off is carried");
}

/* One message at *at of a file, which moves on; NULL at its end. */
static const uint8_t *next_message(const text_sink *t, size_t *at, size_t *size) {
    *size = 0;
    for (int shift = 0; *at < t->size; shift += 7) {
        uint8_t byte = (uint8_t)t->data[(*at)++];
        *size |= (size_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *at += *size;
            return *at <= t->size ? (const uint8_t *)t->data + *at - *size : NULL;
        }
    }
    return NULL;
}

static HabitatChakra__Node *next_node(const text_sink *t, size_t *at) {
    size_t size = 0;
    const uint8_t *data = next_message(t, at, &size);
    return data ? habitat_chakra__node__unpack(NULL, size, data) : NULL;
}

static const HabitatChakra__Attribute *attribute(const HabitatChakra__Node *n, const char *name) {
    for (size_t i = 0; i < n->n_attributes; i++)
        if (strcmp(n->attributes[i]->name, name) == 0)
            return n->attributes[i];
    return NULL;
}

static void test_message(void) {
    static const uint64_t after[] = {7, 300};
    text_sink t = {0};
    message_file file = {.write = append, .context = &t};
    message_node n = {.id = 301,
                      .name = "caf\xc3\xa9 \xff!",
                      .type = MESSAGE_COLLECTIVE,
                      .after = after,
                      .after_count = 2,
                      .start_us = 12,
                      .duration_us = 3};
    message_add_real(&n.attributes, "duration_ns", 3200.5);
    message_add_text(&n.attributes, "operation", "\xc0\xafmm");
    message_add_text(&n.attributes, "nothing", NULL);
    message_add_whole(&n.attributes, "comm_size", 1ull << 40);
    message_add_flag(&n.attributes, "is_cpu_op", false);
    message_put_node(&file, &n);
    CHECK_INT(t.size, 0);
    message_flush(&file);
    size_t at = 0;
    HabitatChakra__Node *read = next_node(&t, &at);
    CHECK(read != NULL && at == t.size);
    CHECK_TEXT(read->name, "caf\xc3\xa9 \xef\xbf\xbd!");
    CHECK_INT(read->id, 301);
    CHECK_INT(read->type, 7);
    CHECK_INT(read->n_after, 2);
    CHECK_INT(read->after[1], 300);
    CHECK_INT(read->start_us, 12);
    CHECK_INT(read->duration_us, 3);
    CHECK_INT(read->n_attributes, 4);
    CHECK_NEAR(read->attributes[0]->real, 3200.5, 0.0);
    CHECK_TEXT(read->attributes[1]->text, "\xef\xbf\xbd\xef\xbf\xbdmm");
    CHECK(read->attributes[2]->whole == 1ll << 40);
    CHECK_INT(read->attributes[3]->value_case, HABITAT_CHAKRA__ATTRIBUTE__VALUE_FLAG);
    habitat_chakra__node__free_unpacked(read, NULL);
    message_file_free(&file);
    text_sink_clear(&t);
    check_case("a node and its texts");
}

/* ---- whole traces ---- */

enum { SUMS = 1024 };

typedef struct reading {
    double *end_us; /* by id; shape (capacity) */
    size_t count, capacity;
    double longest_us;
    double cpu_ns[SUMS], gpu_ns[SUMS], pause_ns[SUMS]; /* exact, by thread and stream */
    double cpu_us[SUMS], gpu_us[SUMS], pause_us[SUMS];
    size_t off, late; /* sums that are off; waits for what does not come before */
    size_t kernels, collectives;
    double kernel_ns, message_bytes;
} reading;

static double number(const HabitatChakra__Node *n, const char *name) {
    const HabitatChakra__Attribute *a = attribute(n, name);
    if (!a)
        return NAN;
    return a->value_case == HABITAT_CHAKRA__ATTRIBUTE__VALUE_REAL   ? a->real
           : a->value_case == HABITAT_CHAKRA__ATTRIBUTE__VALUE_FLAG ? a->flag
                                                                    : (double)a->whole;
}

static void add_sums(reading *r, const HabitatChakra__Node *n) {
    bool cpu = number(n, "is_cpu_op") > 0.0, pause = strcmp(n->name, "pause") == 0;
    double place = number(n, cpu ? "tid" : "stream"), ns = number(n, "duration_ns");
    size_t i = place >= 0.0 && place < SUMS ? (size_t)place : 0;
    double *exact = cpu ? r->cpu_ns : pause ? r->pause_ns : r->gpu_ns;
    double *whole = cpu ? r->cpu_us : pause ? r->pause_us : r->gpu_us;
    exact[i] += ns;
    whole[i] += (double)n->duration_us;
    r->off += !(fabs(exact[i] / 1e3 - whole[i]) <= 0.5 + 1e-6);
    if (!cpu && !pause && n->type != MESSAGE_METADATA && !attribute(n, "added")) {
        r->kernels++;
        r->kernel_ns += ns;
    }
    if (n->type == MESSAGE_COLLECTIVE) {
        r->collectives++;
        r->message_bytes += number(n, "comm_type") == 0.0 ? number(n, "comm_size") : 0.0;
    }
}

static void read_node(reading *r, const HabitatChakra__Node *n) {
    double from = 0.0;
    CHECK_INT(n->id, r->count + 1);
    for (size_t i = 0; i < n->n_after; i++) {
        bool before = n->after[i] >= 1 && n->after[i] <= r->count;
        for (size_t j = 0; j < i; j++)
            before &= n->after[j] != n->after[i];
        r->late += !before;
        from = before ? fmax(from, r->end_us[n->after[i]]) : from;
    }
    if (r->count + 2 > r->capacity) {
        r->capacity = 2 * r->capacity + 1024;
        r->end_us = realloc(r->end_us, r->capacity * sizeof *r->end_us);
    }
    r->end_us[++r->count] = from + (double)n->duration_us;
    r->longest_us = fmax(r->longest_us, r->end_us[r->count]);
    add_sums(r, n);
}

static void read_all(const text_sink *t, reading *r, double *length_ns) {
    size_t at = 0, size = 0;
    const uint8_t *data = next_message(t, &at, &size);
    HabitatChakra__Head *head = habitat_chakra__head__unpack(NULL, size, data);
    CHECK_TEXT(head->version, "1.0.0");
    for (size_t i = 0; i < head->n_attributes; i++)
        if (strcmp(head->attributes[i]->name, "length_ns") == 0)
            *length_ns = head->attributes[i]->real;
    habitat_chakra__head__free_unpacked(head, NULL);
    HabitatChakra__Node *n;
    while ((n = next_node(t, &at))) {
        read_node(r, n);
        habitat_chakra__node__free_unpacked(n, NULL);
    }
    CHECK_INT(at, t->size);
}

typedef struct subject {
    recorded of;
    habitat_replay *r;
    habitat_prediction *p;
} subject;

static subject subject_of(const habitat_gpu_table *table, const char *name, const char *to,
                          uint32_t gpus) {
    subject s = {.of = recorded_open(table, name)};
    const habitat_gpu *dest = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_find(table, to, &dest, NULL, &err), HABITAT_OK);
    CHECK_INT(habitat_replay_create(s.of.w, NULL, &s.r, &err), HABITAT_OK);
    CHECK_INT(habitat_predict(s.of.w, dest, HABITAT_METHOD_AUTO, &s.p, &err), HABITAT_OK);
    CHECK_INT(habitat_replay_apply_parallel(s.r, gpus, s.p, &err), HABITAT_OK);
    return s;
}

/* The longest way through a trace is the replay's, but for rounding and one launch's latency, which
 * is the recording's own (GNMT: 5 to 6 us). */
static void test_recording(const habitat_gpu_table *table, const char *name, const char *to,
                           uint32_t gpus, size_t collectives) {
    subject s = subject_of(table, name, to, gpus);
    text_sink t = {0};
    reading *r = calloc(1, sizeof *r);
    habitat_error err = {0};
    double length_ns = NAN, wanted_ns = 0.0;
    CHECK_INT(habitat_export_chakra(s.r, s.p, append, &t, &err), HABITAT_OK);
    read_all(&t, r, &length_ns);
    for (size_t i = 0; i < s.p->trace_kernel_count; i++)
        wanted_ns += s.p->trace_kernels[i].ms * 1e6;
    CHECK_INT(r->late, 0);
    CHECK_INT(r->off, 0);
    CHECK_INT(r->kernels, s.p->trace_kernel_count);
    CHECK_INT(r->collectives, collectives);
    wanted_ns *= habitat_replay_get_info(s.r)->kernel_scale;
    if (gpus == 1 && collectives) /* less what a message waited for beside other work */
        CHECK(r->kernel_ns <= wanted_ns && r->kernel_ns > 0.99 * wanted_ns);
    else
        CHECK_NEAR(r->kernel_ns, wanted_ns, 1e-9);
    CHECK(fabs(r->longest_us - length_ns / 1e3) < 7.0);
    if (gpus > 1) /* every parameter's gradient once, in fp32: 25557032 of ResNet-50 */
        CHECK_NEAR(r->message_bytes, 4.0 * 25557032, 0.0);
    t.refuse_from = t.pieces + 1;
    CHECK_INT(habitat_export_chakra(s.r, s.p, append, &t, &err), HABITAT_E_IO);
    CHECK_INT(habitat_export_chakra(NULL, s.p, append, &t, &err), HABITAT_E_ARG);
    text_sink_clear(&t);
    free(r->end_us);
    free(r);
    habitat_prediction_free(s.p);
    habitat_replay_free(s.r);
    recorded_close(&s.of);
    check_case(name);
}

int main(void) {
    habitat_gpu_table *table = NULL;
    habitat_error err = {0};
    test_carry();
    test_message();
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    test_recording(table, "gnmt_b16_fp32_h200", "T4", 1, 0);
    test_recording(table, "dcgan_b16_fp32_h100", "H100-SXM5-80GB", 1, 0);
    test_recording(table, "two_gpus/resnet50_b64_tf32_h200", "H200-SXM5-141GB", 4, 6);
    test_recording(table, "two_gpus/resnet50_b64_tf32.rank0", "H200-SXM5-141GB", 1, 7);
    habitat_gpu_table_free(table);
    return check_done();
}
