/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The link of a program on a POSIX system: the callbacks of QS that a board implements itself.
 * QS_INIT("localhost:6601") or QS_INIT(NULL) connects to `spytui --listen 6601`, and again if that was ended and
 * started; "file:PATH" writes a file. */
#define _POSIX_C_SOURCE 200809L

#include "qs_port.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Buffer sizes for pending bytes and commands. */
#ifndef STY_QS_POSIX_TRACE
#define STY_QS_POSIX_TRACE 65536
#endif
enum { COMMANDS = 1024 };

static int fd = -1;
static bool is_socket;
/* A socket that connects again, since the host is gone. */
static int again = -1;
static struct sockaddr_storage host_address;
static socklen_t host_address_length;
static time_t tried;

/* Only one thread at a time may take bytes. Not the lock of the trace, which may be held when an assertion fails. */
static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;
static const uint8_t *rest; /* of the block that the link has not accepted yet */
static uint16_t rest_count;

static int connect_to(const char *host, const char *port) {
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int made = -1;
    if (getaddrinfo(host, port, &hints, &found) != 0) {
        return -1;
    }
    for (const struct addrinfo *at = found; at != NULL && made < 0; at = at->ai_next) {
        made = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
        if (made >= 0 && connect(made, at->ai_addr, at->ai_addrlen) != 0) {
            close(made);
            made = -1;
        } else if (made >= 0) {
            memcpy(&host_address, at->ai_addr, at->ai_addrlen);
            host_address_length = at->ai_addrlen;
        }
    }
    freeaddrinfo(found);
    return made;
}

static int open_link(const char *text) {
    char host[256];
    is_socket = strncmp(text, "file:", 5) != 0;
    if (!is_socket) {
        return open(text + 5, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    }
    const char *colon = strrchr(text, ':');
    snprintf(host, sizeof host, "%.*s", colon == NULL ? (int)strlen(text) : (int)(colon - text), text);
    return connect_to(host, colon == NULL ? "6601" : colon + 1);
}

static time_t seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

/* Tries to connect to the same host again, once a second and without waiting. True: it is there. */
static bool connects_again(void) {
    if (again < 0 && tried != seconds()) {
        tried = seconds();
        again = socket(host_address.ss_family, SOCK_STREAM, 0);
        if (again >= 0 && fcntl(again, F_SETFL, O_NONBLOCK) == 0) {
            (void)connect(again, (struct sockaddr *)&host_address, host_address_length);
        }
    }
    struct pollfd writable = {.fd = again, .events = POLLOUT};
    int error = 0;
    socklen_t length = sizeof error;
    if (again < 0 || poll(&writable, 1, 0) <= 0) {
        return false;
    }
    if (getsockopt(again, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) {
        close(again);
        again = -1;
        return false;
    }
    (void)fcntl(again, F_SETFL, 0);
    fd = again;
    again = -1;
    return true;
}

/* The host is gone. What comes stays in the buffer, or is counted, until it is there again. */
static void hang_up(void) {
    close(fd);
    fd = -1;
    tried = seconds();
}

/* Sends a part of the block. False: the link accepts no more for now. */
static bool send_some(bool wait) {
    const ssize_t sent = is_socket ? send(fd, rest, rest_count, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT))
                                   : write(fd, rest, rest_count);
    if (sent >= 0) {
        rest += sent;
        rest_count = (uint16_t)(rest_count - sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return false;
    } else if (errno != EINTR) {
        hang_up();
    }
    return true;
}

/* Sends pending bytes; with `wait`, all of them. */
static void send_all(bool wait) {
    pthread_mutex_lock(&output);
    while (fd >= 0) {
        if (rest_count == 0u) {
            rest_count = 0xFFFF;
            rest = QS_getBlock(&rest_count);
        }
        if (rest == NULL || !send_some(wait)) {
            break;
        }
    }
    pthread_mutex_unlock(&output);
}

uint8_t QS_onStartup(void const *arg) {
    static uint8_t trace[STY_QS_POSIX_TRACE];
    static uint8_t commands[COMMANDS];
    const char *text = arg == NULL ? "localhost:6601" : (const char *)arg;
    fd = open_link(text);
    if (fd < 0) {
        fprintf(stderr, "trace: %s can't be opened: %s. Is `spytui --listen 6601 --proto qs` running?\n", text,
            strerror(errno));
        return 0;
    }
    QS_initBuf(trace, sizeof trace);
    QS_rxInitBuf(commands, sizeof commands);
    return 1;
}

void QS_onCleanup(void) {
    send_all(true);
    close(fd);
    fd = -1;
}

void QS_onFlush(void) {
    send_all(true);
}

/* Ends the program, if it does not say itself what a reset by the host does. */
__attribute__((weak)) void QS_onReset(void) {
    QS_onCleanup();
    exit(EXIT_SUCCESS);
}

#ifdef Q_UTEST
/* Without a host a paused program would wait forever. */
__attribute__((weak)) void QS_onTestLoop(void) {
    struct pollfd readable = {.fd = is_socket ? fd : -1, .events = POLLIN};
    if (readable.fd < 0) {
        QS_onReset();
    }
    QS_doOutput();
    poll(&readable, 1, 50);
    QS_doInput();
}
#endif

/* Microseconds. */
QSTimeCtr QS_onGetTime(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (QSTimeCtr)((uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_nsec / 1000u);
}

void QS_doOutput(void) {
    pthread_mutex_lock(&output);
    const bool is_new = fd < 0 && host_address_length != 0u && connects_again();
    pthread_mutex_unlock(&output);
    if (is_new) {
        send_all(true); /* makes room for names */
        sty_qs_app_greet();
    }
    send_all(false);
}

void QS_doInput(void) {
    struct pollfd readable = {.fd = is_socket ? fd : -1, .events = POLLIN};
    uint8_t bytes[256];
    while (poll(&readable, 1, 0) > 0 && (readable.revents & (POLLIN | POLLHUP)) != 0) {
        const ssize_t count = read(fd, bytes, sizeof bytes);
        if (count <= 0) {
            pthread_mutex_lock(&output);
            hang_up();
            pthread_mutex_unlock(&output);
            break;
        }
        for (ssize_t i = 0; i < count; i++) {
            QS_RX_PUT(bytes[i]);
        }
        QS_rxParse();
    }
}
