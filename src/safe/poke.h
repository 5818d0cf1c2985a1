/*
 * poke.h - one thread (the asker) asks other threads, by a signal, where they are now.
 *
 * Each question is a cell of memory. The cell belongs to the asker; while the handler of the asked
 * thread walks its stack, the cell belongs to that handler. The asker can withdraw a question that
 * has not been answered yet, so no asker ever waits. A process has POKE_ASKERS askers at most, each
 * with its own cells. All askers use one signal: the kernel keeps one such signal for a thread and
 * drops the next, so each signal answers the questions of all askers.
 *
 * It is also possible that the asker walks. Then the handler stops its thread until the asker has
 * walked it. If the asker does not begin within POKE_STOP_NS, the thread walks itself.
 *
 * The handler reads the cells, which are never freed, and what scope.h and the walker document. It
 * writes the one cell that asks its thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "safe/bell.h"
#include "safe/own_class.h"
#include "safe/scope.h"
#include "safe/walk.h"

enum {
    POKE_ASKERS = 2,
    POKE_CELLS = 128, /* threads that one asker can ask at one time, at most */
    POKE_DEPTH = 256, /* frames of an answer; a tracker's frames come in addition */
    POKE_FRAMES = POKE_DEPTH + OWN_CLASS_FRAMES,
};

/* States of a cell. POKE_STOPPED and POKE_HELD have the thread's id in the bits above
 * POKE_STATE_BITS, so that they are not taken for the state of another thread. */
enum poke_state { POKE_FREE, POKE_ASKED, POKE_WALKING, POKE_ANSWERED, POKE_STOPPED, POKE_HELD };

enum { POKE_STATE_BITS = 3, POKE_STOP_NS = 2000000 };

struct poke_cell {
    _Atomic uint32_t state; /* enum poke_state */
    _Atomic int32_t tid;    /* the asked thread, by the kernel's thread id */
    struct walk_request request;
    uint64_t time_ns; /* CLOCK_MONOTONIC at the answer */
    int32_t result;   /* number of frames, or -(1 + enum walk_cause) */
    bool is_truncated;
    struct scope_values scopes; /* the scopes that were open */
    struct walk_frame frames[POKE_FRAMES];
};

struct poke {
    const struct walker *walker;
    struct poke_cell *cells; /* zeroed at first */
    uint32_t cell_count;     /* POKE_CELLS at most */
    int signal;              /* the same of all askers */
    uint32_t depth;          /* frames wanted, POKE_FRAMES at most */
    struct bell *asker;      /* NULL: threads walk themselves; else they stop, and ring this bell */
    _Atomic uint32_t stopped;          /* threads that wait for the asker */
    _Atomic uint64_t visits, spent_ns; /* sums over handlers that have answered, whoever walked */
};

/**
 * Take the signal; from now on questions can be asked. Borrows `p` and its cells for ever. Errors:
 * 0; -EBUSY the signal has another handler, or there are POKE_ASKERS other askers; -errno. Context:
 * any, not signal; one thread at a time.
 */
int poke_open(struct poke *p);
/** Whether the kernel lets this process send the signal: 0, or -errno if a filter of system calls
 * refuses rt_tgsigqueueinfo, so that poke_ask() would ask nobody. Context: any. */
int poke_refused(void);
/** Stop answering: signals that still come are swallowed. Nothing happens if `p` is not open.
 * Context: as poke_open(). */
void poke_close(const struct poke *p);
/** Whether no handler uses a cell of `p`. If true after poke_close(), it stays true. Context: any.
 */
bool poke_is_quiet(const struct poke *p);

/**
 * Ask a thread. The cell belongs to the caller until poke_free(), or until poke_withdraw() returns
 * true. NULL: no cell is free, or there is no such thread. Context: any; one asker at a time.
 */
struct poke_cell *poke_ask(struct poke *p, int32_t tid, void *jni_env, uint64_t java_thread);
/** Walk the threads that have stopped for the asker. Returns whether there were any. Takes no lock.
 * Context: the asker. */
bool poke_walk(struct poke *p);
/** Whether the answer has come. Context: the asker. */
bool poke_is_answered(const struct poke_cell *c);
/** Withdraw a question. True: there will be no answer, and the cell is free. False: the answer has
 * come, or is about to come. Context: the asker, or the asked thread. */
bool poke_withdraw(struct poke_cell *c);
/** Free a cell after its answer was read: the walker may drop what the frames refer to. Context:
 * the asker. */
void poke_free(struct poke *p, struct poke_cell *c);
