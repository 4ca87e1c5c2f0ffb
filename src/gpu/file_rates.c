/* Rates of a GPU file: peaks, sustained rates, the limits of a multiprocessor, the costs of a host.
 */
#include "gpu/file.h"

#include <string.h>

/* The keys of one object, each into its place behind `base`. */
static habitat_status read_members(gpu_file *r, const char *where, yajl_val value,
                                   const gpu_field *fields, size_t count, char *base) {
    TRY(gpu_need_object(r, where, value));
    for (size_t i = 0; i < value->u.object.len; i++) {
        const char *key = value->u.object.keys[i];
        size_t f = 0;
        while (f < count && strcmp(key, fields[f].key) != 0)
            f++;
        if (f == count)
            return gpu_file_bad(r, HABITAT_E_FORMAT, key, "unknown key in %s; did you mean %s?",
                                where, gpu_nearest_key(key, fields, count));
        TRY(gpu_read_field(r, &fields[f], value->u.object.values[i], base));
    }
    return HABITAT_OK;
}

habitat_status gpu_read_limits(gpu_file *r, yajl_val value) {
    return read_members(r, "sm_limits", value, gpu_limit_fields, gpu_limit_field_count,
                        (char *)&r->entry->gpu.limits);
}

habitat_status gpu_read_host(gpu_file *r, yajl_val value) {
    TRY(read_members(r, "host", value, gpu_host_fields, gpu_host_field_count,
                     (char *)&r->entry->gpu.host));
    for (size_t f = 0; f < gpu_host_field_count; f++) {
        bool given = false;
        for (size_t i = 0; i < value->u.object.len; i++)
            given |= strcmp(value->u.object.keys[i], gpu_host_fields[f].key) == 0;
        if (!given)
            return gpu_file_bad(r, HABITAT_E_FORMAT, "host", "lacks %s", gpu_host_fields[f].key);
    }
    return HABITAT_OK;
}

static habitat_status read_rates(gpu_file *r, const char *where, yajl_val value, double *rates) {
    static const habitat_dtype known[] = {
        HABITAT_DTYPE_FP64, HABITAT_DTYPE_FP32, HABITAT_DTYPE_TF32, HABITAT_DTYPE_FP16,
        HABITAT_DTYPE_BF16, HABITAT_DTYPE_FP8,  HABITAT_DTYPE_INT8};
    habitat_gpu *gpu = &r->entry->gpu;
    TRY(gpu_need_object(r, where, value));
    for (size_t i = 0; i < value->u.object.len; i++) {
        const char *key = value->u.object.keys[i];
        double number = 0, *target = NULL;
        for (size_t d = 0; d < sizeof known / sizeof *known; d++)
            if (strcmp(key, habitat_dtype_name(known[d])) == 0)
                target = &rates[known[d]];
        if (rates == gpu->peak.matrix_flop_per_s && strcmp(key, "fp16_fp16_accumulate") == 0)
            target = &gpu->matrix_fp16_accumulate_fp16_flop_per_s;
        if (rates == gpu->peak.matrix_flop_per_s && strcmp(key, "fp8_fp16_accumulate") == 0)
            target = &gpu->matrix_fp8_accumulate_fp16_flop_per_s;
        if (!target)
            return gpu_file_bad(
                r, HABITAT_E_FORMAT, key,
                "unknown number format in %s; known: fp64 fp32 tf32 fp16 bf16 fp8 int8", where);
        if (YAJL_IS_NULL(value->u.object.values[i])) { /* complete.c says whether it is needed */
            r->left.null_fp16 |= target == &gpu->peak.matrix_flop_per_s[HABITAT_DTYPE_FP16];
            continue;
        }
        TRY(gpu_read_number(r, key, value->u.object.values[i], 1e-3, 1e6, &number));
        *target = number * 1e12;
    }
    return HABITAT_OK;
}

habitat_status gpu_read_peak(gpu_file *r, yajl_val value) {
    habitat_rates *peak = &r->entry->gpu.peak;
    TRY(gpu_need_object(r, "peak_dense_tflop_per_s", value));
    for (size_t i = 0; i < value->u.object.len; i++) {
        const char *key = value->u.object.keys[i];
        yajl_val rates = value->u.object.values[i];
        if (strcmp(key, "plain") == 0)
            TRY(read_rates(r, key, rates, peak->plain_flop_per_s));
        else if (strcmp(key, "matrix") == 0)
            TRY(read_rates(r, key, rates, peak->matrix_flop_per_s));
        else
            return gpu_file_bad(r, HABITAT_E_FORMAT, key,
                                "unknown key; peaks are under plain and matrix");
        if (strcmp(key, "matrix") == 0)
            r->left.no_matrix = rates->u.object.len == 0;
    }
    return HABITAT_OK;
}

habitat_status gpu_read_sustained(gpu_file *r, yajl_val value) {
    habitat_gpu *gpu = &r->entry->gpu;
    TRY(gpu_need_object(r, "sustained", value));
    for (size_t i = 0; i < value->u.object.len; i++) {
        const char *key = value->u.object.keys[i];
        yajl_val inner = value->u.object.values[i];
        double number = 0;
        if (strcmp(key, "matrix_tflop_per_s") == 0) {
            TRY(read_rates(r, key, inner, gpu->sustained.matrix_flop_per_s));
        } else if (strcmp(key, "plain_tflop_per_s") == 0) {
            TRY(read_rates(r, key, inner, gpu->sustained.plain_flop_per_s));
        } else if (strcmp(key, "dram_gb_per_s") == 0) {
            TRY(gpu_read_number(r, key, inner, 1, 1e5, &number));
            gpu->sustained_bandwidth_bytes_per_s = number * 1e9;
        } else {
            return gpu_file_bad(
                r, HABITAT_E_FORMAT, key,
                "unknown key in sustained; known: matrix_tflop_per_s plain_tflop_per_s "
                "dram_gb_per_s");
        }
    }
    return HABITAT_OK;
}
