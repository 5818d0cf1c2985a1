/*
 * jvmpi_ids.c - see jvmpi_ids.h.
 *
 * Records lie in pieces of memory and are found by the number of the id. So a record never moves,
 * and is found without a lock. A walk of the heap happens in a pause and takes the lock of numbers,
 * so this lock is not held during a call of the VM.
 * SPDX-License-Identifier: Apache-2.0
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
    AGAIN = 1,       /* the bit in a tag that jvmpi_ids_tag_again() has set */
    PIECE = 1 << 16, /* records in a piece */
    PIECES = JVMPI_NUMBERS_END / PIECE,
    NONE = JVMPI_NUMBERS_NONE, /* the number that stands for no record */
};

static struct {
    jvmtiEnv *jvmti;
    void (*freed)(jlong tag);
    struct lock lock; /* guards the fields below */
    struct jvmpi_ids_record *_Atomic pieces[PIECES];
    struct jvmpi_numbers_stock stock; /* for threads that have no stock of their own */
    struct jvmpi_ids_class *spare;    /* records of unloaded classes, linked by `next` */
    _Atomic(jclass) class_class;      /* java.lang.Class, a global reference; NULL: not found yet */
} ids = {.lock = LOCK_INIT(JVMPI_IDS)};

static void JNICALL on_freed(jvmtiEnv *jvmti, jlong tag)
{
    ids.freed(tag);
}

/* The tags are in the main environment. With an environment of their own each step of
 * INSTRUCTION_START would cost a fifth more, because the VM compares the place for each
 * environment. */
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

/* Make the piece of memory for a number's record. Returns whether it exists. */
static bool make_piece(uint32_t number)
{
    enum { BYTES = PIECE * sizeof(struct jvmpi_ids_record) };
    struct jvmpi_ids_record *piece = pages_map(BYTES), *none = NULL;
    if (!piece)
        return false;
    if (!atomic_compare_exchange_strong(&ids.pieces[number / PIECE], &none, piece))
        pages_unmap(piece, BYTES); /* another thread was faster */
    return true;
}

static jobjectID id_of(uint32_t number)
{
    return (jobjectID)((uintptr_t)number * JVMPI_IDS_STEP);
}

static uint32_t number_of(jobjectID id)
{
    return (uint32_t)((uintptr_t)id / JVMPI_IDS_STEP);
}

/* Take a new record, which no other thread knows; NONE: no memory. */
static uint32_t take_number(struct jvmpi_numbers_stock *stock)
{
    uint32_t number = jvmpi_numbers_take(stock);
    struct jvmpi_ids_record *r;
    if (number != NONE && !record_at(number) && !make_piece(number)) {
        jvmpi_numbers_give(number);
        number = NONE;
    }
    if (number == NONE)
        return NONE;
    r = record_at(number);
    r->klass = NULL;
    r->class_id = NULL;
    r->size = 0;
    r->is_tagged_again = false;
    r->gone = 0;
    atomic_store_explicit(&r->telling_class, 0, memory_order_relaxed);
    atomic_store_explicit(&r->told_class, 0, memory_order_relaxed);
    atomic_store_explicit(&r->telling_alloc, 0, memory_order_relaxed);
    atomic_store_explicit(&r->told_alloc, 0, memory_order_relaxed);
    r->kind = JVMPI_IDS_OBJECT;
    return number;
}

/* Take a new id. Returns NULL if there is no memory. */
static jobjectID take_id(void)
{
    uint32_t number;
    lock_take(&ids.lock);
    number = take_number(&ids.stock);
    lock_give(&ids.lock);
    return number == NONE ? NULL : id_of(number);
}

static void put_back(jobjectID id)
{
    record_at(number_of(id))->kind = JVMPI_IDS_FREE;
    jvmpi_numbers_give(number_of(id));
}

struct jvmpi_ids_record *jvmpi_ids_begin(struct jvmpi_numbers_stock *stock, jobjectID *ret_id)
{
    uint32_t number = take_number(stock);
    if (number == NONE)
        return NULL;
    *ret_id = id_of(number);
    return record_at(number);
}

bool jvmpi_ids_end(jobject object, jobjectID id)
{
    if ((*ids.jvmti)->SetTag(ids.jvmti, object, (jlong)(uintptr_t)id) == JVMTI_ERROR_NONE)
        return true;
    put_back(id);
    return false;
}

jlong jvmpi_ids_new_tag(void)
{
    return (jlong)(uintptr_t)take_id();
}

void jvmpi_ids_prefetch(jobjectID id)
{
    uint32_t number = number_of(id);
    struct jvmpi_ids_record *piece;
    if (number >= (uint32_t)PIECE * PIECES)
        return;
    piece = atomic_load_explicit(&ids.pieces[number / PIECE], memory_order_relaxed);
    if (piece)
        __builtin_prefetch(&piece[number % PIECE], 1);
}

/* ---- ids and objects */

jclass jvmpi_ids_class_of_classes(JNIEnv *env)
{
    jclass kept = atomic_load(&ids.class_class), none = NULL;
    if (!kept) {
        jclass found;
        jvmpi_self_hush();
        found = vm_lookup_boot_class(env, "java/lang/Class");
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

/* The data of a class; NULL: no memory. */
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

/* Keep the data of a class for another class: the class was unloaded, or it has data already.
 * Another thread may still look at it, so the memory is not freed. */
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
    tag = tag_of(object); /* another thread may have given the object a tag */
    id = tag ? jvmpi_ids_from_tag(tag) : take_id();
    if (id && !tag && !jvmpi_ids_end(object, id))
        id = NULL;
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

static void make_class(JNIEnv *env, jclass mirror, jobjectID id)
{
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    struct jvmpi_ids_class *klass = new_class(env, mirror);
    jvmpi_steady_take(env, JVMPI_STEADY_TAGS);
    if (klass && r && !r->klass) {
        r->klass = klass;
        r->kind = JVMPI_IDS_CLASS;
        klass = NULL;
    }
    jvmpi_steady_give(JVMPI_STEADY_TAGS);
    if (klass)
        spare_class(env, klass);
}

/* Note that objects are classes. The VM looks at all tags to find these objects. */
void jvmpi_ids_make_classes(JNIEnv *env, const jobjectID *all, jint count)
{
    jlong *tags = malloc(((size_t)count + 1) * sizeof(*tags)), *found_tags = NULL;
    jobject *mirrors = NULL;
    jint found = 0;
    for (jint i = 0; tags && i < count; i++)
        tags[i] = (jlong)(uintptr_t)all[i];
    if (tags && count > 0 && (*env)->PushLocalFrame(env, count) == JNI_OK) {
        (*ids.jvmti)->GetObjectsWithTags(ids.jvmti, count, tags, &found, &mirrors, &found_tags);
        jvmpi_self_hush();
        for (jint i = 0; i < found; i++)
            make_class(env, mirrors[i], jvmpi_ids_from_tag(found_tags[i]));
        jvmpi_self_speak();
        (*env)->PopLocalFrame(env, NULL);
    }
    (*ids.jvmti)->Deallocate(ids.jvmti, (unsigned char *)mirrors);
    (*ids.jvmti)->Deallocate(ids.jvmti, (unsigned char *)found_tags);
    free(tags);
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

/* The object with this id that an event of this thread names; NULL: no event names it. */
static jobject named_object(jobjectID id)
{
    const struct jvmpi_named *n = jvmpi_self.named;
    while (n && (n->id != id || !n->object))
        n = n->outer;
    return n ? n->object : NULL;
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
    found = named_object(id);
    if (found)
        return (*env)->NewLocalRef(env, found);
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
        return; /* the other tag is reported soon */
    klass = r->klass;
    r->klass = NULL;
    put_back(id);
    if (klass) {
        jvmpi_self_hush();
        spare_class(env, klass);
        jvmpi_self_speak();
    }
}
