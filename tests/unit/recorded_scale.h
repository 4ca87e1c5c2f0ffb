/* A recording at another batch size or in another format, held against the recording of that. */
#ifndef HABITAT_TESTS_RECORDED_SCALE_H
#define HABITAT_TESTS_RECORDED_SCALE_H

#include <math.h>
#include <string.h>

#include "recorded.h"
#include "workload/workload.h"

/* What all calls of an operation take [ms]. */
static inline double recorded_total_ms(const habitat_workload *w, const char *operation) {
    double ms = 0.0;
    for (size_t g = 0; w && g < w->group_count; g++)
        if (w->groups[g].operation && strcmp(w->groups[g].operation->form->name, operation) == 0)
            ms += w->groups[g].origin_ms;
    return ms;
}

/* A case: what an operation's calls take then is within `off` in log(time) of what `to` has. */
static inline void recorded_check_near(const habitat_gpu_table *table, const char *from,
                                       const char *to, habitat_scale scale, const char *operation,
                                       double off) {
    recorded a = recorded_open(table, from), b = recorded_open(table, to);
    habitat_workload *out = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_workload_scale(a.w, &scale, NULL, &out, &err), HABITAT_OK);
    double ratio = recorded_total_ms(out, operation) / recorded_total_ms(b.w, operation);
    CHECK(fabs(log(ratio)) < off);
    habitat_workload_free(out);
    recorded_close(&a);
    recorded_close(&b);
    check_case(operation);
}

#endif
