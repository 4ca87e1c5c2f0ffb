/* The GPU of a recording by what it notes of it. */
#include "ask/answer.h"

#include <stdio.h>

#include "base/error.h"

habitat_status recorded_gpu(const habitat_request *r, const habitat_trace *trace,
                            const habitat_gpu **out, habitat_error *err) {
    const habitat_trace_info *info = habitat_trace_get_info(trace);
    const char *name = info->device_facts.name;
    if (!name || !*name)
        return habitat_fail_at(err, HABITAT_E_UNKNOWN_GPU, info->file, UINT64_MAX, 0,
                               "the recording does not name its GPU; name it with %s",
                               r->origin_word ? r->origin_word : "origin");
    habitat_status status = habitat_gpu_match(r->gpus, &info->device_facts, out, err);
    if (status != HABITAT_OK && err && !err->file[0] && info->file)
        snprintf(err->file, sizeof err->file, "%s", info->file);
    return status;
}
