/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Like size_qs.c, with the receive channel and all its commands. */
#include "spytui/qs_rec.h"
#include "spytui/qs_rx.h"

static uint8_t mem[1024];
static sty_ring_t ring;
static sty_qs_t qs;
static sty_qsrx_t rx;
static volatile uint32_t speed;

static bool may_access(void *ctx, uintptr_t address, size_t length, bool write) {
    (void)ctx;
    (void)write;
    return address == (uintptr_t)&speed && length <= sizeof speed;
}
static void nothing(void *ctx) {
    (void)ctx;
}
static void tick(void *ctx, uint8_t rate) {
    (void)ctx;
    speed = rate;
}
static void command(void *ctx, uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3) {
    (void)ctx;
    speed = id + p1 + p2 + p3;
}
static bool event(void *ctx, const sty_qsrx_event_t *e) {
    (void)ctx;
    return e->sig == 1u;
}
static uint8_t id_of(void *ctx, const void *object) {
    (void)ctx;
    return object == &speed;
}
static bool query(void *ctx, uint8_t kind, const void *object, sty_qsrx_query_t *answer) {
    (void)ctx;
    (void)object;
    answer->state = 1;
    return kind == STY_QS_SM;
}

int main(void) {
    static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
    static const sty_qsrx_cb_t callbacks = {may_access, nothing, tick, command, event, id_of, query, NULL, NULL};
    static const sty_qs_target_t target = {
        .version = 734, .tail = STY_QS_TARGET(32, 3, 1, 26, 3, 11, 9, 14, 0), .info = sty_qs_info_7};
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_qs_init(&qs, &ring, &target);
    sty_qsrx_init(&rx, &qs, &callbacks, NULL);
    sty_qs_start(&qs);
    sty_qs_obj_dict(&qs, &ring, "ring");
    sty_qs_usr_dict(&qs, STY_QS_USER, "SPEED");
    sty_qs_post(&qs, 1, &ring, 5, &qs, 1, 1, 10, 9);
    STY_QS_BEGIN(&qs, STY_QS_USER, 0)
        sty_qs_u32(&qs, 5, speed);
    STY_QS_END(&qs)
    sty_qsrx_feed(&rx, (uint8_t)speed);
    return 0;
}
