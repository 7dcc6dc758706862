/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The links of spytui-target. Nothing waits for the peer, except link_wait(). */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { LINK_FILE, LINK_PTY, LINK_TCP, LINK_UDP } link_kind_t;

typedef struct {
    link_kind_t kind;
    int fd;           /* -1: no peer */
    int listener;     /* TCP; -1: connects to a host instead */
    const char *host; /* then HOST:PORT */
} link_t;

/* Opens the link described by `text`. On failure, prints the reason and what to do to stderr, and returns false. */
bool link_open(link_t *link, const char *text);
/* Likewise; connects to the host at HOST:PORT, which must be there. */
bool link_connect(link_t *link, const char *text);
void link_close(link_t *link);

/* Accepts the next TCP client, or tries to connect to the host. Returns whether there is a peer. */
bool link_accept(link_t *link);
/* Is the client still connected? */
bool link_is_up(const link_t *link);
/* Refuses a second TCP client, with the reason as text. */
void link_turn_away(const link_t *link);
/* Waits for bytes or a client, up to a limit. */
void link_wait(const link_t *link, int milliseconds);
/* Returns the number of bytes written; 0: try later. Sets `*failed` if writing will never succeed. */
size_t link_write(link_t *link, const uint8_t *bytes, size_t count, bool *failed);
/* Returns the number of bytes received. */
size_t link_read(link_t *link, uint8_t *bytes, size_t size);

#endif
