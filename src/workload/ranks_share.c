/* What the ranks of a step share: gradients alone, or more. Told from the messages.
 *
 * Ranks that share gradients each train on a batch of their own, as in DistributedDataParallel:
 * another number of them changes the messages and nothing else. Ranks that sum, or scatter, large
 * tensors in the forward pass, or pass them on, are at work on one batch. And where large tensors
 * are gathered, scattered or exchanged otherwise, weights, states or tables are in parts: another
 * number of ranks has parts of another size. */
#include "workload/ranks_share.h"

#include <string.h>

#include "base/constants_replay.h"

/* When the first backward operation of the iterations begins. */
static uint64_t backward_ns(const habitat_trace *trace) {
    size_t count = 0;
    uint64_t first = UINT64_MAX;
    const habitat_operation *o = habitat_trace_operations(trace, &count);
    for (size_t i = 0; i < count; i++)
        if (o[i].forward != HABITAT_NONE && o[i].iteration != HABITAT_NONE && o[i].start_ns < first)
            first = o[i].start_ns;
    return first;
}

/* When the CPU asked for a message. UINT64_MAX: not recorded. */
static uint64_t asked_ns(const habitat_trace *trace, const habitat_kernel *k) {
    size_t count = 0;
    if (k->call == HABITAT_NONE)
        return UINT64_MAX;
    return habitat_trace_calls(trace, &count)[k->call].start_ns;
}

/* What a kernel says of itself: messages that are sent together have no other name. */
static bool is_named(const habitat_kernel *k, const char *word) {
    return strstr(k->form->name, word) != NULL;
}

/* Of a message that was asked for in the forward pass, or behind it; or nobody knows when. */
static ranks_share share_of(const habitat_kernel *k, bool forward, bool behind) {
    bool large = (double)k->form->bytes >= chosen_ranks_large_bytes;
    switch (k->form->collective) {
    case HABITAT_COLLECTIVE_ALL_REDUCE:
        return large && forward ? RANKS_SHARE_BATCH : RANKS_SHARE_GRADIENTS;
    case HABITAT_COLLECTIVE_REDUCE_SCATTER:
        return large && forward ? RANKS_SHARE_BATCH : RANKS_SHARE_PARTS;
    case HABITAT_COLLECTIVE_ONE_WAY:
        if (is_named(k, "SendRecv"))
            return RANKS_SHARE_BATCH;
        return large && behind ? RANKS_SHARE_PARTS : RANKS_SHARE_GRADIENTS;
    case HABITAT_COLLECTIVE_ALL_GATHER:
        return large ? RANKS_SHARE_PARTS : RANKS_SHARE_GRADIENTS;
    case HABITAT_COLLECTIVE_ALL_TO_ALL:
        return RANKS_SHARE_PARTS;
    default:
        return is_named(k, "SendRecv")                                    ? RANKS_SHARE_BATCH
               : is_named(k, "AllGather") || is_named(k, "ReduceScatter") ? RANKS_SHARE_PARTS
                                                                          : RANKS_SHARE_GRADIENTS;
    }
}

ranks_share ranks_find_share(const habitat_trace *trace) {
    size_t count = 0;
    const habitat_trace_info *info = habitat_trace_get_info(trace);
    uint64_t backward = backward_ns(trace);
    const habitat_kernel *k = habitat_trace_kernels(trace, &count);
    ranks_share found = RANKS_SHARE_GRADIENTS;
    for (size_t i = 0; i < count; i++) {
        if (k[i].form->kind != HABITAT_KERNEL_COLLECTIVE || k[i].form->device != info->device ||
            k[i].iteration == HABITAT_NONE)
            continue;
        uint64_t asked = asked_ns(trace, &k[i]);
        bool known = asked != UINT64_MAX && backward != UINT64_MAX;
        ranks_share one = share_of(&k[i], known && asked < backward, known && asked >= backward);
        found = one > found ? one : found;
    }
    return found;
}
