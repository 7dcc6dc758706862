/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The demo target: a boiler with a supervisor, a pump, a burner and a door, and three additional tasks, traced in
 * any of the formats. The port calls in a loop
 *     demo_feed(&demo, …);                bytes from the host
 *     demo_step(&demo);                   DEMO_STEP_MS of the demo's time
 *     demo_read(&demo, buf, sizeof buf);  what the link carries meanwhile, until it returns 0
 * With the virtual clock and the demo's made-up addresses, the same seed gives the same bytes everywhere. */
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

/* Size of the ring in bytes. */
#ifndef DEMO_RING
#define DEMO_RING 4096
#endif

enum { DEMO_STEP_MS = 10, DEMO_QUEUE = 8, DEMO_POOL_BLOCKS = 10 };

/* Everything with an address and a name. Active objects come first, in order of priority. Those after the plant
 * belong to the kernel. */
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
    uint16_t busy; /* remaining steps of its work; meanwhile its queue fills up */
    demo_event_t *queue[DEMO_QUEUE];
} demo_ao_t;

typedef struct {
    uint16_t left; /* in steps, 0: not armed */
    uint16_t period;
} demo_timer_t;

typedef struct {
    uint8_t free;
    uint8_t min_free;
    demo_event_t blocks[DEMO_POOL_BLOCKS];
} demo_pool_t;

/* The physical plant, invisible to the program. Hosts of QS may inspect and change it. */
typedef struct {
    int16_t temperature; /* 0.1 C */
    uint16_t door_moves; /* steps until the door moves */
    uint16_t flame;      /* steps until the flame turns on or off, 0: no change */
    uint8_t door_is_open;
    uint8_t attempts; /* to ignite */
} demo_plant_t;

/* For a task: whether it is ready. For a mutex: its holder, one-based. For a semaphore or a queue: the count. */
typedef struct {
    uint8_t value;
} demo_part_t;

/* Storage of the objects. */
typedef struct {
    demo_ao_t *ao[DEMO_AOS];
    demo_timer_t *timer[DEMO_TIMERS];
    demo_pool_t *pool;
    demo_plant_t *plant;
    demo_part_t *part[DEMO_PARTS];
} demo_objects_t;

/* A trace format, one of those below. */
typedef struct demo_proto demo_proto_t;
extern const demo_proto_t demo_qs;
extern const demo_proto_t demo_rkh;
extern const demo_proto_t demo_tband;
extern const demo_proto_t demo_qnx;
extern const demo_proto_t demo_nto1; /* QNX, in its older format */

typedef struct {
    const demo_proto_t *proto;
    uint32_t seed; /* of the story; faults have a separate seed */
    sty_fault_config_t faults;
    /* Receives actions of the injector, as in spytui/fault.h; may be NULL. */
    void (*note)(void *ctx, const char *what, uint64_t at);
    /* In microseconds; NULL: the virtual clock, which advances with the steps. */
    uint64_t (*clock)(void *ctx);
    void *ctx;
    /* NULL: the objects are inside the demo, and the trace has made-up addresses. Otherwise these objects are used,
     * with their real addresses and those of the functions, for hosts that look up names in the program file. */
    const demo_objects_t *objects;
    /* Omits the names of objects and functions. */
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
            uint8_t entries, exits; /* of the current transition */
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
            bool asks; /* control_task is waiting for the reply to its message */
        } qnx;
        struct {
            sty_nto1_t nto1;
            sty_qnxrx_t rx;
        } nto1;
    } trace;
    uint64_t time; /* of the virtual clock */
    uint64_t zero; /* reading of the port's clock at the last reset */
    uint32_t steps;
    uint32_t random;
    bool reset_due;
    bool halted;
    bool quiet; /* the current reading is not traced */
    uint8_t target; /* target state of the transition */
    uint32_t polls; /* number of sensor polls */
    uint32_t readings;
    struct {
        const struct demo_act *act; /* the next one; NULL: all tasks wait */
        uint16_t left;              /* steps of DEMO_STEP_MS until then */
        uint8_t preempted;          /* bit mask of priorities */
        bool lent;                  /* log_task has inherited the priority of control_task */
        bool incident;              /* was requested */
    } tasks;
    bool had_incident;
    bool calm; /* no incident begins by itself */
    uint8_t stuck; /* steps from an assertion until the reset; 0: running */
    const char *cause; /* of the last reset, or NULL */
    /* The link, which survives a reset. */
    sty_fault_t fault;
    uint32_t link_steps;
    uint32_t drops_before; /* before the last reset */
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
/* Restarts as after a reset; the content of the ring is lost. */
void demo_restart(demo_t *demo);
/* Stops the program: further steps only run the link. */
void demo_halt(demo_t *demo);
/* Advances time by DEMO_STEP_MS. */
void demo_step(demo_t *demo);
/* Takes up to `size` bytes for the link; fewer, and finally 0, when none are left or the link rate set as a fault
 * allows no more in this step. */
uint32_t demo_read(demo_t *demo, uint8_t *to, uint32_t size);
/* Number of records dropped since the start or the last reset. */
uint32_t demo_drops(const demo_t *demo);
/* Takes bytes from the host. */
void demo_feed(demo_t *demo, const uint8_t *bytes, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
