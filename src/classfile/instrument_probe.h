/*
 * instrument_probe.h - what one user wants to have called in the methods of a class, and of which.
 *
 * A plain method gets `enter(number)` at its entry and `exit(number)` before each return. A method
 * that keeps gets `kept = enter_keep(number)` into a new local, `exit_keep(kept)` before each
 * return, and `caught(kept)` at the start of each exception handler, where the tracker closes what
 * the exception left open: exact without a handler of our own around every method. An exception
 * that leaves a method calls nothing there. By the names of methods, "exit..." and others,
 * unwoven.h knows what is called before an instruction that has it called. See docs/injection.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/cpool.h"

enum {
    INSTRUMENT_PROBES_MAX = 8,
    INSTRUMENT_HUGE_BYTES = 8000, /* HotSpot's compilers leave longer methods alone */
};

enum instrument_verdict {
#define V(name, text) INSTRUMENT_##name,
#include "instrument.def"
#undef V
    INSTRUMENT_VERDICT_COUNT
};

enum instrument_keep {
    INSTRUMENT_KEEP_HANDLERS, /* methods with exception handlers keep, the others are plain */
    INSTRUMENT_KEEP_ALL,
    INSTRUMENT_KEEP_NONE, /* the tracker must find out about exceptions by itself */
};

/** A method that might be injected, as a selector sees it. */
struct instrument_method {
    struct cpool_utf8 class_name, super_name, name, desc;
    const struct cpool *pool;      /* of the class, during the call */
    struct cpool_utf8 source_name; /* of the class's source file; empty: unknown */
    uint16_t class_access, access; /* enum classfile_access */
    uint32_t code_bytes;
    uint32_t handlers;              /* entries of its exception table */
    enum instrument_verdict advice; /* INSTRUMENT_INJECTED, or why it should be left alone */
};

/** The number (>= 0) that the method's probes pass, or negative to leave it alone. */
typedef int32_t (*instrument_select)(void *context, const struct instrument_method *m);

/** What to inject. All methods of the tracker are static. */
struct instrument_probe {
    const char *tracker;      /* java/lang/Name */
    const char *enter, *exit; /* void (int number) */
    char kept;                /* 'I' or 'J': int or long is kept */
    const char *enter_keep;   /* kept (int number) */
    const char *exit_keep;    /* void (kept) */
    const char *caught;       /* void (kept) */
    enum instrument_keep keep;
    /* With INSTRUMENT_KEEP_ALL: enter_keep and exit_keep get more, the method's first argument
     * where it is a reference (else null), and the next where it is a long (else 0): kept (int
     * number, Object, long) and void (kept, int number, Object, long). Methods that write these
     * arguments are left alone. */
    bool has_arguments;
    /* Or, with has_arguments not set: but for constructors, which may not pass what is not made so
     * far, enter and enter_keep get the method's object, too, and null in static methods: void (int
     * number, Object), kept (int number, Object). */
    bool has_object;
    uint32_t huge_bytes; /* a method that was not longer and would be is left alone; 0: no limit */
    /* Instead of enter and the others, calls where objects are made, all `void (Object)`: */
    const char *object; /* at the entry of java.lang.Object's constructor */
    const char *array;  /* behind newarray and anewarray; NULL: no such calls */
    const char *arrays; /* behind multianewarray */
    const char *maybe;  /* behind calls that may have made one: allocsite.c; NULL: no such calls */
    /* Or instead of all those: */
    const char *constructed; /* void (Object), before each return of a constructor: its object */
    /* Or void (Object), where a monitor is given back, which is still held: before monitorexit, but
     * not where an exception leaves a block; at the returns of a synchronized method, and where an
     * exception leaves it, unless the method writes `this`. */
    const char *unlock;
    instrument_select select; /* NULL: what is advised, numbered from first_number on */
    void *context;
    int32_t first_number;
};
