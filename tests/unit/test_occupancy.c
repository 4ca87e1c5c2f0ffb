/* Occupancy against the hand-worked table tests/golden/occupancy.tbl, and properties of it over
 * every GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/gpu.h>

#include "check.h"
#include "gpu/gpu.h"
#include "gpu_text.h"

static habitat_gpu_table *table;

/* A GPU by name; "cc5.3" is made, of that compute capability. */
static const habitat_gpu *gpu_of(const char *name) {
    const habitat_gpu *gpu = NULL;
    char capability[32];
    if (strncmp(name, "cc", 2) != 0) {
        CHECK(habitat_gpu_find(table, name, &gpu, NULL, NULL) == HABITAT_OK);
        return gpu;
    }
    snprintf(capability, sizeof capability, "\"%.16s\"", name + 2);
    const char *text = gpu_text_with("\"8.0\"", capability);
    CHECK(habitat_gpu_table_add_text(table, text, strlen(text), "made", &gpu, NULL) == HABITAT_OK);
    return gpu;
}

/* One row "GPU | threads registers bytes | want | working". */
static const char *const limiters[] = {
    [HABITAT_LIMIT_NONE] = "none",
    [HABITAT_LIMIT_THREADS] = "threads",
    [HABITAT_LIMIT_BLOCKS] = "blocks",
    [HABITAT_LIMIT_REGISTERS] = "registers",
    [HABITAT_LIMIT_SHARED_MEMORY] = "shared memory",
};

static void check_row(char *line, int number) {
    char name[64], want[64], status_name[32], got[96], title[256];
    unsigned threads = 0, registers = 0, bytes = 0;
    CHECK_INT(
        sscanf(line, "%63[^| ] | %u %u %u | %63[^|]", name, &threads, &registers, &bytes, want), 5);
    for (size_t end = strlen(want); end > 0 && want[end - 1] == ' ';)
        want[--end] = '\0';
    const habitat_gpu *gpu = gpu_of(name);
    habitat_launch launch = {threads, registers, bytes};
    habitat_limiter limiter = HABITAT_LIMIT_NONE;
    uint32_t blocks = 999;
    habitat_status status = gpu ? habitat_occupancy_blocks(gpu, &launch, &blocks, &limiter) : 0;
    snprintf(status_name, sizeof status_name, "%.30s", habitat_status_name(status) + 10);
    if (status == HABITAT_OK)
        snprintf(got, sizeof got, "%u %s", blocks, limiters[limiter]);
    else if (status == HABITAT_E_NOT_RESIDENT)
        snprintf(got, sizeof got, "%s %s", status_name, limiters[limiter]);
    else
        snprintf(got, sizeof got, "%s", status_name);
    CHECK_TEXT(got, want);
    if (status != HABITAT_OK)
        CHECK_INT(blocks, 999); /* untouched */
    snprintf(title, sizeof title, "row %d: %s, %u threads, %u registers, %u bytes: %s", number,
             name, threads, registers, bytes, want);
    check_case(title);
}

static void check_golden(void) {
    char line[512];
    int number = 0, rows = 0;
    FILE *file = fopen(HABITAT_SOURCE_DIR "/tests/golden/occupancy.tbl", "r");
    CHECK(file != NULL);
    while (file && fgets(line, sizeof line, file)) {
        number++;
        if (line[0] == '#')
            continue;
        check_row(line, number);
        rows++;
    }
    if (file)
        fclose(file);
    CHECK(rows >= 70);
    check_case("the golden table is complete");
}

/* On every GPU of the table: the resources that the blocks found take are there, and those of one
 * block more are not; asking for more of anything never raises the number. */
static void check_properties(void) {
    static const uint32_t threads[] = {1, 32, 96, 128, 256, 384, 512, 1024};
    static const uint32_t registers[] = {0, 16, 32, 40, 64, 128, 168, 255};
    static const uint32_t bytes[] = {0, 1, 1024, 20000, 49152, 65536, 100000, 166912, 232448};
    for (size_t i = 0; i < habitat_gpu_count(table); i++) {
        const habitat_gpu *gpu = habitat_gpu_at(table, i);
        const habitat_sm_limits *l = &gpu->limits;
        for (size_t t = 0; t < 8; t++)
            for (size_t s = 0; s < 9; s++) {
                uint32_t before = UINT32_MAX;
                for (size_t r = 0; r < 8; r++) {
                    habitat_launch launch = {threads[t], registers[r], bytes[s]};
                    uint32_t blocks = 0;
                    if (habitat_occupancy_blocks(gpu, &launch, &blocks, NULL) != HABITAT_OK)
                        blocks = 0;
                    CHECK(blocks <= before);
                    before = blocks;
                    uint32_t warps = (threads[t] + 31) / 32;
                    CHECK(blocks <= l->blocks_per_sm || !blocks);
                    CHECK((uint64_t)blocks * warps * 32 <= l->threads_per_sm);
                    CHECK((uint64_t)blocks * warps * 32 * registers[r] <= l->registers_per_sm);
                    CHECK((uint64_t)blocks * bytes[s] <= l->shared_memory_per_sm_bytes);
                }
            }
    }
    check_case("blocks found never need more than an SM has, on any GPU");
}

static void check_arguments(void) {
    const habitat_gpu *gpu = habitat_gpu_at(table, 0);
    habitat_launch launch = {128, 32, 0}, huge = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    uint32_t blocks = 7;
    CHECK(habitat_occupancy_blocks(NULL, &launch, &blocks, NULL) == HABITAT_E_ARG);
    CHECK(habitat_occupancy_blocks(gpu, NULL, &blocks, NULL) == HABITAT_E_ARG);
    CHECK(habitat_occupancy_blocks(gpu, &launch, NULL, NULL) == HABITAT_E_ARG);
    CHECK(habitat_occupancy_blocks(gpu, &huge, &blocks, NULL) == HABITAT_E_NOT_RESIDENT);
    huge = (habitat_launch){32, UINT32_MAX, 0};
    CHECK(habitat_occupancy_blocks(gpu, &huge, &blocks, NULL) == HABITAT_E_NOT_RESIDENT);
    CHECK_INT(blocks, 7);
    check_case("wrong arguments and absurd launches");
}

int main(void) {
    habitat_error err = {0};
    if (habitat_gpu_table_create(NULL, &table, &err) != HABITAT_OK) {
        printf("# %s\n", err.message);
        return 1;
    }
    check_golden();
    check_properties();
    check_arguments();
    habitat_gpu_table_free(table);
    return check_done();
}
