/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QNX emitter for `kev`, the 16-byte events of the instrumented kernel, collected in numbered buffers. The older
 * `nto1` records are in nto1.h, the host's text commands in qnx_rx.h.
 *
 * `cpu` is the calling CPU. Times are the port's, which counts cycles. The event that fills a buffer copies it to
 * the ring while holding the lock. */
#ifndef SPYTUI_QNX_H
#define SPYTUI_QNX_H

#include "spytui/ring.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef STY_QNX_CPUS
#define STY_QNX_CPUS 2
#endif
/* Number of single-event filters by process and thread. */
#ifndef STY_QNX_EVENT_FILTERS
#define STY_QNX_EVENT_FILTERS 8
#endif

/* User events assigned by spytui: the drop total, marks, and answers to commands. */
enum { STY_QNX_DROPS = 1021, STY_QNX_MARK = 1022, STY_QNX_ACK = 1023 };

/* Class numbers in kernel commands. */
enum {
    STY_QNX_CALL_ENTER = 3, STY_QNX_CALL_EXIT = 4, STY_QNX_CALL_INT = 5, STY_QNX_INT_ENTER = 7, STY_QNX_INT_EXIT = 8,
    STY_QNX_PROCESS = 9, STY_QNX_THREAD = 10, STY_QNX_USER = 12, STY_QNX_SYSTEM = 13, STY_QNX_COMM = 14,
    STY_QNX_HANDLER_ENTER = 15, STY_QNX_HANDLER_EXIT = 16, STY_QNX_CLASSES = 21
};

/* Content of the stream header. */
typedef struct {
    uint32_t cycles_per_second;
    const char *release; /* "6.4.1" */
    const char *machine;
    const char *date; /* like C's ctime, without the line end */
} sty_qnx_target_t;

/* A filter by process and thread; 0 = any. */
typedef struct {
    uint32_t pid;
    uint32_t tid;
} sty_qnx_owner_t;

typedef struct sty_qnx sty_qnx_t;

/* Private; use the functions below. */
struct sty_qnx {
    sty_ring_t *ring;
    const sty_qnx_target_t *target;
    uint8_t *buf;
    uint32_t size;     /* of the buffer, in events */
    uint32_t used;     /* events in it, including those about the buffer */
    uint32_t records;  /* and those of the program */
    uint32_t sequence; /* of the buffer */
    uint32_t drops;    /* number of program events in dropped buffers */
    uint32_t reported;
    uint32_t reporting; /* drop total in the buffer */
    uint32_t timed; /* bit mask of CPUs whose time is known in this buffer */
    uint32_t msb[STY_QNX_CPUS];
    bool recording;
    uint32_t classes; /* filters as bits, 1 = passes */
    uint32_t events[STY_QNX_CLASSES][4];
    uint32_t wide[STY_QNX_CLASSES][4];
    sty_qnx_owner_t class_owner[STY_QNX_CLASSES];
    struct {
        uint8_t of_class;
        uint8_t event;
        sty_qnx_owner_t owner;
    } event_owner[STY_QNX_EVENT_FILTERS];
    sty_qnx_owner_t running[STY_QNX_CPUS];
};

/* `mem` is a buffer of `size` bytes, a multiple of 16, which is copied to the ring when full. The ring must be a
 * KEEP ring with room for several. A buffer that does not fit is dropped as a whole. Initially, all filters pass,
 * all classes are fast, and recording is on. */
void sty_qnx_init(sty_qnx_t *qnx, sty_ring_t *ring, const sty_qnx_target_t *target, void *mem, uint32_t size);
/* Sends the stream header. False: it did not fit in the ring. */
bool sty_qnx_start(sty_qnx_t *qnx);

/* Hands over a partly filled buffer if the ring has room for it. Call it now and then where the link is served. */
void sty_qnx_flush(sty_qnx_t *qnx);
/* Hands over the buffer and stops, or continues. */
void sty_qnx_record(sty_qnx_t *qnx, bool on);
/* Number of events dropped since the start. */
static inline uint32_t sty_qnx_drops(const sty_qnx_t *qnx) {
    return qnx->drops;
}

/* Thread states. */
enum {
    STY_QNX_DEAD, STY_QNX_RUNNING, STY_QNX_READY, STY_QNX_STOPPED, STY_QNX_SEND, STY_QNX_RECEIVE, STY_QNX_REPLY,
    STY_QNX_STACK, STY_QNX_WAITTHREAD, STY_QNX_WAITPAGE, STY_QNX_SIGSUSPEND, STY_QNX_SIGWAITINFO, STY_QNX_NANOSLEEP,
    STY_QNX_IN_MUTEX, STY_QNX_CONDVAR, STY_QNX_JOIN, STY_QNX_INTR, STY_QNX_SEM, STY_QNX_CREATE = 24, STY_QNX_DESTROY
};

/* Processes and threads; thread ids start at 1. */

/* A process was created. */
void sty_qnx_process_create(sty_qnx_t *qnx, uint32_t cpu, uint32_t ppid, uint32_t pid, const char *name);
/* A process was destroyed. */
void sty_qnx_process_destroy(sty_qnx_t *qnx, uint32_t cpu, uint32_t ppid, uint32_t pid);
/* The name of a thread. */
void sty_qnx_thread_name(sty_qnx_t *qnx, uint32_t cpu, uint32_t pid, uint32_t tid, const char *name);
/* A thread enters a state, one of the above; RUNNING also selects the process for filters on this CPU. Wide classes
 * send priority and policy. */
void sty_qnx_thread(sty_qnx_t *qnx, uint32_t cpu, uint32_t state, uint32_t pid, uint32_t tid, uint32_t priority,
    uint32_t policy);

/* Kernel calls: all words of an event, and a bit mask of those sent by a fast class. */

/* A call begins. */
void sty_qnx_call_enter(sty_qnx_t *qnx, uint32_t cpu, uint32_t call, const uint32_t *words, uint32_t count,
    uint32_t fast);
/* A call returns. */
void sty_qnx_call_exit(sty_qnx_t *qnx, uint32_t cpu, uint32_t call, const uint32_t *words, uint32_t count,
    uint32_t fast);
/* A call returns an error. */
void sty_qnx_call_failed(sty_qnx_t *qnx, uint32_t cpu, uint32_t call, uint32_t error);

/* An interrupt begins; `ip` is the interrupted address. */
void sty_qnx_int_enter(sty_qnx_t *qnx, uint32_t cpu, uint32_t interrupt, uint32_t ip);
/* An interrupt ends; `in_kernel` is 1 if it interrupted the kernel. */
void sty_qnx_int_exit(sty_qnx_t *qnx, uint32_t cpu, uint32_t interrupt, uint32_t in_kernel);
/* A handler of the process `pid` begins. */
void sty_qnx_handler_enter(sty_qnx_t *qnx, uint32_t cpu, uint32_t pid, uint32_t interrupt, uint32_t ip, uint32_t area);
/* A handler that returns no event. */
void sty_qnx_handler_exit(sty_qnx_t *qnx, uint32_t cpu, uint32_t interrupt);

/* Messages and pulses. */
enum {
    STY_QNX_SEND_MESSAGE, STY_QNX_SEND_PULSE, STY_QNX_RECEIVE_MESSAGE, STY_QNX_RECEIVE_PULSE, STY_QNX_REPLY_MESSAGE = 10,
    STY_QNX_ERROR_MESSAGE
};
/* `id` is a rcvid or scoid; for replies and errors, the thread. */
void sty_qnx_comm(sty_qnx_t *qnx, uint32_t cpu, uint32_t event, uint32_t id, uint32_t pid);

/* A line of the system log; severity 0, the worst, to 7. */
void sty_qnx_slog(sty_qnx_t *qnx, uint32_t cpu, uint32_t opcode, uint32_t severity, const char *text);

/* User events 0–1020. */
void sty_qnx_user(sty_qnx_t *qnx, uint32_t cpu, uint32_t event, uint32_t first, uint32_t second);
/* A user event with a text of up to 127 bytes; the rest is cut off. */
void sty_qnx_user_text(sty_qnx_t *qnx, uint32_t cpu, uint32_t event, const char *text);

/* Executes the kernel command `number` with its words: filters, modes, stop. Returns 0 or an error number: 22 for an
 * unknown command or class, 12 if there is no room for a filter. */
uint32_t sty_qnx_command(sty_qnx_t *qnx, uint32_t number, const uint32_t *words, uint32_t count);

/* Sends an answer to a command, and hands over the buffer. Passes every filter, even while nothing is recorded. */
void sty_qnx_answer(sty_qnx_t *qnx, uint32_t id, uint32_t result);
/* Sends a text from the host as user event 1022. */
void sty_qnx_mark(sty_qnx_t *qnx, const char *text);

#ifdef __cplusplus
}
#endif

#endif
