/* See shapes.h. */
#include "lab/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gpu/gpu.h"

static habitat_status predict_both(const recording ways[SHAPES_WAYS], shapes_case *out,
                                   habitat_error *err) {
    habitat_prediction *p[SHAPES_WAYS] = {NULL};
    size_t count = 0;
    const habitat_workload_kernel *kernels =
        habitat_workload_kernels(ways[SHAPES_WITH].workload, &count);
    habitat_status status = HABITAT_OK;
    for (int i = 0; status == HABITAT_OK && i < SHAPES_WAYS; i++)
        status = habitat_predict(ways[i].workload, out->dest, HABITAT_METHOD_AUTO, &p[i], err);
    for (int i = 0; status == HABITAT_OK && i < SHAPES_WAYS; i++) {
        out->ms[i] = p[i]->busy_ms;
        out->low_ms[i] = p[i]->low_ms;
        out->high_ms[i] = p[i]->high_ms;
        for (size_t k = 0; k < count; k++)
            out->class_ms[i][kernels[k].op_class] +=
                p[i]->trace_kernels[k].busy_ms / (double)p[i]->iteration_count;
    }
    for (int i = 0; i < SHAPES_WAYS; i++)
        habitat_prediction_free(p[i]);
    return status;
}

static shapes_case named(const char *file, const habitat_gpu *origin) {
    shapes_case made = {.origin = origin};
    snprintf(made.step, sizeof made.step, "%.*s", (int)recording_stem_length(file), file);
    snprintf(made.network, sizeof made.network, "%s", made.step);
    const char *batch = recording_batch_part(made.network);
    if (batch)
        made.network[batch - made.network] = '\0';
    return made;
}

static habitat_status add_recording(const habitat_gpu_table *gpus, const char *folder,
                                    const char *file, shapes_set *out, habitat_error *err) {
    recording ways[SHAPES_WAYS] = {0};
    size_t gpu_count = habitat_gpu_count(gpus);
    habitat_status status = recording_open(gpus, folder, file, &ways[SHAPES_WITH], err);
    if (status == HABITAT_OK)
        status = recording_open_bare(gpus, folder, file, &ways[SHAPES_WITHOUT], err);
    shapes_case *grown =
        status == HABITAT_OK
            ? realloc(out->cases, (out->count + gpu_count + 1) * sizeof *out->cases)
            : NULL;
    if (status == HABITAT_OK && !grown)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (grown)
        out->cases = grown;
    for (size_t g = 0; status == HABITAT_OK && g < gpu_count; g++) {
        const habitat_gpu *dest = habitat_gpu_at(gpus, g);
        if (dest == ways[SHAPES_WITH].gpu || strcmp(dest->vendor, "NVIDIA") != 0)
            continue;
        out->cases[out->count] = named(file, ways[SHAPES_WITH].gpu);
        out->cases[out->count].dest = dest;
        status = predict_both(ways, &out->cases[out->count], err);
        out->count += status == HABITAT_OK;
    }
    out->recordings++;
    for (int i = 0; i < SHAPES_WAYS; i++)
        recording_close(&ways[i]);
    return status;
}

habitat_status shapes_collect(const habitat_gpu_table *gpus, const char *measurements,
                              const char *folder, shapes_set *out, habitat_error *err) {
    recording_names files = {0};
    habitat_error local = {0};
    habitat_error *why = err ? err : &local;
    habitat_status status = recording_names_read(folder, &files, err);
    for (size_t i = 0; status == HABITAT_OK && i < files.count; i++)
        status = add_recording(gpus, folder, files.items[i], out, err);
    recording_names_free(&files);
    for (int i = 0; status == HABITAT_OK && i < SHAPES_WAYS; i++) {
        bool bare = i == SHAPES_WITHOUT;
        status = pairs_collect(gpus, folder, bare, &out->pairs[i], err);
        if (status == HABITAT_OK)
            status =
                e2e_collect(gpus, "neusight", measurements, folder, bare, &out->language[i], why);
        if (status == HABITAT_OK)
            status =
                e2e_collect(gpus, "ryujaehun", measurements, folder, bare, &out->networks[i], why);
    }
    return status;
}

void shapes_free(shapes_set *set) {
    free(set->cases);
    for (int i = 0; i < SHAPES_WAYS; i++) {
        pairs_free(&set->pairs[i]);
        e2e_free(&set->language[i]);
        e2e_free(&set->networks[i]);
    }
    *set = (shapes_set){0};
}
