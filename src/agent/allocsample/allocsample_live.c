/*
 * allocsample_live.c - see allocsample_live.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/allocsample/allocsample_live.h"
#include <errno.h>
#include <stdatomic.h>
#include "agent/agent.h"
#include "agent/allocsample/live_set.h"
#include "agent/budget.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "format/writer_sites.h"
#include "options/options_allocsample.h"
#include "profile/sums.h"
#include "profile/tally.h"
#include "safe/clock.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"

static struct {
    struct live_set of[AGENT_RECORDINGS]; /* indexed by the recording's place; zeroed: it does not
                                             ask for event=live */
    _Atomic uint32_t collections;
    uint32_t swept; /* value of `collections` at the last sweep */
    bool hears;
} live;

/* Context: gc. */
static void on_finish(void *data)
{
    atomic_fetch_add_explicit(&live.collections, 1, memory_order_relaxed);
}

static struct vm_event_subscriber heard = {.event = VM_EVENT_GC_FINISH, .on.gc_finish = on_finish};

static uint32_t collections(void)
{
    return atomic_load_explicit(&live.collections, memory_order_relaxed);
}

bool allocsample_live_is_wanted(const struct recording *r)
{
    return options_group_asked(&r->options, &options_allocsample) == OPTIONS_ALLOCSAMPLE_LIVE;
}

int allocsample_live_join(struct agent *a, struct recording *r)
{
    struct live_set *set = &live.of[r->place];
    struct vm_env_refusal why;
    char text[VM_ENV_TEXT];
    if (!allocsample_live_is_wanted(r))
        return 0;
    if (!live.hears && vm_event_add(&heard, &why) != 0) {
        log_error("event=live: %s", vm_env_say(&why, text));
        return E_UNSUPPORTED;
    }
    live.hears = true;
    live_set_close(set, vm_jni(&a->vm));
    if (live_set_open(set, budget_bytes(r->options.mem_bytes, BUDGET_LIVE), clock_monotonic_ns()) ==
        0)
        return 0;
    log_error("event=live: no memory");
    return -ENOMEM;
}

void allocsample_live_part(struct agent *a, struct recording *r)
{
    live_set_close(&live.of[r->place], vm_jni(&a->vm));
}

void allocsample_live_add(const struct recording *r, JNIEnv *env, jobject object,
                          const struct event *event)
{
    const struct live_object o = {
        .trace = event->trace,
        .klass = event->klass,
        .thread = event->thread,
        .born = collections(),
        .is_truncated = event->is_truncated,
        .made_ns = event->time_ns,
        .for_bytes = event->value[WRITER_SITES_BYTES],
        .for_objects = event->value[WRITER_SITES_OBJECTS],
    };
    if (live.of[r->place].capacity > 0)
        live_set_add(&live.of[r->place], env, object, &o);
}

void allocsample_live_sweep(JNIEnv *env)
{
    uint32_t now = collections();
    if (now == live.swept)
        return;
    live.swept = now;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        live_set_sweep(&live.of[i], env);
}

/* Set the columns of live objects to 0, because they show only the moment of this dump. */
static void clear_columns(struct sums *s)
{
    for (uint32_t row = 1; row <= s->rows.count; row++)
        sums_at(s, row)->value[WRITER_SITES_LIVE_BYTES] =
            sums_at(s, row)->value[WRITER_SITES_LIVE_OBJECTS] = 0;
    s->total[WRITER_SITES_LIVE_BYTES] = s->total[WRITER_SITES_LIVE_OBJECTS] = 0;
}

/* Counts one object. A writer that takes events gets it only at the end of the recording: objects
 * that live at two moments would otherwise be added twice. */
static int put_one(struct agent *a, struct recording *r, const struct live_object *o,
                   uint64_t now_ns, bool is_end)
{
    struct event e = {
        .kind = KIND_SITE,
        .trace = o->trace,
        .thread = o->thread,
        .klass = o->klass,
        .is_truncated = o->is_truncated,
        .value = {[WRITER_SITES_LIVE_BYTES] = o->for_bytes,
                  [WRITER_SITES_LIVE_OBJECTS] = o->for_objects},
    };
    int error = profile_count_in(a->profile, r->tally, &e);
    e.time_ns = now_ns;
    e.made_ns = o->made_ns;
    if (is_end)
        recording_tell(r, &e);
    return error;
}

int allocsample_live_put(struct agent *a, struct recording *r)
{
    struct live_set *set = &live.of[r->place];
    uint32_t least = (uint32_t)options_allocsample_of(&r->options)->survived, now = collections();
    uint64_t now_ns = clock_monotonic_ns();
    JNIEnv *env = vm_jni(&a->vm);
    int error = 0;
    clear_columns(tally_sums(r->tally, KIND_SITE));
    if (env)
        live_set_sweep(set, env);
    for (uint32_t i = 0; i < set->count; i++)
        if (now - set->objects[i].born >= least &&
            put_one(a, r, &set->objects[i], now_ns, recording_is_ending(r) || a->dying) != 0)
            error = -ENOMEM;
    recording_set_quality(r, QUALITY_ALLOC_LIVE, set->count);
    recording_set_quality(r, QUALITY_ALLOC_LIVE_ONE_IN, set->one_in);
    return error;
}

void allocsample_live_release(void)
{
    if (live.hears)
        vm_event_remove(&heard);
    live.hears = false;
}
