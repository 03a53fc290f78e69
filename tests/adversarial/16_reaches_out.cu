// Tries in turn what no list of files stops: rights of files, a daemon's socket, the network, memory that stays, limits of
// the judge, processes, the user's terminal and key, the builds of others. Says what went well: nothing, in a sandbox.
// Emulator: not_written
// Says: was never written
// Prints: 0 of 22 went well
// GPU: build_error

#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int tried = 0, went_well = 0;

static void say(const char* what, bool done) {
    ++tried, went_well += done;
    if (done) printf("%s went well\n", what);
}

static bool opens(const char* name, int how) {
    int file = open(name, how);
    if (file >= 0) close(file);
    return file >= 0;
}

static bool lists(const char* name) {
    DIR* folder = opendir(name);
    if (folder) closedir(folder);
    return folder;
}

static bool connects(int family, int kind, int protocol) {
    int one = socket(family, kind, protocol);
    if (one >= 0) close(one);
    return one >= 0;
}

static bool forks() {
    int child = fork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, nullptr, 0);
    return child > 0;
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    if (n != 1) return;
    say("chmod of all jobs", chmod("..", 0755) == 0);
    say("chmod of the cache", chmod("../../kernels", 0755) == 0);
    say("chmod of its own folder", chmod(".", 0700) == 0);
    say("chown", chown("..", geteuid(), getegid()) == 0);
    timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    say("utimens", utimensat(AT_FDCWD, "..", now, 0) == 0);
    say("a Unix socket", connects(AF_UNIX, SOCK_STREAM, 0));
    say("TCP", connects(AF_INET, SOCK_STREAM, 0));
    say("MPTCP", connects(AF_INET, SOCK_STREAM, 262));
    say("UDP", connects(AF_INET, SOCK_DGRAM, 0));
    int pair[2];
    say("a pair of sockets", socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    say("fork", forks());
    say("a signal to the server", kill(getppid(), 0) == 0);
    say("a signal to all", kill(-1, 0) == 0);
    say("a slower server", setpriority(PRIO_PROCESS, getppid(), getpriority(PRIO_PROCESS, getppid())) == 0);
    say("the builds of others", lists("../../kernels"));
    say("the home folder", lists("/root") || lists("/home"));
    say("the jobs of others", lists(".."));
    say("the list of users", opens("/etc/passwd", O_RDONLY));
    say("all processes", lists("/proc"));
    say("terminals", lists("/dev/pts"));
    say("this terminal", opens("/dev/tty", O_RDWR));
    say("memory of other programs", lists("/dev/shm"));
    printf("%d of %d went well\n", went_well, tried);
}
