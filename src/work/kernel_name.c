/* What a kernel's name tells: its class, and the arithmetic it computes in.
 *
 * Names are no interface: each table row says where the pattern was seen, or that it is inferred.
 * Tables are searched from the top, the first pattern contained in the name wins. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/letter.h"
#include "work/class.h"

/* Class ------------------------------------------------------------------------------------ */

/* Lower case, because libraries do not agree on it. */
static const struct name_class {
    const char *pattern;
    habitat_class op_class;
} name_classes[] = {
    {"nccl", HABITAT_CLASS_COLLECTIVE},
    {"multi_tensor_apply", HABITAT_CLASS_OPTIMIZER},
    {"multi_tensor_", HABITAT_CLASS_OPTIMIZER}, /* apex */
    {"flash", HABITAT_CLASS_ATTENTION},
    {"fmha", HABITAT_CLASS_ATTENTION},
    {"sdpa", HABITAT_CLASS_ATTENTION},
    {"attention", HABITAT_CLASS_ATTENTION},
    {"attn_fwd", HABITAT_CLASS_ATTENTION}, /* Triton's, of ROCm and of its tutorial */
    {"attn_bwd", HABITAT_CLASS_ATTENTION},
    {"bwd_kernel_dk_dv", HABITAT_CLASS_ATTENTION},
    {"bwd_kernel_dq", HABITAT_CLASS_ATTENTION},
    {"splitkreduce", HABITAT_CLASS_GEMM}, /* before "reduce" */
    {"rnn_block", HABITAT_CLASS_RNN},
    {"lstm", HABITAT_CLASS_RNN},
    {"gru_", HABITAT_CLASS_RNN},
    {"_rnn", HABITAT_CLASS_RNN},
    {"rnn_", HABITAT_CLASS_RNN},
    {"persistrnn", HABITAT_CLASS_RNN},
    {"log_softmax", HABITAT_CLASS_SOFTMAX},
    {"softmax", HABITAT_CLASS_SOFTMAX}, /* softmax_warp_, cunn_SoftMaxForward */
    {"layer_norm", HABITAT_CLASS_NORM},
    {"layernorm", HABITAT_CLASS_NORM},
    {"gammabetabackward", HABITAT_CLASS_NORM},
    {"batch_norm", HABITAT_CLASS_NORM},
    {"batchnorm", HABITAT_CLASS_NORM},
    {"bn_fw_", HABITAT_CLASS_NORM}, /* cudnn::bn_fw_tr_1C11_kernel_NCHW */
    {"bn_bw_", HABITAT_CLASS_NORM},
    {"group_norm", HABITAT_CLASS_NORM},
    {"groupnorm", HABITAT_CLASS_NORM},
    {"rms_norm", HABITAT_CLASS_NORM},
    {"rmsnorm", HABITAT_CLASS_NORM},
    {"rowwisemoments", HABITAT_CLASS_NORM},
    {"nchwtonhwc", HABITAT_CLASS_COPY}, /* cuDNN's layout changes */
    {"nhwctonchw", HABITAT_CLASS_COPY},
    {"fprop", HABITAT_CLASS_CONV},
    {"dgrad", HABITAT_CLASS_CONV},
    {"wgrad", HABITAT_CLASS_CONV},
    {"winograd", HABITAT_CLASS_CONV},
    {"scudnn", HABITAT_CLASS_CONV}, /* maxwell_scudnn_128x64_relu_... */
    {"884cudnn", HABITAT_CLASS_CONV},
    {"1688cudnn", HABITAT_CLASS_CONV},
    {"convolve", HABITAT_CLASS_CONV}, /* implicit_convolve_sgemm */
    {"convolution", HABITAT_CLASS_CONV},
    {"conv2d", HABITAT_CLASS_CONV},
    {"conv_", HABITAT_CLASS_CONV},
    {"igemm_fwd_gtc", HABITAT_CLASS_CONV}, /* MIOpen: implicit products; before "gemm" */
    {"igemm_bwd_gtc", HABITAT_CLASS_CONV},
    {"igemm_wrw_gtc", HABITAT_CLASS_CONV},
    {"fft2d", HABITAT_CLASS_CONV},
    {"fft1d", HABITAT_CLASS_CONV},
    {"flip_filter", HABITAT_CLASS_CONV},
    {"avg_pool", HABITAT_CLASS_POOL},
    {"max_pool", HABITAT_CLASS_POOL},
    {"pooling", HABITAT_CLASS_POOL},
    {"adaptiveaveragepool", HABITAT_CLASS_POOL},
    {"nll_loss", HABITAT_CLASS_LOSS},
    {"ctc_loss", HABITAT_CLASS_LOSS},
    {"mse_kernel", HABITAT_CLASS_LOSS},
    {"rotary_embedding", HABITAT_CLASS_ELEMENTWISE}, /* turns pairs of elements; no table */
    {"embedding", HABITAT_CLASS_EMBEDDING},
    {"compute_grad_weight", HABITAT_CLASS_EMBEDDING},
    {"sum_and_scatter", HABITAT_CLASS_EMBEDDING},
    {"scatter_gather", HABITAT_CLASS_EMBEDDING},
    {"gather_kernel", HABITAT_CLASS_EMBEDDING},
    {"scatter_kernel", HABITAT_CLASS_EMBEDDING},
    {"indexselect", HABITAT_CLASS_EMBEDDING},
    {"index_elementwise", HABITAT_CLASS_EMBEDDING},
    {"indexing_backward", HABITAT_CLASS_EMBEDDING},
    {"nvjet", HABITAT_CLASS_GEMM},
    {"gemm", HABITAT_CLASS_GEMM},
    {"gemv", HABITAT_CLASS_GEMM},
    {"gemmsn", HABITAT_CLASS_GEMM},
    {"dot_kernel", HABITAT_CLASS_GEMM},
    {"cutlass", HABITAT_CLASS_GEMM},
    {"cijk_", HABITAT_CLASS_GEMM}, /* Tensile: AMD's matrix library */
    {"cudnn", HABITAT_CLASS_CONV},
    {"direct_copy_kernel", HABITAT_CLASS_COPY},
    {"catarraybatchedcopy", HABITAT_CLASS_COPY},
    {"copy_kernel", HABITAT_CLASS_COPY},
    {"transpose", HABITAT_CLASS_COPY},
    {"radix_sort", HABITAT_CLASS_REDUCE},
    {"radixsort", HABITAT_CLASS_REDUCE},
    {"devicescan", HABITAT_CLASS_REDUCE},
    {"devicereduce", HABITAT_CLASS_REDUCE},
    {"topk", HABITAT_CLASS_REDUCE},
    {"reduce_kernel", HABITAT_CLASS_REDUCE},
    {"reduce", HABITAT_CLASS_REDUCE},
    {"dropout", HABITAT_CLASS_ELEMENTWISE},
    {"act_and_mul", HABITAT_CLASS_ELEMENTWISE},    /* vLLM, SGLang, FlashInfer: silu(x) y */
    {"epilogue::impl", HABITAT_CLASS_ELEMENTWISE}, /* cuBLASLt's bias and activation */
    {"distribution_", HABITAT_CLASS_ELEMENTWISE},
    {"elementwise", HABITAT_CLASS_ELEMENTWISE},
    {"pointwise", HABITAT_CLASS_ELEMENTWISE},
};

/* Kernels that Inductor wrote: "triton_" and what kind of loop it is, then "_fused_", the
 * operations in it and a number. The kind comes first: a pointwise kernel beside a product has the
 * product's name in its own (triton_poi_fused_addmm_relu_1 adds the bias). A row without a part is
 * what the kind is else. */
static const struct triton_class {
    const char *kinds, *part;
    habitat_class op_class;
} triton_classes[] = {
    {"tem", "attention", HABITAT_CLASS_ATTENTION}, /* template: ..._flex_attention_backward_... */
    {"tem", "flex_decoding", HABITAT_CLASS_ATTENTION},
    {"tem", "convolution", HABITAT_CLASS_CONV},
    {"tem", "bmm", HABITAT_CLASS_BMM},
    {"tem mm", NULL, HABITAT_CLASS_GEMM}, /* triton_mm_4: templates of Inductor's first versions */
    {"bmm", NULL, HABITAT_CLASS_BMM},
    {"poi", NULL, HABITAT_CLASS_ELEMENTWISE}, /* pointwise */
    {"for", NULL, HABITAT_CLASS_OPTIMIZER},   /* foreach */
    /* reduction, persistent reduction (a row in one block), split scan */
    {"red per spl", "layer_norm", HABITAT_CLASS_NORM},
    {"red per spl", "batch_norm", HABITAT_CLASS_NORM},
    {"red per spl", "group_norm", HABITAT_CLASS_NORM},
    {"red per spl", "rms_norm", HABITAT_CLASS_NORM},
    {"red per spl", "softmax", HABITAT_CLASS_SOFTMAX},
    {"red per spl", "loss", HABITAT_CLASS_LOSS},
    {"red per spl", NULL, HABITAT_CLASS_REDUCE},
};

enum { NAME_MAX_LENGTH = 4096 };

/* Names are compared in lower case; what is longer than any useful name is cut. */
static void lower(const char *name, char out[NAME_MAX_LENGTH]) {
    size_t i = 0;
    for (; name[i] && i + 1 < NAME_MAX_LENGTH; i++)
        out[i] = letter_lower(name[i]);
    out[i] = 0;
}

/* Is the word that `name` begins with, up to a '_', one of `words`, between blanks? */
static bool begins_with_one(const char *name, const char *words) {
    size_t length = strcspn(name, "_");
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t word = strcspn(at, " ");
        if (word == length && !memcmp(at, name, length))
            return true;
        at += word;
    }
    return false;
}

static bool by_triton_name(const char *name, habitat_work *out) {
    if (strncmp(name, "triton_", 7) != 0)
        return false;
    for (size_t i = 0; i < sizeof triton_classes / sizeof *triton_classes; i++) {
        const struct triton_class *c = &triton_classes[i];
        if (!begins_with_one(name + 7, c->kinds) || (c->part && !strstr(name, c->part)))
            continue;
        out->op_class = c->op_class;
        return true;
    }
    return false;
}

static void by_name(const char *name, habitat_work *out) {
    if (by_triton_name(name, out))
        return;
    for (size_t i = 0; i < sizeof name_classes / sizeof *name_classes; i++)
        if (strstr(name, name_classes[i].pattern)) {
            out->op_class = name_classes[i].op_class;
            return;
        }
}

static void set_bytes(const habitat_kernel *kernel, habitat_work *out) {
    double bytes = (double)kernel->form->bytes;
    if (kernel->form->bytes == 0)
        return;
    const char *kind = kernel->form->copy_kind ? kernel->form->copy_kind : "";
    bool from_host =
        !strncmp(kind, "HtoD", 4) || strstr(kernel->form->name ? kernel->form->name : "", "HtoD");
    bool to_host =
        !strncmp(kind, "DtoH", 4) || strstr(kernel->form->name ? kernel->form->name : "", "DtoH");
    out->flop = 0;
    out->read_bytes = kernel->form->kind == HABITAT_KERNEL_MEMSET || from_host ? 0 : bytes;
    out->write_bytes = to_host ? 0 : bytes;
    out->known = true;
}

habitat_status habitat_kernel_work(const habitat_kernel *kernel, habitat_work *out) {
    if (!kernel || !kernel->form || !out)
        return HABITAT_E_ARG;
    habitat_work work;
    memset(&work, 0, sizeof work);
    work.flop = work.read_bytes = work.write_bytes = NAN;
    if (kernel->form->kind == HABITAT_KERNEL_MEMCPY ||
        kernel->form->kind == HABITAT_KERNEL_MEMSET) {
        work.op_class = HABITAT_CLASS_COPY;
        memcpy(work.kind, kernel->form->kind == HABITAT_KERNEL_MEMCPY ? "memcpy" : "memset", 7);
        set_bytes(kernel, &work);
        *out = work;
        return HABITAT_OK;
    }
    char name[NAME_MAX_LENGTH];
    lower(kernel->form->name ? kernel->form->name : "", name);
    by_name(name, &work);
    if (kernel->form->kind == HABITAT_KERNEL_COLLECTIVE)
        work.op_class = HABITAT_CLASS_COLLECTIVE;
    work.varying = class_of(work.op_class)->varying;
    work.dtype = kernel->form->name ? habitat_kernel_tensor_dtype(kernel->form->name)
                                    : HABITAT_DTYPE_UNKNOWN;
    *out = work;
    return HABITAT_OK;
}

/* Tensors ---------------------------------------------------------------------------------- */

habitat_dtype habitat_kernel_tensor_dtype(const char *name) {
    /* C++ template arguments of PyTorch's kernels; copies know sizes only (OpaqueType<4u>) */
    static const struct {
        const char *pattern;
        habitat_dtype dtype;
    } types[] = {
        {"c10::BFloat16", HABITAT_DTYPE_BF16},  {"__nv_bfloat16", HABITAT_DTYPE_BF16},
        {"__hip_bfloat16", HABITAT_DTYPE_BF16}, {"c10::Half", HABITAT_DTYPE_FP16},
        {"__half", HABITAT_DTYPE_FP16},         {"<float", HABITAT_DTYPE_FP32},
        {"<double", HABITAT_DTYPE_FP64},        {"OpaqueType<2u>", HABITAT_DTYPE_FP16},
        {"OpaqueType<4u>", HABITAT_DTYPE_FP32}, {"OpaqueType<8u>", HABITAT_DTYPE_FP64},
        {"OpaqueType<1u>", HABITAT_DTYPE_INT8}, {"<long", HABITAT_DTYPE_INT64},
        {"<int", HABITAT_DTYPE_INT32},          {"<bool", HABITAT_DTYPE_BOOL},
    };
    habitat_dtype found = HABITAT_DTYPE_UNKNOWN;
    const char *first = NULL;
    if (!name)
        return found;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *at = strstr(name, types[i].pattern);
        if (at && (!first || at < first)) {
            first = at;
            found = types[i].dtype;
        }
    }
    return found;
}

/* Arithmetic ------------------------------------------------------------------------------- */

typedef enum arithmetic {
    PLAIN,      /* plain units; half precision tensors are computed in fp32 */
    PLAIN_FP16, /* plain units, fp16 */
    PLAIN_FP64,
    MATRIX_HALVES,  /* matrix units for 16 and 8 bit tensors, plain units for fp32 */
    MATRIX_NARROW,  /* the same of kernels that hardly anyone runs in fp32: fp16 where not known */
    MATRIX_TENSORS, /* matrix units in the tensors' format; fp32 tensors mean TF32 */
    MATRIX_TF32,
    MATRIX_FP16,
    MATRIX_BF16,
    MATRIX_FP8,
    MATRIX_INT8,
    MATRIX_FP64,
} arithmetic;

/* Source: "trace" = seen in recordings (data/recordings) with fp32 tensors, TF32 off for matrix
 * products and on for convolutions; "known" = names of public profiles; "inferred" = by analogy. */
static const struct name_arithmetic {
    const char *pattern;
    arithmetic means;
    const char *source;
} name_arithmetics[] = {
    {"ffma", PLAIN, "trace: sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_..._ffma_..."},
    {"simt_dgemm", PLAIN_FP64, "inferred: cutlass_80_simt_dgemm"},
    {"simt_hgemm", PLAIN_FP16, "inferred: cutlass_*_simt_hgemm"},
    {"simt", PLAIN, "trace: cutlass_80_simt_sgemm_128x256_8x4_nt_align1"},
    {"splitkreduce", PLAIN, "trace: cublasLt::splitKreduce_kernel"},
    {"reducesplitk", PLAIN, "trace: cutlass reduction::kernel::ReduceSplitK"},
    {"nchwtonhwc", PLAIN, "trace: cuDNN's layout changes"},
    {"nhwctonchw", PLAIN, "trace"},
    {"init_device_workspace", PLAIN, "trace: cask_plugin ... init_device_workspace_kernel"},
    {"wgrad_nchw_helper", PLAIN, "trace: cudnn::cnn::reduce_wgrad_nchw_helper"},
    {"tf32", MATRIX_TF32, "trace: sm90_xmma_..._f32f32_tf32f32_f32_..., ..._optimized_tf32_..."},
    {"tfloat32", MATRIX_TF32, "trace: mangled cutlass::tfloat32_t"},
    {"e4m3", MATRIX_FP8, "known: sm89/sm90 fp8 kernels"},
    {"e5m2", MATRIX_FP8, "known"},
    {"bf16", MATRIX_BF16, "known: ampere_bf16_s16816gemm_bf16_128x128_ldg8_..."},
    {"bfloat16_t", MATRIX_BF16, "known: cutlass::bfloat16_t in flash-attention"},
    {"fp16_sgemm", PLAIN, "known: maxwell_fp16_sgemm_fp16_128x64_nn: fp16 in memory only"},
    {"fp16_scudnn", PLAIN, "known: volta_fp16_scudnn_fp16_..."},
    {"hgemm", PLAIN_FP16, "known: maxwell_hgemm_128x128_nn"},
    {"hcudnn", PLAIN_FP16, "known: maxwell_hcudnn_winograd"},
    {"winograd", PLAIN, "known: maxwell_scudnn_winograd_128x128, winogradForwardData4x4"},
    {"fp16", MATRIX_FP16, "known: volta_fp16_s884gemm_fp16_..., turing_fp16_s1688gemm_..."},
    {"f16f16", MATRIX_FP16, "known: sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_..."},
    {"half_t", MATRIX_FP16, "known: cutlass::half_t"},
    {"h884", MATRIX_FP16, "known: volta_h884gemm_128x64_ldg8_nn"},
    {"h1688", MATRIX_FP16, "known: turing_h1688gemm_..."},
    {"h16816", MATRIX_FP16, "known: cutlass_80_tensorop_h16816gemm_..."},
    {"f16_s884", MATRIX_FP16, "known: cutlass_70_tensorop_f16_s884gemm_f16_..."},
    {"f16_s1688", MATRIX_FP16, "known: cutlass_75_tensorop_f16_s1688gemm_f16_..."},
    {"f16_s16816", MATRIX_FP16, "known: cutlass_80_tensorop_f16_s16816gemm_..."},
    {"s884", MATRIX_FP16, "known: only fp16 has this shape on Volta"},
    {"s16816", MATRIX_TENSORS, "known: fp16 or bf16"},
    {"s1688", MATRIX_TENSORS, "trace: cutlass_80_tensorop_s1688gemm_... on fp32; fp16 on Turing"},
    {"i8i8", MATRIX_INT8, "known: sm80_xmma_gemm_i8i8_i8i32_f32_..."},
    {"imma", MATRIX_INT8, "known: turing_..._imma"},
    {"i16832", MATRIX_INT8, "known: cutlass_80_tensorop_i16832gemm_s8_..."},
    {"i8816", MATRIX_INT8, "known: cutlass_75_tensorop_i8816gemm_s8_..."},
    {"d884", MATRIX_FP64, "known: cutlass_80_tensorop_d884gemm_..."},
    {"dmma", MATRIX_FP64, "known"},
    {"dgemm", PLAIN_FP64, "known: volta_dgemm_64x64_nn"},
    {"sgemm", PLAIN, "known: volta_sgemm_128x64_nn, ampere_sgemm_32x32_sliced1x4_tn"},
    {"scudnn", PLAIN, "known: maxwell_scudnn_128x64_relu_interior_nn"},
    {"gemv", PLAIN, "known: gemv2T_kernel_val, gemvNSP_kernel"},
    {"gemmsn", PLAIN, "known: gemmSN_NN_kernel"},
    {"fft", PLAIN, "known: fft2d_r2c_32x32, cuDNN's FFT convolutions"},
    {"hmma", MATRIX_TENSORS, "known"},
    {"mfma", MATRIX_HALVES, "trace of others: AMD's, paged_attention_ll4mi_QKV_mfma16_kernel"},
    {"wgmma", MATRIX_TENSORS, "known: Hopper"},
    {"gmma", MATRIX_TENSORS, "known: Hopper"},
    {"tensor16x8", MATRIX_TENSORS, "trace: ..._tensor16x8x8_execute_kernel__5x_cudnn"},
    {"tensorop", MATRIX_TENSORS, "trace"},
    {"mmatensorop", MATRIX_TENSORS, "trace: mangled"},
    {"warpgroupsize", MATRIX_TENSORS, "trace: sm90_xmma kernels run on warp groups"},
    {"flash", MATRIX_TENSORS, "known: flash_fwd_kernel, cudnn ..._sdpa_sm90_flash_fprop_f16_..."},
    {"fmha", MATRIX_TENSORS, "known: fmha_cutlassF_f16_aligned_64x64_rf_sm80"},
    {"attn_fwd", MATRIX_NARROW, "trace of others: bf16, 298 Tflop/s where plain units reach 102"},
    {"attn_bwd", MATRIX_NARROW, "inferred: Triton's, beside attn_fwd"},
    {"bwd_kernel_dk_dv", MATRIX_NARROW, "inferred: ROCm's backward pass of it"},
    {"bwd_kernel_dq", MATRIX_NARROW, "the same"},
    {"unified_attention", MATRIX_NARROW, "trace of others: vLLM's in Triton, on a GPU of AMD"},
    {"triton_tem", MATRIX_HALVES, "inferred: tl.dot; fp32 keeps fp32 unless TF32 is allowed"},
    {"triton_mm", MATRIX_HALVES, "inferred"},
    {"cijk_", MATRIX_HALVES, "inferred: Tensile, AMD's matrix library"},
    {"lstm_tile", MATRIX_NARROW, "all steps of an LSTM in fp16: profiles of single layers"},
    {"lstm_bp_", MATRIX_NARROW, "the same, backward"},
    {"rnn_persist_", MATRIX_HALVES, "the same of plain layers"},
    {"_hmma<", MATRIX_HALVES, "narrow layers of 16 bit; beside them, _fma on plain units"},
    {"gemm", MATRIX_HALVES, "inferred: a matrix product of halves without other hint"},
};

/* nvjet_[sm90_]LETTERS_...: letters of A, B, compute, C. h and t as in recordings with fp16 and
 * bf16 tensors (nvjet_hsh, nvjet_tst); q (fp8), s (TF32), d (fp64) are inferred. */
static bool nvjet_arithmetic(const char *name, arithmetic *means) {
    const char *at = strstr(name, "nvjet_");
    if (!at)
        return false;
    at += 6;
    if (!strncmp(at, "sm", 2) && letter_is_digit(at[2])) {
        at = strchr(at, '_');
        at = at ? at + 1 : "";
    }
    switch (*at) {
    case 'h':
        *means = MATRIX_FP16;
        break;
    case 't':
        *means = MATRIX_BF16;
        break;
    case 'q':
    case 'o':
        *means = MATRIX_FP8;
        break;
    case 's':
        *means = MATRIX_TF32;
        break;
    case 'd':
        *means = MATRIX_FP64;
        break;
    case 'i':
        *means = MATRIX_INT8;
        break;
    default:
        *means = MATRIX_TENSORS;
    }
    return true;
}

/* Memory-efficient attention on fp32 (fmha_cutlassF_f32_aligned_64x64_rf_sm80, ..B_f32_..): known
 * from its source, DefaultGemmType: three TF32 products for one from sm80 on, plain units before.
 */
static bool efficient_attention_arithmetic(const char *name, arithmetic *means) {
    if (!strstr(name, "fmha_cutlass") || !strstr(name, "_f32_"))
        return false;
    *means = strstr(name, "sm80") ? MATRIX_TF32 : PLAIN;
    return true;
}

/* Tensile (AMD): Cijk_, the order of A's and B's indices, then letters of the formats: h fp16,
 * b bf16, s fp32, d fp64, z two of them, f8 and b8 fp8, i8 and 4xi8; behind them what is computed
 * in, and b for a scaled C. Seen: HHS_BH, BBS_BH, SB, S_B, HBH, BSS. */
static bool tensile_arithmetic(const char *name, arithmetic *means) {
    const char *at = strstr(name, "cijk_");
    for (int i = 0; at && i < 3; i++) {
        at = strchr(at, '_');
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return false;
    static const struct {
        const char *begin;
        arithmetic means;
    } formats[] = {
        {"f8", MATRIX_FP8},    {"b8", MATRIX_FP8}, {"i8", MATRIX_INT8},
        {"4xi8", MATRIX_INT8}, {"h", MATRIX_FP16}, {"b", MATRIX_BF16},
        {"d", MATRIX_FP64},    {"z", MATRIX_FP64}, {"s", PLAIN},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strncmp(at, formats[i].begin, strlen(formats[i].begin))) {
            *means = formats[i].means;
            return true;
        }
    return false;
}

static arithmetic arithmetic_of(const char *name, const habitat_work *work) {
    arithmetic means;
    if (nvjet_arithmetic(name, &means) || tensile_arithmetic(name, &means) ||
        efficient_attention_arithmetic(name, &means))
        return means;
    habitat_class op_class = work ? work->op_class : HABITAT_CLASS_OTHER;
    if (!class_of(op_class)->arithmetic_by_name)
        return PLAIN;
    for (size_t i = 0; i < sizeof name_arithmetics / sizeof *name_arithmetics; i++)
        if (strstr(name, name_arithmetics[i].pattern))
            return name_arithmetics[i].means;
    return PLAIN;
}

/* Arithmetic on plain units: halves are widened to fp32, the rest is what it is. */
static habitat_dtype plain_dtype(habitat_dtype tensors) {
    switch (tensors) {
    case HABITAT_DTYPE_FP64:
    case HABITAT_DTYPE_COMPLEX128:
        return HABITAT_DTYPE_FP64;
    case HABITAT_DTYPE_INT8:
    case HABITAT_DTYPE_INT16:
    case HABITAT_DTYPE_INT32:
    case HABITAT_DTYPE_INT64:
        return tensors;
    default:
        return HABITAT_DTYPE_FP32;
    }
}

static habitat_dtype matrix_dtype(habitat_dtype tensors) {
    switch (tensors) {
    case HABITAT_DTYPE_FP16:
    case HABITAT_DTYPE_BF16:
    case HABITAT_DTYPE_FP8:
    case HABITAT_DTYPE_INT8:
    case HABITAT_DTYPE_FP64:
        return tensors;
    case HABITAT_DTYPE_COMPLEX128:
        return HABITAT_DTYPE_FP64;
    default:
        return HABITAT_DTYPE_TF32;
    }
}

static bool is_narrow(habitat_dtype dtype) {
    size_t bytes = habitat_dtype_bytes(dtype);
    return (bytes == 1 || bytes == 2) && dtype != HABITAT_DTYPE_BOOL &&
           dtype != HABITAT_DTYPE_INT16;
}

habitat_dtype habitat_kernel_arithmetic(const char *kernel_name, const habitat_work *work,
                                        bool *matrix_unit) {
    char name[NAME_MAX_LENGTH];
    lower(kernel_name ? kernel_name : "", name);
    habitat_dtype tensors = work ? work->dtype : HABITAT_DTYPE_UNKNOWN, dtype;
    arithmetic means = arithmetic_of(name, work);
    if (means == MATRIX_NARROW && tensors == HABITAT_DTYPE_UNKNOWN)
        means = MATRIX_FP16;
    if (means == MATRIX_HALVES || means == MATRIX_NARROW)
        means = is_narrow(tensors) ? MATRIX_TENSORS : PLAIN;
    switch (means) {
    case PLAIN:
        dtype = plain_dtype(tensors);
        break;
    case PLAIN_FP16:
        dtype = HABITAT_DTYPE_FP16;
        break;
    case PLAIN_FP64:
    case MATRIX_FP64:
        dtype = HABITAT_DTYPE_FP64;
        break;
    case MATRIX_TF32:
        dtype = HABITAT_DTYPE_TF32;
        break;
    case MATRIX_FP16:
        dtype = HABITAT_DTYPE_FP16;
        break;
    case MATRIX_BF16:
        dtype = HABITAT_DTYPE_BF16;
        break;
    case MATRIX_FP8:
        dtype = HABITAT_DTYPE_FP8;
        break;
    case MATRIX_INT8:
        dtype = HABITAT_DTYPE_INT8;
        break;
    default:
        dtype = matrix_dtype(tensors);
        break;
    }
    if (matrix_unit)
        *matrix_unit = means >= MATRIX_TENSORS;
    return dtype;
}
