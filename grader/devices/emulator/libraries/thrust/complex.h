// thrust::complex: libcu++'s, which host code prints, too.
#pragma once

#include <complex>
#include <ostream>

#include <cuda/std/complex>

namespace cuda::std {

template <class T> ::std::ostream& operator<<(::std::ostream& out, const complex<T>& z) { return out << ::std::complex<T>(z); }

}  // namespace cuda::std

namespace thrust {

template <class T> using complex = ::cuda::std::complex<T>;
using ::cuda::std::abs;
using ::cuda::std::arg;
using ::cuda::std::conj;
using ::cuda::std::cos;
using ::cuda::std::cosh;
using ::cuda::std::exp;
using ::cuda::std::log;
using ::cuda::std::log10;
using ::cuda::std::norm;
using ::cuda::std::polar;
using ::cuda::std::pow;
using ::cuda::std::sin;
using ::cuda::std::sinh;
using ::cuda::std::sqrt;
using ::cuda::std::tan;
using ::cuda::std::tanh;

}  // namespace thrust
