/*
 * trigger.h - the registry of triggers: events at which a recording begins, ends or is written.
 *
 * A trigger is one file trigger_NAME.c that exports one `const struct trigger`, and the group
 * options_NAME of its option. The list in src/meson.build is the whole registry. A watch is one
 * thing that one recording waits for. The code that sees it happen calls trigger_thread_fire(). A
 * thread of the agent then carries out the action (agent/action/action.h), so that the program's
 * thread goes on.
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

/** A watch is not freed before trigger.release(), so a watch that was found can be used. */
struct trigger_watch {
    const struct trigger *row;
    const struct recording *recording; /* the recording of the watch, while is_armed */
    struct options_on_one on;
    bool has_more;         /* the + at the end of WHAT, which was removed */
    char *method;          /* in `on.what`, behind the class and its NUL; NULL: none */
    uint64_t least_ns;     /* the event must last longer than this */
    _Atomic bool is_armed; /* false: the watch is not used any more */
    _Atomic int left;      /* how often it may still fire */
};

struct trigger {
    const char *name;
    const struct options_group *options; /* its struct is a struct options_on */
    bool can_hold; /* it fires on the thread that caused it, and this thread can wait there */
    /** Fill the fields that only this trigger uses. May be NULL. Context: any. */
    void (*read)(struct trigger_watch *w);
    /**
     * Prepare for `w` while the VM starts, before arm(), to get events that a running VM does not
     * give. Errors: 0, or negative after a message. Context: OnLoad; may be NULL.
     */
    int (*load)(struct agent *a, const struct trigger_watch *w);
    /**
     * Begin to watch for `w` in a VM that runs. Errors: 0, or negative after a message. Context:
     * java, the agent's lock held.
     */
    int (*arm)(struct agent *a, JNIEnv *env, struct trigger_watch *w);
    /** No watch of this trigger is left. Context: java, no lock. */
    void (*disarm)(struct agent *a);
    /**
     * After disarm(): make sure that no thread is about to call trigger_thread_fire(). Errors: 0,
     * or negative after a message. May be NULL. Context: java, no lock.
     */
    int (*release)(struct agent *a);
    /** The VM is about to die. May be NULL. Context: java, no lock. */
    void (*dying)(struct agent *a);
};

extern const struct trigger *const trigger_all[];

/** Whether the watch may still fire: for code that has work to do before trigger_thread_fire(). */
static inline bool trigger_is_live(const struct trigger_watch *w)
{
    return atomic_load_explicit(&w->is_armed, memory_order_relaxed) &&
           atomic_load_explicit(&w->left, memory_order_relaxed) > 0;
}
