/* The recordings of a folder: their names, what the names say, and one of them opened. */
#ifndef HABITAT_LAB_RECORDINGS_H
#define HABITAT_LAB_RECORDINGS_H

#include <stddef.h>

#include <habitat/gpu.h>
#include <habitat/status.h>
#include <habitat/trace.h>
#include <habitat/workload.h>

/* Room for a file's name. Longer ones are refused, so that no copy of a name is cut. */
enum { RECORDING_NAME = 96 };

typedef struct recording_names {
    char **items; /* sorted */
    size_t count;
} recording_names;

/* Names of the files in `folder` that hold ".json". `out` zeroed; free in every case. HABITAT_E_IO
 * without such a folder; HABITAT_E_RANGE for a name that is too long; HABITAT_E_MEMORY. */
habitat_status recording_names_read(const char *folder, recording_names *out, habitat_error *err);
void recording_names_free(recording_names *n);

/* Files are named MODEL_bBATCH_FORMAT_GPU.json.gz: "resnet50_b16_amp_bf16_h200.json.gz". */

/* Without the ending: "resnet50_b16_amp_bf16_h200". */
size_t recording_stem_length(const char *file);
/* Without the GPU: "resnet50_b16_amp_bf16"; 0 for a name of another form. */
size_t recording_step_length(const char *file);
/* Where its batch size begins: "_b16_amp_bf16_h200.json.gz". The last "_b" with a digit behind it
 * counts; NULL without one. */
const char *recording_batch_part(const char *file);

/* One recording, on the GPU that it names. */
typedef struct recording {
    habitat_trace *trace;
    habitat_workload *workload; /* NULL after recording_read() */
    const habitat_gpu *gpu;
} recording;

/* Read FOLDER/FILE; open: with its workload. `out` zeroed; close in every case. */
habitat_status recording_read(const habitat_gpu_table *gpus, const char *folder, const char *file,
                              recording *out, habitat_error *err);
habitat_status recording_open(const habitat_gpu_table *gpus, const char *folder, const char *file,
                              recording *out, habitat_error *err);
void recording_close(recording *r);

/* The same as if it had been recorded without the sizes of its operations. */
habitat_status recording_open_bare(const habitat_gpu_table *gpus, const char *folder,
                                   const char *file, recording *out, habitat_error *err);

#endif
