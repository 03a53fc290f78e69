// Asks the standby server to run a command in its place, outside of what confines a worker: `ladder check` of a lesson of
// its own, which is Python and writes a file beside the cache's builds. It says how far it came.
// Emulator: not_written
// Says: was never written
// GPU: not_written

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <endian.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace fs = std::filesystem;

// A course whose only lesson writes the file when it is looked at.
static fs::path bait(const fs::path& file) {
    fs::path lesson = fs::current_path() / "course" / "lessons" / "01_bait" / "lesson.py";
    fs::create_directories(lesson.parent_path());
    fs::create_directories(fs::current_path() / "course" / "kernels");
    std::ofstream(lesson) << "open(" << file << ", 'w').write('escaped')\n";
    return fs::current_path() / "course";
}

static bool hand_over(int server, const std::string& request) {
    char word = 'C', room[CMSG_SPACE(4 * sizeof(int))] = {};
    int files[4] = {0, 1, 2, open(".", O_RDONLY)};
    iovec text = {&word, 1};
    msghdr message = {};
    message.msg_iov = &text, message.msg_iovlen = 1;
    message.msg_control = room, message.msg_controllen = sizeof room;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof files);
    memcpy(CMSG_DATA(head), files, sizeof files);
    unsigned long size = htobe64(request.size());
    return sendmsg(server, &message, MSG_NOSIGNAL) == 1 && send(server, &size, 8, MSG_NOSIGNAL) == 8 &&
           send(server, request.data(), request.size(), MSG_NOSIGNAL) == long(request.size());
}

static void ask(const fs::path& socket_file, const std::string& request) {
    int server = socket(AF_UNIX, SOCK_STREAM, 0), here = open(socket_file.parent_path().c_str(), O_PATH);
    sockaddr_un address = {AF_UNIX, {}};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", here, socket_file.filename().c_str());
    if (connect(server, (sockaddr*)&address, sizeof address)) return (void)printf("no server answers\n");
    char said[256] = {};
    if (recv(server, said, sizeof said - 1, 0) <= 0) return (void)printf("the server hangs up\n");
    printf("the server says %s", said);
    bool sent = hand_over(server, request);
    memset(said, 0, sizeof said);
    recv(server, said, sizeof said - 1, MSG_WAITALL);
    printf("a command was %s: %s", sent ? "sent" : "not sent", said);
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    if (n != 1) return;
    fs::path cache = fs::current_path().parent_path().parent_path(), file = cache / "escaped";
    std::string course = bait(file).string();
    std::string request = "{\"arguments\": [\"check\", \"01\"], \"umask\": 63, \"ignored\": [], \"environment\": "
                          "{\"LADDER_COURSE\": \"" + course + "\", \"PATH\": \"/usr/bin:/bin\"}}";
    if (!fs::exists(cache / "server")) return (void)printf("there is no server\n");
    std::error_code error;
    fs::directory_iterator sockets(cache / "server", error);
    if (error) return (void)printf("its socket: %s\n", error.message().c_str());
    for (const auto& entry : sockets) ask(entry.path(), request);
    printf("%s\n", fs::exists(file) ? "escaped" : "nothing was written");
}
