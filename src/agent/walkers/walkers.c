/*
 * walkers.c - choosing a stack walker.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/walkers/walkers.h"
#include <string.h>
#include "agent/agent.h"
#include "agent/log.h"

const struct walkers *walkers_prepare(struct agent *a, JNIEnv *env, const char *name)
{
    for (int i = 0; walkers_all[i]; i++) {
        const struct walkers *w = walkers_all[i];
        const char *why = NULL;

        if (name[0] && strcmp(name, w->name) != 0)
            continue;
        if (w->prepare(a, env, &why) == 0)
            return w;
        if (name[0] || !walkers_all[i + 1])
            log_error("walker=%s does not work in this VM: %s", w->name, why ? why : "unknown");
        else
            log_note("the walker %s does not work in this VM (%s): using %s", w->name,
                     why ? why : "unknown", walkers_all[i + 1]->name);
    }
    return NULL;
}

int walkers_has_native(const char *name)
{
    for (int i = 0; walkers_all[i]; i++)
        if (strcmp(name, walkers_all[i]->name) == 0)
            return walkers_all[i]->native_walker != NULL;
    return 0;
}
