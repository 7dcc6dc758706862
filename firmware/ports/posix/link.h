/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The links of spytui-target. Nothing waits for the other side, save link_wait(). */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { LINK_FILE, LINK_PTY, LINK_TCP, LINK_UDP } link_kind_t;

typedef struct {
    link_kind_t kind;
    int fd;       /* -1: nobody is there */
    int listener; /* TCP */
} link_t;

/* Opens the link that `text` names. False: said on stderr why, and what to do. */
bool link_open(link_t *link, const char *text);
void link_close(link_t *link);

/* Lets the next client of TCP come. Does anybody take the bytes? */
bool link_accept(link_t *link);
/* Does that client still? */
bool link_is_up(const link_t *link);
/* Refuses another client of TCP beside the one that is there: it gets the reason as text. */
void link_turn_away(const link_t *link);
/* Waits for bytes or a client, at most so long. */
void link_wait(const link_t *link, int milliseconds);
/* The number of bytes that it took; 0: try later. Sets `*failed` when it will never take any. */
size_t link_write(link_t *link, const uint8_t *bytes, size_t count, bool *failed);
/* The number of bytes that came. */
size_t link_read(link_t *link, uint8_t *bytes, size_t size);

#endif
