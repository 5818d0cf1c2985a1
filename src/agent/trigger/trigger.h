/*
 * trigger.h - the registry of triggers: at what a recording begins, ends or is written.
 *
 * A trigger is one file trigger_NAME.c that exports one `const struct trigger`, and the group
 * options_NAME of its option; the list in src/meson.build is the whole registry. A watch is one
 * thing that one recording waits for. Whoever sees it happen calls trigger_thread_fire(); what is
 * then done (agent/action/action.h) a thread of ours does, so that the program's thread goes on.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "options/options_on.h"

struct agent;
struct recording;
struct trigger;

/** Never given back before trigger.release(): whoever finds one may use it. */
struct trigger_watch {
    const struct trigger *row;
    const struct recording *recording; /* whose it is, while is_armed */
    struct options_on_one on;
    bool has_more;         /* WHAT had a + behind it, which is gone */
    char *method;          /* in `on.what`, behind the class, which ends there; NULL none */
    uint64_t least_ns;     /* of what lasts */
    _Atomic bool is_armed; /* false: nobody waits for it any more */
    _Atomic int left;      /* so often it may fire */
};

struct trigger {
    const char *name;
    const struct options_group *options; /* its struct is a struct options_on */
    bool can_hold; /* it fires on the thread that did it, which may stand still there */
    /** Fill what the trigger itself reads of the watch. May be NULL. Context: any. */
    void (*read)(struct trigger_watch *w);
    /**
     * Somebody waits for `w`. Errors: 0, or negative after a message. Context: OnLoad before
     * arm(), so that events can be had that a running VM does not give; may be NULL.
     */
    int (*load)(struct agent *a, const struct trigger_watch *w);
    /** The same, in a VM that lives. Errors: as above. Context: java, the agent's lock held. */
    int (*arm)(struct agent *a, JNIEnv *env, struct trigger_watch *w);
    /** Nobody waits for any of its kind. Context: java, no lock. */
    void (*disarm)(struct agent *a);
    /** After disarm(): nobody is on the way to trigger_thread_fire(). Errors: 0, or negative after
     * a message. May be NULL. Context: java, no lock. */
    int (*release)(struct agent *a);
    /** The VM is about to die. May be NULL. Context: java, no lock. */
    void (*dying)(struct agent *a);
};

extern const struct trigger *const trigger_all[];

/** Whether it may fire still: for those who have work before trigger_thread_fire(). */
static inline bool trigger_is_live(const struct trigger_watch *w)
{
    return atomic_load_explicit(&w->is_armed, memory_order_relaxed) &&
           atomic_load_explicit(&w->left, memory_order_relaxed) > 0;
}
