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
    uint32_t percent;      /* the level that is waited for; the next two belong to its thread */
    bool is_above;         /* the level was reached, and has not fallen since */
    uint64_t next_ns;      /* not before this time again */
    _Atomic bool is_armed; /* false: the watch is not used any more */
    _Atomic int left;      /* how often it may still fire */
    int obeyed;            /* how often the action was carried out; only the trigger thread's */
    _Atomic int users;     /* the list of watches, and each note that is not carried out yet */
};

struct trigger {
    const char *name;
    const struct options_group *options; /* its struct is a struct options_on */
    bool can_hold; /* it fires on the thread that caused it, and this thread can wait there */
    bool is_tight; /* it fires because memory is short: what its action takes must be little */
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

/*
 * trigger_set.c: the watches of all recordings.
 */

/**
 * Add the watches that the options of the recording name. Errors: 0, or negative after a message,
 * and then no watch is added. Context: java, the agent's lock held.
 */
int trigger_set_join(struct agent *a, JNIEnv *env, struct recording *r);
/** Disarm all watches of this recording. Context: java, the agent's lock held. */
void trigger_set_part(const struct recording *r);
/**
 * The action of `w` has been carried out. If a trigger has no armed watch left, disarm it. Returns
 * whether the recording of `w` must end: it existed only for its triggers, and none is left.
 * Context: java, no lock.
 */
bool trigger_set_retire(struct agent *a, JNIEnv *env, struct trigger_watch *w);
/** The caller does not use `w` any more: the last user frees it. Context: any, not signal. */
void trigger_set_unuse(struct trigger_watch *w);
/** Disarm all triggers. Context: java, no lock. */
void trigger_set_disarm(struct agent *a);
/**
 * After trigger_set_disarm(): make sure that no trigger is in use, and free all watches. Errors: 0,
 * or negative after a message.
 */
int trigger_set_release(struct agent *a, JNIEnv *env);
/** Tell all triggers that the VM is about to end. */
void trigger_set_dying(struct agent *a);
/**
 * The next armed watch of this trigger, from place *at on; NULL at the end. Context: any, not
 * signal.
 */
struct trigger_watch *trigger_set_next(const struct trigger *row, int *at);
/** Whether this is the name of the watch's class, in the form java/lang/String. */
bool trigger_set_has_name(const struct trigger_watch *w, const char *name, size_t len);

/*
 * trigger_thread.c: the thread that carries out the actions of triggers.
 *
 * The thread that sees a trigger's event leaves a note for this thread and goes on. If the action
 * is to write the heap, it waits until the heap is frozen.
 */

/** Start the thread. Errors: 0, or -1 after a message. Context: java, the agent's lock held. */
int trigger_thread_begin(struct agent *a, JNIEnv *env);
/** End the thread after its current action. Context: any. */
void trigger_thread_end(void);
/**
 * The VM is about to end: wait until all actions are done, at most a minute. Context: java, no
 * lock.
 */
void trigger_thread_drain(void);
/**
 * The event of `w` has happened. `what` describes it in a line; `stack` has the lines of the
 * thread's stack (may be NULL). Both come from malloc(), and this function frees them.
 * Context: any, also gc, but not signal; java if the trigger of `w` can hold its thread.
 */
void trigger_thread_fire(struct trigger_watch *w, char *what, char *stack);

/*
 * trigger_said.c: descriptions of threads and exceptions for the messages of triggers.
 *
 * Context: java, on the thread that is described.
 */

enum { TRIGGER_SAID_THREAD = 128 };

/** Get the name of the calling thread. */
void trigger_said_thread(jvmtiEnv *jvmti, JNIEnv *env, char ret[TRIGGER_SAID_THREAD]);
/**
 * Describe an exception, for example "java.io.IOException: no such file, in the thread "main"".
 * None of the exception's code runs, because it may not be ready for that. Owner: the caller frees
 * the text; NULL: no memory.
 */
char *trigger_said(struct agent *a, JNIEnv *env, jobject exception);
/**
 * The lines of the stack that a finished exception has stored. Owner: the caller frees the text;
 * NULL: no memory or no stack.
 */
char *trigger_said_stack(JNIEnv *env, jobject exception);
