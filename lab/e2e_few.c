/* `habitat eval e2e`: the few operations that stand for a calibration of each destination
 * (e2e_calibration.csv, drawn by tools/few_shot.py from training rows of single operations). */
#include "lab/e2e_few.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <habitat/csv.h>

#include "base/error.h"
#include "lab/e2e_errors.h"

struct e2e_operation {
    char gpu[64], op[32], pass[24], shape[160], timing[16];
    habitat_dtype dtype;
    double ms;
};

static void copy_text(char *out, size_t size, const char *text) {
    snprintf(out, size, "%s", text ? text : "");
}

static habitat_status add(e2e_operations *all, const habitat_csv_reader *table, const char *path,
                          habitat_error *err) {
    e2e_operation *grown = realloc(all->items, (all->count + 1) * sizeof *grown);
    if (!grown)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    all->items = grown;
    e2e_operation *made = &grown[all->count++];
    copy_text(made->gpu, sizeof made->gpu, habitat_csv_text(table, "gpu"));
    copy_text(made->op, sizeof made->op, habitat_csv_text(table, "op"));
    copy_text(made->pass, sizeof made->pass, habitat_csv_text(table, "pass"));
    copy_text(made->shape, sizeof made->shape, habitat_csv_text(table, "shape"));
    copy_text(made->timing, sizeof made->timing, habitat_csv_text(table, "timing"));
    made->dtype = habitat_dtype_from_name(habitat_csv_text(table, "dtype"));
    made->ms = habitat_csv_number(table, "latency_ms");
    if (!(made->ms > 0))
        return habitat_fail_at(err, HABITAT_E_FORMAT, path, UINT64_MAX, 0,
                               "line %llu: latency_ms is not above 0",
                               (unsigned long long)habitat_csv_line(table));
    return HABITAT_OK;
}

habitat_status e2e_read_operations(const char *folder, e2e_operations *out, habitat_error *err) {
    char path[4096];
    habitat_csv_reader *table = NULL;
    const char *record = NULL;
    habitat_status code = HABITAT_OK;
    *out = (e2e_operations){0};
    snprintf(path, sizeof path, "%s/e2e_calibration.csv", folder);
    if (access(path, F_OK) != 0)
        return HABITAT_OK; /* others' folders need not have it: its two columns stay away */
    habitat_status status = habitat_csv_open(path, &table, err);
    while (code == HABITAT_OK && status == HABITAT_OK &&
           (status = habitat_csv_next(table, &record, err)) == HABITAT_OK && record)
        code = add(out, table, path, err);
    if (status != HABITAT_OK)
        code = e2e_name_row(status, err, path);
    habitat_csv_close(table);
    return code;
}

void e2e_operations_free(e2e_operations *all) {
    free(all->items);
    *all = (e2e_operations){0};
}

size_t e2e_operations_of(const e2e_operations *all, const char *gpu, habitat_gpu_operation *out,
                         size_t most) {
    size_t count = 0;
    for (size_t i = 0; all->items && i < all->count && count < most; i++) {
        const e2e_operation *item = &all->items[i];
        if (strcmp(item->gpu, gpu) == 0)
            out[count++] = (habitat_gpu_operation){.op = item->op,
                                                   .pass = item->pass,
                                                   .shape = item->shape,
                                                   .timing = item->timing,
                                                   .dtype = item->dtype,
                                                   .ms = item->ms};
    }
    return count;
}
