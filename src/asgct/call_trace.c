/*
 * call_trace.c - AsyncGetCallTrace, and a dlsym() that finds it for callers who ask libjvm.so.
 *
 * Profilers find the VM's function by its name. dlsym(RTLD_DEFAULT, ...) searches a preloaded
 * library before libjvm.so and so finds this function. dlsym() with the handle of libjvm.so does
 * not. So this file also has a dlsym(), which answers the question for this one name and passes
 * every other question on to the C library. When a profiler asks for the name, the library's thread
 * is started, because this is outside of signal handlers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <asgct.h>
#include <asgst_ready.h>
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define NAME "AsyncGetCallTrace"
/* The VM's code for a VM that does not post class loads yet. Profilers use the codes as indices of
 * tables, so this function may not return a code of our own. Source: forte.cpp,
 * ticks_no_class_load. */
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

/* Find the dlsym() of the C library. The first version of its symbol has another name on each
 * CPU. */
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

/* The last call is compiled as a jump, so that the C library sees the address of our caller: the
 * meaning of RTLD_NEXT depends on this address. */
__attribute__((optimize("O2", "no-stack-protector"))) void *dlsym(void *restrict handle,
                                                                  const char *restrict name)
{
    dlsym_function next = __atomic_load_n(&next_dlsym, __ATOMIC_ACQUIRE);
    if (!next) { /* another constructor has called dlsym() before ours has run */
        next = find_dlsym();
        __atomic_store_n(&next_dlsym, next, __ATOMIC_RELEASE);
    }
    if (handle != RTLD_NEXT && strcmp(name, NAME) == 0) {
        ASGST_WaitUntilReady(0);
        return (void *)AsyncGetCallTrace;
    }
    return next ? next(handle, name) : NULL;
}
