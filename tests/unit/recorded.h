/* A recording of this repository with its workload, for tests. */
#ifndef HABITAT_TESTS_RECORDED_H
#define HABITAT_TESTS_RECORDED_H

#include <stdio.h>

#include <habitat/gpu.h>
#include <habitat/trace.h>
#include <habitat/workload.h>

#include "check.h"

typedef struct recorded {
    habitat_trace *trace;
    habitat_workload *w;
    const habitat_gpu *origin;
} recorded;

/* `w` is NULL where the file cannot be read; the reason is printed. */
static inline recorded recorded_at(const habitat_gpu_table *table, const char *path) {
    recorded r = {0};
    habitat_error err = {0};
    if (habitat_trace_read(path, &r.trace, &err) != HABITAT_OK ||
        habitat_gpu_match(table, &habitat_trace_get_info(r.trace)->device_facts, &r.origin, &err) !=
            HABITAT_OK ||
        habitat_workload_create(r.trace, r.origin, &r.w, &err) != HABITAT_OK)
        printf("# %s: %s\n", path, err.message);
    return r;
}

/* data/recordings/NAME.json.gz, which must be there. */
static inline recorded recorded_open(const habitat_gpu_table *table, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/data/recordings/%.100s.json.gz", HABITAT_SOURCE_DIR, name);
    recorded r = recorded_at(table, path);
    CHECK(r.w != NULL);
    return r;
}

static inline void recorded_close(recorded *r) {
    habitat_workload_free(r->w);
    habitat_trace_free(r->trace);
}

#endif
