/* Slots are hashed and compared field by field: the bytes between and after the fields are not set.
 */
#include "seen.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t value) { /* FNV-1a, by bytes */
    for (int i = 0; i < 8; i++, value >>= 8)
        hash = (hash ^ (value & 0xff)) * 1099511628211u;
    return hash;
}

static uint64_t hash_launch(const seen_launch *l) {
    uint64_t hash = mix(1469598103934665603u, (uint64_t)(uintptr_t)l->function);
    for (int i = 0; i < 3; i++)
        hash = mix(hash, (uint64_t)l->grid[i] << 32 | l->block[i]);
    return mix(hash, l->shared_bytes);
}

static bool same_launch(const seen_launch *a, const seen_launch *b) {
    return a->function == b->function && a->shared_bytes == b->shared_bytes &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0;
}

bool seen_first(seen_launch *table, const void *function, const cuda_launch_config *config) {
    seen_launch launch = {.function = function, .shared_bytes = config->dynamic_shared_bytes};
    memcpy(launch.grid, config->grid, sizeof launch.grid);
    memcpy(launch.block, config->block, sizeof launch.block);
    uint64_t hash = hash_launch(&launch);
    for (size_t probe = 0; probe < 64; probe++) {
        seen_launch *slot = &table[(hash + probe) % SEEN_SIZE];
        if (!slot->function) {
            *slot = launch;
            return true;
        }
        if (same_launch(slot, &launch))
            return false;
    }
    return false;
}
