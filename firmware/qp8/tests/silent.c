/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The application built without Q_SPY behaves the same. */
#include "app.h"

int main(void) {
    kernel_init();
    app_init(NULL);
    app_press();
    for (unsigned i = 0; i < 5; i++) {
        kernel_tick(0, NULL);
        while (kernel_step()) {
        }
    }
    app_elements();
    app_in_critical_section();
    app_assertion("silent", 1);
    return !(app_lamp[0].blinks == 1 && kernel_faults == 0);
}
