/* The table of all GPUs as text. */
#include <math.h>

#include "gpu/gpu.h"
#include "report/gpu_operations.h"
#include "report/table.h"

/* Matrix rate in half precision: fp16, else bf16. */
static double half_rate(const habitat_rates *rates, habitat_dtype *used) {
    *used = isfinite(rates->matrix_flop_per_s[HABITAT_DTYPE_FP16]) ? HABITAT_DTYPE_FP16
                                                                   : HABITAT_DTYPE_BF16;
    return rates->matrix_flop_per_s[*used];
}

/* "~" marks what is estimated. */
static void sustained_cell(text_table *t, size_t column, double value, bool estimated) {
    if (isfinite(value))
        table_cell(t, column, "%s%.0f", estimated ? "~" : "", value);
    else
        table_cell(t, column, "-");
}

void text_gpus(writer *w, const habitat_gpu_table *table_of_gpus) {
    static const table_column columns[] = {
        {"GPU", false, true},          {"architec-\nture", false, false},
        {"\nSMs", true, false},        {"fp32\nTF/s", true, false},
        {"matrix\nTF/s", true, false}, {"sust.\nTF/s", true, false},
        {"memory\nGiB", true, false},  {"peak\nGB/s", true, false},
        {"sust.\nGB/s", true, false},  {"TDP\nW", true, false},
    };
    text_table t;
    table_start(&t, columns, sizeof columns / sizeof columns[0]);
    size_t count = habitat_gpu_count(table_of_gpus);
    for (size_t i = 0; i < count; i++) {
        const habitat_gpu *gpu = habitat_gpu_at(table_of_gpus, i);
        habitat_dtype dtype;
        table_row(&t, STYLE_PLAIN);
        table_cell(&t, 0, "%s", gpu->name);
        table_cell(&t, 1, "%s", gpu->architecture ? gpu->architecture : "-");
        table_number(&t, 2, gpu->sm_count ? gpu->sm_count : (double)NAN, 0);
        table_number(&t, 3, gpu->peak.plain_flop_per_s[HABITAT_DTYPE_FP32] / 1e12, 1);
        table_number(&t, 4, half_rate(&gpu->peak, &dtype) / 1e12, 0);
        double sustained = half_rate(&gpu->sustained, &dtype) / 1e12;
        sustained_cell(&t, 5, sustained, gpu->sustained_matrix_estimated[dtype]);
        table_number(&t, 6, gpu->memory_sold_bytes / HABITAT_GIB, 0);
        table_number(&t, 7, gpu->memory_bandwidth_bytes_per_s / HABITAT_GB, 0);
        sustained_cell(&t, 8, gpu->sustained_bandwidth_bytes_per_s / HABITAT_GB,
                       gpu->sustained_bandwidth_estimated);
        table_number(&t, 9, gpu->tdp_w, 0);
    }
    table_write(&t, w);
    writer_text(w, "\n");
    wrapped_text(w, "", 0,
                 "matrix: fp16 (else bf16) on matrix units, dense. sust.: what real kernels "
                 "reach; ~ marks estimates. `habitat gpus NAME` shows everything with sources.");
}
