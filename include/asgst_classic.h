/*
 * asgst_classic.h - the earlier interface: AsyncGetStackTrace, a whole stack in one call.
 *
 * Names, shapes and values as in the article "AsyncGetStackTrace: A better Stack Trace API for the
 * JVM", and nothing besides; libasgst.so implements it, see docs/asgst.md. Methods are jmethodIDs
 * here: a method nobody has asked the VM for an id of has none (NULL). As for the VM's own
 * AsyncGetCallTrace, ask for them when a class is prepared (JVM TI: GetClassMethods in
 * ClassPrepare). asgst_ready.h has what the library says of itself, asgct.h AsyncGetCallTrace.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#ifdef HPROF_ASGST_H
#error "asgst.h and asgst_classic.h are two generations of one interface: include one of them"
#endif
#define HPROF_ASGST_CLASSIC_H
#include <jni.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum ASGST_Options {
    ASGST_INCLUDE_C_FRAMES = 1,         /* C, C++ and stub frames too */
    ASGST_INCLUDE_NON_JAVA_THREADS = 2, /* threads without Java frames too */
};

enum ASGST_TRACE_KIND {
    ASGST_JAVA_TRACE = 0,
    ASGST_CPP_TRACE = 1,   /* not a thread of Java's */
    ASGST_GC_TRACE = 2,    /* never returned here: a collection does not disturb the walk */
    ASGST_DEOPT_TRACE = 3, /* the thread is being deoptimised */
    ASGST_UNKNOWN_TRACE = 4,
};

enum ASGST_FrameTypeId {
    ASGST_FRAME_JAVA = 1,
    ASGST_FRAME_JAVA_INLINED = 2,
    ASGST_FRAME_NATIVE = 3,
    ASGST_FRAME_STUB = 4,
    ASGST_FRAME_CPP = 5
};

typedef struct {
    uint8_t type; /* ASGST_FRAME_STUB or ASGST_FRAME_CPP */
    void *pc;
} ASGST_NonJavaFrame;

typedef struct {
    uint8_t type;      /* the first three */
    int8_t comp_level; /* 0 interpreted, 1 to 3 C1, 4 C2, -1 not known */
    uint16_t bci;      /* 0 for native methods, 65535 not known */
    jmethodID method_id;
} ASGST_JavaFrame;

typedef union {
    uint8_t type;
    ASGST_JavaFrame java_frame;
    ASGST_NonJavaFrame non_java_frame;
} ASGST_CallFrame;

typedef struct {
    jint num_frames;         /* < 0: no stack, the codes of AsyncGetCallTrace (-1 to -10), or
                                -17: walks do not work yet (asgst_ready.h) */
    uint8_t kind;            /* enum ASGST_TRACE_KIND, set by the call */
    ASGST_CallFrame *frames; /* the caller's array, filled from the innermost frame outwards */
    void *frame_info;        /* not touched */
} ASGST_CallTrace;

/**
 * Walk a thread: at most `depth` frames.
 *
 * `ucontext` is the signal handler's third argument, of the calling thread or of another one, which
 * is found by its stack and has to be stopped there; the caller need not be attached then. NULL:
 * the calling thread, here, from its last Java frame. Context: signal.
 */
void AsyncGetStackTrace(ASGST_CallTrace *trace, jint depth, void *ucontext, uint32_t options);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
