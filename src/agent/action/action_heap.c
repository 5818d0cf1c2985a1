/*
 * action_heap.c - the action heap: write the heap to a file of its own, as a recording that
 * contains only a heap dump.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/action/action.h"
#include <stdio.h>
#include "agent/agent.h"
#include "agent/frozen/frozen_vm.h"
#include "agent/life/life.h"
#include "agent/log.h"

extern const struct action action_heap;

#define LINE "%s,format=b,file=hprof-heap-%%p-%%t%s.hprof,expand=y,force=n,verbose=n,sites=n"

/* The option that asks for all objects; "" if the agent has no engine that writes them. */
static const char *word_of_objects(void)
{
    for (int i = 0; options_group_all[i]; i++) {
        const struct options_group *g = options_group_all[i];
        if (g->marks && g->asks && g->marks(g->asks->value, g->defaults) & OPTIONS_MARK_OBJECTS)
            return g->asked_by;
    }
    return "";
}

static void prepare(JNIEnv *env)
{
    if (!frozen_vm_keep(env))
        log_note("a trigger that writes the heap: the heap is full already");
}

static int run(const struct action_call *c)
{
    char line[sizeof(LINE) + 64];
    const struct life_start how = {.line = line, .is_command = true, .is_begun = true};
    static uint32_t count; /* only one thread calls run() */
    char which[16] = "";   /* several dumps may begin within one second */
    uint32_t number;
    int error;
    if (++count > 1)
        snprintf(which, sizeof(which), "-%u", count);
    snprintf(line, sizeof(line), LINE, word_of_objects(), which);
    error = life_begin(c->agent, c->agent->vm.java, c->env, &how, &number);

    /* A recording writes its dump when it ends. If the VM is dying, the end of the VM ends it. */
    return error || c->is_dying ? error : life_stop(c->agent, c->env, number);
}

const struct action action_heap = {
    .holds = true,
    .prepare = prepare,
    .release = frozen_vm_unkeep,
    .run = run,
};
