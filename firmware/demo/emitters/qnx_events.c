/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The events of a program. */
#include "qnx_parts.h"

/* The words that a fast class sends. */
static void put_fast(sty_qnx_t *qnx, uint32_t cpu, uint32_t header, const uint32_t *words, uint32_t count,
    uint32_t fast) {
    enum { MOST = 8 };
    uint32_t chosen[MOST];
    uint32_t n = 0;
    for (uint32_t i = 0; i < count && n < MOST; i++) {
        if ((fast >> i & 1u) != 0u) {
            chosen[n] = words[i];
            n++;
        }
    }
    sty_qnx_put_(qnx, cpu, header, chosen, n);
}

static void put_call(sty_qnx_t *qnx, uint32_t cpu, uint32_t class, uint32_t call, uint32_t header,
    const uint32_t *words, uint32_t count, uint32_t fast) {
    if (!sty_qnx_on_cpu_(qnx, class, call, cpu)) {
        return;
    }
    if (sty_qnx_is_wide_(qnx, class, call)) {
        sty_qnx_put_(qnx, cpu, header, words, count);
    } else {
        put_fast(qnx, cpu, header, words, count, fast);
    }
}

void sty_qnx_call_enter(sty_qnx_t *qnx, uint32_t cpu, uint32_t call, const uint32_t *words, uint32_t count,
    uint32_t fast) {
    put_call(qnx, cpu, STY_QNX_CALL_ENTER, call, KEV_HEADER(KEV_CALL, call & 127u), words, count, fast);
}

void sty_qnx_call_exit(sty_qnx_t *qnx, uint32_t cpu, uint32_t call, const uint32_t *words, uint32_t count,
    uint32_t fast) {
    put_call(qnx, cpu, STY_QNX_CALL_EXIT, call, KEV_HEADER(KEV_CALL, 128u + (call & 127u)), words, count, fast);
}

void sty_qnx_call_failed(sty_qnx_t *qnx, uint32_t cpu, uint32_t call, uint32_t error) {
    const uint32_t words[2] = {0xFFFFFFFFu, error};
    sty_qnx_call_exit(qnx, cpu, call, words, 2, 3);
}

/* Process events are numbered by bit. */
static uint32_t process_event(uint32_t event) {
    return KEV_HEADER(KEV_THREAD, 64u * (event + 1u));
}

enum { CREATE = 0, DESTROY = 1, CREATE_NAME = 2, THREAD_NAME = 4 };

static void put_process_text(sty_qnx_t *qnx, uint32_t cpu, uint32_t event, uint32_t first, uint32_t second,
    const char *name) {
    const uint32_t words[2] = {first, second};
    if (sty_qnx_on_(qnx, STY_QNX_PROCESS, event, 0, 0)) {
        sty_qnx_put_text_(qnx, cpu, process_event(event), words, 2, name);
    }
}

void sty_qnx_process_create(sty_qnx_t *qnx, uint32_t cpu, uint32_t ppid, uint32_t pid, const char *name) {
    put_process_text(qnx, cpu, CREATE_NAME, ppid, pid, name);
}

void sty_qnx_thread_name(sty_qnx_t *qnx, uint32_t cpu, uint32_t pid, uint32_t tid, const char *name) {
    put_process_text(qnx, cpu, THREAD_NAME, pid, tid, name);
}

void sty_qnx_process_destroy(sty_qnx_t *qnx, uint32_t cpu, uint32_t ppid, uint32_t pid) {
    const uint32_t words[2] = {ppid, pid};
    if (sty_qnx_on_(qnx, STY_QNX_PROCESS, DESTROY, 0, 0)) {
        sty_qnx_put_(qnx, cpu, process_event(DESTROY), words, 2);
    }
}

void sty_qnx_thread(sty_qnx_t *qnx, uint32_t cpu, uint32_t state, uint32_t pid, uint32_t tid, uint32_t priority,
    uint32_t policy) {
    const uint32_t words[4] = {pid, tid, priority, policy};
    const bool has_priority = state < STY_QNX_CREATE;
    if (state == STY_QNX_RUNNING && cpu < STY_QNX_CPUS) {
        STY_STORE(&qnx->running[cpu].pid, pid);
        STY_STORE(&qnx->running[cpu].tid, tid);
    }
    if (sty_qnx_on_(qnx, STY_QNX_THREAD, state, pid, tid)) {
        const bool wide = has_priority && sty_qnx_is_wide_(qnx, STY_QNX_THREAD, state);
        sty_qnx_put_(qnx, cpu, KEV_HEADER(KEV_THREAD, state & 31u), words, wide ? 4 : 2);
    }
}

static void put_int(sty_qnx_t *qnx, uint32_t cpu, uint32_t class, uint32_t interrupt, uint32_t number,
    const uint32_t *words, uint32_t count) {
    if (sty_qnx_on_(qnx, class, interrupt, 0, 0)) {
        sty_qnx_put_(qnx, cpu, KEV_HEADER(KEV_INT, number), words, count);
    }
}

void sty_qnx_int_enter(sty_qnx_t *qnx, uint32_t cpu, uint32_t interrupt, uint32_t ip) {
    const uint32_t words[2] = {interrupt, ip};
    put_int(qnx, cpu, STY_QNX_INT_ENTER, interrupt, 1, words, 2);
}

void sty_qnx_int_exit(sty_qnx_t *qnx, uint32_t cpu, uint32_t interrupt, uint32_t in_kernel) {
    const uint32_t words[2] = {interrupt, in_kernel};
    put_int(qnx, cpu, STY_QNX_INT_EXIT, interrupt, 2, words, 2);
}

void sty_qnx_handler_enter(sty_qnx_t *qnx, uint32_t cpu, uint32_t pid, uint32_t interrupt, uint32_t ip, uint32_t area) {
    const uint32_t words[4] = {pid, interrupt, ip, area};
    put_int(qnx, cpu, STY_QNX_HANDLER_ENTER, interrupt, 3, words, 4);
}

void sty_qnx_handler_exit(sty_qnx_t *qnx, uint32_t cpu, uint32_t interrupt) {
    const uint32_t words[6] = {interrupt};
    put_int(qnx, cpu, STY_QNX_HANDLER_EXIT, interrupt, 4, words, 6);
}

void sty_qnx_comm(sty_qnx_t *qnx, uint32_t cpu, uint32_t event, uint32_t id, uint32_t pid) {
    const uint32_t words[2] = {id, pid};
    if (sty_qnx_on_cpu_(qnx, STY_QNX_COMM, event, cpu)) {
        sty_qnx_put_(qnx, cpu, KEV_HEADER(KEV_COMM, event & 31u), words, 2);
    }
}

void sty_qnx_slog(sty_qnx_t *qnx, uint32_t cpu, uint32_t opcode, uint32_t severity, const char *text) {
    enum { SLOG = 12 };
    const uint32_t words[2] = {opcode, severity};
    if (sty_qnx_on_cpu_(qnx, STY_QNX_SYSTEM, SLOG, cpu)) {
        sty_qnx_put_text_(qnx, cpu, KEV_HEADER(KEV_SYSTEM, SLOG), words, 2, text);
    }
}

void sty_qnx_user(sty_qnx_t *qnx, uint32_t cpu, uint32_t event, uint32_t first, uint32_t second) {
    const uint32_t words[2] = {first, second};
    if (sty_qnx_on_(qnx, STY_QNX_USER, event, 0, 0)) {
        sty_qnx_put_(qnx, cpu, KEV_HEADER(KEV_USER, event & 1023u), words, 2);
    }
}

void sty_qnx_user_text(sty_qnx_t *qnx, uint32_t cpu, uint32_t event, const char *text) {
    if (sty_qnx_on_(qnx, STY_QNX_USER, event, 0, 0)) {
        sty_qnx_put_text_(qnx, cpu, KEV_HEADER(KEV_USER, event & 1023u), NULL, 0, text);
    }
}

void sty_qnx_mark(sty_qnx_t *qnx, const char *text) {
    sty_qnx_put_text_(qnx, 0, KEV_HEADER(KEV_USER, STY_QNX_MARK), NULL, 0, text);
}
