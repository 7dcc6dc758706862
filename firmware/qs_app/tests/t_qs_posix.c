/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The link on a POSIX system: a host that ends and comes again gets target info and names, and no record is lost
 * without being counted. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700

#include "qs_port.h"

#include "frames.h"
#include "tap.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NUMBER = QS_USER };

pthread_mutex_t port_mutex;
int port_faults;

static uint8_t pump;

void QS_onCommand(uint8_t cmdId, uint32_t param1, uint32_t param2, uint32_t param3) {
    (void)cmdId;
    (void)(param1 + param2 + param3);
}

static void send_names(void) {
    QS_OBJ_DICTIONARY(&pump);
    QS_USR_DICTIONARY(NUMBER);
}

static int listen_at(char *address, size_t size) {
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof any;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&any, sizeof any) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&any, &length) != 0) {
        exit(1);
    }
    snprintf(address, size, "127.0.0.1:%u", (unsigned)ntohs(any.sin_port));
    return listener;
}

/* What a host has received. */
typedef struct {
    unsigned infos;
    unsigned names;
    unsigned records;
    uint32_t last;
} host_t;

static void take_frame(host_t *host, const uint8_t *frame, int length) {
    uint8_t sum = 0;
    for (int i = 0; i < length; i++) {
        sum = (uint8_t)(sum + frame[i]);
    }
    if (length < 3 || sum != 0xFF) {
        return;
    }
    host->infos += frame[1] == QS_TARGET_INFO;
    host->names += frame[1] == QS_OBJ_DICT || frame[1] == QS_USR_DICT;
    host->records += frame[1] == NUMBER;
    if (frame[1] == NUMBER) {
        host->last = frame[7];
    }
}

/* Receives until nothing comes for a tenth of a second. */
static host_t receive(int link) {
    host_t host = {0};
    sty_hdlc_rx_t rx;
    uint8_t frame[128];
    uint8_t bytes[256];
    struct pollfd readable = {.fd = link, .events = POLLIN};
    sty_hdlc_rx_init(&rx, frame, sizeof frame);
    while (poll(&readable, 1, 100) > 0) {
        const ssize_t count = read(link, bytes, sizeof bytes);
        if (count <= 0) {
            break;
        }
        for (ssize_t i = 0; i < count; i++) {
            take_frame(&host, frame, sty_hdlc_rx_feed(&rx, bytes[i]));
        }
    }
    return host;
}

static void trace(uint8_t first, uint8_t last) {
    for (unsigned n = first; n <= last; n++) {
        QS_BEGIN_ID(NUMBER, 0)
            QS_U8(0, n);
        QS_END()
    }
    QS_RX_INPUT();
    QS_OUTPUT();
}

/* The program goes on until its host is there again. */
static int accept_again(int listener) {
    struct pollfd readable = {.fd = listener, .events = POLLIN};
    for (unsigned tries = 0; tries < 100; tries++) {
        QS_RX_INPUT();
        QS_OUTPUT();
        if (poll(&readable, 1, 50) > 0) {
            return accept(listener, NULL, NULL);
        }
    }
    return -1;
}

int main(void) {
    char address[32];
    const int listener = listen_at(address, sizeof address);
    sty_qs_app_names(send_names);
    OK(QS_INIT(address) != 0, "it connects");
    int link = accept(listener, NULL, NULL);
    QS_GLB_FILTER(QS_GRP_UA);
    send_names();
    trace(1, 10);
    host_t host = receive(link);
    OK(host.infos == 1 && host.names >= 2 && host.records == 10, "a host gets info, names and records");
    close(link);
    trace(11, 20);
    trace(21, 30);
    link = accept_again(listener);
    OK(link >= 0, "when that is gone, it connects again");
    QS_OUTPUT();
    trace(31, 40);
    host = receive(link);
    OK(host.infos == 1 && host.names >= 2, "that host gets info and names, too");
    OK(host.records >= 20 && host.last == 40, "and what came meanwhile: %u records", host.records);
    QS_EXIT();
    return DONE();
}
