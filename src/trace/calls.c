/* What a call into the CUDA or HIP runtime or driver asks for, told by its name.
 *
 * The three interfaces name the same things alike, behind their own prefix: cudaEventRecord,
 * cuEventRecord, hipEventRecord. Tools add the version or the default stream at the end
 * (cudaLaunchKernel_v7000, cudaMemcpyAsync_ptsz), which changes nothing. A name that is not in the
 * table is of kind OTHER. */
#include "trace/calls.h"

#include <string.h>

static const char *const kind_names[HABITAT_CALL_KINDS] = {
    [HABITAT_CALL_OTHER] = "other",
    [HABITAT_CALL_LAUNCH] = "launch",
    [HABITAT_CALL_LAUNCH_GRAPH] = "launch graph",
    [HABITAT_CALL_COPY] = "copy",
    [HABITAT_CALL_SET] = "set",
    [HABITAT_CALL_SYNCHRONISE_DEVICE] = "synchronise device",
    [HABITAT_CALL_SYNCHRONISE_STREAM] = "synchronise stream",
    [HABITAT_CALL_SYNCHRONISE_EVENT] = "synchronise event",
    [HABITAT_CALL_RECORD_EVENT] = "record event",
    [HABITAT_CALL_WAIT_EVENT] = "wait event",
    [HABITAT_CALL_ALLOCATE] = "allocate",
    [HABITAT_CALL_FREE] = "free",
};

const char *habitat_call_kind_name(habitat_call_kind kind) {
    return kind_names[(unsigned)kind < HABITAT_CALL_KINDS ? kind : HABITAT_CALL_OTHER];
}

/* Names without their prefix; with '*' at the end, all that begin so. Sources: the lists of
 * functions in the CUDA Runtime API and CUDA Driver API references and in HIP's. */
static const struct {
    const char *name;
    habitat_call_kind kind;
} call_names[] = {
    {"LaunchKernel", HABITAT_CALL_LAUNCH},
    {"LaunchKernelEx", HABITAT_CALL_LAUNCH},
    {"LaunchKernelExC", HABITAT_CALL_LAUNCH},
    {"LaunchCooperativeKernel", HABITAT_CALL_LAUNCH},
    {"LaunchCooperativeKernelMultiDevice", HABITAT_CALL_LAUNCH},
    {"Launch", HABITAT_CALL_LAUNCH}, /* before CUDA 7 */
    {"LaunchGrid", HABITAT_CALL_LAUNCH},
    {"LaunchGridAsync", HABITAT_CALL_LAUNCH},
    {"LaunchByPtr", HABITAT_CALL_LAUNCH}, /* HIP from here on */
    {"ModuleLaunchKernel", HABITAT_CALL_LAUNCH},
    {"ModuleLaunchCooperativeKernel", HABITAT_CALL_LAUNCH},
    {"ModuleLaunchCooperativeKernelMultiDevice", HABITAT_CALL_LAUNCH},
    {"ExtLaunchKernel", HABITAT_CALL_LAUNCH},
    {"ExtLaunchMultiKernelMultiDevice", HABITAT_CALL_LAUNCH},
    {"ExtModuleLaunchKernel", HABITAT_CALL_LAUNCH},
    {"HccModuleLaunchKernel", HABITAT_CALL_LAUNCH},
    {"DrvLaunchKernelEx", HABITAT_CALL_LAUNCH},
    {"GraphLaunch", HABITAT_CALL_LAUNCH_GRAPH},
    {"Memcpy*", HABITAT_CALL_COPY},
    {"DrvMemcpy*", HABITAT_CALL_COPY},
    {"Memset*", HABITAT_CALL_SET},
    {"DeviceSynchronize", HABITAT_CALL_SYNCHRONISE_DEVICE},
    {"CtxSynchronize", HABITAT_CALL_SYNCHRONISE_DEVICE},
    {"ThreadSynchronize", HABITAT_CALL_SYNCHRONISE_DEVICE},
    {"StreamSynchronize", HABITAT_CALL_SYNCHRONISE_STREAM},
    {"EventSynchronize", HABITAT_CALL_SYNCHRONISE_EVENT},
    {"EventRecord", HABITAT_CALL_RECORD_EVENT},
    {"EventRecordWithFlags", HABITAT_CALL_RECORD_EVENT},
    {"StreamWaitEvent", HABITAT_CALL_WAIT_EVENT},
    {"Malloc", HABITAT_CALL_ALLOCATE},
    {"MallocAsync", HABITAT_CALL_ALLOCATE},
    {"MallocFromPoolAsync", HABITAT_CALL_ALLOCATE},
    {"MallocManaged", HABITAT_CALL_ALLOCATE},
    {"MallocHost", HABITAT_CALL_ALLOCATE},
    {"MallocPitch", HABITAT_CALL_ALLOCATE},
    {"MallocArray", HABITAT_CALL_ALLOCATE},
    {"MallocMipmappedArray", HABITAT_CALL_ALLOCATE},
    {"Malloc3D", HABITAT_CALL_ALLOCATE},
    {"Malloc3DArray", HABITAT_CALL_ALLOCATE},
    {"HostAlloc", HABITAT_CALL_ALLOCATE},
    {"HostMalloc", HABITAT_CALL_ALLOCATE},
    {"ExtMallocWithFlags", HABITAT_CALL_ALLOCATE},
    {"MemAlloc", HABITAT_CALL_ALLOCATE},
    {"MemAllocAsync", HABITAT_CALL_ALLOCATE},
    {"MemAllocFromPoolAsync", HABITAT_CALL_ALLOCATE},
    {"MemAllocManaged", HABITAT_CALL_ALLOCATE},
    {"MemAllocHost", HABITAT_CALL_ALLOCATE},
    {"MemAllocPitch", HABITAT_CALL_ALLOCATE},
    {"MemHostAlloc", HABITAT_CALL_ALLOCATE},
    {"MemCreate", HABITAT_CALL_ALLOCATE},
    {"ArrayCreate", HABITAT_CALL_ALLOCATE},
    {"Array3DCreate", HABITAT_CALL_ALLOCATE},
    {"Free", HABITAT_CALL_FREE},
    {"FreeAsync", HABITAT_CALL_FREE},
    {"FreeHost", HABITAT_CALL_FREE},
    {"FreeArray", HABITAT_CALL_FREE},
    {"FreeMipmappedArray", HABITAT_CALL_FREE},
    {"HostFree", HABITAT_CALL_FREE},
    {"MemFree", HABITAT_CALL_FREE},
    {"MemFreeAsync", HABITAT_CALL_FREE},
    {"MemFreeHost", HABITAT_CALL_FREE},
    {"MemRelease", HABITAT_CALL_FREE},
    {"ArrayDestroy", HABITAT_CALL_FREE},
};

/* Behind "cuda", "cu" or "hip"; NULL for other names. */
static const char *without_prefix(const char *name) {
    static const char *const prefixes[] = {"cuda", "cu", "hip"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return name + strlen(prefixes[i]);
    return NULL;
}

/* "", "_v7000", "_v2_ptsz", "_ptds", "_spt": the same function. */
static bool is_variant(const char *rest) {
    while (*rest == '_') {
        size_t digits = rest[1] == 'v' ? strspn(rest + 2, "0123456789") : 0;
        if (digits)
            rest += 2 + digits;
        else if (!strncmp(rest, "_ptsz", 5) || !strncmp(rest, "_ptds", 5))
            rest += 5;
        else if (!strncmp(rest, "_spt", 4)) /* HIP's word for the same */
            rest += 4;
        else
            break;
    }
    return !*rest;
}

static bool is_called(const char *name, const char *word) {
    size_t length = strlen(word);
    if (word[length - 1] == '*')
        return !strncmp(name, word, length - 1);
    return !strncmp(name, word, length) && is_variant(name + length);
}

habitat_call_kind trace_call_kind(const char *name) {
    const char *rest = without_prefix(name);
    for (size_t i = 0; rest && i < sizeof call_names / sizeof *call_names; i++)
        if (is_called(rest, call_names[i].name))
            return call_names[i].kind;
    return HABITAT_CALL_OTHER;
}
