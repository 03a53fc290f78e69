// What cuFFT's functions compute, plainly, on the host: rows are copied from the device and back, so that bounds, streams
// and uninitialised memory are as they would be for a kernel. Sums are taken in double and rounded once.
#pragma once

#include <complex>
#include <map>
#include <mutex>
#include <vector>

#include "refused.h"

namespace ladder {

using Complex = std::complex<double>;

// Where the elements of one side lie: as wide as `embed` says, `step` apart, one transform `apart` behind the other.
struct FourierSide {
    std::vector<long> embed;
    long step = 1, apart = 0;
};

struct Fourier {
    std::vector<long> sizes;   // the last one varies fastest; none: no plan has been made yet
    int type = 0;
    long batch = 1;
    FourierSide in, out;       // without `embed`: packed
    cudaStream_t stream = nullptr;
};

struct FourierPlans {
    std::mutex lock;
    std::map<int, Fourier> all;
    int next = 1;
};
inline LADDER_UNSEEN FourierPlans& fourier_plans() {
    static FourierPlans plans;
    return plans;
}
inline LADDER_UNSEEN Fourier* fourier_plan(int handle) {
    FourierPlans& plans = fourier_plans();
    const std::lock_guard<std::mutex> hold(plans.lock);
    const auto found = plans.all.find(handle);
    return found == plans.all.end() ? nullptr : &found->second;
}

// Transforms of one size: the parts that a smallest factor's remainders make are put together.
class FourierRow {
public:
    LADDER_UNSEEN FourierRow(long n, int sign) : n_(n), spare_(static_cast<std::size_t>(n)) {
        for (long i = 0; i < n; ++i) turns_.push_back(std::polar(1.0, sign * 6.283185307179586476925 * static_cast<double>(i) / static_cast<double>(n)));
    }
    LADDER_UNSEEN void run(const Complex* from, long step, Complex* to) { run(from, step, to, n_); }

private:
    LADDER_UNSEEN void run(const Complex* from, long step, Complex* to, long n) {
        if (n == 1) {
            *to = *from;
            return;
        }
        long factor = 2;
        while (n % factor && factor * factor <= n) ++factor;
        if (n % factor) factor = n;
        const long rest = n / factor;
        for (long part = 0; part < factor; ++part) run(from + part * step, step * factor, to + part * rest, rest);
        const Complex* const turns = turns_.data();
        Complex* const spare = spare_.data();
        for (long k = 0; k < rest; ++k) {
            for (long part = 0; part < factor; ++part) spare[part] = to[part * rest + k];
            for (long at = k; at < n; at += rest) {
                double x = 0, y = 0;   // without the care for infinities that std::complex takes
                for (long part = 0; part < factor; ++part) {
                    const Complex a = spare[part], b = turns[part * at % n * (n_ / n)];
                    x += a.real() * b.real() - a.imag() * b.imag();
                    y += a.real() * b.imag() + a.imag() * b.real();
                }
                to[at] = {x, y};
            }
        }
    }
    long n_;
    std::vector<Complex> turns_, spare_;
};

// One transform along every dimension.
inline LADDER_UNSEEN void fourier_all(std::vector<Complex>& all, const std::vector<long>& sizes, int sign) {
    long inner = 1;
    for (std::size_t d = sizes.size(); d-- > 0; inner *= sizes[d]) {
        const long n = sizes[d], block = n * inner;
        FourierRow along(n, sign);
        std::vector<Complex> row(static_cast<std::size_t>(n));
        for (long first = 0; first < static_cast<long>(all.size()); first += block)
            for (long i = first; i < first + inner; ++i) {
                along.run(all.data() + i, inner, row.data());
                for (long k = 0; k < n; ++k) all[static_cast<std::size_t>(i + k * inner)] = row[static_cast<std::size_t>(k)];
            }
    }
}

// One execution: the first copy that fails ends its work, with a finding at the caller's line.
class FourierCall {
public:
    LADDER_UNSEEN FourierCall(const Fourier& plan, int line) : plan_(plan), line_(line) { ladder_stream_work(plan.stream, line); }
    LADDER_UNSEEN bool fine() const { return !failed_; }

    // All rows of transform number `which`, `width` elements each.
    template <class T> LADDER_UNSEEN std::vector<T> get(const T* from, const FourierSide& side, long which, long width) {
        std::vector<T> all;
        std::vector<T> row(static_cast<std::size_t>(width));
        each_row(side, which, [&](long place) LADDER_UNSEEN {
            move(row, place, side.step, [&](T* mine, long there, std::size_t bytes) LADDER_UNSEEN {
                return ladder_memcpy(mine, from + there, bytes, Copy::DeviceToHost, line_);
            });
            all.insert(all.end(), row.begin(), row.end());
        });
        return all;
    }
    template <class T> LADDER_UNSEEN void put(T* to, const FourierSide& side, long which, long width, const std::vector<T>& all) {
        std::size_t next = 0;
        each_row(side, which, [&](long place) LADDER_UNSEEN {
            std::vector<T> row(all.begin() + static_cast<long>(next), all.begin() + static_cast<long>(next) + width);
            next += static_cast<std::size_t>(width);
            move(row, place, side.step, [&](T* mine, long there, std::size_t bytes) LADDER_UNSEEN {
                return ladder_memcpy(to + there, mine, bytes, Copy::HostToDevice, line_);
            });
        });
    }

private:
    template <class Row> LADDER_UNSEEN void each_row(const FourierSide& side, long which, Row row) {
        long rows = 1;
        for (std::size_t d = 0; d + 1 < plan_.sizes.size(); ++d) rows *= plan_.sizes[d];
        for (long r = 0; r < rows && fine(); ++r) {
            long place = 0, rest = r, pitch = side.embed.back();
            for (std::size_t d = plan_.sizes.size() - 1; d-- > 0; pitch *= side.embed[d]) {
                place += rest % plan_.sizes[d] * pitch;
                rest /= plan_.sizes[d];
            }
            row(which * side.apart + place * side.step);
        }
    }
    template <class T, class Move> LADDER_UNSEEN void move(std::vector<T>& row, long place, long step, Move copy) {
        if (step == 1) failed_ |= copy(row.data(), place, row.size() * sizeof(T)) != 0;
        else
            for (std::size_t i = 0; i < row.size() && fine(); ++i) failed_ |= copy(&row[i], place + static_cast<long>(i) * step, sizeof(T)) != 0;
    }
    const Fourier& plan_;
    int line_;
    bool failed_ = false;
};

// A side as the plan has it, or packed: numbers beside their own results are as far apart as these need.
inline LADDER_UNSEEN FourierSide fourier_side(const FourierSide& asked, const std::vector<long>& sizes, long width) {
    FourierSide side = asked;
    if (!side.embed.empty()) return side;
    side.embed = sizes;
    side.embed.back() = width;
    side.step = side.apart = 1;
    for (const long each : side.embed) side.apart *= each;
    return side;
}

template <class T> LADDER_UNSEEN Complex fourier_value(const T& from) {
    if constexpr (std::is_arithmetic_v<T>) return from;
    else return {from.x, from.y};
}
template <class T> LADDER_UNSEEN T fourier_result(const Complex& from) {
    if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(from.real());
    else return {static_cast<decltype(T::x)>(from.real()), static_cast<decltype(T::y)>(from.imag())};
}

// The other half of a spectrum of real numbers: what stands at -k is the conjugate of what stands at k.
inline LADDER_UNSEEN std::vector<Complex> whole_spectrum(const std::vector<Complex>& half, const std::vector<long>& sizes) {
    const long n = sizes.back(), width = n / 2 + 1, rows = static_cast<long>(half.size()) / width;
    std::vector<Complex> all;
    for (long r = 0; r < rows; ++r) {
        long other = 0, rest = r, pitch = 1;   // the row at the negative place in every dimension
        for (std::size_t d = sizes.size() - 1; d-- > 0; pitch *= sizes[d]) {
            other += (sizes[d] - rest % sizes[d]) % sizes[d] * pitch;
            rest /= sizes[d];
        }
        for (long k = 0; k < n; ++k)
            all.push_back(k < width ? half[static_cast<std::size_t>(r * width + k)] : std::conj(half[static_cast<std::size_t>(other * width + n - k)]));
    }
    return all;
}

template <class In, class Out> LADDER_UNSEEN bool fourier_run(const Fourier& plan, const In* from, Out* to, int sign, int line) {
    const bool real_in = std::is_arithmetic_v<In>, real_out = std::is_arithmetic_v<Out>;
    const long n = plan.sizes.back(), half = n / 2 + 1;
    const bool in_place = static_cast<const void*>(from) == static_cast<const void*>(to);
    const long padded = in_place ? 2 * half : n;
    const FourierSide in = fourier_side(plan.in, plan.sizes, real_in ? padded : real_out ? half : n);
    const FourierSide out = fourier_side(plan.out, plan.sizes, real_out ? padded : real_in ? half : n);
    FourierCall call(plan, line);
    for (long b = 0; b < plan.batch && call.fine(); ++b) {
        std::vector<Complex> all;
        for (const In& each : call.get(from, in, b, real_out ? half : n)) all.push_back(fourier_value(each));
        if (!call.fine()) return false;
        if (real_out) all = whole_spectrum(all, plan.sizes);
        fourier_all(all, plan.sizes, sign);
        std::vector<Out> results;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (!real_in || static_cast<long>(i) % n < half) results.push_back(fourier_result<Out>(all[i]));
        call.put(to, out, b, real_in ? half : n, results);
    }
    return call.fine();
}

}  // namespace ladder
