/*
 * engine_trigger.c - the engine of the trigger options: docs/triggers.md.
 *
 * It measures nothing. It is an engine because it must start and stop with the recordings that have
 * triggers. Each trigger is a row of its own (trigger.h), and each action too
 * (agent/action/action.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include "agent/agent.h"
#include "agent/engine/engine.h"
#include "agent/recording/recording.h"
#include "agent/trigger/trigger.h"
#include "options/options_group.h"
#include "vm/vm.h"

extern const struct options_group options_trigger;

extern const struct engine engine_trigger;

static int prepare(const struct options *o)
{
    return 0;
}

/* Ask now for the events that the VM gives only while it starts. */
static int load(struct agent *a)
{
    int error = 0;
    for (int i = 0; trigger_all[i] && !a->attached; i++) {
        const struct trigger *row = trigger_all[i];
        const struct options_on *on = options_group_own(&a->options, row->options);
        for (int k = 0; row->load && options_group_wanted(&a->options, row->options) &&
                        k < on->count && !error;
             k++) {
            struct trigger_watch w = {.row = row, .on = on->one[k]};
            if (row->read)
                row->read(&w);
            error = row->load(a, &w);
        }
    }
    return error;
}

static int start(struct agent *a, JNIEnv *env)
{
    return trigger_thread_begin(a, env);
}

static int join(struct agent *a, struct recording *r)
{
    return trigger_set_join(a, vm_jni(&a->vm), r);
}

static void part(struct agent *a, struct recording *r)
{
    trigger_set_part(r);
}

static void dying(struct agent *a, JNIEnv *env)
{
    trigger_set_dying(a);
    trigger_thread_drain();
}

static void stop(struct agent *a)
{
    trigger_set_disarm(a);
    trigger_thread_end();
}

static int release(struct agent *a, JNIEnv *env)
{
    return trigger_set_release(a, env);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    struct trigger_watch *w;
    int count = 0;
    for (int i = 0; trigger_all[i]; i++)
        for (int at = 0; (w = trigger_set_next(trigger_all[i], &at)) != NULL;)
            count += w->recording == r;
    snprintf(ret, ENGINE_STATUS, "triggers=%d", count);
}

const struct engine engine_trigger = {
    .name = "trigger",
    .help = "on...=: a recording begins, ends or is written when something happens",
    .begun = "triggers",
    .options = &options_trigger,
    .prepare = prepare,
    .load = load,
    .start = start,
    .sharing = {.join = join, .part = part},
    .dying = dying,
    .status = status,
    .stop = stop,
    .release = release,
};
