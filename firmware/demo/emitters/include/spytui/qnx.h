/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QNX emitter: `kev`, the 16-byte events of the instrumented kernel, gathered in numbered buffers. The older `nto1`
 * records are in nto1.h, the text commands of a host in qnx_rx.h.
 *
 * `cpu` is the one that calls. Times are those of the port, which counts cycles. The event that fills a buffer copies it
 * to the ring while it holds the lock. */
#ifndef SPYTUI_QNX_H
#define SPYTUI_QNX_H

#include "spytui/ring.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef STY_QNX_CPUS
#define STY_QNX_CPUS 2
#endif
/* Filters of one event by process and thread. */
#ifndef STY_QNX_EVENT_FILTERS
#define STY_QNX_EVENT_FILTERS 8
#endif

/* User events of our own: the drop total, and answers to commands. */
enum { STY_QNX_DROPS = 1021, STY_QNX_MARK = 1022, STY_QNX_ACK = 1023 };

/* Classes as the kernel's commands number them. */
enum {
    STY_QNX_CALL_ENTER = 3, STY_QNX_CALL_EXIT = 4, STY_QNX_CALL_INT = 5, STY_QNX_INT_ENTER = 7, STY_QNX_INT_EXIT = 8,
    STY_QNX_PROCESS = 9, STY_QNX_THREAD = 10, STY_QNX_USER = 12, STY_QNX_SYSTEM = 13, STY_QNX_COMM = 14,
    STY_QNX_HANDLER_ENTER = 15, STY_QNX_HANDLER_EXIT = 16, STY_QNX_CLASSES = 21
};

/* What the head of the stream says. */
typedef struct {
    uint32_t cycles_per_second;
    const char *release; /* "6.4.1" */
    const char *machine;
    const char *date; /* as C's ctime, without the line end */
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
    uint32_t used;     /* events in it, those of the buffer itself included */
    uint32_t records;  /* and those of the program */
    uint32_t sequence; /* of the buffer */
    uint32_t drops;    /* events of the program in dropped buffers */
    uint32_t reported;
    uint32_t reporting; /* the drop total in the buffer */
    uint32_t timed; /* CPUs whose time is known in this buffer, as bits */
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

/* `mem` has `size` bytes, a multiple of 16: a buffer, which goes to the ring when it is full. The ring must be a KEEP ring
 * that holds several. A buffer that finds no room is dropped as a whole. All filters let pass, all classes are fast;
 * recording. */
void sty_qnx_init(sty_qnx_t *qnx, sty_ring_t *ring, const sty_qnx_target_t *target, void *mem, uint32_t size);
/* The head of the stream. False: it did not fit in the ring. */
bool sty_qnx_start(sty_qnx_t *qnx);

/* Hands the buffer over though it is not full, if the ring has room for it. Call it now and then where the link is
 * served. */
void sty_qnx_flush(sty_qnx_t *qnx);
/* Hands it over and stops, or goes on. */
void sty_qnx_record(sty_qnx_t *qnx, bool on);
/* Events dropped since the start. */
static inline uint32_t sty_qnx_drops(const sty_qnx_t *qnx) {
    return qnx->drops;
}

/* Thread states. */
enum {
    STY_QNX_DEAD, STY_QNX_RUNNING, STY_QNX_READY, STY_QNX_STOPPED, STY_QNX_SEND, STY_QNX_RECEIVE, STY_QNX_REPLY,
    STY_QNX_STACK, STY_QNX_WAITTHREAD, STY_QNX_WAITPAGE, STY_QNX_SIGSUSPEND, STY_QNX_SIGWAITINFO, STY_QNX_NANOSLEEP,
    STY_QNX_IN_MUTEX, STY_QNX_CONDVAR, STY_QNX_JOIN, STY_QNX_INTR, STY_QNX_SEM, STY_QNX_CREATE = 24, STY_QNX_DESTROY
};

/* Processes and threads; thread ids count from 1. */

/* A process is there. */
void sty_qnx_process_create(sty_qnx_t *qnx, uint32_t cpu, uint32_t ppid, uint32_t pid, const char *name);
/* It is gone. */
void sty_qnx_process_destroy(sty_qnx_t *qnx, uint32_t cpu, uint32_t ppid, uint32_t pid);
/* The name of a thread. */
void sty_qnx_thread_name(sty_qnx_t *qnx, uint32_t cpu, uint32_t pid, uint32_t tid, const char *name);
/* A thread comes into a state, one of the above; RUNNING also says whom the filters by process mean on this CPU. Priority
 * and policy are sent by wide classes. */
void sty_qnx_thread(sty_qnx_t *qnx, uint32_t cpu, uint32_t state, uint32_t pid, uint32_t tid, uint32_t priority,
    uint32_t policy);

/* Kernel calls: all words of an event, and which of them a fast class sends, as bits. */

/* A call begins. */
void sty_qnx_call_enter(sty_qnx_t *qnx, uint32_t cpu, uint32_t call, const uint32_t *words, uint32_t count,
    uint32_t fast);
/* It returns. */
void sty_qnx_call_exit(sty_qnx_t *qnx, uint32_t cpu, uint32_t call, const uint32_t *words, uint32_t count,
    uint32_t fast);
/* It returns an error. */
void sty_qnx_call_failed(sty_qnx_t *qnx, uint32_t cpu, uint32_t call, uint32_t error);

/* An interrupt begins; `ip` is where it hit. */
void sty_qnx_int_enter(sty_qnx_t *qnx, uint32_t cpu, uint32_t interrupt, uint32_t ip);
/* It ends; `in_kernel` is 1 if it came while the kernel ran. */
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
/* `id` is a rcvid or scoid, of replies and errors the thread. */
void sty_qnx_comm(sty_qnx_t *qnx, uint32_t cpu, uint32_t event, uint32_t id, uint32_t pid);

/* A line of the system log; severity 0, the worst, to 7. */
void sty_qnx_slog(sty_qnx_t *qnx, uint32_t cpu, uint32_t opcode, uint32_t severity, const char *text);

/* User events 0–1020. */
void sty_qnx_user(sty_qnx_t *qnx, uint32_t cpu, uint32_t event, uint32_t first, uint32_t second);
/* The same with a text of up to 127 bytes; the rest is cut. */
void sty_qnx_user_text(sty_qnx_t *qnx, uint32_t cpu, uint32_t event, const char *text);

/* The kernel's command `number` with its words: filters, modes, stop. The result is 0 or an error number: 22 where there
 * is no such command or class, 12 where there is no room for a filter. */
uint32_t sty_qnx_command(sty_qnx_t *qnx, uint32_t number, const uint32_t *words, uint32_t count);

/* An answer to a command; hands the buffer over. It passes every filter, also while nothing is recorded. */
void sty_qnx_answer(sty_qnx_t *qnx, uint32_t id, uint32_t result);
/* A text of the host as user event 1022. */
void sty_qnx_mark(sty_qnx_t *qnx, const char *text);

#ifdef __cplusplus
}
#endif

#endif
