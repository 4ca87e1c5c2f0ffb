/* Which parameters make a layer.
 *
 * A recording lists the sizes of the parameters, not the modules that hold them; people give each
 * layer of a stack its own part (PyTorch's fully_shard, FullyShardedDataParallel), and the layers
 * of a stack have parameters of the same sizes. */
#include "replay/stack.h"

#include <string.h>

/* How many sets of `period` sizes from `from` on are alike. */
static size_t repeats(size_t count, const uint64_t *sizes, size_t from, size_t period) {
    size_t found = 1;
    while (from + (found + 1) * period <= count &&
           memcmp(&sizes[from], &sizes[from + found * period], period * sizeof *sizes) == 0)
        found++;
    return found;
}

enum {
    PERIOD_LEAST = 4,
    PERIOD_MOST = 1024, /* parameters of a layer */
    SHARE_LEAST = 65536 /* one that holds less than this part of all is none: two vectors, say */
};

static double sum_of(const uint64_t *sizes, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += (double)sizes[i];
    return sum;
}

uint32_t replay_mark_layers(size_t count, const uint64_t *sizes, uint32_t *layer) {
    uint32_t layers = 0;
    size_t i = 0;
    double all = sum_of(sizes, count);
    memset(layer, 0, count * sizeof *layer);
    while (i < count) {
        size_t best = 0, of = 0;
        for (size_t period = PERIOD_LEAST; period <= PERIOD_MOST && i + 2 * period <= count;
             period++) {
            size_t found = repeats(count, sizes, i, period);
            if (found > 1 && found * period > best &&
                SHARE_LEAST * sum_of(&sizes[i], period) >= all) {
                best = found * period;
                of = period;
            }
        }
        for (size_t k = 0; k < best; k++)
            layer[i + k] = layers + (uint32_t)(k / of) + 1;
        layers += best ? (uint32_t)(best / of) : 0;
        i += best ? best : 1;
    }
    return layers;
}
