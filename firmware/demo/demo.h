/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The demo target: a boiler with a supervisor, a pump, a burner and a door, and three tasks beside them, which reports
 * itself in any of the trace formats. The port calls in a loop
 *     demo_feed(&demo, …);                what came from the host
 *     demo_step(&demo);                   DEMO_STEP_MS of the demo's life
 *     demo_read(&demo, buf, sizeof buf);  what the link carries away meanwhile, until it returns 0
 * With the virtual clock and the addresses that the demo makes up, the same seed gives the same bytes everywhere. */
#ifndef SPYTUI_DEMO_H
#define SPYTUI_DEMO_H

#include "spytui/fault.h"
#include "spytui/qnx_rx.h"
#include "spytui/qs_rx.h"
#include "spytui/rkh_rx.h"
#include "spytui/tband_rtos.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the ring. */
#ifndef DEMO_RING
#define DEMO_RING 4096
#endif

enum { DEMO_STEP_MS = 10, DEMO_QUEUE = 8, DEMO_POOL_BLOCKS = 10 };

/* What has an address and a name. Active objects come first, in the order of their priorities. Those behind the plant belong
 * to the kernel. */
enum {
    DEMO_SUPERVISOR, DEMO_PUMP, DEMO_BURNER, DEMO_DOOR, DEMO_AOS,
    DEMO_LOG_TIMER = DEMO_AOS, DEMO_PUMP_TIMER, DEMO_BURNER_TIMER, DEMO_TIMERS_END,
    DEMO_SENSOR_IRQ = DEMO_TIMERS_END, DEMO_CONTACT_IRQ, DEMO_FLAME_IRQ, DEMO_IRQS_END,
    DEMO_POOL = DEMO_IRQS_END, DEMO_PLANT,
    DEMO_LOG_TASK, DEMO_MODEM_TASK, DEMO_CONTROL_TASK, DEMO_TASKS_END,
    DEMO_BUS_MUTEX = DEMO_TASKS_END, DEMO_CONTROL_SEM, DEMO_LOG_LINES, DEMO_BURNER_DEFERRED, DEMO_OBJECTS,
    DEMO_HOST = DEMO_OBJECTS, /* sends events, but has no address */
    DEMO_NOBODY = DEMO_OBJECTS,
    DEMO_TIMERS = DEMO_TIMERS_END - DEMO_AOS,
    DEMO_TASKS = DEMO_TASKS_END - DEMO_LOG_TASK,
    DEMO_PARTS = DEMO_OBJECTS - DEMO_LOG_TASK
};

/* The first four are reserved for the engine of the state machines. */
enum {
    DEMO_NO_SIG, DEMO_ENTRY_SIG, DEMO_EXIT_SIG, DEMO_RESERVED_SIG,
    DEMO_TEMPERATURE_SIG, DEMO_LOG_SIG, DEMO_TIMEOUT_SIG,
    DEMO_HEAT_ON_SIG, DEMO_HEAT_OFF_SIG, DEMO_PUMP_ON_SIG, DEMO_PUMP_OFF_SIG,
    DEMO_FLAME_ON_SIG, DEMO_FLAME_LOST_SIG, DEMO_BURNER_LIT_SIG, DEMO_BURNER_FAILED_SIG,
    DEMO_CONTACT_OPEN_SIG, DEMO_CONTACT_CLOSED_SIG, DEMO_DOOR_OPENED_SIG, DEMO_DOOR_CLOSED_SIG,
    DEMO_SELF_TEST_SIG, DEMO_LINE_SIG, DEMO_PACKET_SIG,
    DEMO_SIGS
};

typedef struct {
    uint8_t sig;
    uint8_t pool; /* 1, or 0 for an event without parameters, which is never freed */
    uint8_t ref;
    bool quiet; /* a reading that is not traced */
    int16_t value;
} demo_event_t;

typedef struct {
    uint8_t state;
    uint8_t head;
    uint8_t used;
    uint8_t min_free;
    uint16_t busy; /* steps that its work still takes; meanwhile its queue fills */
    demo_event_t *queue[DEMO_QUEUE];
} demo_ao_t;

typedef struct {
    uint16_t left; /* steps, 0: not armed */
    uint16_t period;
} demo_timer_t;

typedef struct {
    uint8_t free;
    uint8_t min_free;
    demo_event_t blocks[DEMO_POOL_BLOCKS];
} demo_pool_t;

/* What the program does not see itself. Hosts of QS may look into it and change it. */
typedef struct {
    int16_t temperature; /* 0.1 C */
    uint16_t door_moves; /* steps until then */
    uint16_t flame;      /* steps until the flame is on or goes out, 0: does not change */
    uint8_t door_is_open;
    uint8_t attempts; /* to ignite */
} demo_plant_t;

/* A task: whether it could run. A mutex: who holds it, counted from 1. A semaphore or a queue: how many. */
typedef struct {
    uint8_t value;
} demo_part_t;

/* Where the objects are. */
typedef struct {
    demo_ao_t *ao[DEMO_AOS];
    demo_timer_t *timer[DEMO_TIMERS];
    demo_pool_t *pool;
    demo_plant_t *plant;
    demo_part_t *part[DEMO_PARTS];
} demo_objects_t;

/* A trace format; one of those below. */
typedef struct demo_proto demo_proto_t;
extern const demo_proto_t demo_qs;
extern const demo_proto_t demo_rkh;
extern const demo_proto_t demo_tband;
extern const demo_proto_t demo_qnx;
extern const demo_proto_t demo_nto1; /* QNX as well, its older format */

typedef struct {
    const demo_proto_t *proto;
    uint32_t seed; /* of the story; the faults have their own */
    sty_fault_config_t faults;
    /* What the injector does, as in spytui/fault.h; may be NULL. */
    void (*note)(void *ctx, const char *what, uint64_t at);
    /* Microseconds; NULL: the virtual clock, which goes on with the steps. */
    uint64_t (*clock)(void *ctx);
    void *ctx;
    /* NULL: the objects are inside the demo, and the trace has made-up addresses. Else these objects with their own
     * addresses, and those of the functions, for hosts that look names up in the program file. */
    const demo_objects_t *objects;
    /* Leaves out the names of objects and functions. */
    bool no_names;
} demo_config_t;

/* Private; use the functions below. */
typedef struct demo {
    demo_config_t config;
    demo_objects_t objects;
    sty_env_t env;
    sty_ring_t ring;
    union {
        struct {
            sty_qs_t qs;
            sty_qsrx_t rx;
        } qs;
        struct {
            sty_rkh_t rkh;
            sty_cmdrx_t rx;
            uint8_t entries, exits; /* of the transition that is taken */
        } rkh;
        struct {
            sty_tband_t tband;
            sty_cmdrx_t rx;
            uint8_t running[STY_TBAND_CORES]; /* task */
        } tband;
        struct {
            sty_qnx_t qnx;
            sty_qnxrx_t rx;
            uint8_t buffer[64 * 16];
            bool asks; /* control_task waits for the reply to its message */
        } qnx;
        struct {
            sty_nto1_t nto1;
            sty_qnxrx_t rx;
        } nto1;
    } trace;
    uint64_t time; /* of the virtual clock */
    uint64_t zero; /* what the clock of the port said at the last reset */
    uint32_t steps;
    uint32_t random;
    bool reset_due;
    bool halted;
    bool quiet; /* a reading is handled that is not traced */
    uint8_t target; /* state that a transition goes to */
    uint32_t polls; /* of the sensor */
    uint32_t readings;
    struct {
        const struct demo_act *act; /* the next one; NULL: they wait */
        uint16_t left;              /* steps of DEMO_STEP_MS until then */
        uint8_t preempted;          /* bits by priority */
        bool lent;                  /* log_task has the priority of control_task */
        bool incident;              /* was asked for */
    } tasks;
    bool had_incident;
    bool calm; /* none begins by itself */
    uint8_t stuck; /* steps until it is reset, after an assertion; 0: it runs */
    const char *cause; /* of the last reset, or NULL */
    /* The link, which goes on over a reset. */
    sty_fault_t fault;
    uint32_t link_steps;
    uint32_t drops_before; /* the last reset */
    demo_event_t fixed[DEMO_SIGS];
    struct {
        demo_ao_t ao[DEMO_AOS];
        demo_timer_t timer[DEMO_TIMERS];
        demo_pool_t pool;
        demo_plant_t plant;
        demo_part_t part[DEMO_PARTS];
    } own;
    uint8_t ring_mem[DEMO_RING];
} demo_t;

void demo_init(demo_t *demo, const demo_config_t *config);
/* Starts again as after a reset; what the ring holds is lost. */
void demo_restart(demo_t *demo);
/* The program stops: steps only let the link go on. */
void demo_halt(demo_t *demo);
/* Lets DEMO_STEP_MS pass. */
void demo_step(demo_t *demo);
/* Takes up to `size` bytes for the link; fewer, and in the end 0, when there are no more, or the link rate that is
 * set as a fault allows no more in this step. */
uint32_t demo_read(demo_t *demo, uint8_t *to, uint32_t size);
/* Records dropped since the start or the last reset. */
uint32_t demo_drops(const demo_t *demo);
/* Bytes of the host. */
void demo_feed(demo_t *demo, const uint8_t *bytes, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
