/*
 * call_trace.c - AsyncGetCallTrace, and dlsym for those who ask libjvm.so itself for it.
 *
 * Profilers find the VM's function by name: with dlsym(RTLD_DEFAULT, ...), which meets a preloaded
 * library before libjvm.so, or with the handle of libjvm.so, which does not. So dlsym stands here,
 * too: it answers that one name, and hands every other question on. The question for the name is
 * also the moment at which the library's thread is started, outside of signal handlers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <asgct.h>
#include <asgst_ready.h>
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define NAME "AsyncGetCallTrace"
/* The VM's code for a VM that does not post class loads yet. Profilers index tables by the codes,
 * so no number of our own may come out here. Source: forte.cpp, ticks_no_class_load. */
enum { CODE_NO_CLASS_LOAD = -1 };

#pragma GCC visibility push(default)
#undef AsyncGetCallTrace
void AsyncGetCallTrace(ASGCT_CallTrace *trace, jint depth, void *ucontext);
void *dlsym(void *restrict handle, const char *restrict name);
#pragma GCC visibility pop

/** Context: signal. */
void AsyncGetCallTrace(ASGCT_CallTrace *trace, jint depth, void *ucontext)
{
    ASGST_AsyncGetCallTrace(trace, depth, ucontext, -1);
    if (trace->num_frames == ASGST_NUM_FRAMES_NOT_READY)
        trace->num_frames = CODE_NO_CLASS_LOAD;
}

typedef void *(*dlsym_function)(void *handle, const char *name);

/* The C library's own. Its first version has another name on each CPU. */
static dlsym_function find_dlsym(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    void *found = NULL;
    for (unsigned i = 0; !found && i < sizeof(versions) / sizeof(*versions); i++)
        found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    return (dlsym_function)found;
}

static dlsym_function next_dlsym;

__attribute__((constructor)) static void begin(void)
{
    __atomic_store_n(&next_dlsym, find_dlsym(), __ATOMIC_RELEASE);
}

/* The last call is a jump, so that the C library sees who asked: RTLD_NEXT is meant from there. */
__attribute__((optimize("O2", "no-stack-protector"))) void *dlsym(void *restrict handle,
                                                                  const char *restrict name)
{
    dlsym_function next = __atomic_load_n(&next_dlsym, __ATOMIC_ACQUIRE);
    if (!next) { /* before the constructor, which another one may precede */
        next = find_dlsym();
        __atomic_store_n(&next_dlsym, next, __ATOMIC_RELEASE);
    }
    if (handle != RTLD_NEXT && strcmp(name, NAME) == 0) {
        ASGST_WaitUntilReady(0);
        return (void *)AsyncGetCallTrace;
    }
    return next ? next(handle, name) : NULL;
}
