/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* An application for the small kernel, as one would write it for QS: a lamp switched by a button and a timer. */
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

/* `arg` is passed to QS_INIT(). */
void app_init(void const *arg);
void app_press(void);
/* Writes a record with every kind of element. */
void app_elements(void);
void app_in_critical_section(void);
/* What the assertion handler does. */
void app_assertion(char const *module, int location);

#endif
