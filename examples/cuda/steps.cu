// A CUDA program with the shape of a training loop, to try `habitat record -- ./steps` on: each step copies a batch in,
// multiplies matrices on one stream, updates a vector on another, and copies a result out. NVTX ranges name the parts.
//
//   nvcc -O2 -arch=sm_90 -o steps examples/cuda/steps.cu
//   habitat record --nvtx-range step --warmup 2 -o steps.json.gz -- ./steps
#include <cstdio>
#include <cstdlib>
#include <nvtx3/nvToolsExt.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            std::fprintf(stderr, "steps: %s: %s\n", #call, cudaGetErrorString(error));             \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

constexpr int kTile = 32;

// y = a x + y over n elements, grid-stride.
__global__ void axpy(int n, float a, const float *x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}

// C = A B, row-major n x n, n a multiple of Tile; 2 n^3 flop.
template <int Tile> __global__ void matmul(int n, const float *a, const float *b, float *c) {
    __shared__ float ta[Tile][Tile], tb[Tile][Tile];
    int row = blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += Tile) {
        ta[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < Tile; i++)
            sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? std::atoi(argv[1]) : 6;
    const int n = 1024, elements = 1 << 24;
    size_t matrix_bytes = sizeof(float) * n * n, vector_bytes = sizeof(float) * elements;
    float *a, *b, *c, *x, *y, *host;
    CHECK(cudaMallocHost(&host, matrix_bytes));
    CHECK(cudaMalloc(&a, matrix_bytes));
    CHECK(cudaMalloc(&b, matrix_bytes));
    CHECK(cudaMalloc(&c, matrix_bytes));
    CHECK(cudaMalloc(&x, vector_bytes));
    CHECK(cudaMalloc(&y, vector_bytes));
    for (int i = 0; i < n * n; i++)
        host[i] = 1.0f / n;
    CHECK(cudaMemset(x, 0, vector_bytes));
    CHECK(cudaMemset(y, 0, vector_bytes));
    CHECK(cudaMemcpy(b, host, matrix_bytes, cudaMemcpyHostToDevice));
    cudaStream_t compute, update;
    CHECK(cudaStreamCreate(&compute));
    CHECK(cudaStreamCreate(&update));

    for (int step = 0; step < steps; step++) {
        nvtxRangePushA("step");
        nvtxRangePushA("load");
        CHECK(cudaMemcpyAsync(a, host, matrix_bytes, cudaMemcpyHostToDevice, compute));
        CHECK(cudaMemsetAsync(c, 0, matrix_bytes, compute));
        nvtxRangePop();
        nvtxRangePushA("matmul");
        matmul<kTile><<<dim3(n / kTile, n / kTile), dim3(kTile, kTile), 0, compute>>>(n, a, b, c);
        matmul<16><<<dim3(n / 16, n / 16), dim3(16, 16), 0, compute>>>(n, c, b, a);
        nvtxRangePop();
        nvtxRangePushA("update");
        axpy<<<1024, 256, 0, update>>>(elements, 0.5f, x, y);
        nvtxRangePop();
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        nvtxRangePop();
    }
    CHECK(cudaMemcpy(host, c, matrix_bytes, cudaMemcpyDeviceToHost));
    std::printf("steps: %d done, c[0] = %g (1/%d expected)\n", steps, host[0], n);
    return 0;
}
