// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// ok: a method with __device__
struct S { float v; __device__ float twice() const { return 2 * v; } };
__global__ void k(float* x, S s) { x[0] = s.twice(); }

//// refused: a method without __device__
struct S { float v; float twice() const { return 2 * v; } };
__global__ void k(float* x, S s) { x[0] = s.twice(); }

//// ok: a constexpr method
struct S { float v; constexpr float twice() const { return 2 * v; } };
__global__ void k(float* x, S s) { x[0] = s.twice(); }

//// refused: a constructor of the host used in a kernel
struct S { float v; S(float x) : v(x) {} };
__global__ void k(float* x) { S s(3); x[0] = s.v; }

//// ok: a constructor of the host used in the host function, the object handed over
struct S { float v; S(float x) : v(x) {} };
__global__ void k(float* x, S s) { x[0] = s.v; }
void f(float* x) { k<<<1, 1>>>(x, S(3)); }

//// ok: a constructor of both sides
struct S { float v; __host__ __device__ S(float x) : v(x) {} };
__global__ void k(float* x) { S s(3); x[0] = s.v; }

//// ok: a constexpr constructor
struct S { float v; constexpr S(float x) : v(x) {} };
__global__ void k(float* x) { S s(3); x[0] = s.v; }

//// ok: an implicit constructor
struct S { float v[3]; int n; };
__global__ void k(float* x) { S s; s.n = 1; S t = s; t = s; x[0] = t.v[t.n]; S u{}; x[1] = u.n; }

//// ok: a defaulted constructor
struct S { float v; S() = default; S(const S&) = default; };
__global__ void k(float* x) { S s; s.v = 1; S t = s; x[0] = t.v; }

//// ok: a default member initialiser
struct S { float v = 3; int n = 4; };
__global__ void k(float* x) { S s; x[0] = s.v + s.n; }

//// refused: a default member initialiser that calls a host function
float g() { return 3; }
struct S { float v = g(); };
__global__ void k(float* x) { S s; x[0] = s.v; }

//// refused: a destructor of the host
struct S { float v; ~S() { v = 0; } };
__global__ void k(float* x) { S s; s.v = 1; x[0] = s.v; }

//// ok: a destructor of the device
struct S { float v; __device__ ~S() { v = 0; } };
__global__ void k(float* x) { S s; s.v = 1; x[0] = s.v; }

//// ok: an operator of the device
struct V { float x, y; };
__device__ V operator+(V a, V b) { return {a.x + b.x, a.y + b.y}; }
__global__ void k(V* x) { x[0] = x[1] + x[2]; }

//// refused: an operator without __device__
struct V { float x, y; };
V operator+(V a, V b) { return {a.x + b.x, a.y + b.y}; }
__global__ void k(V* x) { x[0] = x[1] + x[2]; }

//// refused: an assignment operator without __device__
struct V { float x; V& operator=(float y) { x = y; return *this; } };
__global__ void k(V* x) { x[0] = 3.0f; }

//// refused: a conversion without __device__
struct V { float x; operator float() const { return x; } };
__global__ void k(V* x, float* y) { y[0] = x[0]; }

//// ok: a virtual function
struct A { __device__ virtual float get() const { return 1; } };
struct B : A { __device__ float get() const override { return 2; } };
__global__ void k(float* x) { B b; A* a = &b; x[0] = a->get(); }

//// refused: a virtual function of the host overridden by one of the device
struct A { virtual float get() const { return 1; } };
struct B : A { __device__ float get() const override { return 2; } };
__global__ void k(float* x) { B b; x[0] = b.get(); }

//// refused: a virtual function of the host called by a kernel
struct A { virtual float get() const { return 1; } };
__global__ void k(float* x, A* a) { x[0] = a->get(); }

//// ok: inheritance
struct A { int n; __device__ int get() const { return n; } };
struct B : A { int m; };
__global__ void k(int* x, B b) { x[0] = b.get() + b.m; }

//// refused: a host constructor of a base
struct A { int n; A() : n(3) {} };
struct B : A { int m; };
__global__ void k(int* x) { B b; x[0] = b.n; }

//// refused: a static method without __device__
struct S { static int get() { return 3; } };
__global__ void k(int* x) { x[0] = S::get(); }

//// ok: a static method with __device__
struct S { __device__ static int get() { return 3; } };
__global__ void k(int* x) { x[0] = S::get(); }

//// refused: a private member
class S { int n; };
__global__ void k(int* x, S s) { x[0] = s.n; }

//// ok: a class template
template <class T, int N> struct Vec { T v[N]; __device__ T sum() const { T s = 0; for (int i = 0; i < N; ++i) s += v[i]; return s; } };
__global__ void k(float* x, Vec<float, 4> v) { x[0] = v.sum(); }

//// refused: a class template's method without __device__
template <class T, int N> struct Vec { T v[N]; T sum() const { T s = 0; for (int i = 0; i < N; ++i) s += v[i]; return s; } };
__global__ void k(float* x, Vec<float, 4> v) { x[0] = v.sum(); }

//// ok: a method defined outside of its class, __device__ in both places
struct S { float v; __device__ float twice() const; };
__device__ float S::twice() const { return 2 * v; }
__global__ void k(float* x, S s) { x[0] = s.twice(); }

//// ok: a method defined outside of its class, __device__ inside only
struct S { float v; __device__ float twice() const; };
float S::twice() const { return 2 * v; }
__global__ void k(float* x, S s) { x[0] = s.twice(); }

//// ok: a function declared with __device__ and defined without
__device__ float twice(float x);
float twice(float x) { return 2 * x; }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// ok: a function declared without __device__ and defined with
float twice(float x);
__device__ float twice(float x) { return 2 * x; }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// ok: a friend
struct S { friend __device__ float get(S s) { return s.v; } private: float v; };
__global__ void k(float* x, S s) { x[0] = get(s); }

//// ok: a union
union U { float f; int i; };
__global__ void k(int* x) { U u; u.f = 1.0f; x[0] = u.i; }

//// ok: a bit field
struct S { unsigned a : 3, b : 5; };
__global__ void k(int* x) { S s; s.a = 3; s.b = 4; x[0] = s.a + s.b; }

//// ok: a local struct
__global__ void k(int* x) { struct S { int n; __device__ int get() { return n; } }; S s{3}; x[0] = s.get(); }

//// refused: a local struct whose method lacks __device__
__global__ void k(int* x) { struct S { int n; int get() { return n; } }; S s{3}; x[0] = s.get(); }

//// ok: this in a lambda
struct S { int n; __device__ int get() { auto f = [this] { return n; }; return f(); } };
__global__ void k(int* x, S s) { x[0] = s.get(); }

//// refused: a missing semicolon behind a struct
struct S { int n; }
__global__ void k(int* x, S s) { x[0] = s.n; }

//// refused: a member that is not there
struct S { int n; };
__global__ void k(int* x, S s) { x[0] = s.m; }

//// refused: dynamic_cast
struct A { __device__ virtual int get() { return 1; } };
struct B : A { };
__global__ void k(int* x, A* a) { x[0] = dynamic_cast<B*>(a) != nullptr; }

//// refused: typeid
#include <typeinfo>
__global__ void k(int* x) { x[0] = typeid(int) == typeid(float); }

//// ok: an aggregate with designated initialisers
struct S { int n, m; };
__global__ void k(int* x) { S s{.n = 3, .m = 4}; x[0] = s.n; }

//// ok: designated initialisers in the host function
struct S { int n, m; };
int f() { S s{.n = 3, .m = 4}; return s.n; }

//// refused: a three-way comparison
struct S { int n; auto operator<=>(const S&) const = default; };
bool f(S a, S b) { return a < b; }

//// refused: a static __device__ member
struct S { static __device__ float v; };
__device__ float S::v = 1;
__global__ void k(float* x) { x[0] = S::v; }

//// refused: a static __constant__ member
struct S { static __constant__ float v; };

//// refused: a static inline __device__ member of a template
template <class T> struct S { static inline __device__ T v = 1; };
__global__ void k(float* x) { x[0] = S<float>::v; }

//// ok: placement new in a kernel
#include <new>
struct P { float a; __device__ P(float b) : a(b) {} };
__global__ void k(float* x) { __shared__ char room[sizeof(P)]; P* p = new (room) P(x[0]); x[1] = p->a; p->~P(); }

//// ok: placement new in a kernel, with the header of another one
#include <memory>
struct P { float a; __device__ P(float b) : a(b) {} };
__global__ void k(float* x) { alignas(P) char room[2 * sizeof(P)]; P* p = ::new (room) P(x[0]); x[1] = p->a; }

//// refused: placement new in a kernel without <new>
struct P { float a; __device__ P(float b) : a(b) {} };
__global__ void k(float* x) { __shared__ char room[sizeof(P)]; P* p = new (room) P(x[0]); x[1] = p->a; }

//// refused: virtual destructor defaulted member
struct A { virtual ~A() = default; __device__ virtual int f() { return 1; } };
struct B { A a; };
__global__ void k(int* x) { B b; x[0] = b.a.f(); }

//// refused: virtual destructor defaulted array
struct A { virtual ~A() = default; __device__ virtual int f() { return 1; } };
__global__ void k(int* x) { A a[2]; x[0] = a[1].f(); }

//// refused: virtual destructor defaulted temporary
struct A { virtual ~A() = default; __device__ virtual int f() { return 1; } };
__global__ void k(int* x) { x[0] = A().f(); }

//// refused: virtual destructor defaulted in template
template <class T> struct A { virtual ~A() = default; __device__ virtual T f() { return 1; } };
__global__ void k(int* x) { A<int> a; x[0] = a.f(); }

//// refused: virtual destructor passed by value
struct A { virtual ~A() = default; int v; };
__device__ int get(A a) { return a.v; }
__global__ void k(int* x, A a) { x[0] = get(a); }

//// ok: virtual destructor returned by value
struct A { virtual ~A() = default; int v; };
__device__ A make() { A* p = new A; return *p; }
__global__ void k(int* x) { x[0] = 1; }

//// refused: virtual destructor returned and used
struct A { virtual ~A() = default; int v; };
__device__ A make();
__global__ void k(int* x) { x[0] = make().v; }
__device__ A make() { return A(); }

//// ok: virtual destructor by reference and pointer
struct A { virtual ~A() = default; int v; };
__device__ int get(const A& a, A* p) { return a.v + p->v; }
__global__ void k(int* x, A a) { x[0] = get(a, &a); A& r = a; A* p = &r; x[1] = p->v; x[2] = (*p).v; }

//// ok: virtual destructor in a template never instantiated
template <class T> struct A { virtual ~A() = default; T v; };
__global__ void k(int* x, A<int>* a) { x[0] = a->v; }

//// ok: virtual destructor device in a template
template <class T> struct A { __host__ __device__ virtual ~A() = default; T v; };
__global__ void k(int* x) { A<int> a; x[0] = a.v; A<float> b[3]; x[1] = b[1].v; x[2] = A<int>().v; }

//// ok: virtual destructor in a host object
struct A { virtual ~A() = default; int v; };
struct B { A a; };
__global__ void k(int* x) { x[0] = 1; }
int f() { B b; A c[2]; return A().v + b.a.v + c[0].v; }

//// refused: virtual destructor in a member with a destructor of the device
struct A { virtual ~A() = default; int v; };
struct B { A a; __device__ ~B() {} };
__global__ void k(int* x) { B b; x[0] = b.a.v; }

//// ok: virtual destructor assigned
struct A { virtual ~A() = default; int v; };
__global__ void k(A* a) { a[0] = a[1]; }

//// ok: virtual destructor constructed in a member initialiser
struct A { virtual ~A() = default; int v; };
struct B : A { int w; __device__ B() : A(), w(1) {} };
__global__ void k(int* x) { B b; x[0] = b.w; }

//// ok: virtual destructor defaulted with new only
struct A { virtual ~A() = default; __device__ virtual int f() { return 1; } };
__global__ void k(int* x) { A* a = new A; x[0] = a->f(); }

//// ok: virtual destructor out of class default
struct A { __device__ virtual ~A(); __device__ virtual int f() { return 1; } };
__device__ A::~A() = default;
__global__ void k(int* x) { A a; x[0] = a.f(); }
