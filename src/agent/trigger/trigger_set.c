/*
 * trigger_set.c - see trigger.h.
 *
 * The code that sees an event reads the watches without a lock. So a watch that is not used any
 * more stays in the list, disarmed, until trigger_set_release(). A note keeps its watch beyond
 * that: its action may be what ends the last recording. SPDX-License-Identifier: Apache-2.0
 */
#include "agent/trigger/trigger.h"
#include <stdlib.h>
#include <string.h>
#include "agent/action/action.h"
#include "agent/agent.h"
#include "agent/engine/weaving.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "options/options_on.h"

enum { WATCHES_MAX = 256 };

static struct trigger_watch *_Atomic watches[WATCHES_MAX];

struct trigger_watch *trigger_set_next(const struct trigger *row, int *at)
{
    while (*at < WATCHES_MAX) {
        struct trigger_watch *w = atomic_load_explicit(&watches[(*at)++], memory_order_acquire);
        if (!w)
            return NULL;
        if (w->row == row && atomic_load_explicit(&w->is_armed, memory_order_relaxed))
            return w;
    }
    return NULL;
}

bool trigger_set_has_name(const struct trigger_watch *w, const char *name, size_t len)
{
    return strlen(w->on.what) == len && memcmp(w->on.what, name, len) == 0;
}

/* ---- of one recording */

static int add(struct agent *a, JNIEnv *env, struct recording *r, const struct trigger *row,
               const struct options_on_one *one)
{
    struct trigger_watch *w = calloc(1, sizeof(*w));
    int at = 0, error;
    while (at < WATCHES_MAX && watches[at])
        at++;
    if (!w || at == WATCHES_MAX) {
        log_error("%s=: no room for another trigger: stop all recordings first", row->name);
        free(w);
        return E_LIMIT;
    }
    *w = (struct trigger_watch){.row = row, .recording = r, .on = *one};
    atomic_init(&w->left, one->times);
    atomic_init(&w->users, 1);
    if (row->read)
        row->read(w);
    atomic_init(&w->is_armed, true);
    atomic_store_explicit(&watches[at], w, memory_order_release);
    if (action_of(w->on.action)->prepare)
        action_of(w->on.action)->prepare(env);
    error = row->load ? row->load(a, w) : 0;
    if (!error)
        error = row->arm(a, env, w);
    return error;
}

int trigger_set_join(struct agent *a, JNIEnv *env, struct recording *r)
{
    int error = 0;
    for (int i = 0; trigger_all[i] && !error; i++) {
        const struct trigger *row = trigger_all[i];
        const struct options_on *on = options_group_own(&r->options, row->options);
        for (int k = 0; options_group_wanted(&r->options, row->options) && k < on->count && !error;
             k++)
            error = add(a, env, r, row, &on->one[k]);
    }
    if (error)
        trigger_set_part(r);
    return error;
}

void trigger_set_part(const struct recording *r)
{
    for (int i = 0; i < WATCHES_MAX && watches[i]; i++)
        if (watches[i]->recording == r) {
            atomic_store(&watches[i]->is_armed, false);
            watches[i]->recording = NULL;
        }
}

/* ---- of all */

static bool has_watch(const struct trigger *row)
{
    int at = 0;
    return trigger_set_next(row, &at) != NULL;
}

/*
 * Whether the recording existed only for its triggers and none of its watches is armed any more.
 * Needs the lock.
 */
static bool is_done(const struct recording *r)
{
    for (int i = 0; i < WATCHES_MAX && watches[i]; i++)
        if (watches[i]->recording == r && atomic_load(&watches[i]->is_armed))
            return false;
    return r->is_waiting || options_on_is_alone(&r->options);
}

bool trigger_set_retire(struct agent *a, JNIEnv *env, struct trigger_watch *w)
{
    bool is_over = false, is_idle;
    agent_lock(a);
    /* not `left == 0`: a thread may be held for a time that is not obeyed yet */
    is_idle = ++w->obeyed == w->on.times;
    if (is_idle) {
        atomic_store(&w->is_armed, false);
        is_idle = !has_watch(w->row);
        if (w->recording)
            is_over = is_done(w->recording);
    }
    if (is_idle)
        w->row->disarm(a);
    agent_unlock(a);
    if (is_idle)
        weaving_apply(a, env, WEAVING_ASIDE);
    return is_over;
}

void trigger_set_unuse(struct trigger_watch *w)
{
    if (atomic_fetch_sub(&w->users, 1) == 1)
        free(w);
}

void trigger_set_disarm(struct agent *a)
{
    for (int i = 0; trigger_all[i]; i++)
        trigger_all[i]->disarm(a);
}

int trigger_set_release(struct agent *a, JNIEnv *env)
{
    int error = 0;
    for (int i = 0; trigger_all[i]; i++) {
        int failed = trigger_all[i]->release ? trigger_all[i]->release(a) : 0;
        error = error ? error : failed;
    }
    for (int i = 0; i < WATCHES_MAX && !error; i++) {
        if (watches[i] && action_of(watches[i]->on.action)->release)
            action_of(watches[i]->on.action)->release(env);
        if (watches[i])
            trigger_set_unuse(watches[i]);
        watches[i] = NULL;
    }
    return error;
}

void trigger_set_dying(struct agent *a)
{
    for (int i = 0; trigger_all[i]; i++)
        if (trigger_all[i]->dying)
            trigger_all[i]->dying(a);
}
