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

static void fill(JVMPI_Event *e, jobjectID id, struct jvmpi_alloc_kind kind, uint32_t size)
{
    e->u.obj_alloc.arena_id = ARENA;
    e->u.obj_alloc.class_id = kind.class_id;
    e->u.obj_alloc.is_array = kind.type;
    e->u.obj_alloc.size = (jint)size;
    e->u.obj_alloc.obj_id = id;
}

/* Send the event. The object of java.lang.Class is an instance of itself. In the answer to a
 * request its class_id is NULL: agents of that time request the OBJECT_ALLOC of each class_id that
 * they do not know before they note the object, and would request this one until their stack is
 * full. */
static void send(JVMPI_Event *e, jobjectID id, jobject object, struct jvmpi_alloc_kind kind,
                 jvmpi_agents agents)
{
    fill(e, id, kind, jvmpi_ids_find(id)->size);
    if (kind.class_id == id && (e->event_type & JVMPI_REQUESTED_EVENT))
        e->u.obj_alloc.class_id = NULL;
    jvmpi_send_about(agents, e, id, object);
}

static const struct jvmpi_ids_class *class_of(jobjectID id)
{
    const struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    return r ? r->klass : NULL;
}

/* Whether the bridge's options leave out the objects of a class. */
static bool is_filtered(jobjectID class_id)
{
    return class_of(class_id) && class_of(class_id)->is_filtered;
}

static bool is_known(jobjectID class_id)
{
    return class_of(class_id) &&
           atomic_load(&class_of(class_id)->instance_type) == JVMPI_NORMAL_OBJECT;
}

void jvmpi_alloc_event_tell(JNIEnv *env, jobjectID id, jobject object, struct jvmpi_alloc_kind kind,
                            jvmpi_agents agents)
{
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    JVMPI_Event e = {.event_type = JVMPI_EVENT_OBJECT_ALLOC, .env_id = env};
    jvmpi_agents mine;
    if (is_filtered(r->class_id) || !(agents & ~(jvmpi_agents)atomic_load(&r->told_alloc)))
        return;
    mine = agents & ~(jvmpi_agents)atomic_fetch_or(&r->telling_alloc, (uint8_t)agents);
    if (mine) {
        send(&e, id, object, kind, mine);
        atomic_fetch_or(&r->told_alloc, (uint8_t)mine);
    }
    jvmpi_send_wait_until_told(&r->told_alloc, agents);
}

void jvmpi_alloc_event_tell_new(struct jvmpi_thread *t, struct jvmpi_ids_record *r, jobjectID id,
                                jobject object, struct jvmpi_alloc_kind kind, jvmpi_agents agents)
{
    struct jvmpi_self *self = &jvmpi_self;
    const struct jvmpi_named named = {self->named, id, object};
    JVMPI_Event e;
    e.event_type = JVMPI_EVENT_OBJECT_ALLOC;
    e.env_id = t->env;
    fill(&e, id, kind, r->size);
    self->named = &named;
    jvmpi_thread_step_of(t);
    jvmpi_send_counted(agents, &e);
    jvmpi_thread_step_end(t);
    self->named = named.outer;
    atomic_fetch_or(&r->told_alloc, (uint8_t)agents);
}

void jvmpi_alloc_event_answer(JNIEnv *env, jobjectID id, jobject object,
                              struct jvmpi_alloc_kind kind, int agent)
{
    JVMPI_Event e = {.event_type = JVMPI_EVENT_OBJECT_ALLOC | JVMPI_REQUESTED_EVENT, .env_id = env};
    atomic_fetch_or(&jvmpi_ids_find(id)->telling_alloc, (uint8_t)(1u << agent));
    atomic_fetch_or(&jvmpi_ids_find(id)->told_alloc, (uint8_t)(1u << agent));
    send(&e, id, object, kind, 1u << agent);
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
    jvmpi_alloc_event_tell(env, id, klass,
                           (struct jvmpi_alloc_kind){of_classes, JVMPI_NORMAL_OBJECT}, promised);
}
