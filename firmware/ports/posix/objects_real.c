/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Each object is a symbol of the program, for hosts that look up names in its file. */
#include "objects.h"

extern demo_ao_t supervisor, pump, burner, door;
extern demo_timer_t log_timer, pump_timer, burner_timer;
extern demo_pool_t readings;
extern demo_plant_t plant;
extern demo_part_t log_task, modem_task, control_task, bus_mutex, control_sem, log_lines, burner_deferred;

demo_ao_t supervisor, pump, burner, door;
demo_timer_t log_timer, pump_timer, burner_timer;
demo_pool_t readings;
demo_plant_t plant;
demo_part_t log_task, modem_task, control_task, bus_mutex, control_sem, log_lines, burner_deferred;

const demo_objects_t *objects(void) {
    static const demo_objects_t all = {
        {&supervisor, &pump, &burner, &door}, {&log_timer, &pump_timer, &burner_timer}, &readings, &plant,
        {&log_task, &modem_task, &control_task, &bus_mutex, &control_sem, &log_lines, &burner_deferred}};
    return &all;
}
