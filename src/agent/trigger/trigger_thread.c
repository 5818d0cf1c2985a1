/*
 * trigger_thread.c - see trigger.h.
 *
 * Notes are in a short queue. Its lock is held only for some loads and stores, because the thread
 * that leaves a note may be in a pause of the VM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/trigger/trigger.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/action/action.h"
#include "agent/agent.h"
#include "agent/frozen/standing.h"
#include "agent/life/life.h"
#include "agent/log.h"
#include "agent/names/threads.h"
#include "agent/recording/recording.h"
#include "base/lock.h"
#include "base/plural.h"
#include "safe/bell.h"

enum {
    NOTES_MAX = 16,
    /* if the bell does not ring, the thread wakes after this time and finds nothing to do */
    WAIT_MS = 3600000,
    CHILD_MS = 1000,  /* time between looks at the programs that were started */
    DRAIN_MS = 60000, /* for the last actions, for example a heap dump */
    /* after this time a held thread goes on, as the dump may need a lock of that thread */
    HELD_MS = 10000,
    POLL_US = 1000,
};

struct note {
    struct trigger_watch *watch;
    char *what, *stack;
    uint32_t ticket; /* for agent/frozen/standing.h */
};

static struct {
    struct lock lock; /* guards the notes */
    bool has_thread;  /* set under the lock: no note is left when there is nobody to take it */
    struct note notes[NOTES_MAX];
    uint32_t put, taken;  /* counts of the notes that were put in and taken out */
    uint32_t left_out;    /* notes that found no room */
    uint32_t void_before; /* notes with a ticket below this one are of recordings that have ended */
    _Atomic uint32_t done; /* count of the notes whose action is done */
    struct agent *agent;
    _Atomic uint32_t run; /* grows by one when the thread is to end */
    _Atomic bool is_dying;
    struct bell wake;
} work = {.lock = LOCK_INIT(TRIGGERS)};

/* Whether the calling thread belongs to the program, and may wait here for the agent's thread. */
static bool may_hold(const struct trigger_watch *w)
{
    return w->row->can_hold && action_of(w->on.action)->holds && !standing_serves() &&
           !agent_exempt_has(gettid()) && !agent_lock_is_mine(work.agent) &&
           !atomic_load(&work.is_dying);
}

static void hold(const struct trigger_watch *w, uint32_t ticket)
{
    if (!standing_wait(ticket, HELD_MS))
        log_note("%s: the thread that fired was held for %d s and goes on before the heap is "
                 "frozen: what it had may not be in the dump",
                 w->row->name, HELD_MS / 1000);
}

void trigger_thread_fire(struct trigger_watch *w, char *what, char *stack)
{
    int left = atomic_load(&w->left);
    uint32_t ticket = 0;
    bool is_kept = false;
    while (left > 0 && !atomic_compare_exchange_weak(&w->left, &left, left - 1))
        ;
    if (left > 0 && atomic_load(&w->is_armed)) {
        lock_take(&work.lock);
        is_kept = work.has_thread && work.put - work.taken < NOTES_MAX;
        ticket = work.put;
        if (is_kept) {
            work.notes[work.put++ % NOTES_MAX] = (struct note){w, what, stack, ticket};
            atomic_fetch_add(&w->users, 1);
        } else if (work.has_thread) {
            work.left_out++;
            atomic_fetch_add(&w->left, 1); /* it may fire again: this time does not count */
        }
        lock_give(&work.lock);
        bell_ring(&work.wake);
    }
    if (is_kept) {
        if (may_hold(w))
            hold(w, ticket);
        return;
    }
    free(what);
    free(stack);
}

/* ---- one note */

static bool take_note(bool is_void, struct note *ret)
{
    bool has_one;
    uint32_t left_out;
    lock_take(&work.lock);
    has_one = work.taken != work.put && (!is_void || (int32_t)(work.void_before - work.taken) > 0);
    if (has_one)
        *ret = work.notes[work.taken++ % NOTES_MAX];
    left_out = work.left_out;
    work.left_out = 0;
    lock_give(&work.lock);
    if (left_out)
        log_error("triggers fired faster than could be obeyed: %u time%s nothing was done",
                  left_out, plural_s(left_out));
    return has_one;
}

static void free_note(struct note *n)
{
    trigger_set_unuse(n->watch);
    free(n->what);
    free(n->stack);
    atomic_fetch_add(&work.done, 1);
}

/*
 * Take the void notes out, and let the threads go on that are held for them, as no heap will be
 * frozen.
 */
static void drop_void(void)
{
    struct note note;
    while (take_note(true, &note)) {
        standing_give_up(note.ticket);
        free_note(&note);
    }
}

/* Print the message; it calls the watch by the name of its option. */
static void say(const struct note *n, const char *name)
{
    const struct trigger_watch *w = n->watch;
    char *text;
    int len = asprintf(&text, "HPROF: %s: %s: %s, recording %s%s%s\n%s", w->row->name,
                       n->what ? n->what : "it has happened", options_on_word(w->on.action), name,
                       w->on.with[0] ? ", " : "", w->on.with, n->stack ? n->stack : "");
    if (len < 0)
        return;
    log_lines(text, (size_t)len);
    free(text);
}

/*
 * Copy what the action needs to know of the recording, which may end meanwhile. Returns whether the
 * recording exists.
 */
static bool describe(struct agent *a, const struct trigger_watch *w, struct action_call *ret,
                     char name[RECORDING_NAME + 1], char **ret_line)
{
    const struct recording *r = NULL;
    agent_lock(a);
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i] && a->recordings[i] == w->recording && atomic_load(&w->is_armed))
            r = a->recordings[i];
    if (r) {
        ret->recording = r->number;
        snprintf(name, RECORDING_NAME + 1, "%s", r->name);
        *ret_line = strdup(r->line);
    }
    agent_unlock(a);
    return r && *ret_line;
}

static void obey(struct agent *a, JNIEnv *env, struct note *n)
{
    char name[RECORDING_NAME + 1], *line = NULL;
    struct action_call call = {.agent = a,
                               .env = env,
                               .name = name,
                               .with = n->watch->on.with,
                               .is_dying = atomic_load(&work.is_dying),
                               .is_tight = n->watch->row->is_tight};
    standing_serve(n->ticket);
    if (describe(a, n->watch, &call, name, &line)) {
        call.line = line;
        say(n, name);
        if (action_of(n->watch->on.action)->run(&call) != 0)
            log_error("%s: %s was not done", n->watch->row->name,
                      options_on_word(n->watch->on.action));
        standing_let_go();
        if (!call.is_dying && trigger_set_retire(a, env, n->watch))
            (void)life_stop(a, env, call.recording);
    }
    standing_let_go();
    free(line);
    free_note(n);
}

/* ---- the thread */

static void JNICALL loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct agent *a = work.agent;
    uint32_t run = (uint32_t)(uintptr_t)argument;
    struct note note;
    agent_exempt_begin();
    threads_begin_agent(a, env);
    while (atomic_load(&work.run) == run) {
        bell_wait(&work.wake, action_launch_reap() ? CHILD_MS : WAIT_MS);
        while (atomic_load(&work.run) == run && take_note(false, &note))
            if ((*env)->PushLocalFrame(env, 16) == JNI_OK) {
                obey(a, env, &note);
                (*env)->PopLocalFrame(env, NULL);
            }
    }
    drop_void();
    agent_exempt_end();
}

int trigger_thread_begin(struct agent *a, JNIEnv *env)
{
    int error;
    if (work.has_thread)
        return 0;
    work.agent = a;
    error = agent_run_thread(a, env, "HPROF trigger thread", loop,
                             (void *)(uintptr_t)atomic_load(&work.run));
    lock_take(&work.lock);
    work.has_thread = error == 0;
    lock_give(&work.lock);
    return error;
}

void trigger_thread_end(void)
{
    atomic_fetch_add(&work.run, 1);
    lock_take(&work.lock);
    work.has_thread = false;
    work.void_before = work.put;
    lock_give(&work.lock);
    if (standing_serves()) /* our own thread, in an action */
        drop_void();
    bell_ring(&work.wake);
}

static bool is_drained(void)
{
    bool is_drained;
    lock_take(&work.lock);
    is_drained = atomic_load(&work.done) == work.put;
    lock_give(&work.lock);
    return is_drained;
}

void trigger_thread_drain(void)
{
    atomic_store(&work.is_dying, true);
    for (int waits = DRAIN_MS * 1000 / POLL_US; !is_drained() && waits > 0; waits--)
        usleep(POLL_US);
}
