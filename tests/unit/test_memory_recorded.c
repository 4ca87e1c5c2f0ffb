/* Memory of recordings of this repository: one predicts the peaks of others, at another batch size
 * and in other number formats. `habitat eval memory` judges all of them. */
#include <stdlib.h>

#include <habitat/memory.h>

#include "check.h"

static habitat_memory *open_one(const char *name, double *peak_bytes, uint64_t *batch) {
    char path[512];
    habitat_trace *trace = NULL;
    habitat_memory *memory = NULL;
    snprintf(path, sizeof path, HABITAT_SOURCE_DIR "/data/recordings/%s_h200.json.gz", name);
    CHECK_INT(habitat_trace_read(path, &trace, NULL), HABITAT_OK);
    *peak_bytes = habitat_trace_get_info(trace)->peak_memory_bytes;
    *batch = habitat_trace_get_info(trace)->batch_size;
    CHECK_INT(habitat_memory_create(trace, NULL, &memory, NULL), HABITAT_OK);
    habitat_trace_free(trace);
    return memory;
}

int main(void) {
    static const struct {
        const char *from, *to;
        habitat_memory_format format;
        double within;
    } cases[] = {
        {"bert_b2_fp32", "bert_b8_fp32", HABITAT_MEMORY_RECORDED, 0.01},
        {"bert_b2_fp32", "bert_b8_amp_bf16", HABITAT_MEMORY_AUTOCAST, 0.01},
        {"vit_b64_amp_bf16", "vit_b16_fp32", HABITAT_MEMORY_SINGLE, 0.06},
        {"resnet50_b4_fp32", "resnet50_b128_amp_fp16", HABITAT_MEMORY_AUTOCAST, 0.06},
        {"dcgan_b16_fp32", "dcgan_b128_fp32", HABITAT_MEMORY_SINGLE, 0.04},
        {"vgg16_inference_b12_fp16", "vgg16_inference_b12_fp32", HABITAT_MEMORY_SINGLE, 0.01},
        {"vgg16_inference_b12_fp32", "vgg16_inference_b12_tf32", HABITAT_MEMORY_TF32, 0.01},
        {"vgg16_training_b12_fp32", "vgg16_training_b12_tf32", HABITAT_MEMORY_TF32, 0.02},
        {"gnmt_b16_fp32", "gnmt_b48_fp32", HABITAT_MEMORY_SINGLE, 0.01},
        {"gnmt_b16_fp32", "gnmt_b32_amp_fp16", HABITAT_MEMORY_AUTOCAST, 0.02},
        {"transformer_b64_fp32", "transformer_b32_amp_bf16", HABITAT_MEMORY_AUTOCAST, 0.02},
        {"transformer_b32_amp_bf16", "transformer_b64_fp32", HABITAT_MEMORY_SINGLE, 0.02},
        {"llama_b2_bf16", "llama_b2_tf32", HABITAT_MEMORY_SINGLE, 0.02},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double from_bytes, to_bytes;
        uint64_t from_batch, to_batch;
        habitat_memory *from = open_one(cases[i].from, &from_bytes, &from_batch);
        habitat_memory *to = open_one(cases[i].to, &to_bytes, &to_batch);
        habitat_memory_parts parts = {0};
        CHECK_INT(habitat_memory_predict(from, (double)to_batch / (double)from_batch,
                                         cases[i].format, &parts),
                  HABITAT_OK);
        CHECK_NEAR(parts.peak_bytes, to_bytes, cases[i].within);
        habitat_memory_free(from);
        habitat_memory_free(to);
        check_case(cases[i].to);
    }
    return check_done();
}
