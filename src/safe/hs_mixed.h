/*
 * hs_mixed.h - the one walker of mixed stacks: Java frames, the C and C++ frames above and between
 * them, and the VM's stubs, one physical frame at a time.
 *
 * The walker keeps a state of fixed size and stores no frames. It has no memory, tables or caches
 * of its own; hs_memory.h holds those. Each user of stacks adapts the walker:
 *   walk_native.h      the agent's handler: all frames at once, with names
 *   asgst_iter.h       libasgst: frame by frame, in the API's form
 *   stopped_stack.h    `hprof stack`: threads of a stopped process or a core file
 * Java frames come from walk_vm.h. Native frames come from the rows of unwind.h. They are the
 * frames of the running C code, and the frames between Java frames where C code calls Java (through
 * the call stub, and through upcall stubs of JDK 25 and later). If no row leads on, the native
 * frames end with a mark, and the walk goes on at the next Java frame, which the VM's own anchors
 * name. Missing native frames therefore never cost a Java frame.
 *
 * The walker reads what hs_frame.h reads, and the thread's stack from its stack pointer up. In this
 * process mem_self does the loads, and a fault is a result. With -Xcheck:jni loads may not fault:
 * then the window of hs_mixed_of serves the stack of a running Java thread by plain loads, because
 * all memory between the thread's stack pointer and base is mapped. For a thread that the VM does
 * not know, no base is known: if `may_read` is 0, the walker does not read that stack and gives
 * only the running frame.
 *
 * Each step moves up the stack or a chunk by at least a word. The one exception is a return from a
 * signal handler, and at most NATIVE_MAX of them come in a row. All walks therefore end.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/cfi.h"
#include "safe/hs_top.h"

enum hs_mixed_kind {
    HS_MIXED_JAVA,   /* a Java frame; its levels, 0 or more, were appended to the cursor's frames */
    HS_MIXED_STUB,   /* code of the VM that has no method */
    HS_MIXED_NATIVE, /* C or C++ code */
};

/** One physical frame. */
struct hs_mixed_frame {
    uint64_t pc, sp, fp; /* 0: not known */
    uint8_t kind;        /* enum hs_mixed_kind */
    bool interrupted;    /* pc is an instruction, not a return address */
    bool is_lead;        /* Java: the frame with which m->start leads */
    bool is_cut;         /* native: the callers up to the next Java frame are not known */
};

enum hs_mixed_result {
    HS_MIXED_END = 0,
    HS_MIXED_FRAME = 1,
    HS_MIXED_BROKEN = -1, /* no legal frame */
};

/** The thread to walk, and what the walk hands out. */
struct hs_mixed_of {
    const struct hs_memory *memory;
    uint64_t java_thread;
    const struct regs *regs;      /* NULL: begin at the thread's anchor */
    const void *window;           /* the same as in struct mem_view */
    struct hs_names_visit *names; /* NULL: frames carry Method* addresses only */
    struct walk_frame *frames;    /* room for checking where to start */
    uint32_t max;      /* frames over which an exact start is checked; a guess: the whole stack */
    bool wants_native; /* hand out native frames, and stubs above the first Java frame */
    bool hands_out; /* frames that were given cannot be taken back: a chain of chunks is walked to
                       its end before the first of its frames is given */
};

struct hs_mixed {
    struct mem_view view;
    struct hs_cursor cursor; /* its fields frames, max and count belong to the user */
    struct hs_start start;
    struct cfi_regs top;    /* registers where the walk begins; sp 0: at the anchor */
    struct cfi_regs native; /* the next native frame; pc 0: none */
    uint64_t native_until;  /* native frames end at this sp; 0: at the thread's first frame */
    uint32_t native_count;
    bool native_interrupted;
    uint8_t native_then; /* the phase that follows the native frames */
    uint8_t phase;
    bool has_java, wants_native, hands_out, may_read;
};

/**
 * Place the walker in front of the innermost frame of a Java thread. The check of the start leaves
 * its frames in the cursor: `count` frames, of which at most `max` are stored, innermost first.
 *
 * Errors:  0; -(1 + enum walk_cause): then only hs_mixed_without_java() may follow.
 */
int hs_mixed_begin(struct hs_mixed *m, const struct hs_mixed_of *of);

/** Do the same as hs_mixed_begin(), but from the registers of any frame: their pc is an instruction
 * or a return address. */
int hs_mixed_begin_at(struct hs_mixed *m, const struct hs_mixed_of *of);

/**
 * Do the same as hs_mixed_begin() for C code that Java code called, from what was copied of the
 * stack and the registers at an earlier moment. The rows alone lead to the Java code: of what the
 * VM keeps about the running thread nothing is believed, as the thread has gone on. The start is
 * not checked, since the copy may end before the thread's first frame: the walk may break off.
 */
int hs_mixed_begin_past(struct hs_mixed *m, const struct hs_mixed_of *of);

/** Walk only the native frames. Call this after hs_mixed_begin() has failed with registers. */
void hs_mixed_without_java(struct hs_mixed *m);

/** Place the walker in front of the innermost frame of a thread that the VM need not know.
 * `may_read`: loads from the thread's stack may fault. If it is false, the walk has only one frame,
 * which is cut. */
void hs_mixed_begin_native(struct hs_mixed *m, const struct hs_memory *memory,
                           const struct regs *regs, bool may_read);

/** Place the walker in front of the innermost frame again. */
void hs_mixed_rewind(struct hs_mixed *m);

/** Leave out the frames above the Java frames. Call this after a rewind, or after a begin of a Java
 * thread. */
void hs_mixed_skip_top(struct hs_mixed *m);

/**
 * Hand out the next frame. The levels of a Java frame are appended to m->cursor.frames from
 * m->cursor.count on (levels beyond max are counted, not stored); the first Java frame starts the
 * count anew. Native frames and stubs are not appended. A Java frame may have no level; such a
 * frame is not shown.
 * HS_MIXED_BROKEN: the frame at the cursor is not legal; the levels that could be read were
 * appended all the same.
 */
enum hs_mixed_result hs_mixed_next(struct hs_mixed *m, struct hs_mixed_frame *ret_frame);
