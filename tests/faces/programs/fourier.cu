// cuFFT's transforms beside their definition.
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>
#include <cufft.h>
using C = std::complex<double>;
// The definition: every result is a sum over all numbers.
std::vector<C> plain(const std::vector<C>& x, std::vector<int> n, int sign) {
    while (n.size() < 3) n.insert(n.begin(), 1);
    std::vector<C> y(x.size());
    for (size_t o = 0; o < x.size(); ++o)
        for (size_t i = 0; i < x.size(); ++i) {
            const int o2 = o % n[2], o1 = o / n[2] % n[1], o0 = o / n[2] / n[1], i2 = i % n[2], i1 = i / n[2] % n[1], i0 = i / n[2] / n[1];
            y[o] += x[i] * std::polar(1.0, sign * 2 * M_PI * (double(o0) * i0 / n[0] + double(o1) * i1 / n[1] + double(o2) * i2 / n[2]));
        }
    return y;
}
double worst = 0;
void near(double a, double b) { worst = std::fmax(worst, std::fabs(a - b)); }
void complex_plan(cufftHandle plan, std::vector<int> n) {
    size_t all = 1;
    for (int each : n) all *= each;
    std::vector<C> x(all);
    std::vector<cufftDoubleComplex> h(all);
    for (size_t i = 0; i < all; ++i) x[i] = C(sin(i * 1.3), cos(i * 0.7)), h[i] = {x[i].real(), x[i].imag()};
    cufftDoubleComplex *a, *b;
    cudaMalloc(&a, all * sizeof *a), cudaMalloc(&b, all * sizeof *b);
    cudaMemcpy(a, h.data(), all * sizeof *a, cudaMemcpyHostToDevice);
    cufftExecZ2Z(plan, a, b, CUFFT_FORWARD);
    cudaMemcpy(h.data(), b, all * sizeof *a, cudaMemcpyDeviceToHost);
    const auto y = plain(x, n, -1);
    for (size_t i = 0; i < all; ++i) near(h[i].x, y[i].real()), near(h[i].y, y[i].imag());
    cufftExecZ2Z(plan, b, b, CUFFT_INVERSE);
    cudaMemcpy(h.data(), b, all * sizeof *a, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < all; ++i) near(h[i].x / all, x[i].real()), near(h[i].y / all, x[i].imag());
    cufftDestroy(plan), cudaFree(a), cudaFree(b);
}
void real_plan(cufftHandle there, cufftHandle back, std::vector<int> n, bool in_place) {
    size_t all = 1;
    for (int each : n) all *= each;
    const int last = n.back(), half = last / 2 + 1, pitch = in_place ? 2 * half : last, rows = all / last;
    std::vector<C> x(all);
    std::vector<float> h(rows * pitch);
    for (size_t i = 0; i < all; ++i) x[i] = h[i / last * pitch + i % last] = sin(i * 1.3);
    float* a;
    cufftComplex* b;
    cudaMalloc(&a, rows * half * sizeof *b);
    cudaMemcpy(a, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    if (in_place) b = (cufftComplex*)a;
    else cudaMalloc(&b, rows * half * sizeof *b);
    cufftExecR2C(there, a, b);
    std::vector<cufftComplex> s(rows * half);
    cudaMemcpy(s.data(), b, s.size() * sizeof *b, cudaMemcpyDeviceToHost);
    const auto y = plain(x, n, -1);
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < half; ++k) near(s[r * half + k].x, y[r * last + k].real()), near(s[r * half + k].y, y[r * last + k].imag());
    cufftExecC2R(back, b, a);
    cudaMemcpy(h.data(), a, (size_t)rows * pitch * sizeof(float), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < all; ++i) near(h[i / last * pitch + i % last] / all, x[i].real());
    cufftDestroy(there), cufftDestroy(back), cudaFree(a);
    if (!in_place) cudaFree(b);
}
int main(int argc, char**) {
    cufftHandle p, q;
    cufftPlan1d(&p, 30, CUFFT_Z2Z, 1), complex_plan(p, {30});
    cufftPlan2d(&p, 6, 8, CUFFT_Z2Z), complex_plan(p, {6, 8});
    cufftPlan3d(&p, 3, 4, 7, CUFFT_Z2Z), complex_plan(p, {3, 4, 7});
    for (int in_place = 0; in_place < 2; ++in_place) {
        cufftPlan1d(&p, 9, CUFFT_R2C, 1), cufftPlan1d(&q, 9, CUFFT_C2R, 1), real_plan(p, q, {9}, in_place);
        cufftPlan2d(&p, 5, 6, CUFFT_R2C), cufftPlan2d(&q, 5, 6, CUFFT_C2R), real_plan(p, q, {5, 6}, in_place);
        cufftPlan3d(&p, 3, 4, 5, CUFFT_R2C), cufftPlan3d(&q, 3, 4, 5, CUFFT_C2R), real_plan(p, q, {3, 4, 5}, in_place);
    }
    // Four transforms whose numbers lie between each other, in columns: each as if it were alone.
    int n[1] = {8}, embed[1] = {8};
    float2 h[32], *d;
    for (int i = 0; i < 32; ++i) h[i] = {float(i % 4 == 1 && i / 4 == 1), 0};
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cufftPlanMany(&p, 1, n, embed, 4, 1, embed, 4, 1, CUFFT_C2C, 4);
    cufftExecC2C(p, d, d, CUFFT_FORWARD);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; ++i) near(h[i].x, i % 4 == 1 ? cos(2 * M_PI * (i / 4) / 8) : 0);
    printf("%s %d\n", worst < 1e-4 ? "near" : "far", cufftExecR2C(p, (float*)d, d));
    if (argc > 1) {
        cufftPlan1d(&q, 33, CUFFT_C2C, 1);
        cufftExecC2C(q, d, d, CUFFT_FORWARD);   // one too many
    }
}
