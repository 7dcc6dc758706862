/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for the header of RKH in tests: the filters that rkh_glue.c uses, as functions of the test. */
#ifndef STAND_IN_RKH_H
#define STAND_IN_RKH_H

#include <stdbool.h>
#include <stdint.h>

#define RKH_TRC_ALL_EVENTS 0xFFu

void stand_in_filter(const char *what, uint32_t id, bool suppress);

#define RKH_FILTER_ON_GROUP_ALL_EVENTS(group) stand_in_filter("group", (group), true)
#define RKH_FILTER_OFF_GROUP_ALL_EVENTS(group) stand_in_filter("group", (group), false)
#define RKH_FILTER_ON_EVENT(event) stand_in_filter("event", (event), true)
#define RKH_FILTER_OFF_EVENT(event) stand_in_filter("event", (event), false)
#define RKH_FILTER_ON_SMA(ao) stand_in_filter("object", (ao), true)
#define RKH_FILTER_OFF_SMA(ao) stand_in_filter("object", (ao), false)
#define RKH_FILTER_OFF_ALL_SMA() stand_in_filter("objects", 0, false)
#define RKH_FILTER_ON_SIGNAL(sig) stand_in_filter("signal", (sig), true)
#define RKH_FILTER_OFF_SIGNAL(sig) stand_in_filter("signal", (sig), false)
#define RKH_FILTER_OFF_ALL_SIGNALS() stand_in_filter("signals", 0, false)

#endif
