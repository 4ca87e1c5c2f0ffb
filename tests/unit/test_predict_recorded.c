/* Predictions of real recordings: sums are exact, every GPU and method gives a number with its
 * provenance, and whole-model times measured by others are met.
 *
 * Recordings of the repository; where ../shared/traces lies beside it, those three as well. */
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include <habitat/predict.h>

#include "one_kernel.h"
#include "ask/warnings.h"
#include "check.h"
#include "recorded.h"

static habitat_gpu_table *table;

static const habitat_gpu *gpu_named(const char *name) {
    const habitat_gpu *gpu = NULL;
    if (habitat_gpu_find(table, name, &gpu, NULL, NULL) != HABITAT_OK)
        printf("# no GPU %s\n", name);
    return gpu;
}

static bool load(const char *path, recorded *out) {
    *out = recorded_at(table, path);
    return out->w != NULL;
}

static void check_sums(const recorded *r) {
    size_t count = 0, iterations = 0;
    uint64_t kernel_ns = 0, copy_ns = 0;
    const habitat_kernel *kernels = habitat_trace_kernels(r->trace, &count);
    const habitat_iteration *iteration = habitat_trace_iterations(r->trace, &iterations);
    const habitat_workload_info *info = habitat_workload_get_info(r->w);
    for (size_t i = 0; i < count; i++) {
        bool copy = kernels[i].form->kind == HABITAT_KERNEL_MEMCPY ||
                    kernels[i].form->kind == HABITAT_KERNEL_MEMSET;
        if (kernels[i].iteration != HABITAT_NONE)
            *(copy ? &copy_ns : &kernel_ns) += kernels[i].duration_ns;
    }
    CHECK(info->kernel_ms == (double)kernel_ns / (double)iterations / 1e6);
    CHECK(info->copy_ms == (double)copy_ns / (double)iterations / 1e6);
    double busy_ms = 0;
    for (size_t i = 0; i < iterations; i++)
        busy_ms += iteration[i].busy_ms / (double)iterations;
    CHECK_NEAR(info->busy_ms, busy_ms, 1e-9);
    CHECK(info->busy_ms <= info->kernel_ms + info->copy_ms + 1e-12);
}

static void check_shares(const recorded *r) {
    size_t groups = 0, count = 0;
    const habitat_workload_group *group = habitat_workload_groups(r->w, &groups);
    const uint32_t *index = habitat_workload_group_index(r->w, &count);
    const habitat_workload_kernel *kernels = habitat_workload_kernels(r->w, &count);
    size_t listed = 0;
    for (size_t g = 0; g < groups; g++) {
        double flop = 0, origin_ms = 0;
        for (uint32_t i = 0; i < group[g].kernel_count; i++) {
            const habitat_workload_kernel *k = &kernels[index[group[g].first_kernel + i]];
            CHECK_INT(k->group, g);
            flop += isnan(k->facts.flop) ? 0 : k->facts.flop;
            origin_ms += k->facts.time_ns / 1e6;
            listed++;
        }
        CHECK_NEAR(origin_ms, group[g].origin_ms, 1e-9);
        if (group[g].work->known && origin_ms > 0)
            CHECK(fabs(flop - group[g].work->flop) <= 1e-9 * group[g].work->flop);
    }
    CHECK_INT(listed, count);
}

/* Sum over each stream's kernels that do not start within the one before them; the largest. */
static double longest_stream_ms(const recorded *r, const habitat_prediction *p) {
    enum { STREAMS = 64 };
    struct {
        uint32_t stream;
        uint64_t end_ns;
        double ms;
    } of[STREAMS];
    size_t count = 0, streams = 0;
    double longest = 0;
    const habitat_workload_kernel *kernels = habitat_workload_kernels(r->w, &count);
    for (size_t i = 0; i < count; i++) {
        const habitat_kernel *k = kernels[i].kernel;
        size_t s = 0;
        while (s < streams && of[s].stream != k->form->stream)
            s++;
        if (s == streams && streams++ < STREAMS)
            of[s].stream = k->form->stream, of[s].end_ns = 0, of[s].ms = 0;
        if (s == STREAMS || k->start_ns < of[s].end_ns)
            continue;
        of[s].end_ns = k->start_ns + k->duration_ns;
        of[s].ms += p->trace_kernels[i].ms - (double)kernels[i].waiting_ns / 1e6;
        longest = fmax(longest, of[s].ms);
    }
    return longest / (double)p->iteration_count;
}

/* No faster than the longest stream, no slower than one kernel after another. */
static void check_busy(const recorded *r, const habitat_prediction *p) {
    double charged = 0;
    for (size_t i = 0; i < p->trace_kernel_count; i++) {
        CHECK(p->trace_kernels[i].busy_ms >= 0 &&
              p->trace_kernels[i].busy_ms <= p->trace_kernels[i].ms * (1 + 1e-9));
        charged += p->trace_kernels[i].busy_ms;
    }
    CHECK_NEAR(charged / (double)p->iteration_count, p->busy_ms, 1e-9);
    CHECK(p->busy_ms >= longest_stream_ms(r, p) * (1 - 1e-9));
    CHECK(p->busy_ms <= (p->kernel_ms + p->copy_ms) * (1 + 1e-9));
    CHECK(p->iteration_ms == p->busy_ms);
}

static void check_prediction(const recorded *r, const habitat_prediction *p) {
    const habitat_workload_info *info = habitat_workload_get_info(r->w);
    double coverage = 0, classes = 0, origin = 0;
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++)
        coverage += p->coverage[m];
    for (size_t c = 0; c < p->class_count; c++) {
        classes += p->by_class[c].ms;
        origin += p->by_class[c].origin_ms;
    }
    CHECK_NEAR(coverage, 1, 1e-9);
    CHECK_NEAR(classes, p->kernel_ms, 1e-9);
    CHECK_NEAR(origin, info->kernel_ms, 1e-9);
    CHECK(p->kernel_ms > 0 && isfinite(p->high_ms));
    CHECK(p->low_ms < p->iteration_ms && p->iteration_ms < p->high_ms);
    check_busy(r, p);
    if (p->gpu == info->origin)
        CHECK(p->kernel_ms == info->kernel_ms && p->iteration_ms == info->busy_ms);
}

static void every_gpu_and_method(const char *path) {
    recorded r;
    bool loaded = load(path, &r);
    CHECK(loaded);
    if (loaded) {
        check_sums(&r);
        check_shares(&r);
        for (int m = 0; m < HABITAT_METHOD_COUNT; m++) {
            if (!habitat_method_askable((habitat_method)m))
                continue;
            for (size_t i = 0; i < habitat_gpu_count(table); i++) {
                habitat_prediction *p = NULL;
                CHECK_INT(
                    habitat_predict(r.w, habitat_gpu_at(table, i), (habitat_method)m, &p, NULL),
                    HABITAT_OK);
                if (p)
                    check_prediction(&r, p);
                habitat_prediction_free(p);
            }
        }
    }
    const char *slash = strrchr(path, '/');
    check_case(slash ? slash + 1 : path);
    recorded_close(&r);
}

static void every_gpu(const char *path) {
    recorded r;
    bool loaded = load(path, &r);
    CHECK(loaded);
    for (size_t i = 0; loaded && i < habitat_gpu_count(table); i++) {
        habitat_prediction *p = NULL;
        CHECK_INT(habitat_predict(r.w, habitat_gpu_at(table, i), HABITAT_METHOD_AUTO, &p, NULL),
                  HABITAT_OK);
        if (p)
            check_busy(&r, p);
        habitat_prediction_free(p);
    }
    recorded_close(&r);
}

static void every_recording(void) {
    DIR *folder = opendir(HABITAT_SOURCE_DIR "/data/recordings");
    size_t count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[1024];
        if (!strstr(entry->d_name, ".json.gz"))
            continue;
        snprintf(path, sizeof path, "%s/data/recordings/%s", HABITAT_SOURCE_DIR, entry->d_name);
        every_gpu(path);
        count++;
    }
    if (folder)
        closedir(folder);
    CHECK(count > 40);
    check_case("every recording on every GPU: no faster than the longest stream, no slower than "
               "all kernels");
}

/* Whole-model times [ms] that others measured (sitar-lab/NeuSight, scripts/asplos, PyTorch 2.1,
 * fp32 eager, no optimiser step) and the recording of the same step on an H200. */
static const struct {
    const char *recording, *gpu;
    double measured_ms;
} measured[] = {
    {"bert_large_inference_s512_b16", "V100-PCIE-32GB", 518.3},
    {"bert_large_inference_s512_b16", "A100-PCIE-40GB", 396.5},
    {"bert_large_inference_s512_b16", "P100-PCIE-16GB", 904.7},
    {"bert_large_inference_s512_b16", "T4", 1485.2},
    {"bert_large_training_s512_b8", "V100-PCIE-32GB", 841.1},
    {"gpt2_large_inference_s1024_b4", "V100-PCIE-32GB", 728.8},
    {"gpt2_large_inference_s1024_b4", "A100-PCIE-40GB", 535.8},
    {"gpt2_large_training_s1024_b1", "V100-PCIE-32GB", 576.9},
    {"opt_1.3b_inference_s2048_b2", "P100-PCIE-16GB", 2283.2},
    {"opt_1.3b_inference_s2048_b2", "T4", 3889.7},
};

static void measured_elsewhere(void) {
    double sum = 0;
    size_t count = sizeof measured / sizeof *measured;
    for (size_t i = 0; i < count; i++) {
        char path[1024];
        recorded r;
        habitat_prediction *p = NULL;
        snprintf(path, sizeof path, "%s/data/recordings/%s_fp32_h200.json.gz", HABITAT_SOURCE_DIR,
                 measured[i].recording);
        CHECK(load(path, &r));
        CHECK_INT(habitat_predict(r.w, gpu_named(measured[i].gpu), HABITAT_METHOD_AUTO, &p, NULL),
                  HABITAT_OK);
        double error = p ? p->iteration_ms / measured[i].measured_ms - 1 : 1;
        if (fabs(error) > 0.15)
            printf("# %s on %s: %+.1f %%\n", measured[i].recording, measured[i].gpu, 100 * error);
        CHECK(fabs(error) <= 0.15);
        sum += fabs(error);
        habitat_prediction_free(p);
        recorded_close(&r);
    }
    printf("# mean error of auto over %zu cases: %.1f %%\n", count, 100 * sum / (double)count);
    CHECK(sum / (double)count <= 0.08);
    check_case("auto meets whole-model times measured by others");
}

/* Share of the origin's kernel time in blocks that a GPU cannot hold. */
static double not_resident(const recorded *r, const habitat_gpu *gpu) {
    size_t count = 0;
    double all = 0, out = 0;
    const habitat_workload_kernel *k = habitat_workload_kernels(r->w, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t blocks = 0;
        habitat_launch launch = one_kernel_launch(k[i].kernel);
        all += k[i].facts.time_ns;
        if (k[i].launch != HABITAT_NONE &&
            habitat_occupancy_blocks(gpu, &launch, &blocks, NULL) == HABITAT_E_NOT_RESIDENT)
            out += k[i].facts.time_ns;
    }
    return out / all;
}

static void shared_traces(void) {
    static const struct {
        const char *name;
        double on_t4; /* share that is not resident on a T4: a study of these traces */
    } traces[] = {{"bert_large_b8_fp32_h200", 0.18},
                  {"resnet50_b32_fp32_h200", 0.37},
                  {"inception_v3_b32_fp32_h200", 0.38}};
    for (size_t i = 0; i < 3; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/../shared/traces/%s.json.gz", HABITAT_SOURCE_DIR,
                 traces[i].name);
        if (access(path, R_OK) != 0)
            snprintf(path, sizeof path, "%s/../../shared/traces/%s.json.gz", HABITAT_SOURCE_DIR,
                     traces[i].name);
        if (access(path, R_OK) != 0) {
            printf("# %s is not beside the repository: left out\n", traces[i].name);
            continue;
        }
        recorded r;
        if (load(path, &r)) {
            double share = not_resident(&r, gpu_named("T4"));
            printf("# %s: %.3f not resident on T4\n", traces[i].name, share);
            CHECK(fabs(share - traces[i].on_t4) < 0.01);
            check_case("the share that is not resident on a T4 is as studied");
        }
        recorded_close(&r);
        every_gpu_and_method(path);
    }
}

/* GPT-2 in bf16 onto GPUs with and without matrix units for it. */
static void formats_elsewhere(void) {
    recorded r;
    char text[WARNING_BYTES] = "untouched";
    if (!load(HABITAT_SOURCE_DIR "/data/recordings/gpt2_b4_bf16_h200.json.gz", &r)) {
        CHECK(false);
        return;
    }
    const habitat_gpu *origin = habitat_workload_get_info(r.w)->origin;
    const habitat_gpu *all[] = {gpu_named("A100"), gpu_named("V100"), gpu_named("MI300X")};
    double bf16 = format_share(r.w, HABITAT_DTYPE_BF16);
    CHECK(bf16 > 0.5 && bf16 < 1.0 && format_share(r.w, HABITAT_DTYPE_FP8) == 0.0);
    CHECK(!warn_of_format(bf16, r.w, all, 1, HABITAT_DTYPE_BF16, text));
    CHECK(!warn_of_format(0.0, r.w, all, 2, HABITAT_DTYPE_FP8, text));
    CHECK(!warn_of_format(1.0, r.w, all, 2, HABITAT_DTYPE_FP32, text));
    const habitat_gpu *own[] = {origin};
    CHECK(!warn_of_format(1.0, r.w, own, 1, HABITAT_DTYPE_FP8, text));
    CHECK_TEXT(text, "untouched");
    CHECK(warn_of_format(bf16, r.w, all, 2, HABITAT_DTYPE_BF16, text));
    CHECK(strstr(text, "no bf16 matrix units on V100-SXM2-16GB: ") && strstr(text, "fp16 rate"));
    check_case("a destination without the number format is named");
    CHECK(warn_of_vendor(origin, all, 2) == NULL);
    CHECK(warn_of_vendor(origin, all, 3) != NULL);
    check_case("a destination of another vendor is warned of");
    recorded_close(&r);
}

int main(void) {
    static const char *const names[] = {
        "data/recordings/bert_large_training_s512_b2_fp32_h200",
        "data/recordings/gnmt_b16_fp32_h200", "data/recordings/llama_b2_bf16_h200",
        "data/recordings/resnet50_b4_fp32_h200", "data/recordings/inception_v3_b16_fp32_h200",
        /* data-parallel, the other GPU 60 ms late; by torch.profiler, arguments thinned */
        "tests/golden/traces/ddp_resnet50_b32_one_of_two_h200_waits"};
    habitat_error err = {0};
    if (habitat_gpu_table_create(NULL, &table, &err) != HABITAT_OK) {
        printf("# %s\n", err.message);
        return 1;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.json.gz", HABITAT_SOURCE_DIR, names[i]);
        every_gpu_and_method(path);
    }
    every_recording();
    measured_elsewhere();
    formats_elsewhere();
    shared_traces();
    habitat_gpu_table_free(table);
    return check_done();
}
