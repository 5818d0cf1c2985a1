/*
 * action_heap.c - the heap is written to a file of its own: a recording that is nothing but that.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/action/action.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/life/life.h"
#include "agent/log.h"

extern const struct action action_heap;

enum { ROOM_BYTES = 64 << 10, ROOM_TRIES = 100, ROOM_WAIT_US = 50000 };

#define LINE "%s,format=b,file=hprof-heap-%%p-%%t.hprof,expand=y,force=n,verbose=n,sites=n"

/* What asks for all objects; "" where no engine writes them. */
static const char *word_of_objects(void)
{
    for (int i = 0; options_group_all[i]; i++) {
        const struct options_group *g = options_group_all[i];

        if (g->marks && g->asks && g->marks(g->asks->value, g->defaults) & OPTIONS_MARK_OBJECTS)
            return g->asked_by;
    }
    return "";
}

/* A dump makes a few objects, and may be asked for because the heap is full: then the thread that
 * wanted more will give up some of it. */
static bool has_room(JNIEnv *env)
{
    for (int i = 0; i < ROOM_TRIES; i++) {
        jbyteArray room = (*env)->NewByteArray(env, ROOM_BYTES);

        if (room) {
            (*env)->DeleteLocalRef(env, room);
            return true;
        }
        (*env)->ExceptionClear(env);
        usleep(ROOM_WAIT_US);
    }
    log_error("the heap is full, and a dump of it needs some room there: start the JVM with "
              "-XX:+HeapDumpOnOutOfMemoryError");
    return false;
}

static int run(const struct action_call *c)
{
    char line[sizeof(LINE) + 64];
    const struct life_start how = {.line = line, .is_command = true, .is_begun = true};
    uint32_t number;
    int error;

    if (!has_room(c->env))
        return -ENOMEM;
    snprintf(line, sizeof(line), LINE, word_of_objects());
    error = life_begin(c->agent, c->agent->vm.java, c->env, &how, &number);

    /* The dump is written at the end, and the end of the VM is one. */
    return error || c->is_dying ? error : life_stop(c->agent, c->env, number);
}

const struct action action_heap = {run};
