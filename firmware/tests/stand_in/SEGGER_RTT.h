/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for SEGGER_RTT.h: what examples/rtt_segger.c uses, written from its manual. */
#ifndef STAND_IN_SEGGER_RTT_H
#define STAND_IN_SEGGER_RTT_H

#define SEGGER_RTT_MODE_NO_BLOCK_TRIM 1u

int SEGGER_RTT_ConfigUpBuffer(unsigned channel, const char *name, void *buffer, unsigned size, unsigned flags);
int SEGGER_RTT_ConfigDownBuffer(unsigned channel, const char *name, void *buffer, unsigned size, unsigned flags);
unsigned SEGGER_RTT_Write(unsigned channel, const void *bytes, unsigned count);
unsigned SEGGER_RTT_Read(unsigned channel, void *bytes, unsigned size);

#endif
