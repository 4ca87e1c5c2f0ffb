/* Any bytes as a GPU file, then everything that reads the entry it made. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <habitat/gpu.h>
#include <habitat/models.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Measured operations are whole, and the models take them or refuse them. */
static void use_operations(const habitat_gpu *gpu) {
    static habitat_models *models;
    habitat_class_offset offsets[4];
    size_t count = 4, unused = 0, operation_count = 0;
    const habitat_gpu_operation *operations = habitat_gpu_operations(gpu, &operation_count);
    for (size_t i = 0; i < operation_count; i++)
        if (!operations[i].op || !operations[i].shape || !(operations[i].ms > 0))
            abort();
    if (operation_count && (models || habitat_models_load_default(&models, NULL) == HABITAT_OK))
        habitat_models_offsets(models, gpu, offsets, &count, &unused, NULL);
}

static void use(const habitat_gpu_table *table, const habitat_gpu *gpu) {
    static const uint32_t sizes[] = {0, 1, 32, 255, 1024, 49152, UINT32_MAX};
    habitat_gpu_finding findings[4];
    size_t count = 4;
    const habitat_gpu *found = NULL;
    habitat_gpu_check(table, findings, &count);
    for (size_t i = 0; i < 7 * 7 * 7; i++) {
        habitat_launch launch = {sizes[i % 7], sizes[i / 7 % 7], sizes[i / 49]};
        uint32_t blocks = 0;
        if (habitat_occupancy_blocks(gpu, &launch, &blocks, NULL) == HABITAT_OK && blocks == 0)
            abort(); /* a wave of nothing */
    }
    if (habitat_gpu_find(table, habitat_gpu_name(gpu), &found, NULL, NULL) != HABITAT_OK ||
        found != gpu)
        abort(); /* an entry answers to its own name */
    habitat_device_facts facts = {.name = habitat_gpu_name(gpu),
                                  .sm_count =
                                      (uint32_t)habitat_gpu_number(gpu, HABITAT_GPU_SM_COUNT)};
    if (habitat_gpu_match(table, &facts, &found, NULL) != HABITAT_OK)
        abort();
    use_operations(gpu);
    for (size_t i = 0; i < 2; i++)
        habitat_gpu_source_of(gpu, i ? "sustained.plain_tflop_per_s.fp32" : "tdp_w");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* one table for all inputs costs nothing but memory, so a fresh one every few thousand */
    static habitat_gpu_table *table;
    static unsigned inputs;
    const habitat_gpu *gpu = NULL;
    habitat_error err = {0};
    if (inputs++ % 4096 == 0) {
        habitat_gpu_table_free(table);
        table = NULL;
        if (habitat_gpu_table_create(NULL, &table, NULL) != HABITAT_OK)
            abort();
    }
    if (habitat_gpu_table_add_text(table, (const char *)data, size, "fuzz", &gpu, &err) ==
        HABITAT_OK)
        use(table, gpu);
    else if (!err.message[0])
        abort(); /* a refusal without a word */
    return 0;
}
