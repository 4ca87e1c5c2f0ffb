/* A workload's parts, as others see them. */
#include "workload/workload.h"

#include <stdlib.h>

void habitat_workload_free(habitat_workload *w) {
    if (!w)
        return;
    habitat_memory_free(w->memory);
    free(w->kernels);
    free(w->groups);
    free(w->group_index);
    free(w->launches);
    free(w->origin_waves);
    free(w->parts);
    free(w->edges);
    habitat_arena_free(&w->arena);
    free(w);
}

const habitat_workload_info *habitat_workload_get_info(const habitat_workload *w) {
    return &w->info;
}

const habitat_workload_kernel *habitat_workload_kernels(const habitat_workload *w, size_t *count) {
    *count = w->kernel_count;
    return w->kernels;
}

const habitat_workload_group *habitat_workload_groups(const habitat_workload *w, size_t *count) {
    *count = w->group_count;
    return w->groups;
}

const uint32_t *habitat_workload_group_index(const habitat_workload *w, size_t *count) {
    *count = w->kernel_count;
    return w->group_index;
}

const char *const *habitat_workload_warnings(const habitat_workload *w, size_t *count) {
    *count = w->warning_count;
    return w->warnings;
}
