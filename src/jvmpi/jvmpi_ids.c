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
#include "jvmpi/jvmpi_steady.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"
#include "vm/vm_lookup.h"

enum {
    AGAIN = 1,       /* in a tag: jvmpi_ids_tag_again() */
    PIECE = 1 << 16, /* records in a piece */
    PIECES = 1 << 13,
    NONE = 0, /* the number of no record */
};

static struct {
    jvmtiEnv *jvmti;
    void (*freed)(jlong tag);
    struct lock lock; /* of the rest */
    struct jvmpi_ids_record *_Atomic pieces[PIECES];
    uint32_t used;                 /* numbers below have been given out, NONE among them */
    uint32_t first_free;           /* of a list of those that were released, linked by `size` */
    struct jvmpi_ids_class *spare; /* classes that are gone, linked by `next` */
    _Atomic(jclass) class_class;   /* java.lang.Class, a global reference; NULL: not asked so far */
} ids = {.lock = LOCK_INIT(JVMPI_IDS), .used = NONE + 1};

static void JNICALL on_freed(jvmtiEnv *jvmti, jlong tag)
{
    ids.freed(tag);
}

/* The tags are the main environment's: with one of their own each step of INSTRUCTION_START would
 * cost a fifth more, for the VM compares the place for each environment that there is. */
int jvmpi_ids_open(void)
{
    ids.jvmti = jvmpi_bridge.vm.main;
    return vm_env_ask(&jvmpi_bridge.vm, ids.jvmti, VM_CAN_TAG_OBJECTS, NULL);
}

int jvmpi_ids_hear_freed(void (*freed)(jlong tag))
{
    ids.freed = freed;
    vm_event_hear_freed(on_freed);
    if (vm_env_ask(&jvmpi_bridge.vm, ids.jvmti, VM_CAN_GENERATE_OBJECT_FREE_EVENTS, NULL) != 0 ||
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

    if (value % JVMPI_IDS_STEP != 0 || value / JVMPI_IDS_STEP == NONE ||
        value / JVMPI_IDS_STEP >= (uintptr_t)PIECE * PIECES)
        return NULL;
    r = record_at((uint32_t)(value / JVMPI_IDS_STEP));
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
    r->klass = NULL;
    r->class_id = NULL;
    r->size = 0;
    r->is_tagged_again = false;
    r->gone = 0;
    atomic_store(&r->telling_class, 0);
    atomic_store(&r->told_class, 0);
    atomic_store(&r->told_alloc, 0);
    r->kind = JVMPI_IDS_OBJECT;
    return (jobjectID)((uintptr_t)number * JVMPI_IDS_STEP);
}

static void put_back(jobjectID id)
{
    uint32_t number = (uint32_t)((uintptr_t)id / JVMPI_IDS_STEP);
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

jclass jvmpi_ids_class_of_classes(JNIEnv *env)
{
    jclass kept = atomic_load(&ids.class_class), none = NULL;

    if (!kept) {
        jclass found;

        jvmpi_self_hush();
        found = (*env)->FindClass(env, "java/lang/Class");
        kept = found ? (*env)->NewGlobalRef(env, found) : NULL;
        (*env)->DeleteLocalRef(env, found);
        if (!atomic_compare_exchange_strong(&ids.class_class, &none, kept)) {
            (*env)->DeleteGlobalRef(env, kept);
            kept = none;
        }
        jvmpi_self_speak();
    }
    return kept;
}

bool jvmpi_ids_is_class(JNIEnv *env, jclass klass)
{
    jclass kept = jvmpi_ids_class_of_classes(env);

    return kept && (*env)->IsSameObject(env, klass, kept);
}

static bool is_class(JNIEnv *env, jobject object)
{
    jclass kept = jvmpi_ids_class_of_classes(env);

    return kept && (*env)->IsInstanceOf(env, object, kept);
}

static jlong tag_of(jobject object)
{
    jlong tag = 0;

    (*ids.jvmti)->GetTag(ids.jvmti, object, &tag);
    return tag;
}

jobjectID jvmpi_ids_known(jobject object)
{
    return jvmpi_ids_from_tag(tag_of(object));
}

/* NULL: no memory. */
static struct jvmpi_ids_class *new_class(JNIEnv *env, jclass mirror)
{
    struct jvmpi_ids_class *c;

    lock_take(&ids.lock);
    c = ids.spare;
    if (c)
        ids.spare = c->next;
    lock_give(&ids.lock);
    if (!c)
        c = malloc(sizeof(*c));
    if (c) {
        c->ref = (*env)->NewWeakGlobalRef(env, mirror);
        c->element_id = NULL;
        c->is_filtered = false;
        atomic_store(&c->instance_type, -1);
    }
    return c;
}

/* The class is gone, or has a record. Another thread may still look at what it says: the memory is
 * kept for the next one. */
static void spare_class(JNIEnv *env, struct jvmpi_ids_class *c)
{
    (*env)->DeleteWeakGlobalRef(env, c->ref);
    c->ref = NULL;
    lock_take(&ids.lock);
    c->next = ids.spare;
    ids.spare = c;
    lock_give(&ids.lock);
}

jobjectID jvmpi_ids_of(JNIEnv *env, jobject object)
{
    jlong tag = object ? tag_of(object) : 0;
    struct jvmpi_ids_class *klass = NULL;
    jobjectID id;

    if (tag || !object)
        return jvmpi_ids_from_tag(tag);
    jvmpi_self_hush();
    if (is_class(env, object))
        klass = new_class(env, object);
    jvmpi_steady_take(env, JVMPI_STEADY_TAGS);
    tag = tag_of(object); /* another thread may have been faster */
    id = tag ? jvmpi_ids_from_tag(tag) : jvmpi_ids_new(object);
    if (id && !tag && klass) {
        jvmpi_ids_find(id)->klass = klass;
        jvmpi_ids_find(id)->kind = JVMPI_IDS_CLASS;
        klass = NULL;
    }
    jvmpi_steady_give(JVMPI_STEADY_TAGS);
    if (klass)
        spare_class(env, klass);
    jvmpi_self_speak();
    return id;
}

jobjectID jvmpi_ids_of_classes(JNIEnv *env)
{
    return jvmpi_ids_of(env, jvmpi_ids_class_of_classes(env));
}

void jvmpi_ids_make_class(JNIEnv *env, jobjectID id)
{
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    jobject mirror = jvmpi_ids_object(env, id);
    struct jvmpi_ids_class *klass;

    if (!mirror)
        return;
    jvmpi_self_hush();
    klass = new_class(env, mirror);
    jvmpi_steady_take(env, JVMPI_STEADY_TAGS);
    if (klass && !r->klass) {
        r->klass = klass;
        r->kind = JVMPI_IDS_CLASS;
        klass = NULL;
    }
    jvmpi_steady_give(JVMPI_STEADY_TAGS);
    if (klass)
        spare_class(env, klass);
    (*env)->DeleteLocalRef(env, mirror);
    jvmpi_self_speak();
}

void jvmpi_ids_tag_again(jobject object, jobjectID id)
{
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);

    if (r && !r->is_tagged_again &&
        (*ids.jvmti)->SetTag(ids.jvmti, object, (jlong)(uintptr_t)id | AGAIN) == JVMTI_ERROR_NONE)
        r->is_tagged_again = true;
}

bool jvmpi_ids_is_freed(jlong tag)
{
    const struct jvmpi_ids_record *r = jvmpi_ids_find(jvmpi_ids_from_tag(tag));

    return r && r->is_tagged_again == (tag & AGAIN);
}

jobject jvmpi_ids_object(JNIEnv *env, jobjectID id)
{
    const struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    const struct jvmpi_ids_class *klass = r ? r->klass : NULL;
    jobject *objects = NULL, found;
    jint count = 0;
    jlong tag;

    if (!r)
        return NULL;
    tag = (jlong)(uintptr_t)id | (r->is_tagged_again ? AGAIN : 0);
    if (klass)
        return (*env)->NewLocalRef(env, klass->ref);
    if ((*ids.jvmti)->GetObjectsWithTags(ids.jvmti, 1, &tag, &count, &objects, NULL) !=
        JVMTI_ERROR_NONE)
        return NULL;
    found = count > 0 ? objects[0] : NULL;
    (*ids.jvmti)->Deallocate(ids.jvmti, (unsigned char *)objects);
    return found;
}

void jvmpi_ids_release(JNIEnv *env, jlong tag)
{
    enum { FIRST = 1, SECOND = 2 };
    jobjectID id = jvmpi_ids_from_tag(tag);
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    struct jvmpi_ids_class *klass;

    if (!r)
        return;
    r->gone |= tag & AGAIN ? SECOND : FIRST;
    if (r->is_tagged_again && r->gone != (FIRST | SECOND))
        return; /* the other tag is told of soon */
    klass = r->klass;
    r->klass = NULL;
    put_back(id);
    if (klass) {
        jvmpi_self_hush();
        spare_class(env, klass);
        jvmpi_self_speak();
    }
}
