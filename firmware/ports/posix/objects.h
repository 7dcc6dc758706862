/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The objects of the demo as variables of the program, or NULL: inside the demo, at made-up addresses. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include "demo.h"

const demo_objects_t *objects(void);

#endif
