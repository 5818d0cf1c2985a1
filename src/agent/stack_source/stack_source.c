/*
 * stack_source.c - chooses a stack walker; see stack_source.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/stack_source/stack_source.h"
#include <stdbool.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/log.h"

const struct stack_source *stack_source_prepare(struct agent *a, JNIEnv *env, const char *name,
                                                const struct ring *ring)
{
    for (int i = 0; stack_source_all[i]; i++) {
        const struct stack_source *w = stack_source_all[i];
        const char *why = NULL;
        if (name[0] && strcmp(name, w->name) != 0)
            continue;
        if (w->prepare(a, env, ring, &why) == 0)
            return w;
        if (name[0] || !stack_source_all[i + 1])
            log_error("walker=%s does not work in this VM: %s", w->name, why ? why : "unknown");
        else
            log_note("the walker %s does not work in this VM (%s): using %s", w->name,
                     why ? why : "unknown", stack_source_all[i + 1]->name);
    }
    return NULL;
}

bool stack_source_has_native(const char *name)
{
    for (int i = 0; stack_source_all[i]; i++)
        if (strcmp(name, stack_source_all[i]->name) == 0)
            return stack_source_all[i]->native_walker != NULL;
    return false;
}
