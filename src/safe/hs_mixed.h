/*
 * hs_mixed.h - the one walker of mixed stacks: Java frames, the C and C++ frames above and between
 * them, and the VM's stubs, one physical frame at a time.
 *
 * It keeps a state of fixed size, stores nothing, and has no memory, tables or caches of its own:
 * hs_memory.h says whose they are. Who wants a stack adapts it:
 *   walk_native.h      the agent's handler: all frames at once, with names
 *   asgst_iter.h       libasgst: frame by frame, in the API's form
 *   stopped_stack.h    `hprof stack`: threads of a stopped process or a core file
 * Java frames are those of walk_vm.h. Native frames come from the rows of unwind.h: those of the
 * code that runs, and those between Java frames where C code calls Java (the call stub, and upcall
 * stubs of JDK 25 and later). Where no row leads on they end, marked, and the walk goes on at the
 * next Java frame, which the VM's own anchors name: missing native frames never cost a Java frame.
 *
 * Reads what hs_frame.h reads, and the thread's stack from its stack pointer up. In this process
 * the loads are mem_self's, whose faults are results. Where they may not fault (-Xcheck:jni) the
 * window of hs_mixed_of serves the stack of a running Java thread by plain loads: between its
 * stack pointer and its base all is mapped. Of a thread that the VM does not know no base is known:
 * if `may_read` is 0 its stack is not read, and the frame that runs is all there is.
 * Each step moves up the stack or a chunk by a word at least (but a return from a signal handler,
 * of which there are NATIVE_MAX in a row at most), so walks end.
 * Context of everything here: signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/cfi.h"
#include "safe/hs_top.h"

enum hs_mixed_kind {
    HS_MIXED_JAVA,   /* its levels of inlining were appended to the cursor's frames, 0 or more */
    HS_MIXED_STUB,   /* code of the VM's without a method */
    HS_MIXED_NATIVE, /* C or C++ code */
};

/** One physical frame. */
struct hs_mixed_frame {
    uint64_t pc, sp, fp; /* 0 not known */
    uint8_t kind;        /* enum hs_mixed_kind */
    bool interrupted;    /* pc is an instruction, not a return address */
    bool is_lead;        /* Java's: what m->start leads with */
    bool is_cut;         /* native: its callers, up to the next Java frame, are not known */
};

enum hs_mixed_result {
    HS_MIXED_END = 0,
    HS_MIXED_FRAME = 1,
    HS_MIXED_BROKEN = -1, /* no legal frame */
};

/** What to walk. */
struct hs_mixed_of {
    const struct hs_memory *memory;
    uint64_t java_thread;
    const struct regs *regs;      /* NULL: from the thread's anchor */
    const void *window;           /* as in struct mem_view */
    struct hs_names_visit *names; /* NULL: frames carry Method* addresses only */
    struct walk_frame *frames; /* room for the check of where to start: an exact start is checked */
    uint32_t max;              /* over so many frames, a guess over the whole stack */
    bool wants_native;         /* native frames and stubs above the first Java frame, too */
    bool hands_out; /* frames that were given cannot be taken back: a chain of chunks is walked
                     * to its end before the first of its frames is given */
};

struct hs_mixed {
    struct mem_view view;
    struct hs_cursor cursor; /* frames, max and count are the user's */
    struct hs_start start;
    struct cfi_regs top;    /* where the walk begins; sp 0: at the anchor */
    struct cfi_regs native; /* the next native frame; pc 0: none */
    uint64_t native_until;  /* native frames end at this stack pointer; 0: at the thread's first */
    uint32_t native_count;
    bool native_interrupted;
    uint8_t native_then; /* the phase behind them */
    uint8_t phase;
    bool has_java, wants_native, hands_out, may_read;
};

/**
 * Stand before the innermost frame of a Java thread. The cursor's frames are those of the check: as
 * many as `count` and `max` say, innermost first.
 *
 * Errors: 0; -(1 + enum walk_cause): then only hs_mixed_without_java() may follow.
 */
int hs_mixed_begin(struct hs_mixed *m, const struct hs_mixed_of *of);

/** As hs_mixed_begin(), from the registers of any frame: their pc is an instruction or a return
 * address. */
int hs_mixed_begin_at(struct hs_mixed *m, const struct hs_mixed_of *of);

/** After hs_mixed_begin() has failed with registers: the thread's native frames alone. */
void hs_mixed_without_java(struct hs_mixed *m);

/** Stand before the innermost frame of a thread that the VM need not know. `may_read`: loads from
 * its stack may fault; 0 gives one frame, which is cut. */
void hs_mixed_begin_native(struct hs_mixed *m, const struct hs_memory *memory,
                           const struct regs *regs, bool may_read);

/** Stand there again. */
void hs_mixed_rewind(struct hs_mixed *m);

/** Leave out what stands above the Java frames. After a rewind or a begin of a Java thread. */
void hs_mixed_skip_top(struct hs_mixed *m);

/**
 * The next frame. Its levels, if it is Java's, are appended to m->cursor.frames from
 * m->cursor.count on (counted beyond max, not stored); the first Java frame starts that count anew.
 * Native frames and stubs are not appended. A frame may be one that nobody shows: Java's without a
 * level. HS_MIXED_BROKEN: the frame at the cursor is no legal one; what could be read of it was
 * appended all the same.
 */
enum hs_mixed_result hs_mixed_next(struct hs_mixed *m, struct hs_mixed_frame *ret_frame);
