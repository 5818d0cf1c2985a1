/*
 * walk.h - the one interface through which a signal handler gets a stack.
 *
 * A walker is a const table; cpu=samples calls the one that was chosen and does not know how it
 * works. Ending early is a result, counted by cause, never an error that is printed.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct regs;

enum walk_cause {
#define WALK(name, word, text) WALK_##name,
#include "walk_cause.def"
#undef WALK
    WALK_CAUSE_COUNT
};

/** The word of a cause in files. */
const char *walk_cause_word(enum walk_cause cause);
const char *walk_cause_text(enum walk_cause cause);

/** The kind of code that a frame belongs to. */
enum walk_kind {
    WALK_KIND_JAVA = 0, /* a Java method; it is not known how it ran */
    WALK_KIND_INTERPRETED,
    WALK_KIND_C1,
    WALK_KIND_C2,
    WALK_KIND_INLINED,
    WALK_KIND_NATIVE, /* a native Java method */
    WALK_KIND_STUB,   /* code that the VM generated and that is no method */
    WALK_KIND_CPP,    /* C or C++ code; `method` is the pc */
    WALK_KIND_KERNEL,
};

/** Flag of a frame of an own class (own_class.h): the frames above it are not to be shown. Walkers
 * that name frames themselves set the flag if walk_request.above is not 0. */
enum { WALK_FRAME_OWN = 0x4000 };

/** One frame of a sample, 16 bytes. */
struct walk_frame {
    uint64_t method; /* names the method; the meaning depends on the walker (see .names) */
    int32_t bci;     /* bytecode index; -1 unknown, -3 native method */
    uint8_t kind;    /* enum walk_kind */
    uint8_t level;   /* 0 interpreted or unknown, 1..3 C1, 4 C2 */
    uint16_t flags;  /* flags of the walker, and WALK_FRAME_OWN */
};

/** The facts that the handler knows about the interrupted thread. */
struct walk_request {
    void *ucontext; /* of the signal; NULL: the thread walks itself, or is_other (walk_vm alone) */
    /* in place of `ucontext`: where the calling thread is, its pc an instruction (walk_native
     * alone); NULL: not given */
    const struct regs *regs;
    bool may_read;        /* with `regs`: loads may fail if the thread is not a Java thread */
    void *jni_env;        /* the thread's JNIEnv; NULL: not a Java thread */
    uint64_t java_thread; /* address of its JavaThread; 0: unknown */
    bool is_other;  /* another thread, which has left Java and stays so: walk from its anchor */
    uint32_t above; /* number of frames above those of the walk: the kernel's */
    void *kept;     /* the walker's own data, from walk() to leave() */
};

enum walk_names {
    WALK_NAMES_JMETHODID, /* frame.method is a jmethodID */
    WALK_NAMES_VM,        /* frame.method is an index of hs_names.h */
    WALK_NAMES_ADDRESS,   /* frame.method is the pc, for frames of C and C++ */
    WALK_NAMES_KERNEL,    /* frame.method is an address in the kernel */
    WALK_NAMES_COUNT,
};

struct walker {
    const char *name; /* the value of the option walker= */
    enum walk_names names;
    bool is_later; /* takes no stack in the handler: the ring's reader asks for the stack soon */
    /**
     * Walk the interrupted thread, innermost frame first.
     *
     * Shape:   writes at most `max` frames.
     * Errors:  >= 0: the number of frames, *ret_truncated 1 if there were more than `max`;
     *          < 0:  -(1 + enum walk_cause).
     * Context: signal, on the interrupted thread itself; at most one handler deep.
     */
    int (*walk)(struct walk_request *request, struct walk_frame *frames, uint32_t max,
                bool *ret_truncated);
    /**
     * Called after each walk(), when the frames are where the reader of samples finds them. What
     * the frames refer to may be dropped when they have been read. NULL: the frames refer to
     * nothing. Context: as walk().
     */
    void (*leave)(struct walk_request *request);
};
