/* A CUDA driver without a GPU: the one attribute that the recorder asks devices for. Loaded by
 * fake_app.c where FAKE_CUDA names it; its soname is the driver's. */
#include "cupti_abi.h"

__attribute__((visibility("default"))) int cuDeviceGetAttribute(int *value, int attribute,
                                                                int device);

/* Device 0 has what an H100 has, device 1 says nothing. */
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    if (attribute != CUDA_ATTR_SHARED_PER_BLOCK_OPTIN)
        return 1;
    *value = device == 0 ? 232448 : 0;
    return 0;
}
