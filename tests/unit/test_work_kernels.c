/* What kernel names tell: arithmetic, class, tensors' format, tile sizes; bytes of copies. */
#include "check.h"

#include <stdlib.h>

#include <habitat/work.h>

/* Names from recordings on an H200 unless the comment says otherwise. */
static const struct arithmetic_case {
    const char *name;
    habitat_class op_class;
    habitat_dtype tensors, dtype;
    bool matrix;
} arithmetic_cases[] = {
#define GEMM HABITAT_CLASS_GEMM
#define CONV HABITAT_CLASS_CONV
#define ATT  HABITAT_CLASS_ATTENTION
#define RNN  HABITAT_CLASS_RNN
#define FP64 HABITAT_DTYPE_FP64
#define FP32 HABITAT_DTYPE_FP32
#define TF32 HABITAT_DTYPE_TF32
#define FP16 HABITAT_DTYPE_FP16
#define BF16 HABITAT_DTYPE_BF16
#define FP8  HABITAT_DTYPE_FP8
#define INT8 HABITAT_DTYPE_INT8
    {"void ampere_lstm_tile16<64, 2>(params_t)", RNN, FP16, FP16, true},
    {"void ampere_lstm_bp_largeB<1024>(params_t)", RNN, FP16, FP16, true},
    {"void ampere_lstm_bp_largeB<1024>(params_t)", RNN, HABITAT_DTYPE_UNKNOWN, FP16, true},
    {"attn_fwd", ATT, HABITAT_DTYPE_UNKNOWN, FP16, true},
    {"kernel_unified_attention_2d", ATT, HABITAT_DTYPE_UNKNOWN, FP16, true},
    {"void RNN_persist_fp<__half, __half, float, (cudnnRNNMode_t)1, true>(x)", RNN, FP16, FP16,
     true},
    {"void RNN_blockPersist_fp_LSTM_HMMA<__half, __half, float, 1, 128>(x)", RNN, FP16, FP16, true},
    {"void RNN_blockPersist_fp_LSTM<float, float, float, 128>(x)", RNN, FP32, FP32, false},
    {"void LSTM_elementWise_bp1<__half, __half, float>(x)", RNN, FP16, FP32, false},
    {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_"
     "alignc4_execute_kernel__5x_cublas",
     GEMM, FP32, FP32, false},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x256_8x4_nt_align1>(Params)", GEMM, FP32, FP32,
     false},
    {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_32x3_tn_align1>(Params)", GEMM,
     FP32, TF32, true},
    {"sm90_xmma_gemm_f32f32_tf32f32_f32_nt_n_tilesize128x128x32_warpgroupsize1x1x1_execute_segment_"
     "k_off_kernel__5x_cublas",
     GEMM, FP32, TF32, true},
    {"sm80_xmma_gemm_cf32cf32_f32f32_cf32_tn_n_tilesize64x64x8_stage3_warpsize2x2x1_ffma_aligna8_"
     "alignc8_execute_kernel__5x_cublas",
     CONV, FP32, FP32, false},
    {"nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT", GEMM, BF16, BF16, true},
    {"void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, false>(x)", GEMM,
     FP32, FP32, false},
    {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, float>", GEMM,
     FP32, FP32, false},
    {"sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x32_"
     "warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn",
     CONV, FP32, TF32, true},
    {"sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_"
     "stage4_warpsize2x2x1_g1_tensor16x8x8_execute_kernel__5x_cudnn",
     CONV, FP32, TF32, true},
    {"void cutlass__5x_cudnn::Kernel<cutlass_tensorop_s1688dgrad_optimized_tf32_256x64_16x4_nhwc_"
     "unity_stride_align4>(Params)",
     CONV, FP32, TF32, true},
    {"_ZN17cutlass__5x_cudnn6KernelINS_4conv6kernel23ImplicitGemmConvolutionINS_10tfloat32_tEEE",
     CONV, FP32, TF32, true},
    {"void cudnn::engines_precompiled::nchwToNhwcKernel<float, float, float, false, true>(x)", CONV,
     FP32, FP32, false},
    {"void cudnn::winograd_nonfused::winogradWgradData4x4<float, float>(x)", CONV, FP32, FP32,
     false},
    {"void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, false>(x)", CONV, FP32,
     FP32, false},
    {"void cudnn::cnn::wgrad_alg1_engine<float, float, 128, 5, 5, 3, 3, 3, false, true>(x)", CONV,
     FP32, FP32, false},
    {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1_cga1x1x1_"
     "kernel0_0",
     ATT, BF16, BF16, true}, /* "f16" is any 16-bit format there */
    /* names of other GPUs, from public profiles */
    {"volta_sgemm_128x64_nn", GEMM, FP32, FP32, false},
    {"ampere_sgemm_32x32_sliced1x4_tn", GEMM, FP32, FP32, false},
    {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", GEMM, FP16, FP16, true},
    {"volta_h884gemm_64x128_ldg8_nn", GEMM, FP16, FP16, true},
    {"turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_nn", GEMM, FP16, FP16, true},
    {"ampere_fp16_s16816gemm_fp16_256x128_ldg8_f2f_stages_64x3_nn", GEMM, FP16, FP16, true},
    {"ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn", GEMM, BF16, BF16, true},
    {"void cutlass::Kernel<cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_64x6_nn_align8>", GEMM,
     BF16, BF16, true},
    {"void cutlass::Kernel<cutlass_80_wmma_tensorop_s161616gemm_f16_32x32_64x2_nn_align8>", GEMM,
     FP16, FP16, true},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute", GEMM,
     BF16, BF16, true},
    {"sm80_xmma_gemm_f16f16_f16f32_f32_nn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x16_"
     "kernel",
     GEMM, FP16, FP16, true},
    {"nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", GEMM, FP16, FP16, true},
    {"nvjet_sm100_qqtst_128x256_128x6_2x1_2cta_h_bz_TNT", GEMM, FP8, FP8, true},
    {"maxwell_scudnn_128x64_relu_interior_nn", CONV, FP32, FP32, false},
    {"maxwell_scudnn_winograd_128x128_ldg1_ldg4_tile148n_nt", CONV, FP32, FP32, false},
    {"maxwell_fp16_sgemm_fp16_128x64_nn", GEMM, FP16, FP32, false},
    {"turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_exp_small_nhwc_tn_v1", CONV, FP16, FP16,
     true},
    {"volta_dgemm_64x64_nn", GEMM, FP64, FP64, false},
    {"void cutlass::Kernel<cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1>", GEMM, FP64, FP64,
     true},
    {"void cutlass::Kernel<cutlass_80_tensorop_i16832gemm_s8_128x128_64x4_tn_align16>", GEMM, INT8,
     INT8, true},
    {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
     "cutlass::bfloat16_t>>(x)",
     ATT, BF16, BF16, true},
    {"fmha_cutlassF_f16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<>::Params)",
     ATT, FP16, FP16, true},
    {"fmha_cutlassF_f32_aligned_64x64_rf_sm75(x)", ATT, FP32, FP32, false},
    {"fmha_cutlassB_f32_aligned_64x64_k64_sm80(x)", ATT, FP32, TF32, true}, /* three for one */
    {"attn_fwd", ATT, BF16, BF16, true},                                    /* Triton's on AMD */
    {"attn_fwd", ATT, FP32, FP32, false},
    {"bwd_kernel_dk_dv", ATT, FP16, FP16, true},
    {"triton_tem_fused_addmm_3", GEMM, BF16, BF16, true},
    {"triton_tem_fused_addmm_3", GEMM, FP32, FP32, false},
    {"Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN", GEMM, FP16, FP16, true},
    /* Tensile's names say the formats, where nothing else does */
    {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x32x64_MI16x16x1_SN", GEMM,
     HABITAT_DTYPE_UNKNOWN, BF16, true},
    {"Cijk_Ailk_Bljk_HBH_MT64x64x32_SN", GEMM, HABITAT_DTYPE_UNKNOWN, FP16, true},
    {"Cijk_Ailk_Bljk_SB_MT128x64x16_SN", GEMM, HABITAT_DTYPE_UNKNOWN, FP32, false},
    {"Cijk_Ailk_Bljk_S_B_Bias_HA_S_SAV_UserArgs_MT64x64x32_SN", GEMM, HABITAT_DTYPE_UNKNOWN, FP32,
     false},
    {"Cijk_Ailk_Bljk_DB_MT64x32x8_SN", GEMM, HABITAT_DTYPE_UNKNOWN, HABITAT_DTYPE_FP64, true},
    {"Cijk_Alik_Bljk_F8B8BS_BH_MT128x128x64_SN", GEMM, HABITAT_DTYPE_UNKNOWN, FP8, true},
    {"Cijk_Alik_Bljk_I8II_BH_MT128x128x64_SN", GEMM, HABITAT_DTYPE_UNKNOWN, INT8, true},
    {"Cijk_Alik", GEMM, FP16, FP16, true}, /* cut short: by its tensors */
    {"Cijk_Alik_Bljk_", GEMM, FP32, FP32, false},
    {"void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16>(x)", ATT, BF16, BF16, true},
    {"void gemv2T_kernel_val<int, int, __half, __half, __half, float>(x)", GEMM, FP16, FP32, false},
    /* not matrix work: halves are widened */
    {"void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>",
     HABITAT_CLASS_ELEMENTWISE, BF16, FP32, false},
    {"void at::native::vectorized_elementwise_kernel<4, f<double>>", HABITAT_CLASS_ELEMENTWISE,
     FP64, FP64, false},
    {"", GEMM, FP32, FP32, false},
    {NULL, GEMM, FP32, FP32, false},
};

static void arithmetic(void) {
    for (size_t i = 0; i < sizeof arithmetic_cases / sizeof *arithmetic_cases; i++) {
        const struct arithmetic_case *c = &arithmetic_cases[i];
        habitat_work work = {.op_class = c->op_class, .dtype = c->tensors};
        bool matrix = !c->matrix;
        CHECK_TEXT(habitat_dtype_name(habitat_kernel_arithmetic(c->name, &work, &matrix)),
                   habitat_dtype_name(c->dtype));
        CHECK_INT(matrix, c->matrix);
        check_case(c->name ? c->name : "(no name)");
    }
    CHECK_INT(habitat_kernel_arithmetic("volta_sgemm_128x64_nn", NULL, NULL), HABITAT_DTYPE_FP32);
    check_case("neither work nor matrix_unit are needed");
}

static const struct class_case {
    const char *name, *op_class;
    bool varying;
} class_cases[] = {
    {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "collective",
     false},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<1>>(x)",
     "optimizer", false},
    {"triton_poi_fused_add_native_layer_norm_3", "elementwise", false},
    {"triton_poi_fused_addmm_relu_1", "elementwise", false}, /* the bias of a product elsewhere */
    {"triton_per_fused__softmax_5", "softmax", false},
    {"triton_red_fused_add_mean_mul_pow_rsqrt_0", "reduce", false},
    {"triton_red_fused_native_layer_norm_native_layer_norm_backward_2", "norm", false},
    {"triton_per_fused_add_addmm_native_layer_norm_4", "norm", false},
    {"triton_red_fused_linalg_vector_norm_3", "reduce", false},
    {"triton_per_fused_nll_loss_forward_9", "loss", false},
    {"triton_spl_fused_cumsum_0", "reduce", false},
    {"triton_for_fused_1", "optimizer", false},
    {"triton_tem_fused__to_copy_addmm_gelu_t_view_9", "gemm", true},
    {"triton_tem_fused_bmm_7", "bmm", true},
    {"triton_tem_fused__to_copy_convolution_repeat_unsqueeze_view_2", "conv", true},
    {"triton_tem_fused_flex_attention_backward_3", "attention", true},
    {"triton_mm_4", "gemm", true},
    {"triton_", "other", false},
    {"triton_unknown_kind_3", "other", false},
    {"triton_poisson_3", "other", false},
    {"attn_fwd", "attention", true},
    {"igemm_fwd_gtcx2_nhwc_bf16_bx0_ex1_bt32x256x32_wt16x64x4", "conv", true},
    {"igemm_bwd_gtcx2_nhwc_bf16_bx0_ex1_bt32x128x32_wt16x64x4", "conv", true},
    {"igemm_wrw_gtcx2_nhwc_bf16_bx0_ex1_bt256x128x16_wt32x32x8", "conv", true},
    {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64_MI16x16x1_SN", "gemm", true},
    {"triton_tem_fused_mm_7", "gemm", true},
    {"void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<>()", "attention", true},
    {"void cublasLt::splitKreduce_kernel<32, 16>", "gemm", true},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x256_8x4_nt_align1>(x)", "gemm", true},
    {"nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT", "gemm", true},
    {"sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x192x32_x", "conv",
     true},
    {"void cudnn::winograd_nonfused::winogradForwardData4x4<float>(x)", "conv", true},
    {"void fft2d_r2c_32x32<float, false, 1u, false>(x)", "conv", true},
    {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>(x)", "norm",
     false},
    {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>", "norm",
     false},
    {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 9>", "softmax", false},
    {"void RNN_blockPersist_fp_LSTM<float>", "rnn", true},
    {"void LSTM_elementWise_fp<float, float, float>(x)", "rnn", true},
    {"void at::native::reduce_kernel<128, 4, ReduceOp<float>>", "reduce", false},
    {"void at::native::elementwise_kernel<128, 2, direct_copy_kernel_cuda>", "copy", false},
    {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<OpaqueType<4u>>", "copy", false},
    {"void at::native::vectorized_elementwise_kernel<4, GeluCUDAKernelImpl>", "elementwise", false},
    {"void at::native::(anonymous namespace)::max_pool_forward_nchw<float, int>", "pool", false},
    {"void at::native::(anonymous namespace)::embedding_backward_feature_kernel<float>",
     "embedding", false},
    {"void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float>",
     "loss", false},
    {"_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16", "elementwise", false},
    {"void epilogue::impl::globalKernel<float, float, float, true, true>(x)", "elementwise", false},
    {"void vllm::rotary_embedding_kernel<c10::BFloat16, true>(x)", "elementwise", false},
    {"my_own_kernel(float*)", "other", false},
    {"", "other", false},
};

static void classes(void) {
    for (size_t i = 0; i < sizeof class_cases / sizeof *class_cases; i++) {
        habitat_kernel_form form = {.name = class_cases[i].name};
        habitat_kernel kernel = {.form = &form};
        habitat_work work;
        CHECK_INT(habitat_kernel_work(&kernel, &work), HABITAT_OK);
        CHECK_TEXT(habitat_class_name(work.op_class), class_cases[i].op_class);
        CHECK_INT(work.varying, class_cases[i].varying);
        CHECK(!work.known && isnan(work.flop) && isnan(work.read_bytes));
        check_case(*class_cases[i].name ? class_cases[i].name : "(empty name)");
    }
}

static void copies(void) {
    habitat_kernel_form form = {.name = "Memcpy HtoD (Pageable -> Device)",
                                .kind = HABITAT_KERNEL_MEMCPY,
                                .bytes = 1000,
                                .copy_kind = "HtoD"};
    habitat_kernel kernel = {.form = &form};
    habitat_work work;
    habitat_kernel_work(&kernel, &work);
    CHECK(work.known && work.op_class == HABITAT_CLASS_COPY);
    CHECK(work.read_bytes == 0 && work.write_bytes == 1000 && work.flop == 0);
    check_case("a copy from the host is written to device memory");
    form.copy_kind = "DtoH";
    form.name = "Memcpy DtoH (Device -> Pinned)";
    habitat_kernel_work(&kernel, &work);
    CHECK(work.read_bytes == 1000 && work.write_bytes == 0);
    check_case("a copy to the host is read from device memory");
    form.copy_kind = "DtoD";
    form.name = "Memcpy DtoD (Device -> Device)";
    habitat_kernel_work(&kernel, &work);
    CHECK(work.read_bytes == 1000 && work.write_bytes == 1000);
    check_case("a copy on the device is read and written");
    form.kind = HABITAT_KERNEL_MEMSET;
    form.copy_kind = NULL;
    form.name = "Memset (Device)";
    habitat_kernel_work(&kernel, &work);
    CHECK(work.known && work.read_bytes == 0 && work.write_bytes == 1000);
    CHECK_TEXT(work.kind, "memset");
    check_case("a set is written");
    form.bytes = 0;
    habitat_kernel_work(&kernel, &work);
    CHECK(!work.known && isnan(work.write_bytes));
    check_case("a set of unrecorded size is not known");
    form = (habitat_kernel_form){.kind = HABITAT_KERNEL_COLLECTIVE};
    CHECK_INT(habitat_kernel_work(&kernel, &work), HABITAT_OK);
    CHECK_INT(work.op_class, HABITAT_CLASS_COLLECTIVE);
    check_case("a collective without a name");
    CHECK_INT(habitat_kernel_work(NULL, &work), HABITAT_E_ARG);
    CHECK_INT(habitat_kernel_work(&(habitat_kernel){.form = NULL}, &work), HABITAT_E_ARG);
    CHECK_INT(habitat_kernel_work(&kernel, NULL), HABITAT_E_ARG);
    check_case("NULL is refused");
}

static void tensors(void) {
    CHECK_INT(habitat_kernel_tensor_dtype("f<c10::BFloat16, float>"), HABITAT_DTYPE_BF16);
    CHECK_INT(habitat_kernel_tensor_dtype("CatArrayBatchedCopy<OpaqueType<4u>, unsigned int>"),
              HABITAT_DTYPE_FP32);
    CHECK_INT(habitat_kernel_tensor_dtype("multi_tensor_apply_kernel<M<1>, F<float, 1, 1, 0>>"),
              HABITAT_DTYPE_FP32);
    CHECK_INT(habitat_kernel_tensor_dtype("softmax_warp_forward<c10::Half, float>"),
              HABITAT_DTYPE_FP16);
    CHECK_INT(habitat_kernel_tensor_dtype("paged_attention_kernel<0, __hip_bfloat16, float>"),
              HABITAT_DTYPE_BF16);
    CHECK_INT(habitat_kernel_tensor_dtype("volta_sgemm_128x64_nn"), HABITAT_DTYPE_UNKNOWN);
    CHECK_INT(habitat_kernel_tensor_dtype(NULL), HABITAT_DTYPE_UNKNOWN);
    check_case("formats of tensors from template arguments");
}

static void long_names(void) {
    char *name = malloc(100001);
    CHECK(name != NULL);
    if (!name)
        return;
    memset(name, 'x', 100000);
    memcpy(name, "gemm_128x64_", 12);
    name[100000] = 0;
    habitat_kernel_form form = {.name = name};
    habitat_kernel kernel = {.form = &form};
    habitat_work work;
    CHECK_INT(habitat_kernel_work(&kernel, &work), HABITAT_OK);
    CHECK_INT(work.op_class, HABITAT_CLASS_GEMM);
    habitat_kernel_arithmetic(name, &work, NULL);
    free(name);
    check_case("a name of 100,000 characters");
}

int main(void) {
    arithmetic();
    classes();
    copies();
    tensors();
    long_names();
    return check_done();
}
