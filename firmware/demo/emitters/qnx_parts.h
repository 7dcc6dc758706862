/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Private to the QNX emitter. */
#ifndef SPYTUI_QNX_PARTS_H
#define SPYTUI_QNX_PARTS_H

#include "pack.h"
#include "spytui/qnx.h"

/* Class numbers in events. */
enum { KEV_CONTROL = 1, KEV_CALL, KEV_INT, KEV_THREAD, KEV_SYSTEM, KEV_USER, KEV_COMM };
/* Class and number within the class, as in the first word of an event. */
#define KEV_HEADER(class, number) ((uint32_t)(class) << 10 | (uint32_t)(number))

/* Bit mask of all classes in commands, except for those that stand for several. */
#define STY_QNX_ALL_CLASSES (((1u << STY_QNX_CLASSES) - (1u << STY_QNX_CALL_ENTER)) & ~(1u << 6))

/* Writes `words` of an event that has passed the filters. */
void sty_qnx_put_(sty_qnx_t *qnx, uint32_t cpu, uint32_t header, const uint32_t *words, uint32_t count);
/* Writes an event with bytes after the words, padded with zeros. */
void sty_qnx_put_text_(sty_qnx_t *qnx, uint32_t cpu, uint32_t header, const uint32_t *words, uint32_t count,
    const char *text);

/* Does an event of a class pass? `event` is its number in kernel commands. */
bool sty_qnx_on_(const sty_qnx_t *qnx, uint32_t class, uint32_t event, uint32_t pid, uint32_t tid);
/* Does an event of the thread running on `cpu` pass? */
bool sty_qnx_on_cpu_(const sty_qnx_t *qnx, uint32_t class, uint32_t event, uint32_t cpu);
bool sty_qnx_is_wide_(const sty_qnx_t *qnx, uint32_t class, uint32_t event);

#endif
