/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* An application for the small kernel, as it would be written for QS: a lamp that a button and a timer switch. */
#ifndef APP_H
#define APP_H

#include "qp_port.h"

enum { TIMEOUT_SIG = 4, BUTTON_SIG, NOISE_SIG };
enum { COMMAND_STAT = 100, ELEMENTS };
enum { CMD_BLINK = 3 };

typedef struct {
    QActive super;
    QTimeEvt timer;
    uint32_t blinks;
} lamp_t;
extern lamp_t app_lamp[2];

/* `arg` is that of QS_INIT(). */
void app_init(void const *arg);
void app_press(void);
/* A record with each element. */
void app_elements(void);
void app_in_critical_section(void);
/* What the handler of assertions does. */
void app_assertion(char const *module, int location);

#endif
