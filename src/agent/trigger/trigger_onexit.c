/*
 * trigger_onexit.c - onexit=y: fires when the VM is about to end, while all recordings still run.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "agent/trigger/trigger.h"
#include "options/options_group.h"

extern const struct options_group options_onexit;

extern const struct trigger trigger_onexit;

static int arm(struct agent *a, JNIEnv *env, struct trigger_watch *w)
{
    return 0;
}

static void disarm(struct agent *a)
{
}

static void dying(struct agent *a)
{
    struct trigger_watch *w;
    for (int at = 0; (w = trigger_set_next(&trigger_onexit, &at)) != NULL;)
        trigger_thread_fire(w, strdup("the JVM ends"), NULL);
}

const struct trigger trigger_onexit = {
    .name = "onexit",
    .options = &options_onexit,
    .arm = arm,
    .disarm = disarm,
    .dying = dying,
};
