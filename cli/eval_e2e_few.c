/* `habitat eval e2e`: the few operations that stand for a calibration of each destination
 * (e2e_calibration.csv, drawn by tools/few_shot.py from training rows of single operations). */
#include "eval_e2e.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct e2e_operation {
    char gpu[64], op[32], pass[24], shape[160], timing[16];
    habitat_dtype dtype;
    double ms;
};

static void copy_text(char *out, size_t size, const char *text) {
    snprintf(out, size, "%s", text ? text : "");
}

static int add(e2e_operations *all, const habitat_csv_reader *table, const char *path) {
    e2e_operation *grown = realloc(all->items, (all->count + 1) * sizeof *grown);
    if (!grown)
        return cli_fail(CLI_FAILED, NULL, "out of memory");
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
        return cli_fail(CLI_INPUT, path, "line %llu: latency_ms is not above 0",
                        (unsigned long long)habitat_csv_line(table));
    return CLI_DONE;
}

int e2e_read_operations(const char *folder, e2e_operations *out) {
    char path[4096];
    habitat_csv_reader *table = NULL;
    habitat_error error = {0};
    const char *record = NULL;
    int code = CLI_DONE;
    *out = (e2e_operations){0};
    snprintf(path, sizeof path, "%s/e2e_calibration.csv", folder);
    if (access(path, F_OK) != 0)
        return CLI_DONE; /* others' folders need not have it: its two columns stay away */
    habitat_status status = habitat_csv_open(path, &table, &error);
    while (code == CLI_DONE && status == HABITAT_OK &&
           (status = habitat_csv_next(table, &record, &error)) == HABITAT_OK && record)
        code = add(out, table, path);
    if (status != HABITAT_OK)
        code = cli_fail_row(&error, path);
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
