/*
 * action_histo.c - the action histo: write the histogram of the heap to a file of its own.
 *
 * It takes little memory: a child marks the heap, or JVM TI counts it inside the pause.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/action/action.h"
#include <stdio.h>
#include "agent/frozen/frozen_vm.h"
#include "agent/log.h"

extern const struct action action_histo;

static void prepare(JNIEnv *env)
{
    if (!frozen_vm_keep(env))
        log_note("a trigger that writes a histogram of the heap: the heap is full already");
}

static int run(const struct action_call *c)
{
    char options[128];
    /* Where memory is short, a child that counts while the program stands still needs none for
     * copies, and is not ended because the program takes much. */
    snprintf(options, sizeof(options), "%s,inpause=y%s",
             action_heap_word(OPTIONS_MARK_FROZEN, OPTIONS_MARK_OBJECTS),
             c->is_tight || c->is_instead ? ",forkmem=0" : "");
    return action_heap_write(c, "histo", "txt", options);
}

const struct action action_histo = {
    .holds = true,
    .prepare = prepare,
    .release = frozen_vm_unkeep,
    .run = run,
};
