/* Launch configurations: each distinct one once, and the blocks of it that a GPU holds. */
#include "workload/launch.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "gpu/gpu.h"

static uint64_t product(const uint32_t size[3]) {
    return (uint64_t)size[0] * size[1] * size[2];
}

static bool is_launch(const void *elements, uint32_t index, const void *key) {
    const habitat_launch *have = (const habitat_launch *)elements + index, *want = key;
    return have->threads_per_block == want->threads_per_block &&
           have->registers_per_thread == want->registers_per_thread &&
           have->shared_memory_bytes == want->shared_memory_bytes;
}

static uint64_t hash_launch(const habitat_launch *launch) {
    uint64_t hash = habitat_hash_number(0, launch->threads_per_block);
    hash = habitat_hash_number(hash, launch->registers_per_thread);
    return habitat_hash_number(hash, launch->shared_memory_bytes);
}

/* `distinct` has room for every kernel. */
static void set_launch(habitat_workload *w, habitat_table *distinct, habitat_workload_kernel *out) {
    const habitat_kernel *kernel = out->kernel;
    uint64_t threads = product(kernel->form->block);
    out->facts.blocks = product(kernel->form->grid);
    out->launch = HABITAT_NONE;
    habitat_launch launch = {
        .threads_per_block = threads <= UINT32_MAX ? (uint32_t)threads : 0,
        .registers_per_thread = kernel->form->registers_per_thread,
        .shared_memory_bytes = kernel->form->shared_memory_bytes,
    };
    if (!out->facts.blocks || !launch.threads_per_block)
        return;
    uint64_t hash = hash_launch(&launch);
    uint32_t at = habitat_table_find(distinct, hash, is_launch, w->launches, &launch);
    if (at == HABITAT_NONE) {
        at = (uint32_t)w->launch_count++;
        w->launches[at] = launch;
        habitat_table_put(distinct, hash, at);
    }
    out->launch = at;
}

void workload_waves(const habitat_workload *w, const habitat_gpu *gpu, uint64_t *out) {
    for (size_t i = 0; i < w->launch_count; i++) {
        uint32_t per_sm = 0;
        habitat_status status = habitat_occupancy_blocks(gpu, &w->launches[i], &per_sm, NULL);
        out[i] = status == HABITAT_OK ? (uint64_t)per_sm * gpu->sm_count : 0;
    }
}

/* Whether a name says that its kernel sizes its grid by the GPU. Names are stored once each: one
 * that was asked before is told by its address. */
enum { NAMES = 512 };
typedef struct asked_names {
    const char *name[NAMES];
    bool persistent[NAMES];
} asked_names;

static bool says_persistent(asked_names *asked, const char *name) {
    static const char *const words[] = {"nvjet",         "persistent", "cooperative", "grid_stride",
                                        "fused_dropout", "streamk",    "stream_k"};
    size_t at = ((uintptr_t)name >> 4) % NAMES;
    if (asked->name[at] == name)
        return asked->persistent[at];
    asked->name[at] = name;
    asked->persistent[at] = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        asked->persistent[at] |= strstr(name, words[i]) != NULL;
    return asked->persistent[at];
}

/* A grid that was sized by the origin: one block per SM, or as many as are resident, on every SM;
 * or a kernel known to size its grid so. docs/formulas.md#persistent */
static bool is_persistent(const habitat_workload *w, const habitat_workload_kernel *kernel,
                          asked_names *asked) {
    uint64_t blocks = kernel->facts.blocks, sms = w->origin->sm_count;
    if (kernel->launch == HABITAT_NONE || !sms ||
        kernel->kernel->form->kind != HABITAT_KERNEL_COMPUTE)
        return false;
    uint64_t wave = w->origin_waves[kernel->launch];
    if (blocks == sms || (wave && blocks == wave))
        return true;
    if (wave && blocks > wave)
        return false;
    return says_persistent(asked, kernel->kernel->form->name);
}

habitat_status workload_set_launches(habitat_workload *w) {
    habitat_table distinct = {0};
    asked_names asked = {0};
    w->launches = calloc(w->kernel_count, sizeof *w->launches);
    w->origin_waves = calloc(w->kernel_count, sizeof *w->origin_waves);
    bool room = habitat_table_reserve(&distinct, w->kernel_count);
    for (size_t i = 0; room && w->launches && i < w->kernel_count; i++)
        set_launch(w, &distinct, &w->kernels[i]);
    habitat_table_free(&distinct);
    if (!room || !w->launches || !w->origin_waves)
        return HABITAT_E_MEMORY;
    workload_waves(w, w->origin, w->origin_waves);
    for (size_t i = 0; i < w->kernel_count; i++)
        w->kernels[i].persistent = is_persistent(w, &w->kernels[i], &asked);
    return HABITAT_OK;
}
