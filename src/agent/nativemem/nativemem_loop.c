/*
 * nativemem_loop.c - see nativemem.h.
 *
 * Libraries that are loaded later get their hooks here, and not in a hook of dlopen(): dlopen()
 * looks at its caller to choose where it searches, and work within it would hold the linker's lock.
 * So a library is seen at most a lap after it was loaded. Looking at all libraries takes some
 * milliseconds; in a program that loads libraries all the time it may take a 20th of one processor.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/frame_native.h"
#include "agent/names/threads.h"
#include "agent/nativemem/nativemem.h"
#include "safe/clock.h"
#include "safe/memhook.h"

enum {
    LAP_MS = 100,
    LOOK_PART = 20,       /* a look of 1 ms is followed by 20 ms without one */
    AGAIN_FIRST_S = 1,    /* until slots that the linker has not bound are looked at again; */
    AGAIN_LONGEST_S = 32, /* twice as long after each look that has changed nothing */
};

/* When to look at the libraries again. */
struct pace {
    uint64_t not_before_ns;
    uint64_t again_ns, again_after_ns; /* for slots that are not bound */
};

static void look(struct nativemem *n, struct pace *p)
{
    uint64_t begin_ns = clock_monotonic_ns(), end_ns;
    bool is_again = n->imports.counts.unsure > 0 && begin_ns >= p->again_ns;
    if (!n->follows || begin_ns < p->not_before_ns || (!imports_is_due(&n->imports) && !is_again))
        return;
    int changed = imports_patch(&n->imports);
    end_ns = clock_monotonic_ns();
    p->not_before_ns = end_ns + (end_ns - begin_ns) * LOOK_PART;
    if (changed > 0 || !p->again_after_ns)
        p->again_after_ns = (uint64_t)AGAIN_FIRST_S * NS_PER_S;
    else if (p->again_after_ns < (uint64_t)AGAIN_LONGEST_S * NS_PER_S)
        p->again_after_ns *= 2;
    p->again_ns = end_ns + p->again_after_ns;
}

void JNICALL nativemem_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct nativemem *n = argument;
    struct agent *a = n->agent;
    struct pace pace = {0};
    memhook_exempt();
    threads_begin_agent(a, jvmti, env);
    while (!n->stop) {
        bell_wait(&n->wake, LAP_MS);
        if (n->stop)
            break;
        frame_native_look();
        look(n, &pace);
        agent_lock(a);
        if (!n->stop)
            nativemem_drain(n);
        agent_unlock(a);
    }
    bell_ring(&n->stopped);
}
