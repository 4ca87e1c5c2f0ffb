/* Text of the laboratory's reports, as it is made. */
#ifndef HABITAT_LAB_REPORT_H
#define HABITAT_LAB_REPORT_H

#include "lab/lab.h"

typedef struct report_text {
    habitat_text_sink sink;
    void *context;
    bool failed;    /* the sink */
    bool no_memory; /* a part of the report is missing */
} report_text;

__attribute__((format(printf, 2, 3))) void report_print(report_text *text, const char *format, ...);

/* The status of a report that is done: `status` unless that is HABITAT_OK; HABITAT_E_IO when the
 * output was refused, HABITAT_E_MEMORY when a part of it is missing. */
habitat_status report_end(const report_text *text, habitat_status status, habitat_error *err);

#endif
