/* Parameter structs of CUPTI's Range Profiler and profiler host API (CUDA 12.6 and later), declared
 * from documented facts; test_recorder_abi.c compares them with the vendor's headers. Every call
 * takes one struct that starts with its own size, which is how CUPTI tells versions apart. */
#ifndef HABITAT_RECORDER_CUPTI_PROFILER_ABI_H
#define HABITAT_RECORDER_CUPTI_PROFILER_ABI_H

#include <stddef.h>
#include <stdint.h>

enum {
    PROFILER_TYPE_RANGE = 0,
    PROFILER_AUTO_RANGE = 1,
    PROFILER_KERNEL_REPLAY = 2,
    PROFILER_METRIC_COUNTER = 0
};

typedef struct {
    size_t size;
    void *priv;
} profiler_initialize_params;

typedef struct {
    size_t size;
    void *priv;
    size_t device;
    const char *chip;
} profiler_chip_params;

typedef struct {
    size_t size;
    void *priv;
    void *context;
    size_t image_bytes;
    uint8_t *image;
} profiler_availability_params;

typedef struct {
    size_t size;
    void *priv;
    int type;
    const char *chip;
    const uint8_t *availability;
    void *host;
} profiler_host_params;

typedef struct {
    size_t size;
    void *priv;
    void *host;
    int type;
    const char **names;
    size_t count;
} profiler_base_metrics_params;

typedef struct {
    size_t size;
    void *priv;
    void *host;
    const char **names;
    size_t count;
} profiler_add_params;

typedef struct {
    size_t size;
    void *priv;
    void *host;
    size_t bytes;
} profiler_config_size_params;

typedef struct {
    size_t size;
    void *priv;
    void *host;
    size_t bytes;
    uint8_t *config;
} profiler_config_params;

typedef struct {
    size_t size;
    void *priv;
    size_t bytes;
    uint8_t *config;
    size_t passes;
} profiler_passes_params;

typedef struct {
    size_t size;
    void *priv;
    void *host;
    const uint8_t *data;
    size_t data_bytes;
    size_t range;
    const char **names;
    size_t count;
    double *values;
} profiler_evaluate_params;

typedef struct {
    size_t size;
    void *priv;
    void *context;
    void *range_profiler;
} range_enable_params;

/* Start and pop take the object alone. */
typedef struct {
    size_t size;
    void *priv;
    void *range_profiler;
} range_object_params;

typedef struct {
    size_t size;
    void *priv;
    void *range_profiler;
    const char *name;
} range_push_params;

typedef struct {
    size_t size;
    void *priv;
    void *range_profiler;
    size_t pass;
    size_t nesting_level;
    uint8_t all_passes_submitted;
} range_stop_params;

typedef struct {
    size_t size;
    void *priv;
    void *range_profiler;
    size_t dropped;
} range_decode_params;

typedef struct {
    size_t size;
    void *priv;
    void *range_profiler;
    const char **names;
    size_t count;
    size_t max_ranges;
    uint32_t max_nodes;
    size_t bytes;
} range_data_size_params;

typedef struct {
    size_t size;
    void *priv;
    void *range_profiler;
    size_t bytes;
    uint8_t *data;
} range_data_init_params;

typedef struct {
    size_t size;
    void *priv;
    const uint8_t *data;
    size_t bytes;
    size_t ranges;
} range_data_info_params;

typedef struct {
    size_t size;
    void *priv;
    void *range_profiler;
    size_t config_bytes;
    const uint8_t *config;
    size_t data_bytes;
    uint8_t *data;
    int range_mode;
    int replay_mode;
    size_t max_ranges_per_pass;
    uint16_t nesting_levels;
    uint16_t min_nesting_level;
    size_t pass;
    uint16_t target_nesting_level;
} range_config_params;

/* What CUPTI wants as a struct's size: up to the end of its last field, padding left out. */
#define PROFILER_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

#endif
