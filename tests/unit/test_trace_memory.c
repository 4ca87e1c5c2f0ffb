/* How much memory a trace keeps: of each event little, of what repeats one copy. */
#include <stdlib.h>

#include <habitat/trace.h>

#include "check.h"
#include "made_layers.h"
#include "trace/read.h"
#include "trace/trace.h"

/* Traces of 1 GB hold millions of these: a field that repeats belongs into the form, a rare one
 * into a table of its own (docs/decisions/0223). */
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(habitat_operation) == 40, "an operation has grown");
_Static_assert(sizeof(habitat_kernel) == 40, "a kernel has grown");
_Static_assert(sizeof(habitat_call) == 48, "a call has grown");
#endif

enum { BYTES_AN_EVENT = 50 };

/* Two operations, one in the other, with shapes. */
static void write_operations(made_text *text, size_t i) {
    unsigned layer = (unsigned)(i % MADE_LAYERS), at = 10 * (unsigned)i;
    made_write(text,
               "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::linear\", \"pid\": 1, "
               "\"tid\": 1, \"ts\": %u, \"dur\": 9, \"args\": {\"Sequence number\": %zu, "
               "\"External id\": %zu}},\n"
               "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::addmm\", \"pid\": 1, "
               "\"tid\": 1, \"ts\": %u, \"dur\": 7, \"args\": {\"Sequence number\": %zu, "
               "\"Input type\": [\"float\", \"float\"], \"Input Dims\": [[%u, 32], [32, 16]], "
               "\"External id\": %zu}},\n",
               at, i, 2 * i + 1, at + 1, i, layer + 1, 2 * i + 2);
}

static habitat_trace *read_layers(size_t count) {
    made_text text = made_layers("", count, write_operations);
    habitat_trace *t = NULL;
    CHECK_INT(trace_read_memory_as(text.data, text.used, "made", false, &t, NULL), HABITAT_OK);
    free(text.data);
    return t;
}

/* Memory that a trace keeps, without what the allocator adds. */
static size_t kept_bytes(const habitat_trace *t) {
    size_t kernels = t->kernel_count * sizeof *t->kernels + t->loose_count * sizeof *t->loose;
    size_t calls = t->call_count * sizeof *t->calls;
    size_t operations = t->operation_count * sizeof *t->operations;
    operations += t->module_run_count * sizeof *t->modules;
    if (t->numbered)
        operations += t->operation_count / 8 + 1;
    if (t->call_kernels)
        calls += t->kernel_count * sizeof *t->call_kernels;
    calls += t->call_wait_count * sizeof *t->call_waits;
    return sizeof *t + operations + kernels + calls +
           t->info.iteration_count * sizeof *t->iterations + t->arena.used_bytes +
           t->strings.arena.used_bytes + t->forms.arena.used_bytes;
}

static size_t count_forms(const habitat_trace *t) {
    size_t count, distinct = 0;
    const habitat_kernel *k = habitat_trace_kernels(t, &count);
    for (size_t i = 0; i < count; i++) {
        bool met = false;
        for (size_t j = 0; j < i && j < 100 && !met; j++)
            met = k[j].form == k[i].form;
        distinct += !met;
    }
    return distinct;
}

static void check_linear(void) {
    enum { FEW = MADE_LAYERS * 300, MANY = 3 * FEW, EVENTS_A_LAYER = 4 };
    habitat_trace *few = read_layers(FEW), *many = read_layers(MANY);
    size_t count;
    if (!few || !many)
        return;
    habitat_trace_operations(many, &count);
    CHECK_INT(count, 2 * MANY);
    size_t more = kept_bytes(many) - kept_bytes(few);
    size_t events = (size_t)EVENTS_A_LAYER * (MANY - FEW);
    printf("# %.1f bytes an event\n", (double)more / (double)events);
    CHECK(more <= BYTES_AN_EVENT * events);
    check_case("each event that repeats others keeps at most 50 bytes");
    CHECK_INT(count_forms(few), MADE_LAYERS);
    CHECK_INT(count_forms(many), MADE_LAYERS);
    CHECK(many->forms.arena.used_bytes == few->forms.arena.used_bytes);
    CHECK(many->strings.arena.used_bytes == few->strings.arena.used_bytes);
    CHECK(many->arena.used_bytes == few->arena.used_bytes);
    check_case("what repeats is kept once");
    CHECK(!many->modules && many->call_wait_count == 0);
    CHECK(!many->forms.list && !many->forms.table.slots && !many->strings.list);
    check_case("what a trace does not have takes nothing, nor what only reading needs");
    habitat_trace_free(few);
    habitat_trace_free(many);
}

static const char *const numbers[] = {"1", "1", "2"};

/* Operations one in the other: the second has its parent's number, the third another. */
static void check_numbers(void) {
    made_text text = {NULL, 0, 0};
    habitat_trace *t = NULL;
    made_write(&text, "{\"traceEvents\": [\n");
    for (unsigned i = 0; i < 3; i++)
        made_write(&text,
                   "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"op\", \"pid\": 1, \"tid\": 1, "
                   "\"ts\": %u, \"dur\": %u, \"args\": {\"Sequence number\": %s}},\n",
                   10 + i, 20 - 2 * i, numbers[i]);
    for (unsigned i = 0; i < 2; i++)
        made_write(
            &text,
            "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"none\", \"pid\": 1, \"tid\": 1, "
            "\"ts\": %u, \"dur\": %u},\n",
            40 + i, 20 - 2 * i);
    made_write(&text,
               "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 7, "
               "\"ts\": 50, \"dur\": 1}]}");
    CHECK_INT(habitat_trace_read_memory(text.data, text.used, "made", &t, NULL), HABITAT_OK);
    free(text.data);
    if (!t)
        return;
    static const bool expected[] = {false, true, false, false, true};
    for (uint32_t i = 0; i < 5; i++)
        CHECK_INT(habitat_trace_numbered_as_parent(t, i), expected[i]);
    habitat_trace_free(t);
    check_case("an operation with its parent's autograd number is told; none is a number, too");
}

int main(void) {
    check_linear();
    check_numbers();
    return check_done();
}
