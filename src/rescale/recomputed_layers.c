/* A checkpoint's layers run again inside the first backward operation that needs what they make,
 * and before its own kernels. No formula of a gradient calls a layer by its name in Python: a
 * backward operation that holds one has run layers again up to the last of them. */
#include "rescale/recomputed_layers.h"

#include <stdlib.h>

#include "trace/names.h"
#include "work/container.h"

bool recomputed_layers_mark(const habitat_operation *ops, size_t count, bool *out) {
    uint32_t *node = calloc(count + 1, sizeof *node); /* the backward operation around each */
    uint64_t *until =
        calloc(count + 1, sizeof *until); /* of a backward one: the last layer's end */
    bool fine = node && until;
    for (size_t i = 0; fine && i < count; i++) {
        uint32_t parent = ops[i].parent;
        bool engine = name_is_engine(ops[i].form->name);
        node[i] = engine ? (uint32_t)i : parent < i ? node[parent] : HABITAT_NONE;
        uint64_t end = ops[i].start_ns + ops[i].duration_ns;
        if (node[i] < i && work_is_layer(ops[i].form->name) && end > until[node[i]])
            until[node[i]] = end;
    }
    for (size_t i = 0; fine && i < count; i++)
        out[i] = node[i] < i && ops[i].start_ns < until[node[i]];
    free(node);
    free(until);
    return fine;
}
