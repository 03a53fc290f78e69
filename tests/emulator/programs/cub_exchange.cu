// cub's loads and stores in order, whose memory a scan uses, too: with barriers between, and last without one.
#include <cub/cub.cuh>
#include <cstdio>

using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
using Scan = cub::BlockScan<int, 128>;
union Temporary { Load::TempStorage load; Store::TempStorage store; Scan::TempStorage scan; };

__global__ void scanned(const int* in, int* out) {
    __shared__ Temporary temp;
    int mine[4];
    Load(temp.load).Load(in, mine);
    __syncthreads();
    Scan(temp.scan).ExclusiveSum(mine, mine);
    __syncthreads();
    Store(temp.store).Store(out, mine);
}

__global__ void direct(const int* in, int* out) {
    __shared__ Scan::TempStorage temp;
    int mine[4];
    cub::BlockLoad<int, 128, 4>().Load(in, mine, 512, 0);
    Scan(temp).ExclusiveSum(mine, mine);
    cub::BlockStore<int, 128, 4>().Store(out, mine, 512);
}

__global__ void too_early(const int* in, int* out) {
    __shared__ Temporary temp;
    int mine[4];
    Load(temp.load).Load(in, mine);
    Scan(temp.scan).InclusiveSum(mine, mine);  // too early
    __syncthreads();
    Store(temp.store).Store(out, mine);
}

int main() {
    int *in, *out, host[512];
    cudaMalloc(reinterpret_cast<void**>(&in), sizeof(host)), cudaMalloc(reinterpret_cast<void**>(&out), sizeof(host));
    for (int i = 0; i < 512; ++i) host[i] = 1;
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    scanned<<<1, 128>>>(in, out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[127], host[511]);
    direct<<<1, 128>>>(in, out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\n", host[511]);
    size_t bytes = 0;
    void* temp = nullptr;
    cub::DeviceReduce::Sum(temp, bytes, out, in, 128);
    cudaMalloc(&temp, bytes);
    cub::DeviceReduce::Sum(temp, bytes, out, in, 128);
    cudaMemcpy(host, in, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    too_early<<<1, 128>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in), cudaFree(out), cudaFree(temp);
}
