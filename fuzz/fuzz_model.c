/* Any bytes as a model file; what is accepted must answer. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <habitat/habitat.h>

#include "fuzz_file.h"
#include "models/learned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted from memory is accepted from a file, and with the same words refused. */
static habitat_models *parsed(const uint8_t *data, size_t size) {
    habitat_models *models = NULL, *loaded = NULL;
    habitat_error err = {0}, of_file = {0};
    habitat_status status = habitat_models_parse(data, size, "fuzz", &models, &err);
    if (status != HABITAT_OK && !err.message[0])
        abort(); /* a refusal without a word */
    if (habitat_models_load(fuzz_file(data, size), &loaded, &of_file) != status)
        abort();
    habitat_models_free(loaded);
    return models;
}

static void try_bytes(const uint8_t *data, size_t size) {
    habitat_models *models = parsed(data, size);
    if (!models)
        return;
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

/* `bytes` of `value`, little-endian, as the file has them. */
static void put(uint8_t *at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* Header, then two factors (4 bytes each) and the number of models (4); the first model begins with
 * its class, its use and the checksum of its inputs' names. */
enum { FIRST_MODEL = LEARNED_HEADER_BYTES + 12 };

/* Makes every checksum fit, so that the search gets past them. */
static void mend(uint8_t *copy, size_t size) {
    uint64_t payload = size - LEARNED_HEADER_BYTES;
    if (size >= FIRST_MODEL + 6) {
        bool paper = copy[FIRST_MODEL + 1] == HABITAT_MODEL_PAPER;
        if (copy[FIRST_MODEL] < (paper ? (int)PAPER_CLASSES : (int)OPERATOR_CLASSES))
            put(copy + FIRST_MODEL + 2, learned_class_checksum(copy[FIRST_MODEL], paper), 4);
    }
    memcpy(copy, LEARNED_MAGIC, LEARNED_MAGIC_BYTES);
    bool old = copy[8] >= LEARNED_FORMAT_LEAST && copy[8] < LEARNED_FORMAT;
    put(copy + 8, old ? copy[8] : LEARNED_FORMAT, 4);
    put(copy + 12, crc32(crc32(0, NULL, 0), copy + LEARNED_HEADER_BYTES, (uInt)payload), 4);
    put(copy + 16, payload, 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_bytes(data, size);
    uint8_t *copy = size < LEARNED_HEADER_BYTES ? NULL : malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    mend(copy, size);
    try_bytes(copy, size);
    free(copy);
    return 0;
}
