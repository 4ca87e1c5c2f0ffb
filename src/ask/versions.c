/* Two recordings made with different software: what differs between them may be the software's. */
#include <stdio.h>
#include <string.h>

#include "ask/warnings.h"

enum { VERSION_BYTES = 64 };

/* Unknown is no difference. */
static bool differ(const char *a, const char *b) {
    return a && b && strcmp(a, b) != 0;
}

static bool say(const char *name, const char *other, const char *own, char *text) {
    snprintf(text, WARNING_BYTES,
             "the second recording was made with %s%.64s and this one with %s%.64s: what the "
             "version changes in a step is taken for what the batch size changes",
             name, other, name, own);
    return true;
}

bool warn_of_versions(const habitat_trace_info *own, const habitat_trace_info *other, char *text) {
    char a[VERSION_BYTES], b[VERSION_BYTES];
    if (differ(own->framework, other->framework))
        return say("", other->framework, own->framework, text);
    if (differ(own->cuda_version, other->cuda_version))
        return say("CUDA ", other->cuda_version, own->cuda_version, text);
    if (differ(own->hip_version, other->hip_version))
        return say("HIP ", other->hip_version, own->hip_version, text);
    if (!own->cudnn_version || !other->cudnn_version || own->cudnn_version == other->cudnn_version)
        return false;
    snprintf(a, sizeof a, "%llu", (unsigned long long)other->cudnn_version);
    snprintf(b, sizeof b, "%llu", (unsigned long long)own->cudnn_version);
    return say("cuDNN ", a, b, text);
}
