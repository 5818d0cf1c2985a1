/*
 * scope.h - what a thread works for at this moment: the values of the scopes it has open.
 *
 * A Java program says so by hprof.jar (docs/context.md): the value of a key holds from the begin of
 * a scope to its end, which gives the value before it back. The values of a Java thread lie in a
 * cell; an OS thread has a cell of its own, and points to that of the virtual thread it carries.
 *
 * What a handler reads: the pointer of its own OS thread, in thread-local storage of the initial
 * model, and the words of the cell that this leads to. Cells and what points to them are never
 * given back to the system, only used again. Who writes them is that very OS thread, outside of the
 * handler, a word at a time: a handler sees each value before or after it changes, never a part.
 * The cells are written by the Java code of hprof.jar (Cell.java), through a direct buffer that it
 * is given for the cell of its thread: a call of JNI for each scope would cost more than the scope.
 * While a virtual thread changes its carrier nobody is pointed to.
 * Context of everything here: signal, but where it says otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    SCOPE_KEYS = 8,
    SCOPE_DEPTH = 32, /* scopes that are open at once; what is deeper changes no value */
};

/** By the numbers of keys: whoever gave the values knows what they mean; 0: none. */
struct scope_values {
    uint32_t of[SCOPE_KEYS];
};

/** The part that Java writes; Cell.java has the same numbers. */
struct scope_words {
    _Atomic uint32_t value[SCOPE_KEYS];
    _Atomic uint32_t stamp; /* of a virtual thread's: another one each time that it is taken away */
    _Atomic uint32_t depth;
    struct {
        _Atomic uint32_t key, before;
    } saved[SCOPE_DEPTH];
};

/** What a Java thread has open. */
struct scope_cell {
    struct scope_words words;
    struct scope_cell *next; /* the owner's of the cells */
    int64_t java_id;         /* of the virtual thread; 0: of a platform thread */
};

/** An OS thread. */
struct scope_thread {
    _Atomic(struct scope_cell *) current; /* NULL: of nobody who has a scope */
    struct scope_cell own;
    _Atomic int32_t tid;       /* as the kernel numbers it; 0: the thread has ended */
    struct scope_thread *next; /* the owner's of the threads */
};

/** From now on the calling thread has `t`, or with NULL nothing. Context: any, not signal. */
void scope_bind(struct scope_thread *t);
/** What the calling thread has; NULL: nothing. */
struct scope_thread *scope_mine(void);
/** The values of the calling thread by now. */
void scope_read(struct scope_values *ret);
/** The same of another thread, which may change them meanwhile. Context: any. */
void scope_read_of(const struct scope_thread *t, struct scope_values *ret);
