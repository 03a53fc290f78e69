// What a divided warp costs on this GPU, from memory and from the L2 cache: the measurements of notebook 02.
//
//   nvcc -O3 -arch=native -o divided_warps benchmarks/divided_warps.cu && ./divided_warps > divided_warps.json
//
// Medians of 20 CUDA graphs, each with many launches in a row, so that no launch shows; all kernels take turns.
// "L2": always the same buffers, which fit. "memory": launches walk through buffers that are many times the L2's size.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

// ---- cosine and sine, divided in four ways: n angles, 2 n numbers ----

__global__ void number_divided(const float* phi, float* xy, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2 * n) {
        if (i % 2 == 0) {
            xy[i] = cosf(phi[i / 2]);
        } else {
            xy[i] = sinf(phi[i / 2]);
        }
    }
}

__global__ void number_by_warp(const float* phi, float* xy, unsigned n) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned warp = thread / 32, i = warp / 2 * 32 + thread % 32;
    if (i < n) {
        if (warp % 2 == 0) {
            xy[2 * i] = cosf(phi[i]);
        } else {
            xy[2 * i + 1] = sinf(phi[i]);
        }
    }
}

__global__ void number_select(const float* phi, float* xy, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2 * n) {
        float sine, cosine;
        sincosf(phi[i / 2], &sine, &cosine);
        float odd = i % 2;
        xy[i] = (1 - odd) * cosine + odd * sine;
    }
}

__global__ void angle_both(const float* phi, float* xy, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sine, cosine;
        sincosf(phi[i], &sine, &cosine);
        xy[2 * i] = cosine;
        xy[2 * i + 1] = sine;
    }
}

// ---- k multiply-adds on either side of an if, on which neighbouring lanes disagree, or only blocks do ----

template <int kSteps, bool kDivided>
__global__ void sides(const float* in, float* out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        if ((kDivided ? threadIdx.x : blockIdx.x) % 2 == 0) {
#pragma unroll 1  // else the compiler makes one piece of code of both sides
            for (int step = 0; step < kSteps; ++step) {
                x = fmaf(x, 0.999f, 0.25f);
            }
        } else {
#pragma unroll 1
            for (int step = 0; step < kSteps; ++step) {
                x = fmaf(x, 1.001f, -0.25f);
            }
        }
        out[i] = x;
    }
}

// ---- timing ----

struct Contender {
    const char* name;
    int steps;
    void (*kernel)(const float*, float*, unsigned);
    unsigned threads;  // for each angle
};

template <int... kSteps>
std::vector<Contender> contenders() {
    std::vector<Contender> all = {{"number_divided", 0, number_divided, 2},
                                  {"number_by_warp", 0, number_by_warp, 2},
                                  {"number_select", 0, number_select, 2},
                                  {"angle_both", 0, angle_both, 1}};
    (all.insert(all.end(), {{"sides_divided", kSteps, sides<kSteps, true>, 1},
                            {"sides_agreed", kSteps, sides<kSteps, false>, 1}}),
     ...);
    return all;
}

constexpr unsigned kBlock = 256, kMost = 1u << 27;  // of angles, in all buffers: 1.6 GB
constexpr int kWarmUps = 3, kSamples = 20;

// `runs` launches in a row; the buffers of n angles take turns.
cudaGraphExec_t capture(
    const Contender& one, const float* in, float* out, unsigned n, int sets, int runs, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int run = 0; run < runs; ++run) {
        size_t at = static_cast<size_t>(run % sets) * n;
        one.kernel<<<one.threads * n / kBlock, kBlock, 0, stream>>>(in + at, out + 2 * at, n);
    }
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&ready, graph, 0));
    check(cudaGraphDestroy(graph));
    return ready;
}

// Microseconds of one launch, sorted, for each graph of `runs` launches.
std::vector<std::vector<float>> measure(const std::vector<cudaGraphExec_t>& graphs, int runs, cudaStream_t stream) {
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    std::vector<std::vector<float>> times(graphs.size());
    for (int round = 0; round < kWarmUps + kSamples; ++round) {
        for (size_t k = 0; k < graphs.size(); ++k) {
            float milliseconds;
            check(cudaGraphLaunch(graphs[k], stream));  // its own buffers are in the L2 now, as far as they fit
            check(cudaEventRecord(begin, stream));
            check(cudaGraphLaunch(graphs[k], stream));
            check(cudaEventRecord(end, stream));
            check(cudaStreamSynchronize(stream));
            check(cudaEventElapsedTime(&milliseconds, begin, end));
            if (round >= kWarmUps) {
                times[k].push_back(1000 * milliseconds / runs);
            }
        }
    }
    for (auto& each : times) {
        std::sort(each.begin(), each.end());
    }
    return times;
}

// Random angles from -pi to pi, the same ones again and again.
void fill(float* in) {
    std::vector<float> angles(kMost / 32);
    for (float& angle : angles) {
        angle = 6.2831853f * (std::rand() / (RAND_MAX + 1.0f)) - 3.1415927f;
    }
    for (size_t at = 0; at < kMost; at += angles.size()) {
        check(cudaMemcpy(in + at, angles.data(), angles.size() * sizeof(float), cudaMemcpyHostToDevice));
    }
}

int main() {
    const auto all = contenders<0, 4, 8, 16, 32, 64>();
    float *in, *out;
    cudaStream_t stream;
    cudaDeviceProp card;
    check(cudaGetDeviceProperties(&card, 0));
    check(cudaMalloc(&in, size_t{kMost} * sizeof(float)));
    check(cudaMalloc(&out, size_t{kMost} * 2 * sizeof(float)));
    check(cudaStreamCreate(&stream));
    fill(in);

    std::printf("{\"device\": \"%s\", \"nvcc\": \"%d.%d\", \"l2_bytes\": %d,\n \"results\": [", card.name,
                __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, card.l2CacheSize);
    const char* separator = "\n";
    for (auto [n, from] : {std::pair{1u << 21, "L2"}, std::pair{1u << 21, "memory"}, std::pair{kMost, "memory"}}) {
        int sets = from[0] == 'L' ? 1 : kMost / n, runs = n == kMost ? 4 : 64;
        std::vector<cudaGraphExec_t> graphs;
        for (const Contender& one : all) {
            graphs.push_back(capture(one, in, out, n, sets, runs, stream));
        }
        auto times = measure(graphs, runs, stream);
        for (size_t k = 0; k < all.size(); ++k) {
            float median = times[k][kSamples / 2], spread = times[k][3 * kSamples / 4] - times[k][kSamples / 4];
            std::printf("%s  {\"n\": %u, \"from\": \"%s\", \"kernel\": \"%s\", \"steps\": %d, ", separator, n, from,
                        all[k].name, all[k].steps);
            std::printf("\"us\": %.3f, \"noise\": %.4f}", median, spread / median);
            separator = ",\n";
            check(cudaGraphExecDestroy(graphs[k]));
        }
    }
    std::printf("\n]}\n");
}
