#include "objects.h"

const demo_objects_t *objects(void) {
    return NULL;
}
