/* Rates of a GPU; see page_rates.h. */
#include "report/page_rates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/same_text.h"
#include "gpu/gpu.h"
#include "report/html.h"

static const habitat_dtype formats[RATE_FORMATS] = {HABITAT_DTYPE_FP32, HABITAT_DTYPE_TF32,
                                                    HABITAT_DTYPE_FP16, HABITAT_DTYPE_BF16};

static void add_rate(const habitat_gpu *gpu, const char *name, const char *key, bool estimated,
                     page_rate *list, size_t *count) {
    page_rate *rate = &list[(*count)++];
    snprintf(rate->name, sizeof rate->name, "%s", name);
    rate->estimated = estimated;
    rate->source = estimated ? NULL : habitat_gpu_source_of(gpu, key);
}

size_t page_rates_of(const habitat_gpu *gpu, page_rate *list) {
    char key[RATE_BYTES], name[RATE_BYTES];
    size_t count = 0;
    if (isfinite(gpu->sustained_bandwidth_bytes_per_s))
        add_rate(gpu, "DRAM", "sustained.dram_gb_per_s", gpu->sustained_bandwidth_estimated, list,
                 &count);
    for (size_t i = 0; i < 2 * RATE_FORMATS; i++) {
        bool matrix = i >= RATE_FORMATS, estimated = false;
        habitat_dtype format = formats[i % RATE_FORMATS];
        if (isnan(habitat_gpu_rate(gpu, HABITAT_RATE_SUSTAINED, format, matrix, &estimated)))
            continue;
        snprintf(key, sizeof key, "sustained.%s_tflop_per_s.%s", matrix ? "matrix" : "plain",
                 habitat_dtype_name(format));
        snprintf(name, sizeof name, "%s%s", habitat_dtype_name(format), matrix ? " matrix" : "");
        add_rate(gpu, name, key, estimated, list, &count);
    }
    return count;
}

bool page_rates_alike(const page_rate *a, const page_rate *b) {
    const habitat_gpu_source *x = a->source, *y = b->source;
    return a->estimated == b->estimated &&
           (x == y ||
            (x && y && same_text(x->publisher, y->publisher) && same_text(x->date, y->date)));
}

bool page_rate_is_first(const page_rate *list, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (page_rates_alike(&list[i], &list[at]))
            return false;
    return true;
}

void page_rate_names(writer *w, const page_rate *list, size_t count, size_t at) {
    bool first = true;
    for (size_t i = 0; i < count; i++)
        if (page_rates_alike(&list[i], &list[at])) {
            writer_text(w, first ? "" : ", ");
            html_text(w, list[i].name);
            first = false;
        }
}
