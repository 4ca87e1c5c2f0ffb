/* Why nothing is told of the memory at another batch size or in another format. */
#include "memory/model.h"

#include <habitat/text.h>

/* The reason, before what follows from it. */
static const char *reason(memory_gap gap) {
    switch (gap) {
    case MEMORY_GAP_COMPILED:
        return "of the kernels are code of a compiler (TorchScript, torch.compile), and what that "
               "keeps for the backward pass no trace lists";
    case MEMORY_GAP_UNLINKED:
        return "no backward operation says which forward operation it belongs to";
    case MEMORY_GAP_PARTS:
        return "the parts of the recording are no iterations of its own, or unlike each other";
    case MEMORY_GAP_NO_PRODUCTS:
        return "no product or convolution with recorded sizes is in it";
    case MEMORY_GAP_NONE:
        break;
    }
    return NULL;
}

bool memory_explain_gap(const habitat_memory *m, char *out, size_t size) {
    const char *words = m ? reason(m->gap) : NULL;
    char share[32] = "";
    if (!words)
        return false;
    if (m->gap == MEMORY_GAP_COMPILED)
        habitat_format(share, sizeof share, "%.0f %% ", 100.0 * m->facts.foreign_share);
    habitat_format(out, size, "memory is not told, nor what fits: %s%s", share, words);
    return true;
}
