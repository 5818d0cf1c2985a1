/*
 * jvmpi_dump_object.c - see jvmpi_dump_object.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_dump_object.h"
#include <jvmti.h>
#include <stdbool.h>
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_dump.h"
#include "jvmpi/jvmpi_gc.h"
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_shape.h"

/* Learn what the walk must know: the layout of the object's class; if the object is a class, its
 * own layout; if the object is an array, its length. */
static void learn(struct jvmpi_dump *d, JNIEnv *env, jobject object, jobjectID id)
{
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    jclass klass = (*env)->GetObjectClass(env, object);
    const struct jvmpi_layout *l = jvmpi_layout_of(&d->layouts, env, klass);
    if (r->kind == JVMPI_IDS_CLASS)
        jvmpi_layout_of(&d->layouts, env, object);
    else if (l && jvmpi_shape_known(l->class_id).type > JVMPI_NORMAL_OBJECT)
        r->length = (uint32_t)(*env)->GetArrayLength(env, object);
    (*env)->DeleteLocalRef(env, klass);
}

static bool make(struct jvmpi_dump *d, JNIEnv *env, jobject object, jobjectID id)
{
    bool is_class = jvmpi_ids_find(id)->kind == JVMPI_IDS_CLASS;
    if (is_class && (!jvmpi_class_is_prepared(object) || !jvmpi_class_is_loaded(env, object)))
        return false;
    learn(d, env, object, id);
    if (is_class)
        jvmpi_dump_want_class(d, id);
    return jvmpi_dump_walk(d, env, object) && d->bytes.len > 0;
}

static jlong size_of(jobject object)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jlong bytes = 0;
    (*jvmti)->GetObjectSize(jvmti, object, &bytes);
    return bytes;
}

jint jvmpi_dump_object_request(JNIEnv *env, int agent, jobjectID id)
{
    JVMPI_Event e = {.event_type = JVMPI_EVENT_OBJECT_DUMP | JVMPI_REQUESTED_EVENT, .env_id = env};
    struct jvmpi_dump d;
    jobject object;
    bool is_good, is_large;
    jvmpi_gc_disable(); /* the ids in the record stay valid until the agent has read it */
    object = jvmpi_ids_object(env, id);
    jvmpi_dump_open(&d, env, JVMPI_DUMP_LEVEL_2);
    is_large = object && size_of(object) > INT32_MAX;
    is_good = object && !is_large && make(&d, env, object, id);
    if (is_large || (is_good && d.bytes.len > INT32_MAX)) {
        jvmpi_bridge_say(
            "an object of more than 2 GB has no OBJECT_DUMP: the event cannot say so much");
        is_good = false;
    }
    if (is_good) {
        e.u.object_dump.data_len = (jint)d.bytes.len;
        e.u.object_dump.data = d.bytes.begin;
        jvmpi_send_to(1u << agent, &e);
    }
    jvmpi_dump_close(&d);
    (*env)->DeleteLocalRef(env, object);
    jvmpi_gc_enable();
    return is_good ? JVMPI_SUCCESS : JVMPI_FAIL;
}
