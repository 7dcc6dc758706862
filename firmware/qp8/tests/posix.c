/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Runs the application for 100 ticks of 1 ms; the trace goes to the link of qs_posix.c: qp8_posix file:PATH or
 * HOST:PORT. */
#define _POSIX_C_SOURCE 200809L

#include "app.h"

#include "qs_port.h"

#include <time.h>

void QS_onCommand(uint8_t cmdId, uint32_t param1, uint32_t param2, uint32_t param3) {
    (void)param1;
    (void)param2;
    (void)param3;
    if (cmdId == CMD_BLINK) {
        app_press();
    }
}

int main(int argc, char **argv) {
    static const struct timespec tick_time = {.tv_nsec = 1000000};
    app_init(argc > 1 ? argv[1] : NULL);
    for (unsigned tick = 0; tick < 100; tick++) {
        kernel_tick(0, NULL);
        if (tick % 10u == 0u) {
            app_press();
        }
        while (kernel_step()) {
        }
        QS_RX_INPUT();
        QS_OUTPUT();
        nanosleep(&tick_time, NULL);
    }
    app_elements();
    app_assertion("posix", 77);
    QS_EXIT();
    return kernel_faults != 0u;
}
