/*
 * poke.h - one thread asks others, by a signal, where they are now.
 *
 * Each question is a cell of memory that belongs to its asker, and to the handler of the asked
 * thread while that walks its stack. A thread that was asked and has not come yet can be left
 * alone again, so no asker ever waits. There is one set of cells in a process.
 *
 * Or the asker walks: then the handler stops its thread until the asker has come, or some time is
 * over, after which the thread walks itself all the same.
 *
 * The handler reads the cells, which are never given back, and what scope.h and the walker
 * document; it writes the one cell that asks its thread. SPDX-License-Identifier: Apache-2.0
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
    POKE_CELLS = 128, /* threads that are asked at one time */
    POKE_DEPTH = 256, /* frames of an answer, and those of a tracker beside them */
    POKE_FRAMES = POKE_DEPTH + OWN_CLASS_FRAMES,
};

/* Those of a thread that has stopped have its number above, so nobody takes them for another's. */
enum poke_state { POKE_FREE, POKE_ASKED, POKE_WALKING, POKE_ANSWERED, POKE_STOPPED, POKE_HELD };

enum { POKE_STATE_BITS = 3, POKE_STOP_NS = 2000000 };

struct poke_cell {
    _Atomic uint32_t state; /* enum poke_state */
    _Atomic int32_t tid;    /* whom it asks, as the kernel numbers threads */
    struct walk_request request;
    uint64_t time_ns; /* CLOCK_MONOTONIC of the answer */
    int32_t result;   /* number of frames, or -(1 + enum walk_cause) */
    bool is_truncated;
    struct scope_values scopes; /* that were open */
    struct walk_frame frames[POKE_FRAMES];
};

struct poke {
    const struct walker *walker;
    struct poke_cell *cells; /* POKE_CELLS of them, zeroed at first */
    int signal;
    uint32_t depth;           /* frames wanted, POKE_FRAMES at most */
    struct bell *asker;       /* NULL: threads walk themselves; else they stop, and ring it */
    _Atomic uint32_t stopped; /* threads that wait for the asker */
    _Atomic uint64_t visits, spent_ns; /* of handlers that have answered, by any walk */
};

/**
 * Take the signal; questions can be asked from now on. Borrows `p` and its cells for ever. Errors:
 * 0; -EBUSY somebody else has a handler of the signal; -errno. Context: any, not signal.
 */
int poke_open(struct poke *p);
/** Nobody is answered any more: signals that still come are swallowed. Context: as above. */
void poke_close(void);
/** No handler walks: after poke_close() none will. Context: any. */
bool poke_is_quiet(void);

/**
 * Ask a thread. Its cell is the caller's until poke_free(), unless poke_withdraw() says so. NULL:
 * no cell is free, or there is no such thread. Context: any; one asker at a time.
 */
struct poke_cell *poke_ask(struct poke *p, int32_t tid, void *jni_env, uint64_t java_thread);
/** Walk the threads that have stopped for it. Returns whether there were any. Context: the asker,
 * who needs no lock for it. */
bool poke_walk(struct poke *p);
/** Whether the answer is there. Context: the asker. */
bool poke_is_answered(const struct poke_cell *c);
/** Ask no more. True: there will be no answer, and the cell is free; false: it has come, or is
 * about to. Context: the asker, or the asked thread. */
bool poke_withdraw(struct poke_cell *c);
/** An answer has been read: what its frames refer to may go, and the cell is free. Context: the
 * asker. */
void poke_free(struct poke *p, struct poke_cell *c);
