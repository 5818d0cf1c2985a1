/*
 * asgct.h - AsyncGetCallTrace, answered by libasgst.so's walker.
 *
 * There are two ways to call the walker. A program that is compiled for this header calls
 * ASGST_AsyncGetCallTrace(). A profiler that looks the name AsyncGetCallTrace up needs no change:
 * load libasgct.so with LD_PRELOAD, which has a function of this name with the VM's own three
 * parameters.
 *
 * Shapes and codes are those of the VM's function. Methods are jmethodIDs. A method has no id
 * (NULL) if nobody has asked the VM for the id of the method. So ask for the ids when a class is
 * prepared (JVM TI: GetClassMethods in ClassPrepare).
 * Source: HotSpot forte.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#ifndef ASGCT_HAS_TYPES /* define this name if the program has these types of its own */
typedef struct {
    jint lineno; /* bytecode index, -3 for a native method, -1 not known */
    jmethodID method_id;
} ASGCT_CallFrame;

typedef struct {
    JNIEnv *env_id; /* the thread to walk; NULL: the calling thread */
    /* set by the call; < 0: no stack, the value is a code of AsyncGetCallTrace (-1 to -10) */
    jint num_frames;
    ASGCT_CallFrame *frames; /* the caller's array, filled from the innermost frame outwards */
} ASGCT_CallTrace;
#endif

/**
 * Walk a thread: at most `depth` frames.
 *
 * `os_thread_id` names the thread by the id that the system gave it. With -1 the thread of
 * `trace->env_id` is walked, and the calling thread if `trace->env_id` is NULL. Another thread than
 * the caller must be suspended, or must be stopped in the signal handler whose `ucontext` is given.
 * If `ucontext` is NULL, the walk begins at the thread's last Java frame. Until walks work,
 * `num_frames` is ASGST_NUM_FRAMES_NOT_READY (asgst_ready.h).
 * Context: signal.
 */
void ASGST_AsyncGetCallTrace(ASGCT_CallTrace *trace, jint depth, void *ucontext,
                             jlong os_thread_id);

/* libjvm.so exports the short name for a function with three parameters, and the dynamic linker
 * would bind a reference to that function. With this macro the short name means our function when
 * the program is compiled. */
#ifdef HPROF_ASYNCGETCALLTRACE
#define AsyncGetCallTrace ASGST_AsyncGetCallTrace
#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
