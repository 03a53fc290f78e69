"""Words of C's and C++20's are told as that, and only where a compiler stumbles over them."""

import pytest

from grader.devices.build.misplaced import meant
from tests.shared import long_tail

NO_TYPE = "a type specifier is required for all declarations"
ROWS = [
    ("expected ')'", "__global__ void f(const float* restrict x) {}", "CUDA writes `__restrict__`"),
    (NO_TYPE, "template <typename T> requires (sizeof(T) == 4)", "`requires` is C++20's"),
    ("unknown type name 'concept'", "template <typename T> concept Small = sizeof(T) < 8;", "`concept` is C++20's"),
    ("expected ';' after expression", "    Traits<T>::vec v = 0;", "`typename Traits<T>::vec`"),
    ("expected ')'", "__global__ void f(const float* __restrict__ x, int n {}", ""),
    ("expected ';' at end of declaration", "    int requires = 0", ""),
    ("expected ';' after expression", "    Traits<T>::get(v)", ""),
]


@pytest.mark.parametrize(("text", "line", "said"), long_tail(ROWS, every=3))
def test_the_word_is_told(text, line, said):
    told = meant(text, f"\n{line}\n", 2)
    assert said in told if said else told == ""
