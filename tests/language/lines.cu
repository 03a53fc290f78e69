// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// ok: line directive
#line 100 "other.cu"
__global__ void k(int* x) { x[0] = 1; }

//// ok: line marker
# 5 "foo.cu"
__global__ void k(int* x) { x[0] = 1; }

//// ok: line zero
#line 0
__global__ void k(int* x) { x[0] = 1; }

//// refused: line without number
#line
__global__ void k(int* x) { x[0] = 1; }

//// refused: line with only a name
#line "other.cu"
__global__ void k(int* x) { x[0] = 1; }

//// refused: line with a name without quotes
#line 3 other.cu
__global__ void k(int* x) { x[0] = 1; }

//// refused: line hexadecimal
#line 0x10
__global__ void k(int* x) { x[0] = 1; }

//// ok: line with more
#line 3 "other.cu" foo
__global__ void k(int* x) { x[0] = 1; }

//// ok: line in a kernel
__global__ void k(int* x) {
#line 50
  x[0] = 1;
}

//// ok: marker without a name
# 5
__global__ void k(int* x) { x[0] = 1; }

//// refused: line in a wide string
#line 3 L"foo.cu"
__global__ void k(int* x) { x[0] = 1; }

//// refused: line before an error
#line 3 "foo.cu"
__global__ void k(int* x) { y[0] = 1; }

//// ok: line continued
#line \
  3 "foo.cu"
__global__ void k(int* x) { x[0] = 1; }

//// ok: a line's number that is a macro
#define FIRST 200
#line FIRST
__global__ void k(int* x) { x[0] = 1; }

//// ok: a line's number that is a macro, with a name
#define FIRST 200
#line FIRST "other.cu"
__global__ void k(int* x) { x[0] = 1; }

//// ok: the line's own number
#line __LINE__ "other.cu"
__global__ void k(int* x) { x[0] = 1; }

//// refused: a line's number that is a macro of no number
#define FIRST two
#line FIRST
__global__ void k(int* x) { x[0] = 1; }
