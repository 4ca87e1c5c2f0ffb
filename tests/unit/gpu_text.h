/* A small but complete GPU file for tests, and a way to change one thing in it. */
#ifndef HABITAT_TESTS_GPU_TEXT_H
#define HABITAT_TESTS_GPU_TEXT_H

#include <stdio.h>
#include <string.h>

static const char gpu_text[] =
    "{\n"
    "  \"schema\": 1,\n"
    "  \"name\": \"Test-1\",\n"
    "  \"aliases\": [\"Test Card One\"],\n"
    "  \"vendor\": \"NVIDIA\",\n"
    "  \"architecture\": \"Ampere\",\n"
    "  \"compute_capability\": \"8.0\",\n"
    "  \"release_date\": \"2024-05-06\",\n"
    "  \"process_nm\": 7,\n"
    "  \"tdp_w\": 200,\n"
    "  \"sm_count\": 100,\n"
    "  \"fp32_lanes_per_sm\": 64,\n"
    "  \"boost_clock_mhz\": 1000,\n"
    "  \"memory_gib\": 32,\n"
    "  \"memory_type\": \"HBM2e\",\n"
    "  \"memory_bus_bits\": 4096,\n"
    "  \"memory_bandwidth_gb_per_s\": 1500,\n"
    "  \"l2_mib\": 32,\n"
    "  \"peak_dense_tflop_per_s\": {\n"
    "    \"plain\": {\"fp32\": 12.8},\n"
    "    \"matrix\": {\"tf32\": 102.4, \"fp16\": 204.8, \"bf16\": 204.8}\n"
    "  },\n"
    "  \"sources\": {\"sheet\": {\"covers\": [\"name\", \"aliases\", \"vendor\", \"architecture\", "
    "\"compute_capability\", \"release_date\", \"process_nm\", \"tdp_w\", \"sm_count\", "
    "\"fp32_lanes_per_sm\", \"boost_clock_mhz\", \"memory_gib\", \"memory_type\", "
    "\"memory_bus_bits\", \"memory_bandwidth_gb_per_s\", \"l2_mib\", "
    "\"peak_dense_tflop_per_s\"], \"title\": \"Sheet\", \"publisher\": \"P\", \"date\": "
    "\"2024-05\"}}\n"
    "}\n";

/* gpu_text with the first `from` replaced by `to`; a static buffer. NULL `from`: unchanged. */
static inline const char *gpu_text_with(const char *from, const char *to) {
    static char changed[8192];
    const char *at = from ? strstr(gpu_text, from) : NULL;
    if (!at)
        return from ? NULL : gpu_text;
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - gpu_text), gpu_text, to,
             at + strlen(from));
    return changed;
}

#endif
