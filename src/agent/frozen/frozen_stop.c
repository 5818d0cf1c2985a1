/*
 * frozen_stop.c - see frozen_state.h.
 *
 * Before a walk the number of objects is not known. It is estimated from the bytes of the heap that
 * are in use (docs/measurements/heap-dump.md).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_state.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/frozen/standing.h"
#include "agent/log.h"
#include "options/options_frozen.h"
#include "safe/clock.h"
#include "vm/vm_lookup.h"

enum {
    OBJECT_BYTES = 48, /* of an average object */
    LONG_MS = 1000,    /* a longer stop is announced before, or refused */
    MS_PER_S = 1000,
    /* a child for which the program stands is ended after FACTOR times what was expected, and so
     * much more */
    STAND_FACTOR = 4,
    STAND_MORE_MS = 10000,
};

uint64_t frozen_stop_used_bytes(JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass klass = vm_lookup_class(&l, "java/lang/Runtime");
    jobject runtime = vm_lookup_call_static_object(
        &l, klass, vm_lookup_static_method(&l, klass, "getRuntime", "()Ljava/lang/Runtime;"));
    jlong total =
        vm_lookup_call_long(&l, runtime, vm_lookup_method(&l, klass, "totalMemory", "()J"));
    jlong unused =
        vm_lookup_call_long(&l, runtime, vm_lookup_method(&l, klass, "freeMemory", "()J"));
    return vm_lookup_end(&l) && total > unused ? (uint64_t)(total - unused) : 0;
}

static uint64_t expected_ms(const struct frozen *f, JNIEnv *env)
{
    return frozen_stop_used_bytes(env) / OBJECT_BYTES * f->use->pause_ns / NS_PER_MS;
}

/* Whether a long stop does no harm, or the user has asked for it. */
static bool is_wanted(const struct frozen *f)
{
    return f->pause == FROZEN_PAUSE_ALWAYS || f->agent->dying || f->agent->vm_ends ||
           standing_serves() || strcmp(f->vm.why_not, FROZEN_VM_NO_FORK) == 0;
}

/* The child is the faster the fewer pages are read from a slow memory, the slower the disk is: so
 * the bound is far above what is expected. */
bool frozen_stop_may_stand(struct frozen *f, JNIEnv *env, const char *why)
{
    uint64_t ms = frozen_stop_used_bytes(env) / OBJECT_BYTES * f->use->stand_ns / NS_PER_MS;
    /* the child changes references in its copy of ZGC's heap, so it always needs the copy */
    if (frozen_vm_is_copied(&f->vm))
        return false;
    if (f->fork_bytes != 0 && (f->pause == FROZEN_PAUSE_NEVER || (ms > LONG_MS && !is_wanted(f))))
        return false;
    f->stand.most_ns = (STAND_FACTOR * ms + STAND_MORE_MS) * NS_PER_MS;
    log_note("the %s stops the program for about %.1f s: it stands still while a child works (%s)",
             f->use->what, (double)ms / MS_PER_S, why);
    return true;
}

bool frozen_stop_must_stand(struct frozen *f, JNIEnv *env)
{
    bool is_limited = f->fork_bytes != OPTIONS_FROZEN_NO_LIMIT;
    return is_limited && (f->fork_bytes == 0 || f->fork_bytes < frozen_stop_used_bytes(env)) &&
           frozen_stop_may_stand(f, env, "forkmem= allows fewer copies of its pages");
}

bool frozen_stop_may_be(struct frozen *f, JNIEnv *env, const char *why)
{
    char reason[FROZEN_STATUS_WHY];
    uint64_t ms = f->pause == FROZEN_PAUSE_NEVER ? 0 : expected_ms(f, env);
    uint64_t seconds = (ms + MS_PER_S / 2) / MS_PER_S;
    snprintf(reason, sizeof(reason), "%s", why); /* `why` may be status->why itself */
    if (f->pause == FROZEN_PAUSE_NEVER) {
        snprintf(f->status->why, sizeof(f->status->why), "%s", reason);
        return false;
    }
    if (ms <= LONG_MS)
        return true;
    if (is_wanted(f)) {
        log_note(
            "the %s stops the program for about %llu s at most: it is made inside the pause (%s)",
            f->use->what, (unsigned long long)seconds, reason);
        return true;
    }
    snprintf(f->status->why, sizeof(f->status->why), "about %llu s at most: %.95s",
             (unsigned long long)seconds, reason);
    return false;
}
