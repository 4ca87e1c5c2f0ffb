/* What a kernel's name says is asked once for all kernels of the name: each kernel of a recording
 * has what asking for it alone says. */
#include <string.h>

#include "check.h"
#include "gpu/gpu.h"
#include "recorded.h"
#include "work/class.h"
#include "workload/workload.h"

static bool has_arithmetic(const habitat_workload *w, const habitat_workload_kernel *k) {
    const habitat_work *work = w->groups[k->group].work;
    bool unit = false;
    habitat_dtype dtype = habitat_kernel_arithmetic(k->kernel->form->name, work, &unit);
    bool plain = dtype == HABITAT_DTYPE_FP32 && class_of(work->op_class)->product;
    return k->facts.dtype == dtype && k->facts.matrix_unit == (unit || plain);
}

static bool says_persistent(const char *name) {
    return strstr(name, "nvjet") || strstr(name, "persistent") || strstr(name, "cooperative") ||
           strstr(name, "grid_stride") || strstr(name, "fused_dropout") ||
           strstr(name, "streamk") || strstr(name, "stream_k");
}

/* Of a grid below a wave, and not of one block per SM, the name decides. */
static bool has_grid(const habitat_workload *w, const habitat_workload_kernel *k) {
    uint64_t blocks = k->facts.blocks;
    bool named = k->kernel->form->kind == HABITAT_KERNEL_COMPUTE && k->launch != HABITAT_NONE &&
                 blocks < w->origin_waves[k->launch] && blocks != w->origin->sm_count;
    return !named || k->persistent == says_persistent(k->kernel->form->name);
}

static void check_recording(const habitat_gpu_table *table, const char *name) {
    recorded r = recorded_open(table, name);
    size_t wrong = 0, persistent = 0;
    for (size_t i = 0; r.w && i < r.w->kernel_count; i++) {
        const habitat_workload_kernel *k = &r.w->kernels[i];
        wrong += !has_arithmetic(r.w, k) || !has_grid(r.w, k);
        persistent += k->persistent;
    }
    CHECK_INT(wrong, 0);
    CHECK(persistent > 0);
    check_case(name);
    recorded_close(&r);
}

int main(void) {
    static const char *const names[] = {
        "gnmt_b32_fp32_h200",         "gnmt_b32_amp_fp16_h200", "inception_v3_b32_amp_fp16_h200",
        "inception_v3_b32_fp32_h200", "llama_b4_bf16_h200",     "bert_b8_amp_bf16_h200"};
    habitat_error err = {0};
    habitat_gpu_table *table = NULL;
    CHECK(habitat_gpu_table_create(NULL, &table, &err) == HABITAT_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_recording(table, names[i]);
    habitat_gpu_table_free(table);
    return check_done();
}
