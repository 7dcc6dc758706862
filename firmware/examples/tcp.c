/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Output to TCP through POSIX sockets, which lwIP, Zephyr and ESP-IDF also provide: serves one host at a time.
 *
 *     tcp 6601 & spytui --tcp 127.0.0.1:6601 --proto qs */
#define _POSIX_C_SOURCE 200809L

#include "lamp.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void *ctx) {
    (void)ctx;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_nsec / 1000u;
}

/* Only one thread traces. */
static const sty_env_t env = {now, sty_env_no_lock, sty_env_no_unlock, NULL, 1000000};

/* Sends and receives without waiting. False: the host is gone. */
static bool serve(int host) {
    uint8_t bytes[64];
    uint32_t count;
    const uint8_t *from = sty_ring_peek(&lamp_ring, &count);
    const ssize_t sent = send(host, from, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    sty_ring_skip(&lamp_ring, sent > 0 ? (uint32_t)sent : 0u);
    const ssize_t received = recv(host, bytes, sizeof bytes, MSG_DONTWAIT);
    for (ssize_t i = 0; i < received; i++) {
        lamp_receive(bytes[i]);
    }
    return received != 0;
}

static int listen_at(uint16_t port) {
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int yes = 1;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    return bind(listener, (const struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 1) == 0 ? listener : -1;
}

int main(int count, char **arguments) {
    const struct timespec tenth = {.tv_nsec = 100000000};
    const int listener = listen_at(count > 1 ? (uint16_t)atoi(arguments[1]) : 6601);
    if (listener < 0) {
        return 1;
    }
    lamp_start(&env);
    for (;;) {
        const int host = accept(listener, NULL, NULL);
        for (lamp_greet(); serve(host); lamp_step()) { /* also a host that comes again */
            nanosleep(&tenth, NULL);
        }
        close(host);
    }
}
