/*
 * jvmpi_alloc_event.c - see jvmpi_alloc_event.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_alloc_event.h"
#include <jvmti.h>
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_thread.h"

enum { ARENA = 1 };

/* The object of java.lang.Class is an instance of itself, and its class_id is NULL: agents of the
 * time ask for the OBJECT_ALLOC of each class_id that they do not know before they note the object,
 * and would ask for this class_id until their stack is full. */
static void fill(JVMPI_Event *e, jobjectID id, struct jvmpi_alloc_kind kind, uint32_t size)
{
    e->u.obj_alloc.arena_id = ARENA;
    e->u.obj_alloc.class_id = kind.class_id == id ? NULL : kind.class_id;
    e->u.obj_alloc.is_array = kind.type;
    e->u.obj_alloc.size = (jint)size;
    e->u.obj_alloc.obj_id = id;
}

static void send(JNIEnv *env, jobjectID id, struct jvmpi_alloc_kind kind, jvmpi_agents agents,
                 jint bits)
{
    JVMPI_Event e = {.event_type = JVMPI_EVENT_OBJECT_ALLOC | bits, .env_id = env};

    fill(&e, id, kind, jvmpi_ids_find(id)->size);
    jvmpi_send_to(agents, &e);
}

static const struct jvmpi_ids_class *class_of(jobjectID id)
{
    const struct jvmpi_ids_record *r = jvmpi_ids_find(id);

    return r ? r->klass : NULL;
}

/* The bridge's options may leave out the objects of a class. */
static bool is_filtered(jobjectID class_id)
{
    return class_of(class_id) && class_of(class_id)->is_filtered;
}

static bool is_known(jobjectID class_id)
{
    return class_of(class_id) &&
           atomic_load(&class_of(class_id)->instance_type) == JVMPI_NORMAL_OBJECT;
}

void jvmpi_alloc_event_tell(JNIEnv *env, jobjectID id, struct jvmpi_alloc_kind kind,
                            jvmpi_agents agents)
{
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);

    jvmpi_agents mine;

    if (is_filtered(r->class_id) || !(agents & ~(jvmpi_agents)atomic_load(&r->told_alloc)))
        return;
    mine = agents & ~(jvmpi_agents)atomic_fetch_or(&r->telling_alloc, (uint8_t)agents);
    if (mine) {
        send(env, id, kind, mine, 0);
        atomic_fetch_or(&r->told_alloc, (uint8_t)mine);
    }
    jvmpi_send_wait_until_told(&r->told_alloc, agents);
}

void jvmpi_alloc_event_tell_new(struct jvmpi_thread *t, struct jvmpi_ids_record *r, jobjectID id,
                                struct jvmpi_alloc_kind kind, jvmpi_agents agents)
{
    JVMPI_Event e;

    e.event_type = JVMPI_EVENT_OBJECT_ALLOC;
    e.env_id = t->env;
    fill(&e, id, kind, r->size);
    jvmpi_thread_step_of(t);
    jvmpi_send_counted(agents, &e);
    jvmpi_thread_step_end(t);
    atomic_fetch_or(&r->told_alloc, (uint8_t)agents);
}

void jvmpi_alloc_event_answer(JNIEnv *env, jobjectID id, struct jvmpi_alloc_kind kind, int agent)
{
    atomic_fetch_or(&jvmpi_ids_find(id)->telling_alloc, (uint8_t)(1u << agent));
    atomic_fetch_or(&jvmpi_ids_find(id)->told_alloc, (uint8_t)(1u << agent));
    send(env, id, kind, 1u << agent, JVMPI_REQUESTED_EVENT);
}

void jvmpi_alloc_event_mirror(JNIEnv *env, jclass klass, jobjectID id)
{
    jvmpi_agents promised = jvmpi_send_promised(JVMPI_EVENT_OBJECT_ALLOC);
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    jobjectID of_classes = promised && r ? jvmpi_ids_of_classes(env) : NULL;
    jlong bytes = 0;

    if (!r || !is_known(of_classes))
        return;
    if (!r->class_id && (*jvmti)->GetObjectSize(jvmti, klass, &bytes) == JVMTI_ERROR_NONE) {
        r->size = (uint32_t)bytes;
        r->class_id = of_classes;
    }
    jvmpi_alloc_event_tell(env, id, (struct jvmpi_alloc_kind){of_classes, JVMPI_NORMAL_OBJECT},
                           promised);
}
