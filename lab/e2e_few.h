/* Measured operations of the destinations: what stands for a calibration of them. */
#ifndef HABITAT_LAB_E2E_FEW_H
#define HABITAT_LAB_E2E_FEW_H

#include <habitat/gpu.h>
#include <habitat/status.h>

typedef struct e2e_operation e2e_operation;
typedef struct e2e_operations {
    e2e_operation *items; /* shape (count); NULL when the folder has none */
    size_t count;
} e2e_operations;
habitat_status e2e_read_operations(const char *folder, e2e_operations *out, habitat_error *err);
void e2e_operations_free(e2e_operations *all);

/* Those of one GPU; their texts live as long as `all`. @return how many, at most `most`. */
size_t e2e_operations_of(const e2e_operations *all, const char *gpu, habitat_gpu_operation *out,
                         size_t most);

#endif
