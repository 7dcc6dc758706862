/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#define _XOPEN_SOURCE 700

#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static bool fail(const char *what, const char *cause, const char *next) {
    fprintf(stderr, "spytui-target: %s: %s%s%s\n", what, cause, next[0] == '\0' ? "" : "; ", next);
    return false;
}

static void without_waiting(int fd) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static bool open_file(link_t *link, const char *path) {
    link->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    return link->fd >= 0 || fail(path, strerror(errno), "name a file that can be written");
}

/* Raw mode passes bytes unchanged. There is no peer until somebody opens the terminal. */
static bool open_pty(link_t *link) {
    link->fd = posix_openpt(O_RDWR | O_NOCTTY);
    if (link->fd < 0 || grantpt(link->fd) != 0 || unlockpt(link->fd) != 0) {
        return fail("pty", strerror(errno), "try --link tcp:127.0.0.1:0");
    }
    const char *path = ptsname(link->fd);
    const int slave = path == NULL ? -1 : open(path, O_RDWR | O_NOCTTY);
    struct termios mode;
    if (slave < 0 || tcgetattr(slave, &mode) != 0) {
        return fail("pty", strerror(errno), "try --link tcp:127.0.0.1:0");
    }
    mode.c_iflag &= ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
    mode.c_oflag &= ~(tcflag_t)OPOST;
    mode.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    mode.c_cflag = (mode.c_cflag & ~(tcflag_t)(CSIZE | PARENB)) | CS8;
    tcsetattr(slave, TCSANOW, &mode);
    close(slave);
    without_waiting(link->fd);
    printf("%s\n", path);
    fflush(stdout);
    return true;
}

/* Splits HOST:PORT and looks up the host. */
static struct addrinfo *look_up(const char *text, int type) {
    char host[256];
    const char *colon = strrchr(text, ':');
    const size_t length = colon == NULL ? 0 : (size_t)(colon - text);
    if (length == 0 || length >= sizeof host || colon[1] == '\0') {
        fail(text, "no address", "write HOST:PORT, as in 127.0.0.1:6601");
        return NULL;
    }
    memcpy(host, text, length);
    host[length] = '\0';
    const bool in_brackets = host[0] == '[' && host[length - 1] == ']';
    if (in_brackets) {
        host[length - 1] = '\0';
    }
    struct addrinfo hints;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = type;
    struct addrinfo *found = NULL;
    const int error = getaddrinfo(in_brackets ? host + 1 : host, colon + 1, &hints, &found);
    if (error != 0) {
        fail(text, gai_strerror(error), "write HOST:PORT, as in 127.0.0.1:6601");
        return NULL;
    }
    return found;
}

static int port_of(int fd) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
        return 0;
    }
    char port[16] = "0";
    getnameinfo((struct sockaddr *)&address, length, NULL, 0, port, sizeof port, NI_NUMERICSERV);
    return atoi(port);
}

static bool open_tcp(link_t *link, const char *text) {
    struct addrinfo *found = look_up(text, SOCK_STREAM);
    if (found == NULL) {
        return false;
    }
    const int yes = 1;
    link->listener = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    if (link->listener >= 0) {
        setsockopt(link->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    }
    const bool good = link->listener >= 0 && bind(link->listener, found->ai_addr, found->ai_addrlen) == 0 &&
        listen(link->listener, 1) == 0;
    const int error = errno;
    freeaddrinfo(found);
    if (!good) {
        return fail(text, strerror(error), "take another port; 0 takes a free one");
    }
    without_waiting(link->listener);
    printf("%.*s:%d\n", (int)(strrchr(text, ':') - text), text, port_of(link->listener));
    fflush(stdout);
    return true;
}

/* The host may come later. */
static bool open_host(link_t *link, const char *text) {
    struct addrinfo *found = look_up(text, SOCK_STREAM);
    if (found == NULL) {
        return false;
    }
    freeaddrinfo(found);
    link->host = text;
    return true;
}

static bool open_udp(link_t *link, const char *text) {
    struct addrinfo *found = look_up(text, SOCK_DGRAM);
    if (found == NULL) {
        return false;
    }
    link->fd = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    const bool good = link->fd >= 0 && connect(link->fd, found->ai_addr, found->ai_addrlen) == 0;
    const int error = errno;
    freeaddrinfo(found);
    if (!good) {
        return fail(text, strerror(error), "name the host and port where spytui --udp waits");
    }
    without_waiting(link->fd);
    return true;
}

bool link_open(link_t *link, const char *text) {
    *link = (link_t){.kind = LINK_FILE, .fd = -1, .listener = -1};
    if (strcmp(text, "stdout") == 0) {
        link->fd = STDOUT_FILENO;
        return !isatty(STDOUT_FILENO) || fail("stdout", "a terminal can't show the trace", "send it to a file or a pipe");
    }
    if (strncmp(text, "file:", 5) == 0) {
        return open_file(link, text + 5);
    }
    if (strcmp(text, "pty") == 0) {
        link->kind = LINK_PTY;
        return open_pty(link);
    }
    if (strncmp(text, "tcp:", 4) == 0) {
        link->kind = LINK_TCP;
        return open_tcp(link, text + 4);
    }
    if (strncmp(text, "connect:", 8) == 0) {
        link->kind = LINK_TCP;
        return open_host(link, text + 8);
    }
    if (strncmp(text, "udp:", 4) == 0) {
        link->kind = LINK_UDP;
        return open_udp(link, text + 4);
    }
    return fail(text, "there is no such link", "pty, tcp:HOST:PORT, connect:HOST:PORT, udp:HOST:PORT, file:PATH and stdout are there");
}

void link_close(link_t *link) {
    if (link->fd >= 0) {
        close(link->fd);
    }
    if (link->listener >= 0) {
        close(link->listener);
    }
}

static int try_host(const char *text) {
    struct addrinfo *found = look_up(text, SOCK_STREAM);
    int fd = -1;
    for (const struct addrinfo *at = found; at != NULL && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
        if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    if (found != NULL) {
        freeaddrinfo(found);
    }
    return fd;
}

static void get_peer(link_t *link) {
    const int yes = 1;
    link->fd = link->host != NULL ? try_host(link->host) : accept(link->listener, NULL, NULL);
    if (link->fd >= 0) {
        setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        without_waiting(link->fd);
    }
}

void link_turn_away(const link_t *link) {
    static const char reason[] = "spytui-target: another host is connected; it must close first\n";
    const int fd = link->listener >= 0 && link->fd >= 0 ? accept(link->listener, NULL, NULL) : -1;
    if (fd >= 0) {
        if (write(fd, reason, sizeof reason - 1) < 0) {
            /* Already gone. */
        }
        close(fd);
        fail("tcp", "a second host was refused", "one at a time is served");
    }
}

/* A terminal that nobody has opened reports a hangup. */
static bool pty_is_open(const link_t *link) {
    struct pollfd poll_fd = {.fd = link->fd, .events = POLLIN};
    return poll(&poll_fd, 1, 0) >= 0 && (poll_fd.revents & POLLHUP) == 0;
}

bool link_connect(link_t *link, const char *text) {
    *link = (link_t){.kind = LINK_TCP, .fd = -1, .listener = -1};
    if (!open_host(link, text)) {
        return false;
    }
    get_peer(link);
    return link->fd >= 0 || fail(text, "no host is there", "start spytui --listen first");
}

bool link_is_up(const link_t *link) {
    return link->kind == LINK_PTY ? pty_is_open(link) : link->fd >= 0;
}

bool link_accept(link_t *link) {
    if (link->kind == LINK_TCP && link->fd < 0) {
        get_peer(link);
    }
    return link_is_up(link);
}

void link_wait(const link_t *link, int milliseconds) {
    const bool waits_for_client = link->kind == LINK_TCP && link->fd < 0;
    const bool can_read = link->kind == LINK_UDP || link->kind == LINK_TCP || (link->kind == LINK_PTY && pty_is_open(link));
    struct pollfd poll_fd = {.fd = waits_for_client ? link->listener : link->fd, .events = POLLIN};
    poll(&poll_fd, can_read ? 1 : 0, milliseconds);
}

static void hang_up(link_t *link) {
    close(link->fd);
    link->fd = -1;
}

/* Small enough for an Ethernet frame. */
enum { DATAGRAM = 1400 };

size_t link_write(link_t *link, const uint8_t *bytes, size_t count, bool *failed) {
    const ssize_t done = write(link->fd, bytes, link->kind == LINK_UDP && count > DATAGRAM ? DATAGRAM : count);
    if (done >= 0) {
        return (size_t)done;
    }
    switch (link->kind) {
    case LINK_FILE:
        *failed = errno != EINTR;
        if (*failed && errno != EPIPE) {
            fail("the trace can't be written", strerror(errno), "");
        }
        return 0;
    case LINK_TCP:
        if (errno != EAGAIN && errno != EINTR) {
            hang_up(link);
        }
        return 0;
    case LINK_UDP: /* nobody is listening yet: the datagram is lost, as on any network */
        return errno == ECONNREFUSED ? (count > DATAGRAM ? DATAGRAM : count) : 0;
    default:
        return 0;
    }
}

size_t link_read(link_t *link, uint8_t *bytes, size_t size) {
    if (link->kind == LINK_FILE || link->fd < 0) {
        return 0;
    }
    const ssize_t count = read(link->fd, bytes, size);
    if (count == 0 && link->kind == LINK_TCP) {
        hang_up(link);
    }
    if (count < 0 && link->kind == LINK_TCP && errno != EAGAIN && errno != EINTR) {
        hang_up(link);
    }
    return count > 0 ? (size_t)count : 0;
}
