// Graphs: captured with a second stream, and built node by node against the order of adding; peers, callbacks, arrays,
// textures and surfaces.
#include <cstdio>
#include <vector>

__device__ int shifts[2];
__global__ void add(int* x, int n, int by) {
    int i = threadIdx.x;
    if (i < n) x[i] += by;
}
__global__ void times(int* x, int n, int by) {
    int i = threadIdx.x;
    if (i < n) x[i] *= by;
}
__global__ void sample(cudaTextureObject_t texture, float* out) { out[threadIdx.x] = tex2D<float>(texture, threadIdx.x * 0.5f - 1, 1.5f); }
__global__ void sample_normalized(cudaTextureObject_t texture, float* out) {
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x / 8.0f - 0.5f + 1 / 16.0f, 0.375f);
}
__global__ void fetch(cudaTextureObject_t texture, float4* out) { out[threadIdx.x] = tex1Dfetch<float4>(texture, threadIdx.x); }
__global__ void sample_3d(cudaTextureObject_t texture, int* out) { out[threadIdx.x] = tex3D<int>(texture, threadIdx.x, threadIdx.y + 5, threadIdx.z + 1); }
__global__ void gather(cudaTextureObject_t texture, float4* out) { *out = tex2Dgather<float4>(texture, 2, 2); }
__global__ void raise(cudaSurfaceObject_t surface) {
    float value;
    surf2Dread(&value, surface, threadIdx.x * 4, threadIdx.y);
    surf2Dwrite(value + 1, surface, threadIdx.x * 4, threadIdx.y);
}

static void CUDART_CB say(void* number) { printf("host node %d\n", *static_cast<int*>(number)); }
static void CUDART_CB called(cudaStream_t, cudaError_t error, void*) { printf("callback: %s\n", cudaGetErrorName(error)); }

int captured(int* x, int* host, cudaStream_t stream, cudaStream_t other) {
    cudaEvent_t begun, done;
    cudaEventCreate(&begun);
    cudaEventCreate(&done);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(x, 0, 64 * sizeof(int), stream);
    cudaMemcpyToSymbolAsync(shifts, host, sizeof(int), sizeof(int), cudaMemcpyHostToDevice, stream);   // at each launch
    for (int k = 0; k < 3; ++k) add<<<1, 64, 0, stream>>>(x, 64, k);
    cudaEventRecord(begun, stream);
    cudaStreamWaitEvent(other, begun, 0);
    times<<<1, 64, 0, other>>>(x, 64, 10);
    cudaEventRecord(done, other);
    cudaStreamWaitEvent(stream, done, 0);
    cudaMemcpyAsync(host, x, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaGraph_t graph;
    cudaStreamEndCapture(stream, &graph);
    host[5] = -1;
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, NULL, NULL, 0);
    const int before = host[5];
    cudaGraphLaunch(ready, stream);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    return before == -1 ? host[5] : before;
}

int built(int* x, int* host, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t first, second, third;
    int n = 64, by = 7, number = 3;
    void* arguments[] = {&x, &n, &by};
    cudaKernelNodeParams kernel = {reinterpret_cast<void*>(times)};
    kernel.func = (void*)times;
    kernel.gridDim = dim3(1, 1, 1);
    kernel.blockDim = dim3(64, 1, 1);
    kernel.kernelParams = arguments;
    cudaGraphAddKernelNode(&second, graph, NULL, 0, &kernel);
    cudaMemsetParams set = {0};
    set.dst = x;
    set.elementSize = 4;
    set.width = 64;
    set.height = 1;
    set.value = 2;
    cudaGraphAddMemsetNode(&first, graph, NULL, 0, &set);
    cudaGraphAddDependencies(graph, &first, &second, 1);
    cudaHostNodeParams then = {say, &number};
    cudaGraphAddHostNode(&third, graph, &second, 1, &then);
    by = 8;   // the node has 7
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaMemcpyAsync(host, x, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    return host[63];
}

// Each launch takes its memory from another place; then the graph itself is changed, and made once more.
int renewed(int* x, int* host, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t fill, in, out;
    cudaMemsetParams set = {x, 0, 0, 4, 64, 1};
    cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &set);
    cudaGraphAddMemcpyNode1D(&in, graph, &fill, 1, x, host, sizeof(int), cudaMemcpyHostToDevice);
    cudaGraphAddMemcpyNode1D(&out, graph, &in, 1, host + 63, x, sizeof(int), cudaMemcpyDeviceToHost);
    cudaGraphExec_t ready, again;
    cudaGraphInstantiate(&ready, graph, 0);
    int sum = 0;
    for (int k = 0; k < 3; ++k) {
        host[k] = 10 + k;
        cudaGraphExecMemcpyNodeSetParams1D(ready, in, x, host + k, sizeof(int), cudaMemcpyHostToDevice);
        cudaGraphLaunch(ready, stream);
        cudaStreamSynchronize(stream);
        sum += host[63];
    }
    set.value = 100;
    cudaGraphMemsetNodeSetParams(fill, &set);
    cudaGraphMemcpyNodeSetParams1D(out, host + 63, x + 5, sizeof(int), cudaMemcpyDeviceToHost);
    cudaGraphInstantiate(&again, graph, 0);
    cudaGraphLaunch(again, stream);
    cudaStreamSynchronize(stream);
    return 1000 * sum + host[63];
}

// Two of three nodes that come behind the first touch the same array, and nothing orders them.
void unordered(int* x, int* y, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t nodes[4];
    int n = 64, by = 2;
    void *of_x[] = {&x, &n, &by}, *of_y[] = {&y, &n, &by};
    cudaKernelNodeParams kernel = {(void*)add, dim3(1), dim3(64), 0, of_x, NULL};
    cudaGraphAddKernelNode(&nodes[0], graph, NULL, 0, &kernel);
    cudaGraphAddKernelNode(&nodes[1], graph, nodes, 1, &kernel);
    kernel.kernelParams = of_y;
    cudaGraphAddKernelNode(&nodes[2], graph, nodes, 1, &kernel);
    kernel.kernelParams = of_x;
    cudaGraphAddKernelNode(&nodes[3], graph, nodes, 1, &kernel);   // beside the second
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);
    for (int k = 0; k < 2; ++k) cudaGraphLaunch(ready, stream);
    add<<<1, 64, 0, stream>>>(y, 64, 1);   // behind the whole graph
    cudaStreamSynchronize(stream);
}

void show(const float* values, int n) {
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) printf("%g ", values[i]);
    puts("");
}

void textures() {
    std::vector<float> image(8 * 4);
    for (int i = 0; i < 32; ++i) image[i] = i;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, 8, 4, cudaArraySurfaceLoadStore | cudaArrayTextureGather);
    cudaMemcpy2DToArray(array, 0, 0, image.data(), 32, 32, 4, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &resource);
    raise<<<1, dim3(8, 4)>>>(surface);
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    float* out;
    cudaMallocManaged(&out, 64 * sizeof(float4));
    cudaCreateTextureObject(&texture, &resource, &how, NULL);
    sample<<<1, 20>>>(texture, out);
    show(out, 20);
    gather<<<1, 1>>>(texture, (float4*)out);
    show(out, 4);
    how = {};
    how.normalizedCoords = 1;
    for (const auto mode : {cudaAddressModeWrap, cudaAddressModeMirror, cudaAddressModeBorder}) {
        how.addressMode[0] = how.addressMode[1] = mode;
        cudaCreateTextureObject(&texture, &resource, &how, NULL);
        sample_normalized<<<1, 16>>>(texture, out);
        show(out, 16);
    }
    uchar4 bytes[4] = {{255, 51, 0, 102}, {0, 0, 0, 0}, {1, 2, 3, 4}, {255, 51, 0, 102}};
    cudaMemcpy(out + 64, bytes, sizeof bytes, cudaMemcpyDefault);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {out + 64, cudaCreateChannelDesc<uchar4>(), sizeof bytes};
    how = {};
    how.readMode = cudaReadModeNormalizedFloat;
    cudaCreateTextureObject(&texture, &resource, &how, NULL);
    fetch<<<1, 5>>>(texture, (float4*)out);   // the last one past the end
    show(out + 12, 8);
    int cube[2][3][4];
    for (int i = 0; i < 24; ++i) cube[0][0][i] = i;
    format = cudaCreateChannelDesc<int>();
    const cudaExtent extent = make_cudaExtent(4, 3, 2);
    cudaMalloc3DArray(&array, &format, extent);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(cube, 16, 4, 3);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    how = {};
    for (auto& mode : how.addressMode) mode = cudaAddressModeClamp;
    cudaCreateTextureObject(&texture, &resource, &how, NULL);
    sample_3d<<<1, 4>>>(texture, (int*)out);
    cudaDeviceSynchronize();
    printf("%d %d\n", ((int*)out)[0], ((int*)out)[3]);
}

int main() {
    int *x, *host, devices, can, wrong;
    cudaMalloc(&x, 64 * sizeof(int));
    cudaMallocHost(&host, 64 * sizeof(int));
    cudaStream_t stream, other;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreate(&other);
    printf("renewed %d\n", renewed(x, host, stream));
    printf("captured %d\n", captured(x, host, stream, other));
    printf("built %d\n", built(x, host, stream));
    textures();
    cudaStreamAddCallback(stream, called, NULL, 0);
    cudaGetDeviceCount(&devices);
    cudaDeviceCanAccessPeer(&can, 0, 1);
    wrong = cudaSetDevice(2);
    unordered(x, host, stream);
    cudaSetDevice(1);
    int* there;
    cudaMalloc(&there, 64 * sizeof(int));
    cudaMemcpyPeer(there, 1, x, 0, 64 * sizeof(int));
    cudaMemcpy(host, there, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d devices, %d, %s, %d\n", devices, can, cudaGetErrorName((cudaError_t)wrong), host[0]);
    return 0;
}
