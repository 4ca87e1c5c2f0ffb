/* Launch configurations: each distinct one once, and the blocks of it that a GPU holds. */
#include "workload/launch.h"

#include <stdlib.h>
#include <string.h>

typedef struct launches {
    habitat_workload *w;
    uint32_t *slots;   /* hash of distinct launches */
    size_t slot_count; /* power of two */
} launches;

static uint64_t product(const uint32_t size[3]) {
    return (uint64_t)size[0] * size[1] * size[2];
}

static size_t slot_for(const launches *b, const habitat_launch *launch) {
    uint64_t hash = launch->threads_per_block;
    hash = hash * 0x9E3779B97F4A7C15u + launch->registers_per_thread;
    hash = hash * 0x9E3779B97F4A7C15u + launch->shared_memory_bytes;
    hash *= 0x9E3779B97F4A7C15u;
    size_t slot = (size_t)(hash >> 20) & (b->slot_count - 1);
    while (b->slots[slot] != HABITAT_NONE) {
        const habitat_launch *other = &b->w->launches[b->slots[slot]];
        if (other->threads_per_block == launch->threads_per_block &&
            other->registers_per_thread == launch->registers_per_thread &&
            other->shared_memory_bytes == launch->shared_memory_bytes)
            break;
        slot = (slot + 1) & (b->slot_count - 1);
    }
    return slot;
}

static void set_launch(launches *b, habitat_workload_kernel *out) {
    const habitat_kernel *kernel = out->kernel;
    uint64_t threads = product(kernel->block);
    out->facts.blocks = product(kernel->grid);
    out->launch = HABITAT_NONE;
    out->facts.launch = (habitat_launch){
        .threads_per_block = threads <= UINT32_MAX ? (uint32_t)threads : 0,
        .registers_per_thread = kernel->registers_per_thread,
        .shared_memory_bytes = kernel->shared_memory_bytes,
    };
    if (!out->facts.blocks || !out->facts.launch.threads_per_block)
        return;
    size_t slot = slot_for(b, &out->facts.launch);
    if (b->slots[slot] == HABITAT_NONE) {
        b->slots[slot] = (uint32_t)b->w->launch_count;
        b->w->launches[b->w->launch_count++] = out->facts.launch;
    }
    out->launch = b->slots[slot];
}

void workload_waves(const habitat_workload *w, const habitat_gpu *gpu, uint64_t *out) {
    for (size_t i = 0; i < w->launch_count; i++) {
        uint32_t per_sm = 0;
        habitat_status status = habitat_occupancy_blocks(gpu, &w->launches[i], &per_sm, NULL);
        out[i] = status == HABITAT_OK ? (uint64_t)per_sm * gpu->sm_count : 0;
    }
}

/* A grid that was sized by the origin: one block per SM, or as many as are resident, on every SM;
 * or a kernel known to size its grid so. docs/formulas.md#persistent */
static bool is_persistent(const habitat_workload *w, const habitat_workload_kernel *kernel) {
    static const char *const names[] = {"nvjet",         "persistent", "cooperative", "grid_stride",
                                        "fused_dropout", "streamk",    "stream_k"};
    uint64_t blocks = kernel->facts.blocks, sms = w->origin->sm_count;
    if (kernel->launch == HABITAT_NONE || !sms || kernel->kernel->kind != HABITAT_KERNEL_COMPUTE)
        return false;
    uint64_t wave = w->origin_waves[kernel->launch];
    if (blocks == sms || (wave && blocks == wave))
        return true;
    if (wave && blocks > wave)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(kernel->kernel->name, names[i]))
            return true;
    return false;
}

habitat_status workload_set_launches(habitat_workload *w) {
    launches b = {.w = w, .slot_count = 64};
    while (b.slot_count < 2 * w->kernel_count)
        b.slot_count *= 2;
    b.slots = malloc(b.slot_count * sizeof *b.slots);
    w->launches = calloc(w->kernel_count, sizeof *w->launches);
    w->origin_waves = calloc(w->kernel_count, sizeof *w->origin_waves);
    if (!b.slots || !w->launches || !w->origin_waves) {
        free(b.slots);
        return HABITAT_E_MEMORY;
    }
    memset(b.slots, 0xff, b.slot_count * sizeof *b.slots);
    for (size_t i = 0; i < w->kernel_count; i++)
        set_launch(&b, &w->kernels[i]);
    free(b.slots);
    workload_waves(w, w->origin, w->origin_waves);
    for (size_t i = 0; i < w->kernel_count; i++)
        w->kernels[i].persistent = is_persistent(w, &w->kernels[i]);
    return HABITAT_OK;
}
