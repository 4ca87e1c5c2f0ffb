/* See device_rows.h. */
#include "report/device_rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpu/gpu.h"
#include "report/table.h"
#include "workload/workload.h"

void json_device_rows(writer *w, size_t count, const habitat_device_time *devices) {
    if (!count)
        return;
    json_array(w, "by_device");
    for (size_t i = 0; i < count; i++) {
        json_map(w, NULL);
        json_integer(w, "device", devices[i].device);
        json_number(w, "kernel_ms", devices[i].kernel_ms);
        json_number(w, "busy_ms", devices[i].busy_ms);
        json_end_map(w);
    }
    json_end_array(w);
}

static void csv_time(writer *w, uint32_t device, const char *key, double ms) {
    char text[64];
    snprintf(text, sizeof text, "device.%" PRIu32 ".%s", device, key);
    csv_text(w, text);
    csv_number(w, ms);
    csv_end_row(w);
}

void csv_device_rows(writer *w, const habitat_answer *what) {
    for (size_t i = 0; i < what->device_count; i++) {
        csv_time(w, what->devices[i].device, "kernel_ms", what->devices[i].kernel_ms);
        csv_time(w, what->devices[i].device, "busy_ms", what->devices[i].busy_ms);
    }
}

void text_devices(writer *w, const habitat_answer *what) {
    const habitat_trace_info *t = habitat_trace_get_info(what->trace);
    char text[128], kernels[32], busy[32];
    if (t->device_count < 2)
        return;
    snprintf(text, sizeof text, "%zu; device %" PRIu32 " has the most kernel time", t->device_count,
             t->device);
    wrapped_text(w, "Devices     ", 12, text);
    for (size_t i = 0; i < what->device_count; i++) {
        ms_text(what->devices[i].kernel_ms, kernels, sizeof kernels);
        ms_text(what->devices[i].busy_ms, busy, sizeof busy);
        snprintf(text, sizeof text, "device %" PRIu32 ": %s ms of kernels, busy %s ms",
                 what->devices[i].device, kernels, busy);
        wrapped_text(w, "            ", 12, text);
    }
    if (!what->workload || !what->workload->driven_count)
        return;
    snprintf(text, sizeof text,
             "one program drives %zu of them: what follows is of device %" PRIu32
             " alone, but for the iteration",
             what->workload->driven_count, t->device);
    wrapped_text(w, "            ", 12, text);
}

enum { SHOWN = 7 }; /* devices: what has room beside a GPU's name in 80 columns */

void text_device_rows(writer *w, const habitat_answer_row *const *rows, size_t count) {
    char headers[SHOWN][48];
    table_column columns[SHOWN + 1] = {{"GPU", false, true}};
    text_table t;
    if (!count || !rows[0]->device_count)
        return;
    const habitat_answer_row *first = rows[0];
    size_t shown = first->device_count < SHOWN ? first->device_count : SHOWN;
    for (size_t d = 0; d < shown; d++) {
        snprintf(headers[d], sizeof headers[d], "device %" PRIu32 "\nbusy ms",
                 first->devices[d].device);
        columns[d + 1] = (table_column){headers[d], true, false};
    }
    table_start(&t, columns, shown + 1);
    for (size_t i = 0; i < count; i++) {
        table_row(&t, STYLE_PLAIN);
        table_cell(&t, 0, "%s", rows[i]->key.gpu->name);
        for (size_t d = 0; d < shown; d++)
            table_ms(&t, d + 1, rows[i]->devices[d].busy_ms);
    }
    writer_text(w, "\n");
    table_write(&t, w);
}
