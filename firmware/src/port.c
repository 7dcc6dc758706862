#include "spytui/port.h"

uint64_t sty_env_no_time(void *ctx) {
    (void)ctx;
    return 0;
}

uint32_t sty_env_no_lock(void *ctx) {
    (void)ctx;
    return 0;
}

void sty_env_no_unlock(void *ctx, uint32_t state) {
    (void)ctx;
    (void)state;
}
