/*
 * jvmpi_alloc.c - see jvmpi_alloc.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_alloc.h"
#include <jvmti.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "base/err.h"
#include "jvmpi/jvmpi_alloc_event.h"
#include "jvmpi/jvmpi_alloc_inject.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_self.h"
#include "jvmpi/jvmpi_shape.h"
#include "jvmpi/jvmpi_thread.h"
#include "safe/release.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"
#include "vm/vm_heap.h"
#include "vm/vm_pause.h"
#include "vm/vm_sampler.h"
#include "vm/vmself.h"

enum {
    NO_USER = -1,
    /* after so many objects in a row without an id, the next object is taken for new without a
     * question */
    DOUBTFUL = 64,
    PLACES_LOG2 = 6, /* of addresses of classes */
    PLACES = 1 << PLACES_LOG2,
    KIND_BITS = 3, /* kind of a reference: in a local reference these bits are 0 */
    HELD_FIRST = 64,
};

static int sampler = NO_USER;
static _Atomic uint32_t walks; /* count of the begun walks that give ids to the objects they find */

static bool has_sampler(void)
{
    return jvmpi_bridge.vm.release >= RELEASE_ALLOCATION_SAMPLER;
}

/* ---- the shape of a class, found by the address of its java.lang.Class */

/* The event of an allocation has a reference to the object's class. A question to the VM, which
 * class this is, takes a fifth of the whole cost of an object. Collectors that move objects only in
 * pauses leave the address of a class unchanged between two pauses. So the address is read through
 * the reference and compared with the known addresses; it is used for nothing else. With other
 * collectors, and in other VMs, the VM is asked.
 * Source: HotSpot jniHandles.hpp; jvmtiExport.cpp, JvmtiGCMarker. */
struct jvmpi_alloc_mirror {
    uintptr_t address;
    uint64_t pauses; /* pauses that had begun when the address was noted; 0: it was not noted */
    struct jvmpi_shape shape;
    bool is_class; /* this is java.lang.Class: its objects are classes */
};

static _Atomic uint64_t pauses = 1; /* count of pauses that have begun */
static _Atomic bool is_compared;    /* the addresses of classes are compared */

static void on_pause(void *data)
{
    atomic_fetch_add(&pauses, 1);
}

static struct vm_event_subscriber paused = {.event = VM_EVENT_GC_START, .on.gc_start = on_pause};

/* Compare addresses from now on. Nobody else asks yet. */
static void compare_addresses(void)
{
    is_compared =
        vm_event_add(&paused, NULL) == 0 &&
        (vmself_is_on("UseG1GC") || vmself_is_on("UseParallelGC") || vmself_is_on("UseSerialGC"));
}

static uintptr_t address_of(jclass klass)
{
    return (uintptr_t)klass & KIND_BITS
               ? 0
               : __atomic_load_n((const uintptr_t *)(uintptr_t)klass, __ATOMIC_ACQUIRE);
}

static struct jvmpi_alloc_mirror *place_of(struct jvmpi_alloc_mirror *all, uintptr_t address)
{
    return &all[(uint64_t)address * 0x9e3779b97f4a7c15u >> (64 - PLACES_LOG2)];
}

/* The facts about a class, which is given by a local reference. They are valid until the thread
 * asks again. `t` is the record of the calling thread. The address is read before the count of
 * pauses. If this count is the one of the note, no collection has begun between the note and the
 * read, so the address means the same class. */
static const struct jvmpi_alloc_mirror *mirror_of(struct jvmpi_thread *t, JNIEnv *env, jclass klass)
{
    static __thread struct jvmpi_alloc_mirror other;
    uintptr_t address = is_compared ? address_of(klass) : 0;
    uint64_t now = atomic_load_explicit(&pauses, memory_order_acquire);
    struct jvmpi_alloc_mirror *m;
    if (address && !t->mirrors)
        t->mirrors = calloc(PLACES, sizeof(*t->mirrors));
    m = address && t->mirrors ? place_of(t->mirrors, address) : &other;
    if (address && m->pauses == now && m->address == address)
        return m;
    m->pauses = 0; /* the question calls the VM, which may report objects */
    other.shape = jvmpi_shape_of(env, klass);
    other.is_class = jvmpi_ids_is_class(env, klass);
    *m = (struct jvmpi_alloc_mirror){address, m == &other ? 0 : now, other.shape, other.is_class};
    return m;
}

/* ---- objects that the VM makes inside a call of ours (vm/vm_heap.h) */

/* No thread may wait for a lock inside such a call, so these objects are noted and told after the
 * call has returned. These are the objects that the calling thread has noted. They are weak
 * references: if the thread has dropped an object, nothing keeps it alive. */
static __thread struct {
    jweak *all;
    size_t count, room;
} held;

static bool make_held_room(void)
{
    size_t room = held.room ? 2 * held.room : HELD_FIRST;
    jweak *all;
    if (held.count < held.room)
        return true;
    all = realloc(held.all, room * sizeof(jweak));
    if (!all)
        return false;
    held.all = all;
    held.room = room;
    return true;
}

/* Note an object. If there is no memory for it, the object is told when an event names it. */
static void hold(JNIEnv *env, jobject object)
{
    jweak ref;
    if (!make_held_room())
        return;
    jvmpi_self_hush();
    ref = (*env)->NewWeakGlobalRef(env, object);
    jvmpi_self_speak();
    if (ref)
        held.all[held.count++] = ref;
}

/* ---- what the event tells */

static struct jvmpi_alloc_kind kind_of(const struct jvmpi_ids_record *r)
{
    struct jvmpi_shape s = jvmpi_shape_known(r->class_id);
    return (struct jvmpi_alloc_kind){s.named_id, s.type > 0 ? s.type : JVMPI_NORMAL_OBJECT};
}

/* Note the class and size of an object, as the VM reported them. Returns NULL if there is no
 * record. */
static struct jvmpi_ids_record *note(JNIEnv *env, jobjectID id, jclass klass, uint64_t bytes)
{
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    if (r && !r->class_id) {
        r->class_id = jvmpi_shape_of(env, klass).class_id;
        r->size = bytes > INT32_MAX ? INT32_MAX : (uint32_t)bytes;
    }
    return r;
}

/* Note the class and size of an object, after the VM was asked for them. */
static struct jvmpi_ids_record *note_old(JNIEnv *env, jobject object, jobjectID id)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    jlong bytes = 0;
    jclass klass;
    if (!r || r->class_id)
        return r;
    klass = (*env)->GetObjectClass(env, object);
    (*jvmti)->GetObjectSize(jvmti, object, &bytes);
    note(env, id, klass, (uint64_t)bytes);
    (*env)->DeleteLocalRef(env, klass);
    return r;
}

/* Tell an object that may have an id already, or is a class. */
static void tell_of(JNIEnv *env, jobject object, jclass klass, uint64_t bytes, jvmpi_agents agents)
{
    jobjectID id = jvmpi_ids_of(env, object);
    struct jvmpi_ids_record *r = note(env, id, klass, bytes);
    if (r)
        jvmpi_alloc_event_tell(env, id, object, kind_of(r), agents);
    jvmpi_self.thread->made.last = id;
}

/* Whether an object that the sampler reports may have an id, from a walk of the heap between its
 * making and now. The sampler reports the objects of a thread in their order, so the objects after
 * one without an id are newer than the walk. One such object is not enough: several objects are
 * made at once, and the walk may not have reached all of them. */
static bool may_have_id(struct jvmpi_thread *t, jobject object)
{
    uint32_t now = atomic_load(&walks);
    if (t->made.walks != now)
        t->made.doubtful = DOUBTFUL;
    t->made.walks = now;
    if (t->made.doubtful == 0)
        return false;
    t->made.doubtful--;
    if (!jvmpi_ids_known(object))
        return false;
    t->made.doubtful = DOUBTFUL;
    return true;
}

/* Tell an object that no agent knows. */
static void tell_new(struct jvmpi_thread *t, jobject object, const struct jvmpi_shape *shape,
                     uint64_t bytes, jvmpi_agents agents)
{
    const struct jvmpi_alloc_kind kind = {shape->named_id,
                                          shape->type > 0 ? shape->type : JVMPI_NORMAL_OBJECT};
    struct jvmpi_ids_record *r;
    jobjectID id;
    r = jvmpi_ids_begin(&t->numbers, &id);
    if (!r)
        return;
    r->class_id = shape->class_id;
    r->size = bytes > INT32_MAX ? INT32_MAX : (uint32_t)bytes;
    atomic_store_explicit(&r->telling_alloc, (uint8_t)agents, memory_order_relaxed);
    if (!jvmpi_ids_end(object, id))
        return;
    t->made.last = id;
    jvmpi_alloc_event_tell_new(t, r, id, object, kind, agents);
}

/* The sampler or injected code reports an object that was made on this thread. */
static void on_object(JNIEnv *env, jobject object, jclass klass, uint64_t bytes, void *arg)
{
    jvmpi_agents agents;
    const struct jvmpi_alloc_mirror *m;
    struct jvmpi_thread *t;
    if (!object) /* a value object of JDK 28, which no event can name */
        return;
    if (vm_heap_is_making()) {
        hold(env, object);
        return;
    }
    agents = jvmpi_send_whom(JVMPI_EVENT_OBJECT_ALLOC);
    if (!agents || !jvmpi_thread_is_open(env))
        return;
    t = jvmpi_self.thread;
    m = mirror_of(t, env, klass);
    if (m->shape.is_filtered)
        return;
    if (!m->shape.class_id || m->is_class || !has_sampler() || may_have_id(t, object))
        tell_of(env, object, klass, bytes, agents);
    else
        tell_new(t, object,
                 &(struct jvmpi_shape){m->shape.class_id, m->shape.type, m->shape.named_id, false},
                 bytes, agents);
}

static void tell_one_held(JNIEnv *env, jobject object)
{
    jvmpi_agents agents = jvmpi_send_whom(JVMPI_EVENT_OBJECT_ALLOC);
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jclass klass = (*env)->GetObjectClass(env, object);
    jlong bytes = 0;
    (*jvmti)->GetObjectSize(jvmti, object, &bytes);
    if (agents && jvmpi_thread_is_open(env))
        tell_of(env, object, klass, (uint64_t)bytes, agents);
    (*env)->DeleteLocalRef(env, klass);
}

/* A call of tell_one_held() may make the thread hold more objects. */
void jvmpi_alloc_tell_held(JNIEnv *env)
{
    while (held.count > 0) {
        jweak ref = held.all[--held.count];
        jobject object = (*env)->NewLocalRef(env, ref);
        jvmpi_self_hush();
        (*env)->DeleteWeakGlobalRef(env, ref);
        jvmpi_self_speak();
        if (object)
            tell_one_held(env, object);
        (*env)->DeleteLocalRef(env, object);
    }
    free(held.all);
    held.all = NULL;
    held.room = 0;
}

jobjectID jvmpi_alloc_named(JNIEnv *env, jobject object)
{
    jvmpi_agents promised = jvmpi_send_promised(JVMPI_EVENT_OBJECT_ALLOC);
    jobjectID id = jvmpi_ids_of(env, object);
    struct jvmpi_ids_record *r = promised && id ? note_old(env, object, id) : NULL;
    if (r)
        jvmpi_alloc_event_tell(env, id, object, kind_of(r), promised);
    return id;
}

/* Whether the class of an object is known to the agents that hear of the object; if it is not, and
 * the VM has loaded the class, it is told now. A class may have been prepared since the classes
 * were told, while the bridge itself ran Java code, of which agents hear nothing. An archived
 * object may be of a class that is not loaded. */
static bool is_class_told(JNIEnv *env, jobjectID class_id)
{
    const struct jvmpi_ids_record *r = jvmpi_ids_find(class_id);
    bool is_told = jvmpi_shape_known(class_id).type >= 0;
    jobject klass = is_told ? NULL : jvmpi_ids_object(env, class_id);
    if (klass && jvmpi_class_is_loaded(env, klass)) {
        if (r->kind != JVMPI_IDS_CLASS)
            jvmpi_ids_make_classes(env, &class_id, 1);
        jvmpi_shape_of(env, klass);
        is_told = true;
    }
    (*env)->DeleteLocalRef(env, klass);
    return is_told;
}

jint jvmpi_alloc_request(JNIEnv *env, int agent, jobjectID id)
{
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    jobject object = NULL;
    if (r && (!r->class_id || !is_class_told(env, r->class_id))) {
        object = jvmpi_ids_object(env, id);
        r = object ? note_old(env, object, id) : NULL;
    }
    if (r)
        jvmpi_alloc_event_answer(env, id, object, kind_of(r), agent);
    (*env)->DeleteLocalRef(env, object);
    return r ? JVMPI_SUCCESS : JVMPI_FAIL;
}

void jvmpi_alloc_end_thread(struct jvmpi_thread *t)
{
    jvmpi_numbers_give_stock(&t->numbers);
    free(t->mirrors);
    t->mirrors = NULL;
}

/* ---- on and off */

/* Give a clone its tag again. A clone is reported before the VM has completed it, and may have lost
 * its tag since. The clone is the last object of which the thread has told. */
static void on_vm_object(void *data, JNIEnv *env, jthread thread, jobject object, jclass klass,
                         jlong size)
{
    const struct jvmpi_thread *t = jvmpi_self.thread;
    const struct jvmpi_ids_record *r = t ? jvmpi_ids_find(t->made.last) : NULL;
    if (r && object && !jvmpi_ids_known(object) && r->class_id == jvmpi_ids_known(klass))
        jvmpi_ids_tag_again(object, t->made.last);
}

static struct vm_event_subscriber on_clones = {.event = VM_EVENT_VM_OBJECT,
                                               .on.vm_object = on_vm_object};

void jvmpi_alloc_open(void)
{
    if (!has_sampler())
        return;
    sampler = vm_sampler_open(&jvmpi_bridge.vm, 0, NULL, NULL);
    vm_event_want(VM_CAN_GENERATE_VM_OBJECT_ALLOC_EVENTS, NULL);
    if (sampler >= 0)
        vm_sampler_rest(sampler); /* each environment makes a single step more expensive */
}

/* Turn the sampler on. A thread uses the rest of its allocation buffer without a sample; a
 * collection takes this rest away. */
static int hear(void)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    if (sampler < 0 || vm_sampler_wake(&jvmpi_bridge.vm) != 0)
        return E_UNSUPPORTED;
    compare_addresses();
    vm_event_add(&on_clones, NULL);
    vm_sampler_hear(sampler, on_object);
    vm_pause_collect(jvmti);
    return 0;
}

int jvmpi_alloc_on(JNIEnv *env)
{
    return has_sampler() ? hear() : jvmpi_alloc_inject_on(env, on_object);
}

void jvmpi_alloc_off(void)
{
    if (!has_sampler()) {
        jvmpi_alloc_inject_off();
        return;
    }
    vm_sampler_hear(sampler, NULL);
    vm_event_remove(&on_clones);
}

/* ---- objects that exist already */

static void append(struct jvmpi_alloc_found *f, jobjectID id)
{
    if (f->count == f->room) {
        size_t room = f->room ? 2 * f->room : 1 << 16;
        jobjectID *all = realloc(f->all, room * sizeof(jobjectID));
        f->failed |= !all;
        if (!all)
            return;
        f->all = all;
        f->room = room;
    }
    f->all[f->count++] = id;
}

void jvmpi_alloc_walk_begins(void)
{
    atomic_fetch_add(&walks, 1);
}

void jvmpi_alloc_found_begin(struct jvmpi_alloc_found *f, JNIEnv *env)
{
    *f = (struct jvmpi_alloc_found){
        .promised = jvmpi_send_promised(JVMPI_EVENT_OBJECT_ALLOC),
        .class_class = jvmpi_ids_of_classes(env),
    };
}

jobjectID jvmpi_alloc_found_note(struct jvmpi_alloc_found *f, jlong *tag, jlong class_tag,
                                 jlong size)
{
    jobjectID class_id = jvmpi_ids_from_tag(class_tag), id;
    struct jvmpi_ids_record *r;
    bool is_new = !*tag;
    if (is_new)
        *tag = jvmpi_ids_new_tag();
    id = jvmpi_ids_from_tag(*tag);
    r = jvmpi_ids_find(id);
    f->failed |= !r;
    if (!r || r->class_id)
        return id;
    r->class_id = class_id;
    r->size = size > INT32_MAX ? INT32_MAX : (uint32_t)size;
    if (f->promised || (is_new && class_id == f->class_class))
        append(f, id);
    return id;
}

/* Note which of the found objects are classes. */
static void make_classes(const struct jvmpi_alloc_found *f, JNIEnv *env)
{
    jobjectID *all = malloc((f->count + 1) * sizeof(jobjectID));
    jint count = 0;
    for (size_t i = 0; all && i < f->count && count < INT32_MAX; i++) {
        const struct jvmpi_ids_record *r = jvmpi_ids_find(f->all[i]);
        if (r->class_id == f->class_class && r->kind != JVMPI_IDS_CLASS)
            all[count++] = f->all[i];
    }
    if (all)
        jvmpi_ids_make_classes(env, all, count);
    free(all);
}

void jvmpi_alloc_found_tell(struct jvmpi_alloc_found *f, JNIEnv *env)
{
    jvmpi_alloc_tell_held(env);
    make_classes(f, env);
    for (size_t i = 0; i < f->count; i++) {
        struct jvmpi_ids_record *r = jvmpi_ids_find(f->all[i]);
        if (is_class_told(env, r->class_id))
            jvmpi_alloc_event_tell(env, f->all[i], NULL, kind_of(r), f->promised);
    }
    free(f->all);
    f->all = NULL;
    f->count = f->room = 0;
}

static jint JNICALL on_heap_object(jlong class_tag, jlong size, jlong *tag, jint length, void *arg)
{
    struct jvmpi_alloc_found *f = arg;
    uint64_t place;
    if (!vm_heap_is_value(tag,
                          &place)) /* the VM finds their tags by comparing all of them: vm_heap.h */
        jvmpi_alloc_found_note(f, tag, class_tag, size);
    return f->failed ? JVMTI_VISIT_ABORT : JVMTI_VISIT_OBJECTS;
}

static void learn(JNIEnv *env, jclass klass, void *arg)
{
    jvmpi_shape_of(env, klass);
}

void jvmpi_alloc_replay(JNIEnv *env)
{
    static const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_heap_object};
    struct jvmpi_alloc_found found;
    jvmpi_alloc_found_begin(&found, env);
    if (!found.promised)
        return;
    jvmpi_class_visit(env, 0, learn, NULL); /* archived objects may be of any class */
    jvmpi_alloc_walk_begins();
    vm_heap_iterate(jvmpi_ids_env(), 0, &callbacks, &found);
    jvmpi_alloc_found_tell(&found, env);
}
