/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Tests spytui-target from the host's side: t_links PROGRAM starts it with each link, reads the trace and sends a
 * command. */
#define _XOPEN_SOURCE 700

#include "tap.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program and what it prints. */
typedef struct {
    pid_t pid;
    int out;
    char line[128]; /* first line of its output */
} target_t;

static const char *program;

static void read_line(target_t *target) {
    size_t length = 0;
    while (length + 1 < sizeof target->line && read(target->out, &target->line[length], 1) == 1 &&
        target->line[length] != '\n') {
        length++;
    }
    target->line[length] = '\0';
}

/* Starts it; its messages go to stderr. */
static target_t start(const char *link, bool prints) {
    target_t target = {.pid = 0};
    int ends[2];
    if (pipe(ends) != 0) {
        exit(2);
    }
    target.pid = fork();
    if (target.pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (freopen("/dev/null", "w", stderr) != NULL) {
            execl(program, program, "--link", link, "--virtual-clock", (char *)NULL);
        }
        _exit(127);
    }
    close(ends[1]);
    target.out = ends[0];
    if (prints) {
        read_line(&target);
    }
    return target;
}

/* Stops it; returns its exit status. */
static int stop(const target_t *target) {
    int status = 0;
    kill(target->pid, SIGTERM);
    waitpid(target->pid, &status, 0);
    close(target->out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static uint8_t stream[1 << 16];
static size_t length;

static bool has(const char *bytes, size_t count) {
    for (size_t i = 0; i + count <= length; i++) {
        if (memcmp(&stream[i], bytes, count) == 0) {
            return true;
        }
    }
    return false;
}

/* Reads until the bytes arrive, or for ten seconds. */
static bool wait_for(int fd, const char *bytes, size_t count) {
    for (int tries = 0; tries < 1000 && !has(bytes, count); tries++) {
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        if (poll(&poll_fd, 1, 10) > 0) {
            const ssize_t got = read(fd, &stream[length], sizeof stream - length);
            length += got > 0 ? (size_t)got : 0;
        }
    }
    return has(bytes, count);
}

/* The trace is complete from its start, and the target answers: the info request of QS, number 1, and the info
 * without a reset. */
static void test_both_ways(const char *link, int fd) {
    static const uint8_t request[] = {1, 0, 0xFE, 0x7E};
    length = 0;
    OK(wait_for(fd, "door_open", 9) && length > 8 && memcmp(stream, "\x01\x00\xFE\x7E\x02\x40", 6) == 0,
        "%s: the trace comes from its start", link);
    OK(write(fd, request, sizeof request) == sizeof request && wait_for(fd, "\x40\x00\xDE\x02", 4), "%s: it answers", link);
}

static struct sockaddr_in local(int port) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static int connect_to(const char *text) {
    const struct sockaddr_in address = local(atoi(strrchr(text, ':') + 1));
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    return connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 ? fd : -1;
}

static void test_tcp(void) {
    const target_t target = start("tcp:127.0.0.1:0", true);
    int fd = connect_to(target.line);
    test_both_ways("tcp", fd);
    const int second = connect_to(target.line);
    length = 0;
    OK(wait_for(second, "another host is connected", 25), "tcp: a second client is refused with a reason");
    close(second);
    length = 0;
    OK(write(fd, "\x02\x00\xFD\x7E", 4) == 4 && wait_for(fd, "\x40\x00\xDE\x02", 4), "tcp: the first is still served");
    close(fd);
    fd = connect_to(target.line);
    test_both_ways("tcp, another client", fd);
    OK(stop(&target) == 0, "tcp: it ends at a signal");
    close(fd);
}

static void test_pty(void) {
    const target_t target = start("pty", true);
    int fd = open(target.line, O_RDWR | O_NOCTTY);
    test_both_ways("pty", fd);
    close(fd);
    poll(NULL, 0, 100); /* it checks once per step whether there is a peer */
    fd = open(target.line, O_RDWR | O_NOCTTY);
    test_both_ways("pty, opened again", fd);
    OK(stop(&target) == 0, "pty: it ends at a signal");
    close(fd);
}

static void test_udp(void) {
    struct sockaddr_in address = local(0);
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(fd, (const struct sockaddr *)&address, size) != 0 || getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        exit(2);
    }
    char link[32];
    snprintf(link, sizeof link, "udp:127.0.0.1:%d", ntohs(address.sin_port));
    const target_t target = start(link, false);
    struct sockaddr_in from;
    size = sizeof from;
    recvfrom(fd, stream, 1, MSG_PEEK, (struct sockaddr *)&from, &size);
    if (connect(fd, (const struct sockaddr *)&from, size) != 0) {
        exit(2);
    }
    test_both_ways("udp", fd);
    OK(stop(&target) == 0, "udp: it ends at a signal");
    close(fd);
}

/* Only one direction. */
static void test_stdout(void) {
    const target_t target = start("stdout", false);
    length = 0;
    OK(wait_for(target.out, "door_open", 9) && memcmp(stream, "\x01\x00\xFE\x7E", 4) == 0, "stdout: the trace comes from its start");
    OK(stop(&target) == 0, "stdout: it ends at a signal");
}

/* A program that can't do what it was asked to reports that with its exit status. */
static void test_refusals(void) {
    static const char *const links[] = {"nothing", "tcp:127.0.0.1", "udp:127.0.0.1:", "file:/nowhere/file"};
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        const target_t target = start(links[i], false);
        int status = 0;
        waitpid(target.pid, &status, 0);
        OK(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%s: refused", links[i]);
        close(target.out);
    }
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("usage: t_links PROGRAM\n", stderr);
        return 2;
    }
    program = argv[1];
    test_tcp();
    test_pty();
    test_udp();
    test_stdout();
    test_refusals();
    return DONE();
}
