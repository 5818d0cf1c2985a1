/*
 * instrument_probe.h - the calls that one user wants in the methods of a class, and in which
 * methods.
 *
 * A plain method gets `enter(number)` at its entry and `exit(number)` in front of each return. A
 * method that keeps a value gets `kept = enter_keep(number)` into a new local, `exit_keep(kept)` in
 * front of each return, and `caught(kept)` at the start of each exception handler. In `caught` the
 * tracker closes the calls that the exception has left open; this is exact without an added handler
 * around every method. An exception that leaves a method calls nothing in that method, but with
 * INSTRUMENT_KEEP_UNWOUND.
 * unwoven.h recognises by the names of tracker methods ("exit...", "constructed", "unlock",
 * "unwound") which calls belong to the instruction behind them. See docs/injection.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/cpool.h"

enum {
    INSTRUMENT_PROBES_MAX = 12,
    INSTRUMENT_HUGE_BYTES = 8000, /* HotSpot does not compile longer methods */
};

enum instrument_verdict {
#define V(name, text) INSTRUMENT_##name,
#include "instrument.def"
#undef V
    INSTRUMENT_VERDICT_COUNT
};

enum instrument_keep {
    /* methods with exception handlers keep a value, the others are plain */
    INSTRUMENT_KEEP_HANDLERS,
    INSTRUMENT_KEEP_ALL,
    /* All keep a value, and `caught` is not called at handlers but where an exception leaves the
     * method. The method gets a handler for everything behind its entry. Constructors get none,
     * because no handler may cover the code before super(). */
    INSTRUMENT_KEEP_UNWOUND,
    INSTRUMENT_KEEP_NONE, /* the tracker must find out about exceptions by itself */
};

/** A method that may be injected, as a selector sees it. */
struct instrument_method {
    struct cpool_utf8 class_name, super_name, name, desc;
    const struct cpool *pool;      /* pool of the class; valid during the call */
    struct cpool_utf8 source_name; /* the class's source file; empty: unknown */
    uint16_t class_access, access; /* enum classfile_access */
    uint32_t code_bytes;
    uint32_t handlers; /* entries of its exception table */
    /* INSTRUMENT_INJECTED, or the reason why the method should be left alone */
    enum instrument_verdict advice;
};

/** Returns the number (>= 0) that the method's calls pass; negative: leave the method alone. */
typedef int32_t (*instrument_select)(void *context, const struct instrument_method *m);

/** A set of calls to inject. All methods of the tracker are static. */
struct instrument_probe {
    const char *tracker;      /* java/lang/Name */
    const char *enter, *exit; /* void (int number) */
    char kept;                /* 'I' or 'J': the kept value is an int or a long */
    const char *enter_keep;   /* kept (int number) */
    const char *exit_keep;    /* void (kept) */
    const char *caught; /* void (kept); with INSTRUMENT_KEEP_UNWOUND: void (Throwable, kept) */
    enum instrument_keep keep;
    /* With INSTRUMENT_KEEP_ALL: enter_keep and exit_keep also get arguments of the method: its
     * first argument if that is a reference (otherwise null), and the next one if that is a long
     * (otherwise 0). Their types are: kept (int number, Object, long) and void (kept, int number,
     * Object, long). A method that writes these arguments is left alone. */
    bool has_arguments;
    /* With has_arguments not set: enter and enter_keep also get the object of the method, or null
     * in a static method: void (int number, Object), kept (int number, Object). Constructors are
     * excepted, because they must not pass an object that is not initialized. */
    bool has_object;
    /* a method that would grow longer than this is left alone; 0: no limit */
    uint32_t huge_bytes;
    /* Instead of enter and the others: calls where objects are made, all `void (Object)`. */
    const char *object; /* at the entry of Object's constructor */
    const char *array;  /* after newarray and anewarray; NULL: no such calls */
    const char *arrays; /* after multianewarray */
    /* after calls that may have made an object (weave.c); NULL: no such calls */
    const char *maybe;
    /* Instead of all those: */
    /* void (Object): in front of each return of a constructor, with its object */
    const char *constructed;
    /* Instead of all those, void (Object): where a monitor is about to be released. The call stands
     * in front of monitorexit, but not where an exception leaves a block; at the returns of a
     * synchronized method; and where an exception leaves a synchronized method, unless the method
     * writes the local of `this`. */
    const char *unlock;
    instrument_select select; /* NULL: as advised, with numbers from first_number on */
    void *context;
    int32_t first_number;
};
