// Kernels whose floating-point operations and DRAM bytes are known beforehand, to check hardware counters against
// (tools/check_counters.py): prints "KERNEL<tab>COUNTER<tab>EXPECTED" lines.
//
//   nvcc -O2 -arch=native -o known_work tools/known_work.cu
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            std::fprintf(stderr, "known_work: %s: %s\n", #call, cudaGetErrorString(error));        \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

constexpr int kBlocks = 264, kThreads = 256, kSteps = 512;

// kSteps dependent multiply-adds a thread: 2 flop each in fp32 and fp64, 4 in a pair of halves.
__global__ void fma_fp32(float *out, float a, float b) {
    float x = threadIdx.x;
    for (int i = 0; i < kSteps; i++)
        x = fmaf(x, a, b);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void fma_fp64(double *out, double a, double b) {
    double x = a;
    for (int i = 0; i < kSteps; i++)
        x = fma(x, a, b);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void fma_half2(__half2 *out, __half2 a, __half2 b) {
    __half2 x = a;
    for (int i = 0; i < kSteps; i++)
        x = __hfma2(x, a, b);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void fma_bf162(__nv_bfloat162 *out, __nv_bfloat162 a, __nv_bfloat162 b) {
    __nv_bfloat162 x = a;
    for (int i = 0; i < kSteps; i++)
        x = __hfma2(x, a, b);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// kSteps products of 16x16 by 16xK a warp: 2 * 16 * 16 * K flop each.
template <typename Element, int K> __global__ void tensor(float *out, int n) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, K, Element, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, K, Element, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, K, float> c;
    wmma::fill_fragment(c, 0.0f);
    for (int i = 0; i < a.num_elements; i++)
        a.x[i] = 0.5f;
    for (int i = 0; i < b.num_elements; i++)
        b.x[i] = 0.25f;
    for (int i = 0; i < n; i++)
        wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 256, c, 16, wmma::mem_row_major);
}

// wmma names the tf32 type by precision::tf32, with K = 8.
__global__ void tensor_tf32_kernel(float *out, int n) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
    wmma::fill_fragment(c, 0.0f);
    wmma::fill_fragment(a, 0.5f);
    wmma::fill_fragment(b, 0.25f);
    for (int i = 0; i < n; i++)
        wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 256, c, 16, wmma::mem_row_major);
}

// Reads and writes n float4 once: 32 n bytes, far more than the L2 holds.
__global__ void copy_bytes(const float4 *from, float4 *to, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x)
        to[i] = from[i];
}

int main() {
    const size_t vectors = (size_t)1 << 27; // 2 GiB read, 2 GiB written
    const double threads = (double)kBlocks * kThreads, warps = threads / 32;
    float4 *from, *to;
    CHECK(cudaMalloc(&from, vectors * sizeof *from));
    CHECK(cudaMalloc(&to, vectors * sizeof *to));
    CHECK(cudaMemset(from, 0, vectors * sizeof *from));
    fma_fp32<<<kBlocks, kThreads>>>((float *)to, 0.5f, 1.0f);
    fma_fp64<<<kBlocks, kThreads>>>((double *)to, 0.5, 1.0);
    fma_half2<<<kBlocks, kThreads>>>((__half2 *)to, __float2half2_rn(0.5f), __float2half2_rn(1.0f));
    fma_bf162<<<kBlocks, kThreads>>>((__nv_bfloat162 *)to, __float2bfloat162_rn(0.5f), __float2bfloat162_rn(1.0f));
    tensor<__half, 16><<<kBlocks, kThreads>>>((float *)to, kSteps);
    tensor<__nv_bfloat16, 16><<<kBlocks, kThreads>>>((float *)to, kSteps);
    tensor_tf32_kernel<<<kBlocks, kThreads>>>((float *)to, kSteps);
    copy_bytes<<<kBlocks * 8, kThreads>>>(from, to, vectors);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("fma_fp32\tflop fp32\t%.0f\n", 2 * threads * kSteps);
    std::printf("fma_fp64\tflop fp64\t%.0f\n", 2 * threads * kSteps);
    std::printf("fma_half2\tflop fp16\t%.0f\n", 4 * threads * kSteps);
    std::printf("fma_bf162\tflop fp16\t%.0f\n", 4 * threads * kSteps);
    std::printf("tensor<__half\tflop tensor fp16\t%.0f\n", 2.0 * 16 * 16 * 16 * warps * kSteps);
    std::printf("tensor<__nv_bfloat16\tflop tensor bf16\t%.0f\n", 2.0 * 16 * 16 * 16 * warps * kSteps);
    std::printf("tensor_tf32_kernel\tflop tensor tf32\t%.0f\n", 2.0 * 16 * 16 * 8 * warps * kSteps);
    std::printf("copy_bytes\tdram bytes\t%.0f\n", 32.0 * (double)vectors);
    return 0;
}
