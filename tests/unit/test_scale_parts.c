/* Another batch size of steps whose tensors do not begin with the batch alone: several forward
 * passes share it, rows go to several experts, sizes are larger than any memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "made_events.h"
#include "made_trace.h"
#include "rescale/groups_apart.h"
#include "rescale/scale.h"

#define MADE(operation, sizes, ns)                                                                 \
    {                                                                                              \
        .name = "k", .op = (operation), .dims = (sizes), .grid = 100, .block = 128,                \
        .duration_ns = (ns)                                                                        \
    }
#define GRADIENT(sizes) MADE(NODE "torch::autograd::AccumulateGrad", sizes, 1000)

static const habitat_gpu *gpu;
static scale_source source; /* of the group that was asked for last */

typedef struct step {
    habitat_trace *trace;
    habitat_workload *w;
} step;

static step step_of(habitat_trace *trace) {
    step s = {.trace = trace};
    CHECK_INT(habitat_workload_create(trace, gpu, &s.w, NULL), HABITAT_OK);
    return s;
}

/* parameters: their sizes, which the recording notes, as "10, 20"; gradients tell the passes. */
static step made(const made_kernel *kernels, size_t count, int batch, const char *parameters) {
    char said[200];
    snprintf(said, sizeof said,
             "\"habitat\": {\"schema\": 1, \"batch_size\": %d, \"memory\": {\"parameter_sizes\": "
             "{\"float32\": [%s]}}},",
             batch, parameters);
    return step_of(made_trace(kernels, count, NULL, said, 0));
}

static void done(step *s) {
    habitat_workload_free(s->w);
    habitat_trace_free(s->trace);
}

/* Sizes, or with `strides` those, of input i of group g at batch size `batch`, as "3x4". */
static const char *told(const step *s, uint64_t batch, size_t g, uint32_t i, bool strides) {
    static char text[80];
    habitat_arena arena = {0};
    scale_group *groups = calloc(s->w->group_count + 1, sizeof *groups);
    CHECK_INT(scale_batch(s->w, NULL, batch, &arena, groups, NULL, NULL), HABITAT_OK);
    const habitat_operation *op =
        groups[g].operation ? groups[g].operation : s->w->groups[g].operation;
    const habitat_input *in = &op->form->inputs[i];
    const int64_t *list = strides ? in->strides : in->dims;
    source = groups[g].source;
    text[0] = 0;
    for (uint32_t d = 0, used = 0; d < in->rank; d++)
        used += (uint32_t)snprintf(text + used, sizeof text - used, "%s%lld", d ? "x" : "",
                                   (long long)list[d]);
    habitat_arena_free(&arena);
    free(groups);
    return text;
}

static const char *sizes_at(const step *s, uint64_t batch, size_t g, uint32_t i) {
    return told(s, batch, g, i, false);
}

/* Two forward passes of 32 sequences of 128 tokens. */
static const made_kernel passes[] = {
    MADE("aten::relu", "[[32, 128, 96]]", 50000),
    MADE("aten::mm", "[[4096, 96], [96, 48]]", 50000),
    MADE("aten::mm", "[[96, 4096], [4096, 48]]", 50000), /* gradient of a weight */
    MADE("aten::add", "[[32, 128], [128]]", 50000),
    GRADIENT("[[96, 48]]"),
    GRADIENT("[[96, 48]]"),
};
enum { PASSES = sizeof passes / sizeof *passes };

static void test_parts(void) {
    step s = made(passes, PASSES, 64, "4608");
    CHECK_TEXT(sizes_at(&s, 16, 0, 0), "8x128x96");
    CHECK_INT(source, SCALE_BY_SHAPES);
    CHECK_TEXT(sizes_at(&s, 16, 1, 0), "1024x96");
    CHECK_TEXT(sizes_at(&s, 16, 1, 1), "96x48");
    CHECK_TEXT(sizes_at(&s, 16, 2, 0), "96x1024");
    CHECK_TEXT(sizes_at(&s, 16, 2, 1), "1024x48");
    CHECK_TEXT(sizes_at(&s, 16, 3, 0), "8x128");
    CHECK_TEXT(sizes_at(&s, 256, 0, 0), "128x128x96");
    check_case("two passes that share a batch of 64 have 32 samples each, and 8 of 16");
    CHECK_TEXT(sizes_at(&s, 21, 0, 0), "11x128x96"); /* 10.5 */
    CHECK_TEXT(sizes_at(&s, 21, 1, 0), "1344x96");   /* 4096 x 21 / 64 */
    CHECK_TEXT(sizes_at(&s, 22, 0, 0), "11x128x96");
    CHECK_TEXT(sizes_at(&s, 23, 0, 0), "12x128x96"); /* 11.5 */
    CHECK_TEXT(sizes_at(&s, 1, 1, 0), "64x96");
    done(&s);
    const made_kernel four[] = {MADE("aten::relu", "[[16, 128, 96]]", 50000), GRADIENT("[[96]]"),
                                GRADIENT("[[96]]"), GRADIENT("[[96]]"), GRADIENT("[[96]]")};
    s = made(four, 5, 64, "96");
    CHECK_TEXT(sizes_at(&s, 13, 0, 0), "3x128x96");
    CHECK_TEXT(sizes_at(&s, 1, 0, 0), "1x128x96");
    done(&s);
    check_case("of an odd batch a pass has its part, rounded, and one sample at least");
}

static void test_no_parts(void) {
    step s = made(passes, PASSES, 64, "4608, 96");  /* 2 gradients of 2 parameters */
    CHECK_TEXT(sizes_at(&s, 16, 0, 0), "32x32x96"); /* no tensor with 64: 128 is in a row */
    CHECK_INT(source, SCALE_IN_A_ROW);
    done(&s);
    s = made(passes, PASSES, 65, "4608");
    CHECK_TEXT(sizes_at(&s, 21, 0, 0), "32x41x96");
    CHECK_INT(source, SCALE_IN_A_ROW);
    done(&s);
    check_case("one pass, or a batch that two cannot share, has no parts");
    const made_kernel ones[] = {MADE("aten::relu", "[[1, 128, 96]]", 50000), GRADIENT("[[96]]"),
                                GRADIENT("[[96]]"), GRADIENT("[[96]]"), GRADIENT("[[96]]")};
    s = made(ones, 5, 4, "96");
    CHECK_TEXT(sizes_at(&s, 8, 0, 0), "2x128x96");
    CHECK_TEXT(sizes_at(&s, 3, 0, 0), "1x128x96");
    done(&s);
    check_case("four passes of one sample share a batch of 4, and of 8 each has two");
    s = made(ones, 5, 2, "96");
    CHECK_TEXT(sizes_at(&s, 8, 0, 0), "1x128x96");
    done(&s);
    const made_kernel none[] = {MADE("aten::relu", "[[128, 96]]", 50000), GRADIENT("[[96]]"),
                                GRADIENT("[[96]]")};
    s = made(none, 3, 2, "96");
    CHECK_TEXT(sizes_at(&s, 8, 0, 0), "512x96"); /* a row, as without passes */
    CHECK_INT(source, SCALE_IN_A_ROW);
    done(&s);
    check_case("four passes share no two samples; no tensor with one tells nothing of it");
}

/* Queries, keys and values of 8 sequences of 197 in one tensor, before which the 8 x 197 rows are
 * known. */
static void test_third(void) {
    const made_kernel ops[] = {MADE("aten::relu", "[[197, 8, 768]]", 50000),
                               MADE("aten::copy_", "[[3, 197, 8, 768], [3, 197, 8, 768]]", 50000),
                               MADE("aten::copy_", "[[3, 96, 8, 768], [3, 96, 8, 768]]", 50000),
                               MADE("aten::copy_", "[[3, 8, 8, 768], [3, 8, 8, 768]]", 50000)};
    step s = made(ops, 4, 8, "768");
    CHECK_TEXT(sizes_at(&s, 32, 1, 0), "3x197x32x768");
    CHECK_TEXT(sizes_at(&s, 32, 1, 1), "3x197x32x768");
    CHECK_TEXT(sizes_at(&s, 32, 2, 0), "3x96x8x768");
    CHECK_TEXT(sizes_at(&s, 32, 3, 0), "3x32x8x768");
    done(&s);
    check_case("samples in the third place, where they and the sequence are known rows");
}

/* Rows of 8 x 64 words, turned before a product; turned weights of 512 x 32; and a matrix that
 * nothing says is turned. */
static void test_turned(void) {
    const made_kernel ops[] = {
        MADE("aten::relu", "[[8, 64, 96]]", 50000),
        MADE("aten::copy_", "[[48, 512], [48, 512]], \"Input Strides\": [[512, 1], [1, 48]]",
             50000),
        MADE("aten::copy_", "[[32, 512], [32, 512]], \"Input Strides\": [[512, 1], [1, 32]]",
             50000),
        MADE("aten::copy_", "[[40, 512], [40, 512]], \"Input Strides\": [[512, 1], [512, 1]]",
             50000),
        MADE("aten::_foreach_add_", "[[[512, 32]], [[512, 32]]]", 1000)};
    step s = made(ops, 5, 8, "16384");
    CHECK_TEXT(sizes_at(&s, 32, 1, 0), "48x2048");
    CHECK_TEXT(sizes_at(&s, 32, 1, 1), "48x2048");
    CHECK_INT(source, SCALE_BY_SHAPES);
    CHECK_TEXT(sizes_at(&s, 32, 2, 0), "32x512");
    CHECK_TEXT(sizes_at(&s, 32, 3, 0), "40x512");
    done(&s);
    check_case("samples are in the columns of a matrix that is turned");
}

/* A convolution over maps of 8 samples, and one that is a product of all their 32 x 32 places. */
static void test_places(void) {
    const made_kernel ops[] = {MADE("aten::conv2d", "[[8, 16, 32, 32], [16, 16, 3, 3]]", 50000),
                               MADE("aten::mm", "[[32, 144], [144, 8192]]", 50000),
                               MADE("aten::mm", "[[32, 8192], [8192, 144]]", 50000),
                               MADE("aten::mm", "[[32, 144], [144, 5000]]", 50000)};
    step s = made(ops, 4, 8, "4608");
    CHECK_TEXT(sizes_at(&s, 32, 1, 1), "144x32768");
    CHECK_TEXT(sizes_at(&s, 32, 2, 0), "32x32768");
    CHECK_TEXT(sizes_at(&s, 32, 3, 1), "144x5000");
    done(&s);
    check_case("places in the maps of all samples are rows of a product");
}

/* Elements over those recorded of group g at batch size `batch`. */
static double ratio_at(const step *s, uint64_t batch, size_t g) {
    scale_group *groups = calloc(s->w->group_count + 1, sizeof *groups);
    CHECK_INT(scale_batch(s->w, NULL, batch, NULL, groups, NULL, NULL), HABITAT_OK);
    double ratio = groups[g].ratio;
    free(groups);
    return ratio;
}

/* One picture with the channels of 8 samples, 64 each, a kernel for each of them. */
#define GROUPED                                                                                    \
    "[[1, 512, 4, 4], [512, 64, 3, 3], [], [], [], []], \"Concrete Inputs\": [\"\", \"\", "        \
    "\"[1, 1]\", \"[1, 1]\", \"[1, 1]\", \"8\"]"

static void test_groups(void) {
    made_kernel ops[9] = {MADE("aten::relu", "[[8, 64, 96]]", 50000),
                          MADE("aten::cudnn_convolution", GROUPED, 60000)};
    for (int i = 2; i < 9; i++) {
        ops[i] = ops[1];
        ops[i].with_previous = true;
    }
    step s = made(ops, 9, 8, "4608");
    habitat_workload *out = NULL;
    habitat_scale scale = {.batch_size = 32};
    CHECK_INT(habitat_workload_scale(s.w, &scale, NULL, &out, NULL), HABITAT_OK);
    for (size_t k = 1; out && k < 9; k++)
        CHECK_NEAR(out->kernels[k].facts.time_ns / s.w->kernels[k].facts.time_ns, 4.0, 1e-9);
    CHECK_NEAR(out->groups[1].work->shape.conv.groups, 32.0, 0.0);
    CHECK_NEAR(workload_groups_calls_more(out, s.w), 24.0, 0.0); /* 32 kernels, 8 recorded */
    CHECK_NEAR(workload_groups_calls_more(s.w, s.w), 0.0, 0.0);
    CHECK_NEAR(out->groups[1].work->shape.conv.c_in, 2048.0, 0.0);
    CHECK_NEAR(out->groups[1].work->flop, 4.0 * s.w->groups[1].work->flop, 1.0);
    habitat_workload_free(out);
    done(&s);
    check_case("samples are the groups of a convolution by weights of their own");
    s = made(ops, 9, 8, "294912"); /* 512 x 64 x 3 x 3: a parameter */
    CHECK(ratio_at(&s, 32, 1) != 4.0);
    done(&s);
    check_case("but not of one by a parameter");
    ops[0].dims = "[[8, 64, 4, 4]]"; /* one sample's maps */
    s = made(ops, 9, 8, "294912");
    CHECK_NEAR(ratio_at(&s, 32, 1), 4.0, 0.0);
    done(&s);
    check_case("unless its maps are seen sample by sample");
}

/* ---- rows of sparse gradients ---- */

#define SPARSE "aten::_embedding_bag_sparse_backward"
#define UPDATE "Optimizer.step#SparseAdam.step"

static const made_kernel bags[] = {
    MADE("aten::_embedding_bag", "[[1000, 64], [256], [64]]", 50000),
    MADE(SPARSE, "[[64, 64], [256], [64]]", 50000),
    MADE("aten::_coalesce", "[[1000, 64]]", 50000),
    MADE("aten::index_add_", "[[1000, 64], [226], [226, 64]]", 50000),
    MADE("aten::sqrt_", "[[226, 64]]", 50000),
    MADE("aten::sqrt_", "[[226, 32]]", 50000),
    MADE("aten::mul_", "[[1000, 64]]", 50000),
    MADE("aten::add_", "[[226]]", 50000),
};
enum { BAGS = sizeof bags / sizeof *bags };

/* The operations from the third on inside a step of the optimiser. */
static step sparse(const made_kernel *kernels, size_t count) {
    made_text text = {0};
    habitat_trace *trace = NULL;
    made_write(&text, "{\"habitat\": {\"schema\": 1, \"batch_size\": 64}, \"traceEvents\": [\n"
                      "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"" UPDATE
                      "\", \"pid\": 1, \"tid\": 1, \"ts\": 13.5, \"dur\": 1000},\n");
    for (size_t i = 0; i < count; i++) {
        made_kernel k = kernels[i];
        k.start_ns = 100000 * (i + 1);
        made_kernel list[BAGS];
        memcpy(list, kernels, count * sizeof *list);
        list[i] = k;
        made_write_kernel(&text, list, count, i);
    }
    made_write(&text, "{\"ph\": \"M\", \"name\": \"end\"}]}");
    CHECK_INT(habitat_trace_read_memory(text.data, strlen(text.data), "made", &trace, NULL),
              HABITAT_OK);
    free(text.data);
    return step_of(trace);
}

static void test_sparse(void) {
    /* 256 lookups of 1000 rows find 226 of 1000 (1 - e^-.256) = 225.9; 1024 find 641 */
    step s = sparse(bags, BAGS);
    CHECK_TEXT(sizes_at(&s, 256, 0, 1), "1024");
    CHECK_TEXT(sizes_at(&s, 256, 3, 0), "1000x64");
    CHECK_TEXT(sizes_at(&s, 256, 3, 1), "641");
    CHECK_TEXT(sizes_at(&s, 256, 3, 2), "641x64");
    CHECK_TEXT(sizes_at(&s, 256, 4, 0), "641x64");
    CHECK_INT(source, SCALE_BY_SHAPES);
    check_case("rows of a sparse gradient are as many as different ones are looked up");
    CHECK(ratio_at(&s, 256, 2) == 4.0);
    CHECK(ratio_at(&s, 16, 2) == 0.25);
    check_case("coalescing sorts all that are looked up");
    CHECK_TEXT(sizes_at(&s, 256, 5, 0), "226x32");
    CHECK_TEXT(sizes_at(&s, 256, 6, 0), "1000x64");
    CHECK_TEXT(sizes_at(&s, 256, 7, 0), "226");
    CHECK_INT(source, SCALE_STAYS);
    check_case("another width, the table itself and a row of as many stay");
    CHECK_TEXT(sizes_at(&s, (uint64_t)1 << 40, 4, 0), "1000x64");
    CHECK_TEXT(sizes_at(&s, 1, 4, 0), "4x64");
    done(&s);
    check_case("no more rows than the table has, nor than are looked up");
    made_kernel other[BAGS];
    memcpy(other, bags, sizeof other);
    other[3].dims = "[[1000, 64], [256], [256, 64]]"; /* never coalesced: all places */
    other[4].dims = "[[256, 64]]";
    s = sparse(other, BAGS);
    CHECK_TEXT(sizes_at(&s, 192, 4, 0), "768x64");
    done(&s);
    check_case("rows that nobody summed grow as lookups do");
    other[1].op = "aten::_embedding_bag_dense_backward";
    s = sparse(other, BAGS);
    CHECK_TEXT(sizes_at(&s, 192, 4, 0), "256x64");
    CHECK(ratio_at(&s, 192, 2) == 1.0);
    done(&s);
    check_case("without a sparse gradient nothing grows in the optimiser's step");
}

/* A generator and a discriminator: each of 64 samples, gradients of the latter twice. A layer has
 * 32 channels, and noise has 32 rows. */
static void test_networks(void) {
    made_kernel ops[] = {MADE("aten::relu", "[[64, 32, 96]]", 60000),
                         MADE("aten::tanh", "[[32, 16, 96]]", 40000), GRADIENT("[[96, 48]]"),
                         GRADIENT("[[96, 48]]"), MADE("aten::exp", "[[7, 96]]", 30000)};
    step s = made(ops, 4, 64, "4608");
    CHECK_TEXT(sizes_at(&s, 16, 0, 0), "16x32x96");
    CHECK_TEXT(sizes_at(&s, 16, 1, 0), "32x16x96");
    done(&s);
    check_case("tensors with the whole batch have it, however often gradients come");
    ops[0].dims = "[[64, 128, 96]]"; /* no part of the batch in it: 39 % of the time, 32 in 34 */
    ops[0].duration_ns = 45000;
    s = made(ops, 5, 64, "4608");
    CHECK_TEXT(sizes_at(&s, 16, 0, 0), "16x128x96");
    CHECK_TEXT(sizes_at(&s, 16, 1, 0), "32x16x96");
    done(&s);
    ops[0].duration_ns = 30000;
    s = made(ops, 4, 64, "4608");
    CHECK_TEXT(sizes_at(&s, 16, 0, 0), "64x128x96");
    CHECK_TEXT(sizes_at(&s, 16, 1, 0), "8x16x96");
    done(&s);
    check_case("of the two the one that is in more of the time");
}

/* 8 sequences of 1024 tokens, each token with 2 of 8 experts, 64 wide and 96 inside. */
static void test_experts(void) {
    const made_kernel ops[] = {
        MADE("aten::add", "[[8, 1024, 64], [8, 1024, 64]]", 50000),
        MADE("aten::mul", "[[8192, 2, 64], [8192, 2, 1]]", 50000),
        MADE("aten::_grouped_mm", "[[16384, 64], [8, 64, 96], [8]]", 50000),
        MADE("aten::_grouped_mm", "[[64, 16384], [16384, 96], [8]]", 50000),
        MADE("aten::_grouped_mm", "[[16384, 96], [8, 96, 64], [8]]", 50000),
        MADE("aten::_scaled_grouped_mm", "[[16384, 64], [8, 64, 96], [16384]]", 50000),
        MADE("aten::copy_", "[[8, 64, 96], [8, 64, 96]]", 50000),
        MADE("aten::_grouped_mm", "[[500, 8192], [8, 8192, 96], [8]]", 50000),
        MADE("aten::index", "[[16384, 64]]", 50000)};
    step s = made(ops, sizeof ops / sizeof *ops, 8, "49152");
    CHECK_TEXT(sizes_at(&s, 2, 0, 0), "2x1024x64");
    CHECK_TEXT(sizes_at(&s, 2, 1, 0), "2048x2x64");
    CHECK_TEXT(sizes_at(&s, 2, 8, 0), "4096x64");
    check_case("rows that go to two experts are twice the batch's");
    CHECK_TEXT(sizes_at(&s, 2, 2, 0), "4096x64");
    CHECK_TEXT(sizes_at(&s, 2, 2, 1), "8x64x96");
    CHECK_TEXT(sizes_at(&s, 2, 2, 2), "8");
    CHECK_TEXT(sizes_at(&s, 2, 4, 0), "4096x96");
    CHECK_TEXT(sizes_at(&s, 2, 4, 1), "8x96x64");
    CHECK_TEXT(sizes_at(&s, 2, 5, 0), "4096x64");
    CHECK_TEXT(sizes_at(&s, 2, 5, 1), "8x64x96");
    CHECK_TEXT(sizes_at(&s, 2, 6, 0), "8x64x96");
    check_case("as many experts as samples: their weights and where their rows end stay");
    CHECK_TEXT(sizes_at(&s, 2, 3, 0), "64x4096");
    CHECK_TEXT(sizes_at(&s, 2, 3, 1), "4096x96");
    CHECK_TEXT(sizes_at(&s, 2, 3, 2), "8");
    CHECK_TEXT(sizes_at(&s, 2, 7, 0), "500x8192"); /* as wide as the batch has tokens */
    CHECK_TEXT(sizes_at(&s, 2, 7, 1), "8x8192x96");
    done(&s);
    check_case("the gradient of their weights sums over the rows, and no other product does");
}

#define LAUNCHED(at, id)                                                                           \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"    \
    "\"ts\":" #at ",\"dur\":1,\"args\":{\"correlation\":" #id "}},"                                \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"sgemm\",\"pid\":0,\"tid\":7,\"ts\":1" #at         \
    ",\"dur\":5,\"args\":{\"device\":0,\"stream\":7,\"correlation\":" #id                          \
    ",\"grid\":[1,1,1],\"block\":[32,1,1]}}"
#define SIZES(dims) "\"Input Dims\":" dims ",\"Input type\":[\"float\",\"float\"]"

/* 16384 rows for 8 experts, of which one had 1831 and another, by chance, as many as a parameter:
 * no kernel takes all. */
static void test_experts_one_by_one(void) {
    static const char text[] =
        "{\"habitat\":{\"schema\":1,\"batch_size\":8,\"memory\":{\"parameter_sizes\":{\"float32\":"
        "[49152]}}},\"traceEvents\":[" OP("aten::linear", 1, 5, 3, SIZES("[[8,9,9],[1500,9]]"))
            OP("aten::mul", 1, 10, 9, SIZES("[[8192,2,64],[8,1024,64]]"))
                LAUNCHED(12, 7) "," LAUNCHED(13, 10) "," LAUNCHED(14, 11) "," LAUNCHED(
                    15, 12) "," LAUNCHED(16, 13) "," OP("aten::_grouped_mm", 1, 20, 40,
                                                        SIZES("[[16384,64],[8,64,96]]"))
                    OP("aten::mm", 1, 21, 9, SIZES("[[1831,64],[64,96]]"))
                        LAUNCHED(22, 8) "," OP("aten::mm", 1, 31, 9, SIZES("[[1500,64],[64,96]]"))
                            LAUNCHED(32, 9) "]}";
    habitat_trace *trace = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_trace_read_memory(text, strlen(text), "made", &trace, &err), HABITAT_OK);
    CHECK_TEXT(err.message, "");
    step s = step_of(trace);
    CHECK_TEXT(sizes_at(&s, 16, 1, 0), "3662x64");
    CHECK_INT(source, SCALE_IN_A_ROW);
    CHECK_TEXT(sizes_at(&s, 4, 1, 0), "916x64");
    CHECK_TEXT(sizes_at(&s, 16, 2, 0), "1500x64");
    done(&s);
    check_case("rows that values sent to an expert grow with the batch");
}

/* 3 samples in the second place; `stride` from one of the first to the next. */
static step with_strides(const char *stride) {
    char text[1000];
    habitat_trace *trace = NULL;
    snprintf(text, sizeof text,
             "{\"habitat\":{\"schema\":1,\"batch_size\":3},\"traceEvents\":[" OP(
                 "aten::relu", 1, 10, 9,
                 "\"Input Strides\":[[%s,4,1]],\"Input Dims\":[[2,3,4]],"
                 "\"Input type\":[\"float\"]") KERNEL "]}",
             stride);
    CHECK_INT(habitat_trace_read_memory(text, strlen(text), "made", &trace, NULL), HABITAT_OK);
    return step_of(trace);
}

static void test_huge(void) {
    const made_kernel ops[] = {
        MADE("aten::bmm", "[[576460752303423488, 3, 3], [576460752303423488, 3, 3]]", 50000),
        MADE("aten::bmm", "[[2251799813685248, 3, 3], [2251799813685248, 3, 3]]", 50000),
        MADE("aten::relu", "[[2, 9, 9]]", 50000)};
    step s = made(ops, 3, 2, "81");
    CHECK_TEXT(sizes_at(&s, (uint64_t)1 << 40, 0, 0), "576460752303423488x3x3");
    CHECK_TEXT(sizes_at(&s, (uint64_t)1 << 40, 2, 0), "1099511627776x9x9");
    CHECK_TEXT(sizes_at(&s, 3, 1, 0), "3377699720527872x3x3");
    CHECK_TEXT(sizes_at(&s, 4, 1, 0), "2251799813685248x3x3");
    done(&s);
    s = with_strides("432345564227567616");
    CHECK_TEXT(told(&s, 6, 0, 0, true), "864691128455135232x4x1");
    CHECK_TEXT(told(&s, (uint64_t)1 << 40, 0, 0, true), "432345564227567616x4x1");
    done(&s);
    s = with_strides("12"); /* 2 x 3 x 4, row by row */
    CHECK_TEXT(told(&s, 6, 0, 0, true), "24x4x1");
    done(&s);
    check_case("sizes and strides that no memory holds do not wrap around");
}

/* On a line through 2 and 3 samples, beyond what 63 bits hold and below nothing. */
static void test_line(void) {
    const made_kernel small[] = {MADE("aten::relu", "[[2, 9, 9]]", 50000)};
    const made_kernel large[] = {MADE("aten::relu", "[[3, 576460752303423487, 9]]", 50000)};
    step a = made(small, 1, 2, "81"), b = made(large, 1, 3, "81");
    scale_group groups[2];
    habitat_error err = {0};
    CHECK_INT(scale_batch(a.w, b.w, 64, NULL, groups, NULL, &err), HABITAT_E_ARG);
    CHECK_TEXT(err.message, "a size of an operation, on a line through both recordings, is beyond "
                            "what any memory holds at a batch size of 64: give recordings of one "
                            "step, or another batch size");
    CHECK_INT(scale_batch(a.w, b.w, (uint64_t)1 << 40, NULL, groups, NULL, &err), HABITAT_E_ARG);
    CHECK_INT(scale_batch(a.w, b.w, 3, NULL, groups, NULL, &err), HABITAT_OK);
    CHECK_INT(scale_batch(b.w, a.w, 1, NULL, groups, NULL, &err), HABITAT_OK);
    done(&a);
    done(&b);
    check_case("a size beyond any memory is refused");
}

int main(void) {
    habitat_gpu_table *table = NULL;
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "V100", &gpu, NULL, NULL), HABITAT_OK);
    test_parts();
    test_no_parts();
    test_third();
    test_groups();
    test_turned();
    test_places();
    test_sparse();
    test_networks();
    test_experts();
    test_experts_one_by_one();
    test_huge();
    test_line();
    habitat_gpu_table_free(table);
    return check_done();
}
