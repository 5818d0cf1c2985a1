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

enum walk_cause {
#define WALK(name, word, text) WALK_##name,
#include "walk_cause.def"
#undef WALK
    WALK_CAUSE_COUNT
};

/** The word of a cause as files have it. */
const char *walk_cause_word(enum walk_cause cause);
const char *walk_cause_text(enum walk_cause cause);

/** What kind of code a frame is. */
enum walk_kind {
    WALK_KIND_JAVA = 0, /* a Java method, how it ran is not known */
    WALK_KIND_INTERPRETED,
    WALK_KIND_C1,
    WALK_KIND_C2,
    WALK_KIND_INLINED,
    WALK_KIND_NATIVE, /* a native Java method */
    WALK_KIND_STUB,   /* VM-generated code that is no method */
    WALK_KIND_CPP,    /* C or C++ code; `method` is the pc */
    WALK_KIND_KERNEL,
};

/** Flag of the frames of an own class (own_class.h): says that what stands above is not to be seen.
 * Set where walk_request.above asks for it, by walkers that name frames themselves. */
enum { WALK_FRAME_OWN = 0x4000 };

/** One frame of a sample, 16 bytes. */
struct walk_frame {
    uint64_t method; /* what names the method: its meaning belongs to the walker (see .names) */
    int32_t bci;     /* bytecode index; -1 unknown, -3 native method */
    uint8_t kind;    /* enum walk_kind */
    uint8_t level;   /* 0 interpreted, 1..3 C1, 4 C2; 0 where unknown */
    uint16_t flags;  /* the walker's, and WALK_FRAME_OWN */
};

/** What the handler knows about the interrupted thread. */
struct walk_request {
    void *ucontext; /* of the signal; NULL: the thread asks itself, or is_other (walk_vm alone) */
    void *jni_env;  /* the thread's JNIEnv, NULL for a thread that is not Java's */
    uint64_t java_thread; /* address of its JavaThread, 0 unknown */
    bool is_other;        /* another thread, which has left Java and stays so: from its anchor */
    uint32_t above;       /* frames that stand above those of the walk: the kernel's */
    void *kept;           /* the walker's own, from walk() to leave() */
};

enum walk_names {
    WALK_NAMES_JMETHODID, /* frame.method is a jmethodID */
    WALK_NAMES_VM,        /* frame.method is an index of hs_names.h */
    WALK_NAMES_ADDRESS,   /* of frames of C and C++: the pc */
    WALK_NAMES_KERNEL,    /* of the kernel's: an address in it */
    WALK_NAMES_COUNT,
};

struct walker {
    const char *name; /* as the option walker= says it */
    enum walk_names names;
    bool is_later; /* takes no stack in the handler: whoever reads the ring asks for it, soon */
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
     * After each walk(): the frames lie where whoever reads samples finds them, so what they refer
     * to may go once that has been read. NULL: they refer to nothing. Context: as walk().
     */
    void (*leave)(struct walk_request *request);
};
