/* Any bytes as a model file; what is accepted must answer. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <habitat/habitat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_bytes(const uint8_t *data, size_t size) {
    habitat_models *models = NULL;
    habitat_error err = {0};
    if (habitat_models_parse(data, size, "fuzz", &models, &err) != HABITAT_OK) {
        if (!err.message[0])
            abort(); /* a refusal without a word */
        return;
    }
    for (size_t i = 0; i <= habitat_models_count(models); i++) {
        habitat_model_info info;
        habitat_models_describe(models, i, &info);
    }
    static habitat_gpu_table *table;
    if (!table && habitat_gpu_table_create(NULL, &table, NULL) != HABITAT_OK)
        abort();
    const habitat_gpu *gpu = habitat_gpu_at(table, 3);
    habitat_work work;
    habitat_gemm_shape shape = {.b = 1, .m = 64, .n = 32, .k = 128};
    habitat_work_gemm(&shape, HABITAT_DTYPE_FP32, &work);
    habitat_model_query query = {.work = &work};
    habitat_model_estimate out = {0};
    for (int use = HABITAT_MODEL_AUTO; use <= HABITAT_MODEL_PAPER; use++)
        if (habitat_models_predict(models, (habitat_model_use)use, 1, &gpu, 1, &query, &out,
                                   NULL) == HABITAT_OK &&
            out.covered && !(out.ms > 0))
            abort(); /* a time that is none */
    habitat_models_free(models);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_bytes(data, size);
    /* Again with a header that fits, so that the search gets past the checksum. */
    if (size < 24)
        return 0;
    uint8_t *copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    uint64_t payload = size - 24;
    uint32_t sum = (uint32_t)crc32(crc32(0, NULL, 0), copy + 24, (uInt)payload);
    memcpy(copy, "HABMODEL\1\0\0\0", 12);
    for (int i = 0; i < 4; i++)
        copy[12 + i] = (uint8_t)(sum >> (8 * i));
    for (int i = 0; i < 8; i++)
        copy[16 + i] = (uint8_t)(payload >> (8 * i));
    try_bytes(copy, size);
    free(copy);
    return 0;
}
