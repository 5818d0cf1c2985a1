/*
 * jvmpi_ids.c - see jvmpi_ids.h.
 *
 * Records lie in pieces, found by the number that the id stands for, so a record never moves and is
 * found without a lock. The lock of numbers is held for no call of the VM: a walk of the heap,
 * which happens in a pause, takes it. SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_ids.h"
#include <stdlib.h>
#include "base/err.h"
#include "base/lock.h"
#include "base/pages.h"
#include "jvmpi/jvmpi_bridge.h"
#include "vm/vm_env.h"
#include "vm/vm_lookup.h"

enum {
    ID_STEP = 16,    /* real agents drop the low four bits of an id before they hash it */
    PIECE = 1 << 16, /* records in a piece */
    PIECES = 1 << 13,
    NONE = 0, /* the number of no record */
};

static struct {
    jvmtiEnv *jvmti;
    void (*freed)(jlong tag);
    struct lock tagging; /* an object gets its first tag; the holder may wait for a pause to end */
    struct lock lock;    /* of the rest */
    struct jvmpi_ids_record *_Atomic pieces[PIECES];
    uint32_t used;       /* numbers below have been given out, NONE among them */
    uint32_t first_free; /* of a list of those that were released, linked by `size` */
    jclass class_class;  /* java.lang.Class; a global reference, NULL: not asked so far */
} ids = {.tagging = LOCK_INIT(JVMPI_TAGS), .lock = LOCK_INIT(JVMPI_IDS), .used = NONE + 1};

static void JNICALL on_freed(jvmtiEnv *jvmti, jlong tag)
{
    ids.freed(tag);
}

int jvmpi_ids_open(void)
{
    return vm_env_open(&jvmpi_bridge.vm, VM_ENV_SET(VM_CAN_TAG_OBJECTS), &ids.jvmti, NULL);
}

int jvmpi_ids_hear_freed(void (*freed)(jlong tag))
{
    static const jvmtiEventCallbacks callbacks = {.ObjectFree = on_freed};

    ids.freed = freed;
    if (vm_env_ask(&jvmpi_bridge.vm, ids.jvmti, VM_CAN_GENERATE_OBJECT_FREE_EVENTS, NULL) != 0 ||
        (*ids.jvmti)->SetEventCallbacks(ids.jvmti, &callbacks, (jint)sizeof(callbacks)) !=
            JVMTI_ERROR_NONE ||
        (*ids.jvmti)
                ->SetEventNotificationMode(ids.jvmti, JVMTI_ENABLE, JVMTI_EVENT_OBJECT_FREE,
                                           NULL) != JVMTI_ERROR_NONE)
        return E_UNSUPPORTED;
    return 0;
}

jvmtiEnv *jvmpi_ids_env(void)
{
    return ids.jvmti;
}

/* ---- records */

static struct jvmpi_ids_record *record_at(uint32_t number)
{
    struct jvmpi_ids_record *piece =
        atomic_load_explicit(&ids.pieces[number / PIECE], memory_order_acquire);

    return piece ? &piece[number % PIECE] : NULL;
}

struct jvmpi_ids_record *jvmpi_ids_find(jobjectID id)
{
    uintptr_t value = (uintptr_t)id;
    struct jvmpi_ids_record *r;

    if (value % ID_STEP != 0 || value / ID_STEP == NONE ||
        value / ID_STEP >= (uintptr_t)PIECE * PIECES)
        return NULL;
    r = record_at((uint32_t)(value / ID_STEP));
    return r && r->kind != JVMPI_IDS_FREE ? r : NULL;
}

/* The number of a record that nobody has; NONE: no memory. Needs the lock. */
static uint32_t take_number(void)
{
    uint32_t number = ids.first_free;
    struct jvmpi_ids_record *piece;

    if (number != NONE) {
        ids.first_free = record_at(number)->size;
        return number;
    }
    if (ids.used == (uint32_t)PIECE * PIECES)
        return NONE;
    if (!record_at(ids.used)) {
        piece = pages_map(PIECE * sizeof(*piece));
        if (!piece)
            return NONE;
        atomic_store_explicit(&ids.pieces[ids.used / PIECE], piece, memory_order_release);
    }
    return ids.used++;
}

/* A new record's id; NULL: no memory. */
static jobjectID take_id(void)
{
    struct jvmpi_ids_record *r;
    uint32_t number;

    lock_take(&ids.lock);
    number = take_number();
    lock_give(&ids.lock);
    if (number == NONE)
        return NULL;
    r = record_at(number);
    r->ref = NULL;
    r->class_id = NULL;
    r->size = 0;
    r->type = (uint8_t)JVMPI_NORMAL_OBJECT;
    atomic_store(&r->told_class, 0);
    atomic_store(&r->told_alloc, 0);
    r->kind = JVMPI_IDS_OBJECT;
    return (jobjectID)((uintptr_t)number * ID_STEP);
}

static void put_back(jobjectID id)
{
    uint32_t number = (uint32_t)((uintptr_t)id / ID_STEP);
    struct jvmpi_ids_record *r = record_at(number);

    lock_take(&ids.lock);
    r->kind = JVMPI_IDS_FREE;
    r->size = ids.first_free;
    ids.first_free = number;
    lock_give(&ids.lock);
}

jobjectID jvmpi_ids_new(jobject object)
{
    jobjectID id = take_id();

    if (id && (*ids.jvmti)->SetTag(ids.jvmti, object, (jlong)(uintptr_t)id) != JVMTI_ERROR_NONE) {
        put_back(id);
        id = NULL;
    }
    return id;
}

jlong jvmpi_ids_new_tag(void)
{
    return (jlong)(uintptr_t)take_id();
}

/* ---- ids and objects */

static bool is_class(JNIEnv *env, jobject object)
{
    if (!ids.class_class) {
        jclass found = (*env)->FindClass(env, "java/lang/Class");

        ids.class_class = found ? (*env)->NewGlobalRef(env, found) : NULL;
        (*env)->DeleteLocalRef(env, found);
    }
    return ids.class_class && (*env)->IsInstanceOf(env, object, ids.class_class);
}

static jlong tag_of(jobject object)
{
    jlong tag = 0;

    (*ids.jvmti)->GetTag(ids.jvmti, object, &tag);
    return tag;
}

jobjectID jvmpi_ids_of(JNIEnv *env, jobject object)
{
    jlong tag = object ? tag_of(object) : 0;
    jweak ref = NULL;
    jobjectID id;

    if (tag || !object)
        return jvmpi_ids_from_tag(tag);
    jvmpi_self_hush();
    if (is_class(env, object))
        ref = (*env)->NewWeakGlobalRef(env, object);
    lock_take(&ids.tagging);
    tag = tag_of(object); /* another thread may have been faster */
    id = tag ? jvmpi_ids_from_tag(tag) : jvmpi_ids_new(object);
    if (id && !tag && ref) {
        jvmpi_ids_find(id)->ref = ref;
        jvmpi_ids_find(id)->kind = JVMPI_IDS_CLASS;
        ref = NULL;
    }
    lock_give(&ids.tagging);
    if (ref)
        (*env)->DeleteWeakGlobalRef(env, ref);
    jvmpi_self_speak();
    return id;
}

jobject jvmpi_ids_object(JNIEnv *env, jobjectID id)
{
    const struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    jlong tag = (jlong)(uintptr_t)id;
    jobject *objects = NULL, found;
    jint count = 0;

    if (!r)
        return NULL;
    if (r->ref)
        return (*env)->NewLocalRef(env, r->ref);
    if ((*ids.jvmti)->GetObjectsWithTags(ids.jvmti, 1, &tag, &count, &objects, NULL) !=
        JVMTI_ERROR_NONE)
        return NULL;
    found = count > 0 ? objects[0] : NULL;
    (*ids.jvmti)->Deallocate(ids.jvmti, (unsigned char *)objects);
    return found;
}

void jvmpi_ids_release(JNIEnv *env, jobjectID id)
{
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);

    if (!r)
        return;
    if (r->ref)
        (*env)->DeleteWeakGlobalRef(env, r->ref);
    put_back(id);
}
