"""What a built kernel file may take from outside of itself: an allow-list, for host code and, shorter, for kernels.

Host code gets the C++ runtime, mathematics, and of the C library what programs use to compute, to print, and to deal
with files, processes, threads and the network (the worker is confined). Not in here, so refused: whatever changes pages
and their rights, makes system calls by number, looks names up or traces processes. Kernels get mathematics, and what
the runtime takes in hand.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path


def words(text: str) -> frozenset[str]:
    """The names in a list of names."""
    return frozenset(text.split())


_INCLUDE = Path(__file__).parent / "include" / "ladder"

# Functions of the C library that mean something else in a kernel: the linker leads them to the runtime (--wrap).
WRAPPED = (
    "printf", "vprintf", "puts", "putchar", "__assert_fail", "malloc", "free",
    "_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm",
)  # fmt: skip
# Those that mean something else in host code: clocks and dice (host_chance.cpp).
WRAPPED_ON_THE_HOST = (
    "time", "clock", "clock_gettime", "gettimeofday", "timespec_get", "rand", "rand_r", "random", "lrand48", "drand48",
    "_ZNSt6chrono3_V212system_clock3nowEv", "_ZNSt6chrono3_V212steady_clock3nowEv",
    "_ZNSt13random_device9_M_getvalEv",
)  # fmt: skip
_CALLBACKS = re.compile(r"__tsan_\w+|__sanitizer_cov_trace_pc")
_CXX_VERSIONS = ("GLIBCXX_", "CXXABI_", "GCC_")
_CXX_NAMES = re.compile(r"_Z(N?K?S[abdiost]|NK?St|T[ISVT]N?S[abdiost]|nwm|nam|dlPv|daPv|GVN?St)")

_MATH = words(
    """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs fdim floor
    fma fmax fmin fmod hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround nan
    nearbyint nextafter nexttoward pow remainder rint round roundeven scalbln scalbn significand sin sinh sqrt tan
    tanh tgamma trunc y0 y1 yn cexp cabs
    """
)
_MATH_BY_ADDRESS = words("frexp modf remquo sincos lgamma_r nan")
_MATH_MORE = words(
    """
    fegetround fesetround feclearexcept feraiseexcept fetestexcept fegetenv fesetenv feholdexcept feupdateenv
    __finite __isnan __isinf __signbit signbit __fpclassify __issignaling abs labs llabs ffs ffsl ffsll
    """
)
_LIBC = words(
    # strings and memory that is there already
    """
    memcpy memmove memset memchr memcmp memmem memrchr mempcpy stpcpy stpncpy strcasecmp strcat strchr strchrnul
    strcmp strcoll strcpy strcspn strdup strerror strerror_r strlen strncasecmp strncat strncmp strncpy strndup
    strnlen strpbrk strrchr strsep strsignal strspn strstr strcasestr strtok strtok_r strxfrm bcmp bcopy bzero
    rawmemchr wcslen wcscmp wcscpy wmemcpy wmemset __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc isalnum
    isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper
    """
    # numbers, sorting, memory, the environment
    """
    atof atoi atol atoll strtod strtof strtol strtold strtoll strtoul strtoull div ldiv lldiv qsort qsort_r
    bsearch rand srand rand_r random srandom drand48 erand48 lrand48 srand48 aligned_alloc calloc realloc
    reallocarray memalign posix_memalign malloc_usable_size getenv secure_getenv setenv unsetenv putenv clearenv
    environ __environ _environ getopt getopt_long optarg optind optopt opterr timezone daylight
    tzname program_invocation_name program_invocation_short_name getrandom getentropy sysconf getpagesize get_nprocs
    """
    # printing and files
    """
    stdin stdout stderr fopen fopen64 freopen fdopen fclose fflush fprintf vfprintf sprintf vsprintf snprintf
    vsnprintf dprintf vdprintf fputs fputc putc fwrite fread fgets fgetc getc getchar ungetc getline getdelim
    scanf fscanf sscanf vfscanf vsscanf perror feof ferror clearerr fileno rewind fseek fseeko ftell ftello
    setbuf setvbuf remove rename tmpfile mkstemp mkdtemp asprintf vasprintf open_memstream fmemopen popen pclose
    open open64 openat openat64 creat read write readv writev pread pread64 pwrite pwrite64 lseek lseek64 close
    dup dup2 dup3 pipe pipe2 fcntl fcntl64 ioctl stat stat64 fstat fstat64 lstat lstat64 fstatat access
    faccessat unlink unlinkat rmdir mkdir mkdirat chdir fchdir getcwd link linkat symlink symlinkat readlink
    readlinkat realpath truncate ftruncate truncate64 ftruncate64 fsync fdatasync sync flock lockf chmod fchmod
    fchmodat chown fchown lchown fchownat umask utime utimes utimensat futimens setxattr lsetxattr fsetxattr
    getxattr listxattr removexattr renameat renameat2 mknod mkfifo opendir fdopendir readdir readdir64 closedir
    rewinddir dirfd scandir glob globfree nftw statvfs statfs isatty ttyname poll ppoll select pselect
    epoll_create1 epoll_ctl epoll_wait eventfd posix_fallocate fallocate sendfile
    """
    # time
    """
    time clock clock_gettime clock_getres clock_nanosleep gettimeofday nanosleep usleep sleep localtime
    localtime_r gmtime gmtime_r mktime strftime asctime ctime difftime timespec_get times getrusage
    """
    # processes, users, signals, leaving
    """
    fork vfork wait waitpid waitid execl execlp execle execv execvp execve posix_spawn posix_spawnp system kill
    raise getpid getppid getpgid setpgid getpgrp setpgrp setsid getsid getuid geteuid getgid getegid setuid
    setgid gettid getpriority setpriority nice getrlimit setrlimit abort exit _exit _Exit quick_exit atexit
    at_quick_exit pause alarm signal sigaction sigprocmask sigemptyset sigfillset sigaddset sigdelset sigsuspend
    setitimer longjmp siglongjmp _setjmp __sigsetjmp setjmp getgroups uname gethostname sched_yield
    sched_getaffinity sched_setaffinity sched_getcpu daemon
    """
    # the network
    """
    socket socketpair bind listen accept accept4 connect send sendto sendmsg recv recvfrom recvmsg shutdown
    getsockname getpeername getsockopt setsockopt getaddrinfo freeaddrinfo gethostbyname inet_addr inet_ntoa
    inet_ntop inet_pton htons htonl ntohs ntohl
    """
    # threads
    """
    sem_init sem_post sem_wait sem_destroy call_once thrd_create thrd_join thrd_yield mtx_lock mtx_unlock
    mtx_init
    """
    # what compilers and headers put in for these
    """
    __errno_location __libc_single_threaded __stack_chk_fail __cxa_finalize __cxa_atexit __cxa_at_quick_exit
    __cxa_thread_atexit_impl __tls_get_addr __assert_perror_fail __assert __gmon_start__ __register_atfork
    localeconv setlocale newlocale freelocale uselocale
    """
)
_HEADERS_NAMES = re.compile(r"__isoc\d+_(\w+)")
_THREADS = re.compile(r"pthread_\w+")
# Whose address may be taken: it may end in a pointer that a kernel calls.
_ADDRESSED = words(
    """
    free malloc __wrap_free __wrap_malloc __gmon_start__ __libc_single_threaded fclose pclose closedir abort exit
    _exit stdin stdout stderr environ __environ _environ optarg optind optopt opterr timezone daylight tzname
    program_invocation_name program_invocation_short_name tolower toupper isspace isdigit isalpha isalnum ispunct
    """
)


def may_be_addressed(symbol: str) -> bool:
    """Whether the address of something from outside may be taken: a kernel that gets it could call it unseen."""
    name, _, version = symbol.partition("@")
    if name.removeprefix("__wrap_") in WRAPPED_ON_THE_HOST:
        name = name.removeprefix("__wrap_")
    if version.lstrip("@").startswith(_CXX_VERSIONS) or _CXX_NAMES.match(name) or name.startswith("_ITM_"):
        return True
    return name in _ADDRESSED or name in declared_functions() or is_math(name) or is_compilers(name)


@cache
def declared_functions() -> frozenset[str]:
    """The runtime's functions and variables, as our headers declare them."""
    abi, index = (_INCLUDE / "abi.h").read_text(), (_INCLUDE / "index.h").read_text()
    return frozenset(re.findall(r"\bladder_\w+(?=\()", abi)) | frozenset(
        re.findall(r"PER_THREAD \w+ \w+ (\w+);", index)
    )


@cache
def device_functions() -> frozenset[str]:
    """Those of them that a kernel calls. A few of the host's are the kernel's, too, where they only ask or fail."""
    abi = (_INCLUDE / "abi.h").read_text()
    own = re.findall(r"LADDER_(?:CALL|SAME)[^;(]*?\b(ladder_\w+)(?=\()", abi)
    asked = words("ladder_evaluate ladder_malloc ladder_last_error ladder_set_error ladder_static_shared")
    return asked | {*own, "ladder_new", "ladder_host_seconds"}


def host_may_use(symbol: str) -> bool:
    """Whether the file may need this symbol, a name with its version, from outside."""
    name, _, version = symbol.partition("@")
    version = version.lstrip("@")
    if version == "GLIBC_PRIVATE":
        return False
    if version.startswith(_CXX_VERSIONS) or _CXX_NAMES.match(name) or name.startswith("_ITM_"):
        return True
    if (
        name.removeprefix("__wrap_") in (*WRAPPED, *WRAPPED_ON_THE_HOST)
        or name in declared_functions()
        or is_callback(name)
    ):
        return True
    plain = match[1] if (match := _HEADERS_NAMES.fullmatch(name)) else name
    return plain in _LIBC or plain in _ADDRESSED or is_math(plain) or bool(_THREADS.fullmatch(plain))


def is_math(name: str) -> bool:
    """A function of numbers alone, or one that gives numbers back through the addresses that it gets."""
    return name in _MATH_MORE or any(
        name == base + suffix
        for base in (name, name[:-1])
        if base in _MATH | _MATH_BY_ADDRESS
        for suffix in ("", "f", "l")
    )


def is_callback(name: str) -> bool:
    """What the compiler puts before accesses, basic blocks and functions."""
    return bool(_CALLBACKS.fullmatch(name))


def is_compilers(name: str) -> bool:
    """What the compiler puts around any code for exceptions and checks of its own."""
    return name.startswith(("__cxa_", "_Unwind_", "__gxx_")) or name in ("_ZSt9terminatev", "__stack_chk_fail")
