/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The kernel's filters and the commands that set them. */
#include "qnx_parts.h"

enum { OK, ENOMEM = 12, EINVAL = 22 };

/* Events 0–127 have a separate bit; all others follow their class. */
enum { KNOWN_EVENTS = 128 };

static bool bit(const uint32_t bits[4], uint32_t event) {
    return (STY_LOAD(&bits[event >> 5]) >> (event & 31u) & 1u) != 0u;
}

static void set_bit(uint32_t bits[4], uint32_t event, bool on) {
    const uint32_t mask = 1u << (event & 31u);
    STY_STORE(&bits[event >> 5], on ? bits[event >> 5] | mask : bits[event >> 5] & ~mask);
}

static void set_owner(sty_qnx_owner_t *owner, uint32_t pid, uint32_t tid) {
    STY_STORE(&owner->pid, pid);
    STY_STORE(&owner->tid, tid);
}

/* During a change, it may briefly combine one process with the other's thread. */
static bool owner_passes(const sty_qnx_owner_t *filter, uint32_t pid, uint32_t tid) {
    const uint32_t of_pid = STY_LOAD(&filter->pid);
    const uint32_t of_tid = STY_LOAD(&filter->tid);
    return (of_pid == 0u || of_pid == pid) && (of_tid == 0u || of_tid == tid);
}

static bool event_owner_passes(const sty_qnx_t *qnx, uint32_t class, uint32_t event, uint32_t pid, uint32_t tid) {
    for (uint32_t i = 0; i < STY_QNX_EVENT_FILTERS; i++) {
        if (STY_LOAD(&qnx->event_owner[i].of_class) == class && STY_LOAD(&qnx->event_owner[i].event) == event &&
            !owner_passes(&qnx->event_owner[i].owner, pid, tid)) {
            return false;
        }
    }
    return true;
}

bool sty_qnx_on_(const sty_qnx_t *qnx, uint32_t class, uint32_t event, uint32_t pid, uint32_t tid) {
    return STY_LOAD(&qnx->recording) && (STY_LOAD(&qnx->classes) >> class & 1u) != 0u &&
        (event >= KNOWN_EVENTS || bit(qnx->events[class], event)) &&
        owner_passes(&qnx->class_owner[class], pid, tid) && event_owner_passes(qnx, class, event, pid, tid);
}

bool sty_qnx_on_cpu_(const sty_qnx_t *qnx, uint32_t class, uint32_t event, uint32_t cpu) {
    static const sty_qnx_owner_t nobody;
    const sty_qnx_owner_t *owner = cpu < STY_QNX_CPUS ? &qnx->running[cpu] : &nobody;
    return sty_qnx_on_(qnx, class, event, STY_LOAD(&owner->pid), STY_LOAD(&owner->tid));
}

bool sty_qnx_is_wide_(const sty_qnx_t *qnx, uint32_t class, uint32_t event) {
    return event < KNOWN_EVENTS && bit(qnx->wide[class], event);
}

/* Bit mask of the classes that a command means; 2 and 6 stand for several. 0: no such class. */
static uint32_t classes_of(uint32_t class) {
    enum { ALL_CALLS = 2, ALL_INTERRUPTS = 6 };
    switch (class) {
    case ALL_CALLS:
        return 1u << STY_QNX_CALL_ENTER | 1u << STY_QNX_CALL_EXIT | 1u << STY_QNX_CALL_INT;
    case ALL_INTERRUPTS:
        return 1u << STY_QNX_INT_ENTER | 1u << STY_QNX_INT_EXIT | 1u << STY_QNX_HANDLER_ENTER |
            1u << STY_QNX_HANDLER_EXIT;
    default:
        return class < STY_QNX_CLASSES ? 1u << class & STY_QNX_ALL_CLASSES : 0u;
    }
}

/* Processes and threads number an event by its bit. */
static uint32_t event_of(uint32_t class, uint32_t event) {
    if (class != STY_QNX_PROCESS && class != STY_QNX_THREAD) {
        return event;
    }
    uint32_t n = 0;
    while (n < 31u && (event >> n & 1u) == 0u) {
        n++;
    }
    return event == 1u << n ? n : KNOWN_EVENTS;
}

static void set_all(uint32_t bits[4], bool on) {
    for (uint32_t i = 0; i < 4u; i++) {
        STY_STORE(&bits[i], on ? 0xFFFFFFFFu : 0u);
    }
}

static void set_classes(sty_qnx_t *qnx, uint32_t classes, bool on) {
    STY_STORE(&qnx->classes, on ? qnx->classes | classes : qnx->classes & ~classes);
    for (uint32_t class = 0; class < STY_QNX_CLASSES; class++) {
        if ((classes >> class & 1u) != 0u) {
            set_all(qnx->events[class], on);
        }
    }
}

static void set_wide(sty_qnx_t *qnx, uint32_t classes, bool on) {
    for (uint32_t class = 0; class < STY_QNX_CLASSES; class++) {
        if ((classes >> class & 1u) != 0u) {
            set_all(qnx->wide[class], on);
        }
    }
}

/* A pid filter clears the tid. */
static void set_class_owner(sty_qnx_t *qnx, uint32_t classes, sty_qnx_owner_t owner) {
    for (uint32_t class = 0; class < STY_QNX_CLASSES; class++) {
        if ((classes >> class & 1u) != 0u) {
            set_owner(&qnx->class_owner[class], owner.pid, owner.tid);
        }
    }
}

/* Class 0 marks a free entry. */
static uint32_t set_event_owner(sty_qnx_t *qnx, uint32_t class, uint32_t event, sty_qnx_owner_t owner) {
    const bool clear = owner.pid == 0u && owner.tid == 0u;
    uint32_t place = STY_QNX_EVENT_FILTERS;
    for (uint32_t i = STY_QNX_EVENT_FILTERS; i != 0u; i--) {
        const bool same = qnx->event_owner[i - 1u].of_class == class && qnx->event_owner[i - 1u].event == event;
        if (same) {
            place = i - 1u;
            break;
        }
        if (qnx->event_owner[i - 1u].of_class == 0u) {
            place = i - 1u;
        }
    }
    if (place == STY_QNX_EVENT_FILTERS) {
        return clear ? OK : ENOMEM;
    }
    STY_STORE(&qnx->event_owner[place].of_class, (uint8_t)(clear ? 0u : class));
    STY_STORE(&qnx->event_owner[place].event, (uint8_t)event);
    set_owner(&qnx->event_owner[place].owner, owner.pid, owner.tid);
    return OK;
}

enum {
    ADD_ALL = 1, DEL_ALL, ADD_CLASS, DEL_CLASS, ADD_EVENT, DEL_EVENT, START = 10, STOP, FLUSH = 14, QUERY, ALL_FAST,
    ALL_WIDE, CLASS_FAST, CLASS_WIDE, EVENT_FAST, EVENT_WIDE, SET_CLASS_PID, SET_CLASS_TID, SET_EVENT_PID, SET_EVENT_TID,
    CLR_CLASS_PID, CLR_CLASS_TID, CLR_EVENT_PID, CLR_EVENT_TID, START_NO_STATE = 33, RING_MODE, LINEAR_MODE
};

static uint32_t class_command(sty_qnx_t *qnx, uint32_t number, uint32_t classes, const uint32_t *words) {
    switch (number) {
    case ADD_CLASS:
    case DEL_CLASS:
        set_classes(qnx, classes, number == ADD_CLASS);
        return OK;
    case CLASS_FAST:
    case CLASS_WIDE:
        set_wide(qnx, classes, number == CLASS_WIDE);
        return OK;
    case SET_CLASS_PID:
        set_class_owner(qnx, classes, (sty_qnx_owner_t){words[1], 0});
        return OK;
    case SET_CLASS_TID:
        set_class_owner(qnx, classes, (sty_qnx_owner_t){words[1], words[2]});
        return OK;
    case CLR_CLASS_PID:
        set_class_owner(qnx, classes, (sty_qnx_owner_t){0, 0});
        return OK;
    default: { /* CLR_CLASS_TID */
        for (uint32_t class = 0; class < STY_QNX_CLASSES; class++) {
            if ((classes >> class & 1u) != 0u) {
                set_owner(&qnx->class_owner[class], qnx->class_owner[class].pid, 0);
            }
        }
        return OK;
    }
    }
}

static uint32_t event_command(sty_qnx_t *qnx, uint32_t number, uint32_t class, const uint32_t *words) {
    const uint32_t event = event_of(class, words[1]);
    if (class >= STY_QNX_CLASSES || classes_of(class) != 1u << class || event >= KNOWN_EVENTS) {
        return EINVAL;
    }
    switch (number) {
    case ADD_EVENT:
        STY_STORE(&qnx->classes, qnx->classes | 1u << class);
        set_bit(qnx->events[class], event, true);
        return OK;
    case DEL_EVENT:
        set_bit(qnx->events[class], event, false);
        return OK;
    case EVENT_FAST:
    case EVENT_WIDE:
        set_bit(qnx->wide[class], event, number == EVENT_WIDE);
        return OK;
    case SET_EVENT_PID:
        return set_event_owner(qnx, class, event, (sty_qnx_owner_t){words[2], 0});
    case SET_EVENT_TID:
        return set_event_owner(qnx, class, event, (sty_qnx_owner_t){words[2], words[3]});
    default: /* CLR_EVENT_PID, CLR_EVENT_TID */
        return set_event_owner(qnx, class, event, (sty_qnx_owner_t){0, 0});
    }
}

static uint32_t other_command(sty_qnx_t *qnx, uint32_t number) {
    switch (number) {
    case ADD_ALL:
    case DEL_ALL:
        set_classes(qnx, STY_QNX_ALL_CLASSES, number == ADD_ALL);
        return OK;
    case ALL_FAST:
    case ALL_WIDE:
        set_wide(qnx, STY_QNX_ALL_CLASSES, number == ALL_WIDE);
        return OK;
    case START:
    case STOP:
    case START_NO_STATE:
        sty_qnx_record(qnx, number != STOP);
        return OK;
    case FLUSH:
        sty_qnx_flush(qnx);
        return OK;
    case QUERY:
    case RING_MODE:
    case LINEAR_MODE: /* buffers of this library are handed over in either mode */
        return OK;
    default:
        return EINVAL;
    }
}

/* Number of words in a command. */
static uint32_t words_of(uint32_t number) {
    switch (number) {
    case ADD_CLASS:
    case DEL_CLASS:
    case CLASS_FAST:
    case CLASS_WIDE:
    case CLR_CLASS_PID:
    case CLR_CLASS_TID:
        return 1;
    case ADD_EVENT:
    case DEL_EVENT:
    case EVENT_FAST:
    case EVENT_WIDE:
    case SET_CLASS_PID:
    case CLR_EVENT_PID:
    case CLR_EVENT_TID:
        return 2;
    case SET_CLASS_TID:
    case SET_EVENT_PID:
        return 3;
    case SET_EVENT_TID:
        return 4;
    default:
        return 0;
    }
}

static bool names_event(uint32_t number) {
    return number == ADD_EVENT || number == DEL_EVENT || number == EVENT_FAST || number == EVENT_WIDE ||
        number == SET_EVENT_PID || number == SET_EVENT_TID || number == CLR_EVENT_PID || number == CLR_EVENT_TID;
}

static uint32_t command(sty_qnx_t *qnx, uint32_t number, const uint32_t *words, uint32_t count) {
    const uint32_t wanted = words_of(number);
    if (count != wanted) {
        return EINVAL;
    }
    if (wanted == 0u) {
        return other_command(qnx, number);
    }
    if (names_event(number)) {
        return event_command(qnx, number, words[0], words);
    }
    const uint32_t classes = classes_of(words[0]);
    return classes == 0u ? EINVAL : class_command(qnx, number, classes, words);
}

/* Traced code reads the filters at any time; setters must take turns. */
uint32_t sty_qnx_command(sty_qnx_t *qnx, uint32_t number, const uint32_t *words, uint32_t count) {
    const sty_env_t *env = qnx->ring->env;
    const uint32_t state = env->lock(env->ctx);
    const uint32_t result = command(qnx, number, words, count);
    env->unlock(env->ctx, state);
    return result;
}
