/*
 * trigger_ongc.c - ongc=>TIME: fires when a pause of a collection has lasted longer than TIME.
 *
 * The VM reports the beginning and the end of the pause while all threads are stopped. The
 * callbacks only read a clock and leave a note for the trigger thread. docs/triggers.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/trigger/trigger.h"
#include "base/err.h"
#include "base/units.h"
#include "options/options_group.h"
#include "safe/clock.h"
#include "vm/vm_event.h"

extern const struct options_group options_ongc;

extern const struct trigger trigger_ongc;

enum { SETTLE_MS = 2000 };

static int depth; /* a full collection may begin inside another one */
static uint64_t began_ns;

/* Context: gc. */
static void on_start(void *data)
{
    if (depth++ == 0)
        began_ns = clock_monotonic_ns();
}

/*
 * Context: gc. malloc() is allowed: it waits for no stopped Java thread, because threads in native
 * code are not stopped, so none is stopped inside malloc().
 */
static void on_finish(void *data)
{
    struct trigger_watch *w;
    if (depth == 0 || --depth > 0) /* it began before the trigger was armed */
        return;
    uint64_t ns = clock_monotonic_ns() - began_ns;

    for (int at = 0; (w = trigger_set_next(&trigger_ongc, &at)) != NULL;) {
        char *what;
        if (ns > w->least_ns && trigger_is_live(w) &&
            asprintf(&what, "a collection paused the program for %.3f ms", (double)ns / NS_PER_MS) >
                0)
            trigger_thread_fire(w, what, NULL);
    }
}

static struct vm_event_subscriber heard[] = {
    {.event = VM_EVENT_GC_START, .on.gc_start = on_start},
    {.event = VM_EVENT_GC_FINISH, .on.gc_finish = on_finish},
};

enum { HEARD = sizeof(heard) / sizeof(heard[0]) };

static void read(struct trigger_watch *w)
{
    (void)units_parse_duration(w->on.what + 1, NS_PER_MS, &w->least_ns);
}

static int load(struct agent *a, const struct trigger_watch *w)
{
    struct vm_env_refusal why;
    char text[VM_ENV_TEXT];
    if (vm_event_want(VM_CAN_GENERATE_GARBAGE_COLLECTION_EVENTS, &why) == 0)
        return 0;
    log_error("ongc=: %s", vm_env_say(&why, text));
    return E_UNSUPPORTED;
}

static int arm(struct agent *a, JNIEnv *env, struct trigger_watch *w)
{
    return vm_event_add_all(heard, HEARD, NULL);
}

static void disarm(struct agent *a)
{
    vm_event_remove_all(heard, HEARD);
}

static int release(struct agent *a)
{
    if (!vm_event_settle(SETTLE_MS)) {
        log_error("ongc=: a collection does not end");
        return E_VM_STATE;
    }
    depth = 0;
    return 0;
}

const struct trigger trigger_ongc = {
    .name = "ongc",
    .options = &options_ongc,
    .read = read,
    .load = load,
    .arm = arm,
    .disarm = disarm,
    .release = release,
};
