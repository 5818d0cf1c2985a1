/*
 * asgct.h - AsyncGetCallTrace, answered by libasgst.so's walker.
 *
 * Two ways to it. ASGST_AsyncGetCallTrace() is for programs that are compiled for it. And
 * libasgct.so has a function AsyncGetCallTrace with the VM's own three parameters for profilers
 * that look the name up, unchanged: load it with LD_PRELOAD. Shapes and codes are those of the
 * VM's function. Methods are jmethodIDs: a method nobody has asked the VM for an id of has none
 * (NULL), so ask when a class is prepared (JVM TI: GetClassMethods in ClassPrepare).
 * Source: HotSpot forte.cpp. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#ifndef ASGCT_HAS_TYPES /* define it where the program has these types of its own */
typedef struct {
    jint lineno; /* bytecode index, -3 for a native method, -1 not known */
    jmethodID method_id;
} ASGCT_CallFrame;

typedef struct {
    JNIEnv *env_id; /* of the thread to walk; NULL: the calling thread */
    jint
        num_frames; /* set by the call; < 0: no stack, the codes of AsyncGetCallTrace (-1 to -10) */
    ASGCT_CallFrame *frames; /* the caller's array, filled from the innermost frame outwards */
} ASGCT_CallTrace;
#endif

/**
 * Walk a thread: at most `depth` frames.
 *
 * Which thread: the one with the system's id `os_thread_id`; with -1 the one of `trace->env_id`;
 * if that is NULL, too, the calling thread. Another thread has to be stopped in the signal handler
 * whose `ucontext` is given, or suspended. `ucontext` NULL: from the thread's last Java frame.
 * Before walks work `num_frames` is ASGST_NUM_FRAMES_NOT_READY (asgst_ready.h). Context: signal.
 */
void ASGST_AsyncGetCallTrace(ASGCT_CallTrace *trace, jint depth, void *ucontext,
                             jlong os_thread_id);

/* libjvm.so exports the short name with three parameters, and the dynamic linker would bind a
 * reference to that one: with this macro the short name means ours when the program is compiled. */
#ifdef HPROF_ASYNCGETCALLTRACE
#define AsyncGetCallTrace ASGST_AsyncGetCallTrace
#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
