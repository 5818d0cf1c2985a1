/*
 * scope.h - what a thread works for at this moment: the values of its open scopes.
 *
 * A Java program opens and closes scopes by hprof.jar (docs/context.md). The value of a key is
 * valid from the begin of a scope to its end; the end restores the previous value. The values of a
 * Java thread lie in a cell. An OS thread has its own cell; while it carries a virtual thread, it
 * points to that thread's cell.
 *
 * A handler reads the pointer of its own OS thread, in thread-local storage of the initial model,
 * the words of the cell to which the pointer leads, and what otel_thread.h describes. Cells and OS
 * threads' structs are never freed, only used again. The same OS thread writes them, outside of the
 * handler, one word at a time: a handler sees each value before or after a change, never a part of
 * it.
 *
 * The Java code of hprof.jar (Cell.java) writes the cell of its thread through a direct buffer,
 * because a call of JNI for each scope would cost more than the scope. While a virtual thread
 * changes its carrier, no OS thread points to its cell.
 * The record that other profilers read is not read here.
 * Context of everything here: signal, unless said otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "safe/otel_thread.h"

enum {
    SCOPE_KEYS = 8,
    SCOPE_DEPTH = 32, /* scopes that may be open at once; a deeper scope changes no value */
};

/**
 * The values, indexed by the number of the key. Whoever set a value knows its meaning; 0: none.
 * `published` is what an SDK of OpenTelemetry says of the thread. No byte is undefined, so two of
 * these structs can be compared by memcmp().
 */
struct scope_values {
    uint32_t of[SCOPE_KEYS];
    struct otel_thread published;
};

_Static_assert(sizeof(struct scope_values) == SCOPE_KEYS * sizeof(uint32_t) + OTEL_THREAD_TRACE +
                                                  OTEL_THREAD_SPAN + sizeof(uint32_t) +
                                                  OTEL_THREAD_ATTRIBUTES,
               "no byte is padding, which memcmp() would compare");

/** The part of a cell that Java code writes; Cell.java has the same numbers. */
struct scope_words {
    _Atomic uint32_t value[SCOPE_KEYS];
    _Atomic uint32_t stamp; /* virtual thread's cell: changes each time it is taken away */
    _Atomic uint32_t depth;
    struct {
        _Atomic uint32_t key, before;
    } saved[SCOPE_DEPTH];
};

struct scope_record;

/** The open scopes of a Java thread. */
struct scope_cell {
    struct scope_words words;
    struct scope_record *record; /* for other profilers (agent/scope/scope_record.h); NULL: none */
    struct scope_cell *next;     /* list of the cells' owner */
    int64_t java_id;             /* id of the virtual thread; 0: a platform thread */
};

/** An OS thread. */
struct scope_thread {
    _Atomic(struct scope_cell *) current; /* NULL: no scope */
    struct scope_cell own;
    /* the thread's variable that other profilers read; NULL: none */
    _Atomic(struct otel_thread_head *) *variable;
    _Atomic int32_t tid;       /* the kernel's thread id; 0: the thread has ended */
    struct scope_thread *next; /* list of the threads' owner */
};

/** Set the struct of the calling thread; NULL: none from now on. Context: any, not signal. */
void scope_bind(struct scope_thread *t);
/** The struct of the calling thread; NULL: none. */
struct scope_thread *scope_mine(void);
/** Read the present values of the calling thread, and what is published for it. */
void scope_read(struct scope_values *ret);
/** Read the values of another thread, which may change them meanwhile. `published` is not read, and
 * becomes empty. Context: any. */
void scope_read_of(const struct scope_thread *t, struct scope_values *ret);
