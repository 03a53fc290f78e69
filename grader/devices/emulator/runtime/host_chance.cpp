// The linker leads the file's calls of clocks and dice to here (--wrap); kernels have none of them.
#include "host_chance.h"

#include <sys/time.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <random>
#include <utility>

#include "machine.h"

using namespace ladder;

namespace {

std::int64_t ahead() {
    machine().chance.was_asked = true;
    return machine().chance.seconds;
}

template <class T> T thrown(T own, std::int64_t most) {
    HostChance& chance = machine().chance;
    chance.was_asked = true;
    return std::exchange(chance.falls, false) ? static_cast<T>(chance.fallen < 0 ? most : chance.fallen % (most + 1)) : own;
}

template <class Clock> std::int64_t shifted() {
    return (Clock::now().time_since_epoch() + std::chrono::duration_cast<typename Clock::duration>(std::chrono::seconds(ahead()))).count();
}

}  // namespace

extern "C" {

// For the next call. A die that falls shows `die`, or the most that it can if that is below 0.
void ladder_session_chance(std::int64_t seconds, std::int64_t die, int falls, int is_busy, int on_default_stream) {
    machine().chance = {seconds, die, falls != 0, is_busy != 0, on_default_stream != 0, false};
}
int ladder_session_asked_for_chance() { return machine().chance.was_asked; }

time_t __wrap_time(time_t* to) {
    const time_t now = std::time(nullptr) + ahead();
    if (to) *to = now;
    return now;
}
int __wrap_clock_gettime(clockid_t clock, timespec* to) {
    const int refused = clock_gettime(clock, to);
    if (!refused) to->tv_sec += ahead();
    return refused;
}
int __wrap_gettimeofday(timeval* to, void* zone) {
    const int refused = gettimeofday(to, static_cast<struct timezone*>(zone));
    if (!refused) to->tv_sec += ahead();
    return refused;
}
int __wrap_timespec_get(timespec* to, int base) {
    const int got = timespec_get(to, base);
    if (got) to->tv_sec += ahead();
    return got;
}
clock_t __wrap_clock() { return std::clock() + static_cast<clock_t>(ahead() % (1 << 20)) * CLOCKS_PER_SEC; }
std::int64_t __wrap__ZNSt6chrono3_V212system_clock3nowEv() { return shifted<std::chrono::system_clock>(); }
std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() { return shifted<std::chrono::steady_clock>(); }

int __wrap_rand() { return thrown(std::rand(), RAND_MAX); }
long __wrap_random() { return thrown(random(), RAND_MAX); }
long __wrap_lrand48() { return thrown(lrand48(), RAND_MAX); }
int __wrap_rand_r(unsigned* seed) { return thrown(rand_r(seed), RAND_MAX); }
double __wrap_drand48() {
    const std::int64_t bits = thrown<std::int64_t>(-1, RAND_MAX);
    const double own = drand48();
    return bits < 0 ? own : static_cast<double>(bits) / (static_cast<double>(RAND_MAX) + 1);
}
unsigned __wrap__ZNSt13random_device9_M_getvalEv(std::random_device* device) { return thrown((*device)(), 0xffffffff); }

}  // extern "C"
