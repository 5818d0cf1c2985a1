/*
 * crew.c - see crew.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/crew.h"
#include <string.h>
#include "agent/agent.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "vm/vm_threads.h"

void crew_reserve(void)
{
    for (int i = 0; engine_all[i]; i++)
        if (engine_all[i]->owns.per_thread)
            vm_threads_add_row(engine_all[i]->owns.per_thread);
}

int crew_prepare(const struct options *o, engine_set set)
{
    const struct engine *e;
    int error = 0;
    for (int at = 0; !error && (e = engine_next_of(set, &at)) != NULL;)
        error = e->prepare(o);
    return error;
}

int crew_load(struct agent *a, engine_set set, engine_set *ret_loaded)
{
    const struct engine *e;
    *ret_loaded = set;
    for (int at = 0; (e = engine_next_of(set, &at)) != NULL;) {
        int error = engine_get_needs(a, e);
        if (!error && e->load)
            error = e->load(a);
        if (error == E_UNSUPPORTED)
            *ret_loaded &= ~((engine_set)1 << (at - 1));
        else if (error)
            return error;
    }
    return 0;
}

int crew_start(struct agent *a, JNIEnv *env, engine_set set, engine_set *ret_started)
{
    const struct engine *e;
    *ret_started = set;
    for (int at = 0; (e = engine_next_of(set, &at)) != NULL;)
        if (e->start(a, env) != 0)
            *ret_started &= ~((engine_set)1 << (at - 1));
    return *ret_started == set ? 0 : E_UNSUPPORTED;
}

int crew_join(struct agent *a, struct recording *r, engine_set set)
{
    const struct engine *e;
    int error = 0;
    for (int at = 0; !error && (e = engine_next_of(set, &at)) != NULL;)
        error = e->sharing.join ? e->sharing.join(a, r) : 0;
    if (error)
        crew_part(a, r);
    return error;
}

void crew_part(struct agent *a, struct recording *r)
{
    const struct engine *e;
    for (int at = 0; (e = engine_next_of(r->engines, &at)) != NULL;)
        if (e->sharing.part)
            e->sharing.part(a, r);
}

int crew_retune(struct agent *a)
{
    const struct engine *e;
    int error = 0;
    for (int at = 0; !error && (e = engine_next(a, &at)) != NULL;)
        error = e->sharing.retune ? e->sharing.retune(a) : 0;
    return error;
}

void crew_ready(struct agent *a, engine_set set)
{
    const struct engine *e;
    for (int at = 0; (e = engine_next_of(set, &at)) != NULL;)
        if (e->ready)
            e->ready(a);
}

void crew_dying(struct agent *a, JNIEnv *env)
{
    const struct engine *e;
    for (int at = 0; (e = engine_next(a, &at)) != NULL;)
        if (e->dying)
            e->dying(a, env);
}

void crew_stop(struct agent *a, engine_set set)
{
    const struct engine *e;
    for (int at = 0; (e = engine_next_of(set, &at)) != NULL;)
        if (e->stop)
            e->stop(a);
}

static void clear_threads(struct vm_threads_row *row)
{
    for (struct vm_thread *t = vm_threads_next(NULL); t; t = vm_threads_next(t)) {
        memset(vm_threads_slot(t, row), 0, row->bytes);
        if (row->fill)
            row->fill(t);
    }
}

engine_set crew_release(struct agent *a, JNIEnv *env, engine_set set)
{
    const struct engine *e;
    engine_set stuck = 0;
    for (int at = 0; (e = engine_next_of(set, &at)) != NULL;) {
        if (!e->release || e->release(a, env) != 0) {
            stuck |= (engine_set)1 << (at - 1);
        } else if (e->owns.per_thread && a->started) {
            agent_lock(a);
            clear_threads(e->owns.per_thread);
            agent_unlock(a);
        }
    }
    return stuck;
}
