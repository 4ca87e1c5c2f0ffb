/* What a CPU needs for an iteration that was recorded without a GPU: so much for each operation, by
 * what asks for it. docs/decisions/0620 */
#ifndef HABITAT_WORKLOAD_CPU_TABLE_H
#define HABITAT_WORKLOAD_CPU_TABLE_H

#include "workload/workload.h"

/* Of each operation of a workload, in the order of the trace that holds them; without the calls of
 * CUDA within it, which hang on the GPU. operations: shape (count); out: shape (count). */
void cpu_table_of(const habitat_trace *trace, const habitat_untimed_operation *operations,
                  size_t count, cpu_need *out);

/* What the CPU needs for an iteration [ms]. Libraries run recurrent layers another way on some
 * GPUs; NULL: step by step. */
double workload_table_cpu_ms(const habitat_workload *w, const habitat_gpu *gpu);

/* Of that, what operation `i` needs [ms], and until it launches its kernel; */
double workload_table_operation_ms(const habitat_workload *w, size_t i, const habitat_gpu *gpu);
double workload_table_launch_ms(const habitat_workload *w, size_t i);

/* and what the random numbers that the CPU draws do. */
double workload_table_data_ms(const habitat_workload *w);

/* The rule in words, for a recording's warnings. text: receives them, of `size` bytes. */
void workload_table_words(const habitat_workload *w, char *text, size_t size);

#endif
