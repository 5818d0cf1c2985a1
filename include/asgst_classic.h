/*
 * asgst_classic.h - the earlier interface: AsyncGetStackTrace, a whole stack in one call.
 *
 * Names, shapes and values are those of the article "AsyncGetStackTrace: A better Stack Trace API
 * for the JVM", without additions. libasgst.so implements the interface; see docs/asgst.md. Methods
 * are jmethodIDs here. A method has no id (NULL) if nobody has asked the VM for the id of the
 * method. As for the VM's own AsyncGetCallTrace, ask for the ids when a class is prepared (JVM TI:
 * GetClassMethods in ClassPrepare). asgst_ready.h says what the state of the library is, and
 * asgct.h declares AsyncGetCallTrace.
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
    ASGST_INCLUDE_C_FRAMES = 1,         /* also C, C++ and stub frames */
    ASGST_INCLUDE_NON_JAVA_THREADS = 2, /* also threads without Java frames */
};

enum ASGST_TRACE_KIND {
    ASGST_JAVA_TRACE = 0,
    ASGST_CPP_TRACE = 1,   /* the thread is not one of Java's */
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
    uint8_t type;      /* ASGST_FRAME_JAVA, ASGST_FRAME_JAVA_INLINED or ASGST_FRAME_NATIVE */
    int8_t comp_level; /* 0 interpreted, 1 to 3 C1, 4 C2, -1 not known */
    uint16_t bci;      /* bytecode index; 0 for native methods, 65535 not known */
    jmethodID method_id;
} ASGST_JavaFrame;

typedef union {
    uint8_t type;
    ASGST_JavaFrame java_frame;
    ASGST_NonJavaFrame non_java_frame;
} ASGST_CallFrame;

typedef struct {
    /* < 0: no stack, the value is a code of AsyncGetCallTrace (-1 to -10), or -17: walks do not
     * work yet (asgst_ready.h) */
    jint num_frames;
    uint8_t kind;            /* enum ASGST_TRACE_KIND, set by the call */
    ASGST_CallFrame *frames; /* the caller's array, filled from the innermost frame outwards */
    void *frame_info;        /* not touched */
} ASGST_CallTrace;

/**
 * Walk a thread: at most `depth` frames.
 *
 * `ucontext` is the third argument of a signal handler, of the calling thread or of another thread.
 * The library finds the other thread by its stack; this thread must be stopped in the signal
 * handler, and the caller need not be attached to the VM. If `ucontext` is NULL, the calling thread
 * is walked from its last Java frame.
 * Context: signal.
 */
void AsyncGetStackTrace(ASGST_CallTrace *trace, jint depth, void *ucontext, uint32_t options);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
