/* Autocast keeps the 16-bit copy of a parameter until its region is left: before the backward pass,
 * as is usual. A loss in parts, a network that is run twice and a cell that is run for each step of
 * time read a weight many times until then. A recording lists how many parameters have a size. */
#include "rescale/weight_casts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "trace/gradients.h"
#include "trace/names.h"

struct weight_size {
    uint64_t elements, parameters;
    size_t first, last; /* runs of that size; none: first is run_count or more */
    uint64_t seen;      /* reads of the run `first` that were asked about */
};

struct weight_run {
    uint64_t reads;
    size_t gradients_before, next;
};

static const size_t none = SIZE_MAX;

static int by_elements(const void *x, const void *y) {
    const weight_size *a = x, *b = y;
    return (a->elements > b->elements) - (a->elements < b->elements);
}

static int by_time(const void *x, const void *y) {
    const uint64_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

static void count_sizes(const habitat_trace_memory *memory, weight_casts *out) {
    for (size_t i = 0; i < memory->parameter_count; i++)
        out->sizes[i] = (weight_size){memory->parameters[i].elements, 1, none, none, 0};
    qsort(out->sizes, memory->parameter_count, sizeof *out->sizes, by_elements);
    for (size_t i = 0; i < memory->parameter_count; i++) {
        weight_size *last = out->count ? &out->sizes[out->count - 1] : NULL;
        if (last && last->elements == out->sizes[i].elements)
            last->parameters++;
        else
            out->sizes[out->count++] = out->sizes[i];
    }
}

habitat_status weight_casts_of(const habitat_trace *trace, weight_casts *out, habitat_error *err) {
    const habitat_trace_memory *memory = &habitat_trace_get_info(trace)->memory;
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(trace, &count);
    *out = (weight_casts){.sizes = calloc(memory->parameter_count + 1, sizeof *out->sizes),
                          .gradients = calloc(count + 1, sizeof *out->gradients)};
    if (!out->sizes || !out->gradients)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    count_sizes(memory, out);
    for (size_t i = 0; i < count; i++)
        if (trace_adds_gradient(ops, (uint32_t)i))
            out->gradients[out->gradient_count++] = ops[i].start_ns;
    qsort(out->gradients, out->gradient_count, sizeof *out->gradients, by_time);
    return HABITAT_OK;
}

void weight_casts_free(weight_casts *of) {
    free(of->sizes);
    free(of->gradients);
    free(of->runs);
}

/* NULL: no parameter has that size. */
static weight_size *find(const weight_casts *of, double elements) {
    weight_size wanted = {.elements = elements >= 1.0 && elements < 1e18 ? (uint64_t)elements : 0};
    return of->count ? bsearch(&wanted, of->sizes, of->count, sizeof wanted, by_elements) : NULL;
}

bool weight_casts_read(weight_casts *of, uint64_t at_ns, double elements) {
    weight_size *size = find(of, elements);
    while (of->gradients_before < of->gradient_count && of->gradients[of->gradients_before] < at_ns)
        of->gradients_before++;
    if (!size)
        return true;
    if (size->last != none && of->runs[size->last].gradients_before == of->gradients_before) {
        of->runs[size->last].reads++;
        return true;
    }
    weight_run *runs =
        list_grow(of->runs, of->run_count, &of->run_room, 64, SIZE_MAX, sizeof *runs);
    if (!runs)
        return false;
    of->runs = runs;
    if (size->last == none)
        size->first = of->run_count;
    else
        runs[size->last].next = of->run_count;
    size->last = of->run_count;
    runs[of->run_count++] = (weight_run){1, of->gradients_before, none};
    return true;
}

bool weight_casts_next(weight_casts *of, double elements) {
    weight_size *size = find(of, elements);
    if (!size || size->first == none)
        return true;
    const weight_run *run = &of->runs[size->first];
    uint64_t times = run->reads % size->parameters == 0 ? run->reads / size->parameters : 1;
    bool casts = size->seen % times == 0;
    if (++size->seen == run->reads) {
        size->first = run->next;
        size->seen = 0;
    }
    return casts;
}

bool weight_casts_is_weight(const habitat_operation *op, uint32_t i) {
    const char *name = name_bare(op->form->name);
    if (strcmp(name, "addmm") == 0 || strcmp(name, "addmv") == 0)
        return i != 1;
    return i > 0 &&
           (strcmp(name, "linear") == 0 || strstr(name, "conv") != NULL || strcmp(name, "mm") == 0);
}

/* All weights of a recurrent layer once more, one behind the other. */
bool weight_casts_is_buffer(const habitat_operation *op, uint32_t i) {
    return i == 3 && strcmp(op->form->name, "aten::_cudnn_rnn") == 0;
}
