/* The built-in GPUs, for modules that compare a GPU with others of its chip. */
#ifndef HABITAT_GPU_KNOWN_H
#define HABITAT_GPU_KNOWN_H

#include <habitat/gpu.h>

/* Made on first use, shared by all threads, never freed: a failure is this call's alone. Borrowed.
 * HABITAT_E_MEMORY, or what making the table returns. */
habitat_status gpu_known(const habitat_gpu_table **out, habitat_error *err);

#endif
