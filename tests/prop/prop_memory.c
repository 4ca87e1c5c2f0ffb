/* Memory, of recordings of every kind, with what they note of it and without: more samples never
 * need less, in any number format; no part is below 0 or above the peak; the largest batch that
 * fits is the largest, and every smaller one fits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "memory/model.h"
#include "recorded.h"

static const char *const recordings[] = {
    "bert_b8_amp_fp16_h200",        "dcgan_b64_amp_fp16_h100",
    "gnmt_b16_fp32_h200",           "inception_v3_b16_fp32_h200",
    "resnet50_b64_tf32_h100",       "transformer_b32_fp32_h100",
    "vgg16_training_b12_tf32_h200", "resnet50_inference_b12_fp16_h200",
    "llama_b2_bf16_h200",           "gpt2_large_inference_s1024_b4_fp32_h200"};
static const char *const gpus[] = {"T4", "RTX3060", "A100-SXM4-80GB"};
enum { FORMATS = HABITAT_MEMORY_TF32 + 1, GPUS = sizeof gpus / sizeof *gpus };
static const double largest_asked = 3000;

static size_t asked, fitted;

static void check_parts(const habitat_memory_parts *p) {
    const double parts[] = {p->parameters_bytes, p->gradients_bytes,  p->optimizer_bytes,
                            p->workspace_bytes,  p->algorithms_bytes, p->largest_bytes,
                            p->twice_bytes};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        CHECK(!(parts[i] < 0));
    CHECK(!(p->activations_bytes > p->peak_bytes * (1 + 1e-9)));
    CHECK(!(p->twice_bytes > p->parameters_bytes));
}

static void check_growth(const habitat_memory *m, habitat_memory_format format, double batch) {
    double before = 0;
    for (double n = 1; n < largest_asked; n = ceil(n * 1.3)) {
        habitat_memory_parts p;
        if (habitat_memory_predict(m, n / batch, format, &p) != HABITAT_OK || isnan(p.peak_bytes))
            continue;
        asked++;
        CHECK(p.peak_bytes >= before * (1 - 1e-9));
        check_parts(&p);
        before = p.peak_bytes;
    }
}

static int fits(const habitat_memory *m, habitat_memory_format format, const habitat_gpu *gpu,
                double factor) {
    habitat_memory_parts p;
    CHECK_INT(habitat_memory_predict(m, factor, format, &p), HABITAT_OK);
    return habitat_memory_fit_on(&p, gpu).fits;
}

static void check_largest(const habitat_memory *m, habitat_memory_format format,
                          const habitat_gpu *gpu, uint64_t batch) {
    double most = habitat_memory_largest_batch(m, format, gpu, batch);
    if (isnan(most))
        return;
    for (double n = 1; n <= most; n = n < most ? fmin(most, ceil(n * 1.3)) : most + 1)
        CHECK_INT(fits(m, format, gpu, n / (double)batch), 1);
    CHECK(fits(m, format, gpu, (most + 1) / (double)batch) != 1);
    fitted++;
}

static habitat_memory *memory_of(const recorded *of, bool noted) {
    const habitat_trace_info *info = habitat_trace_get_info(of->trace);
    habitat_trace_info bare = *info;
    habitat_memory *out = NULL;
    bare.peak_memory_bytes = NAN;
    bare.memory = (habitat_trace_memory){.parameters_bytes = NAN,
                                         .buffers_bytes = NAN,
                                         .gradients_bytes = NAN,
                                         .optimizer_bytes = NAN,
                                         .between_bytes = NAN,
                                         .reserved_bytes = NAN};
    const habitat_gpu *origin = habitat_workload_get_info(of->w)->origin;
    CHECK_INT(memory_create(of->trace, noted ? info : &bare, origin, &out, NULL), HABITAT_OK);
    return out;
}

int main(void) {
    habitat_gpu_table *table = NULL;
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++) {
        recorded of = recorded_open(table, recordings[i]);
        uint64_t batch = habitat_trace_get_info(of.trace)->batch_size;
        for (int noted = 0; noted < 2; noted++) {
            habitat_memory *m = memory_of(&of, noted);
            for (int format = 0; format < FORMATS; format++) {
                check_growth(m, (habitat_memory_format)format, (double)batch);
                for (size_t g = 0; g < GPUS; g++) {
                    const habitat_gpu *gpu = NULL;
                    CHECK_INT(habitat_gpu_find(table, gpus[g], &gpu, NULL, NULL), HABITAT_OK);
                    check_largest(m, (habitat_memory_format)format, gpu, batch);
                }
            }
            habitat_memory_free(m);
        }
        recorded_close(&of);
        check_case(recordings[i]);
    }
    printf("# %zu peaks, %zu largest batches\n", asked, fitted);
    CHECK(asked > 1500 && fitted > 150);
    check_case("enough was asked");
    habitat_gpu_table_free(table);
    return check_done();
}
