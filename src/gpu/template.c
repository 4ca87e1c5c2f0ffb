/* The GPU file to start from: data/schema/gpu-template.json. */
#include <habitat/gpu.h>

#include "base/embedded.h"

const char *habitat_gpu_template(void) {
    return (const char *)habitat_embedded_gpu_template[0].data;
}
