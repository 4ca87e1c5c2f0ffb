/* Parts of the reports on GPUs: the measured operations of one, and the table of all. */
#ifndef HABITAT_REPORT_GPU_OPERATIONS_H
#define HABITAT_REPORT_GPU_OPERATIONS_H

#include <habitat/gpu.h>

#include "report/writer.h"

void json_gpu_operations(writer *w, const habitat_gpu *gpu);

/* Nothing for a GPU without any. @return as habitat_models_offsets(). */
habitat_status text_gpu_operations(writer *w, const habitat_gpu *gpu, habitat_error *err);

/* gpus_table.c: all GPUs, one a line. */
void text_gpus(writer *w, const habitat_gpu_table *table_of_gpus);

#endif
