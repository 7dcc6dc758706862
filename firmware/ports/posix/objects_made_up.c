/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "objects.h"

const demo_objects_t *objects(void) {
    return NULL;
}
