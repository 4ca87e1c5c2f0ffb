/* The device of a recording to a GPU of the table. A fact that contradicts the table is an error,
 * never rounded away: a slice of a GPU, or another part of the same name, would give wrong times.
 */
#include "gpu/entry.h"

#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "base/constants_gpus.h"
#include "base/error.h"

static bool memory_fits(const habitat_gpu *gpu, uint64_t bytes) {
    double share = (double)bytes / gpu->memory_sold_bytes;
    return share > chosen_told_memory_least && share < chosen_told_memory_most;
}

/* NULL if the facts fit the GPU, else what contradicts it. */
static const char *contradiction(const habitat_gpu *gpu, const habitat_device_facts *facts,
                                 char *text, size_t size) {
    if (facts->sm_count && facts->sm_count != gpu->sm_count) {
        snprintf(text, size, "it reports %u SMs where %s has %u: a MIG slice or another variant",
                 facts->sm_count, gpu->name, gpu->sm_count);
        return text;
    }
    if (facts->compute_capability && gpu->compute_capability &&
        facts->compute_capability != gpu->compute_capability) {
        snprintf(text, size, "it reports compute capability %u.%u where %s has %u.%u",
                 facts->compute_capability / 10, facts->compute_capability % 10, gpu->name,
                 gpu->compute_capability / 10, gpu->compute_capability % 10);
        return text;
    }
    if (facts->memory_bytes && !memory_fits(gpu, facts->memory_bytes)) {
        habitat_format(text, size,
                       "it reports %.1f GiB where %s has %g: a MIG slice or another variant",
                       (double)facts->memory_bytes / HABITAT_GIB, gpu->name,
                       gpu->memory_sold_bytes / HABITAT_GIB);
        return text;
    }
    return NULL;
}

/* "NAME-6GB" and "NAME-12GB" are one model: the same text before the first hyphen. */
static bool same_model(const char *a, const char *b) {
    size_t length = strcspn(a, "-");
    return length == strcspn(b, "-") && strncmp(a, b, length) == 0;
}

/* For a name that several parts share: the first of the same model that the facts allow (RTX 3050
 * are of two chips), else the first of the same chip. */
static const habitat_gpu *sibling(const habitat_gpu_table *table, const habitat_gpu *gpu,
                                  const habitat_device_facts *facts) {
    char text[256];
    for (int any_model = 0; any_model < 2; any_model++)
        for (size_t i = 0; i < table->count; i++) {
            const habitat_gpu *other = &table->entries[i]->gpu;
            bool alike = any_model ? gpu->chip && other->chip && strcmp(gpu->chip, other->chip) == 0
                                   : same_model(gpu->name, other->name);
            if (alike && !contradiction(other, facts, text, sizeof text))
                return other;
        }
    return NULL;
}

habitat_status habitat_gpu_match(const habitat_gpu_table *table, const habitat_device_facts *facts,
                                 const habitat_gpu **out, habitat_error *err) {
    if (!table || !facts || !out)
        return habitat_fail(err, HABITAT_E_ARG,
                            "a table, facts and a place for the GPU are needed");
    if (!facts->name || !*facts->name)
        return habitat_fail(err, HABITAT_E_UNKNOWN_GPU, "no name of a GPU is given; give one");
    const habitat_gpu *gpu = NULL;
    habitat_status status = habitat_gpu_find(table, facts->name, &gpu, NULL, err);
    if (status != HABITAT_OK && strstr(facts->name, " MIG "))
        return habitat_fail(
            err, HABITAT_E_UNKNOWN_GPU,
            "\"%.100s\" is a slice of a GPU; record on a whole one, or describe the "
            "slice with --gpu-file",
            facts->name);
    if (status != HABITAT_OK)
        return status;
    char text[256];
    const char *why = contradiction(gpu, facts, text, sizeof text);
    if (why && habitat_gpu_name_is_shared(gpu, facts->name)) {
        const habitat_gpu *other = sibling(table, gpu, facts);
        if (other) {
            *out = other;
            return HABITAT_OK;
        }
    }
    if (why)
        return habitat_fail(err, HABITAT_E_UNKNOWN_GPU,
                            "\"%.100s\": %s; nearest: %s; describe the device with --gpu-file",
                            facts->name, why, gpu->name);
    *out = gpu;
    return HABITAT_OK;
}

habitat_status habitat_gpu_check_origin(const habitat_gpu_table *table, const habitat_gpu *gpu,
                                        const habitat_device_facts *facts, char *note, size_t size,
                                        habitat_error *err) {
    if (!table || !gpu || !facts || !note || !size)
        return habitat_fail(err, HABITAT_E_ARG,
                            "a table, a GPU, facts and room for a note are needed");
    char text[256];
    const char *why = contradiction(gpu, facts, text, sizeof text);
    if (why)
        return habitat_fail(err, HABITAT_E_ARG,
                            "%s cannot be what the trace was recorded on: %s; name the right GPU, "
                            "or describe the device with --gpu-file",
                            gpu->name, why);
    const habitat_gpu *named = NULL, *recorded = NULL;
    note[0] = '\0';
    if (!facts->name || !*facts->name ||
        habitat_gpu_find(table, facts->name, &named, NULL, NULL) != HABITAT_OK)
        return HABITAT_OK;
    if (habitat_gpu_match(table, facts, &recorded, NULL) != HABITAT_OK)
        recorded = named;
    /* a name that several parts share leaves open which: the person says it */
    bool one_of_several = habitat_gpu_name_is_shared(named, facts->name) && gpu->chip &&
                          named->chip && strcmp(gpu->chip, named->chip) == 0;
    if (recorded != gpu && !one_of_several)
        snprintf(note, size,
                 "the recording names %s (\"%.100s\"), not %s; taken as recorded on %s, as asked",
                 recorded->name, facts->name, gpu->name, gpu->name);
    return HABITAT_OK;
}
