/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for TinyUSB: what examples/usb_cdc.c uses, written from its manual. */
#ifndef STAND_IN_TUSB_H
#define STAND_IN_TUSB_H

#include <stdbool.h>
#include <stdint.h>

bool tusb_init(void);
void tud_task(void);
bool tud_cdc_connected(void);
uint32_t tud_cdc_write(const void *bytes, uint32_t count);
uint32_t tud_cdc_write_flush(void);
uint32_t tud_cdc_available(void);
int32_t tud_cdc_read_char(void);

#endif
