/* See marks.h. */
#include "replay/marks.h"

#include <stdlib.h>

#include "base/list.h"
#include "workload/workload.h"

bool replay_mark(replay_marks *m, uint64_t at_ns) {
    uint64_t *grown = list_grow(m->at_ns, m->count, &m->capacity, 4, SIZE_MAX, sizeof *grown);
    if (!grown)
        return false;
    m->at_ns = grown;
    m->at_ns[m->count++] = at_ns;
    return true;
}

static int by_time(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void replay_sort_marks(replay_marks *m) {
    if (m->count)
        qsort(m->at_ns, m->count, sizeof *m->at_ns, by_time);
}

uint64_t replay_asked_ns(const habitat_replay *r, const replay_node *n) {
    const habitat_workload *w = r->workload;
    if (n->kind != REPLAY_KERNEL)
        return replay_recorded_ns(w, &r->graph, n);
    const habitat_kernel *kernel = w->kernels[n->index].kernel;
    size_t count = 0;
    const habitat_call *calls = habitat_trace_calls(w->trace, &count);
    return kernel->call == HABITAT_NONE ? kernel->start_ns : calls[kernel->call].start_ns;
}

uint32_t replay_part_of(const uint64_t *at_ns, size_t count, uint64_t then_ns) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (at_ns[middle] <= then_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}
