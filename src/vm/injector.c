/*
 * injector.c - see injector.h.
 *
 * The hook finds its users under a lock and weaves without the lock. Probes have the order of
 * `users`.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/injector.h"
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/lock.h"
#include "safe/clock.h"
#include "safe/own_class.h"
#include "safe/release.h"
#include "vm/injector_seen.h"
#include "vm/vm.h"
#include "vm/vm_env.h"
#include "vm/vm_lookup.h"
#include "vm/vm_pause.h"
#include "vm/vm_shared.h"

enum {
    CLASS_BYTES_MAX = 256 << 20, /* memory for the injection of one class */
    NAME_MAX_LENGTH = 65536,
};

static struct {
    jvmtiEnv *jvmti;
    /* held by the thread that changes loaded classes; taken before `lock` */
    struct lock applying;
    struct lock lock;            /* guards the next three fields */
    struct injector_users users; /* all users that were ever added or watched */
    bool is_applying;
    bool is_hooked;
    bool has_tags;
    int release;
    _Atomic uint64_t hooked_ns; /* when the hook last finished weaving a class that is loaded */
    /* memory that is used for one class after the other; NULL: in use */
    struct arena *_Atomic spare;
} injector = {.applying = LOCK_INIT(APPLYING), .lock = LOCK_INIT(INJECTOR)};

/* ---- users, by what they are */

/* A subset of the users. */
enum which { EVER, ADDED, WATCHING, CHANGED };

static bool is_one(const struct injector_user *u, enum which which)
{
    switch (which) {
    case EVER:
        return true;
    case ADDED:
        return u->is_added;
    case WATCHING:
        return u->is_watching;
    default:
        return u->is_added != u->is_applied;
    }
}

static struct injector_users users_of(enum which which)
{
    struct injector_users some = {.count = 0};
    lock_take(&injector.lock);
    for (uint32_t i = 0; i < injector.users.count; i++)
        if (is_one(injector.users.users[i], which))
            some.users[some.count++] = injector.users.users[i];
    lock_give(&injector.lock);
    return some;
}

/* Insert a user behind those of its layer. Needs the lock. Errors: 0, E_LIMIT. */
static int remember_user(struct injector_user *u)
{
    struct injector_users *all = &injector.users;
    uint32_t at = all->count;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->users[i] == u)
            return 0;
    if (all->count == INJECTOR_USERS_MAX)
        return E_LIMIT;
    for (; at > 0 && all->users[at - 1]->layer > u->layer; at--)
        all->users[at] = all->users[at - 1];
    all->users[at] = u;
    u->number = all->count++;
    return 0;
}

/* Turn the hook on while a class may be loaded or changed that a user wants. Needs the lock. */
static void set_hook(void)
{
    bool is_needed = false;
    for (uint32_t i = 0; i < injector.users.count; i++) {
        const struct injector_user *u = injector.users.users[i];
        is_needed |= u->is_watching;
        is_needed |= u->is_added && (injector.is_applying || !u->wants_loaded_only);
    }
    if (is_needed == injector.is_hooked)
        return;
    injector.is_hooked = is_needed;
    (*injector.jvmti)
        ->SetEventNotificationMode(injector.jvmti, is_needed ? JVMTI_ENABLE : JVMTI_DISABLE,
                                   JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}

/* The users among `all` that want a class (java/lang/String). */
static struct injector_users who_wants(const struct injector_users *all, const char *name)
{
    struct injector_users some = {.count = 0};
    for (uint32_t i = 0; i < all->count; i++)
        if (!all->users[i]->wants || all->users[i]->wants(name))
            some.users[some.count++] = all->users[i];
    return some;
}

/* ---- one class */

/* Memory for one class: the memory of the last class, whose pages exist already, or new memory.
 * NULL: none. */
static struct arena *take_arena(void)
{
    struct arena *a = atomic_exchange(&injector.spare, NULL);
    if (!a && (a = malloc(sizeof(*a))) != NULL)
        arena_init(a, CLASS_BYTES_MAX);
    return a;
}

static void give_arena(struct arena *a)
{
    struct arena *other;
    arena_reset(a);
    other = atomic_exchange(&injector.spare, a);
    if (other)
        arena_done(other);
    free(other);
}

/* A class file that the VM gives to the hook, and where the hook puts a new one. */
struct class_bytes {
    const char *name;
    const unsigned char *bytes;
    jint len;
    bool is_loaded; /* the class is loaded and is being changed */
    jint *new_len;
    unsigned char **new_bytes;
};

static int weave(const struct injector_users *users, const struct class_bytes *c, struct arena *a,
                 struct instrument_result *ret)
{
    const struct instrument_probe *probes[INJECTOR_USERS_MAX];
    for (uint32_t i = 0; i < users->count; i++)
        probes[i] = atomic_load(&users->users[i]->probe);
    return instrument_class(probes, users->count, c->bytes, (size_t)c->len, a, ret);
}

static void count_failure(const struct injector_users *users)
{
    for (uint32_t i = 0; i < users->count; i++)
        atomic_fetch_add(&users->users[i]->failed, 1);
}

/* Give the VM a class file as the new one of the class. Returns the VM's copy; NULL: no memory. */
static unsigned char *give(const struct class_bytes *c, const unsigned char *bytes, size_t len)
{
    unsigned char *copy;
    if ((*injector.jvmti)->Allocate(injector.jvmti, (jlong)len, &copy) != JVMTI_ERROR_NONE)
        return NULL;
    memcpy(copy, bytes, len);
    *c->new_bytes = copy;
    *c->new_len = (jint)len;
    return copy;
}

/*
 * The VM keeps the old class file of a class that a hook has changed, and gives out this file from
 * then on. For any other class the VM makes a new class file from its own data each time. A
 * constant that is not a number (NaN) equals no constant for the VM, not even itself: each change
 * would double the count of such constants in the class, until the class cannot be changed any
 * more. If the hook returns the class file unchanged, the VM keeps this file.
 * Source: HotSpot jvmtiExport.cpp (post_to_env), constantPool.cpp (compare_entry_to).
 */
static void let_be_kept(const struct class_bytes *c, const struct instrument_result *result)
{
    if (result->has_nan && c->is_loaded)
        give(c, c->bytes, (size_t)c->len);
}

static void inject(const struct injector_users *users, const struct class_bytes *c, struct arena *a)
{
    struct instrument_result result;
    if (weave(users, c, a, &result) != 0) {
        count_failure(users);
        return;
    }
    if (result.bytes) {
        result.bytes = give(c, result.bytes, result.len);
        if (!result.bytes) {
            count_failure(users);
            return;
        }
    } else {
        let_be_kept(c, &result);
    }
    for (uint32_t i = 0; i < users->count; i++) {
        struct injector_user *u = users->users[i];
        if (result.shares[i].injected > 0 && injector_seen_is_plain(c->name, u))
            injector_seen_note(c->name, u, false); /* another class has this name, too */
        if (result.bytes && result.shares[i].injected > 0)
            atomic_fetch_add(&u->injected, 1);
        if (u->done)
            u->done(&result, &result.shares[i]);
    }
}

/* Note which watchers have something to inject. A class that cannot be read now is read again when
 * it is injected. */
static void watch(const struct injector_users *users, const struct class_bytes *c, struct arena *a)
{
    struct instrument_result result;
    if (weave(users, c, a, &result) != 0)
        return;
    for (uint32_t i = 0; i < users->count; i++)
        injector_seen_note(c->name, users->users[i], result.shares[i].injected == 0);
}

/* The class load hook. A class without a name is an anonymous class of JDK 8, which nobody could
 * find again. */
static void JNICALL on_class(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                             const char *name, jobject domain, jint len, const unsigned char *bytes,
                             jint *new_len, unsigned char **new_bytes)
{
    const struct class_bytes c = {name, bytes, len, redefined != NULL, new_len, new_bytes};
    struct injector_users users, watchers;
    struct arena *arena;
    if (!name || own_class_is(name, strlen(name)))
        return;
    users = users_of(ADDED);
    users = who_wants(&users, name);
    watchers = users_of(WATCHING);
    watchers = who_wants(&watchers, name);
    if (users.count + watchers.count == 0)
        return;
    arena = take_arena();
    if (!arena) {
        count_failure(&users);
        return;
    }
    if (users.count > 0)
        inject(&users, &c, arena);
    if (watchers.count > 0)
        watch(&watchers, &c, arena);
    give_arena(arena);
    if (redefined)
        atomic_store_explicit(&injector.hooked_ns, clock_monotonic_ns(), memory_order_relaxed);
}

/* ---- the classes that are loaded */

bool injector_can_change(jclass klass, char *ret, size_t size)
{
    jvmtiEnv *jvmti = injector.jvmti;
    char *signature = NULL;
    jboolean yes = JNI_FALSE;
    bool is_good = false;
    size_t len;
    if ((*jvmti)->IsModifiableClass(jvmti, klass, &yes) != JVMTI_ERROR_NONE || !yes ||
        (*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return false;
    len = strlen(signature);
    if (signature[0] == 'L' && len > 2 && len < size) {
        memcpy(ret, signature + 1, len - 2);
        ret[len - 2] = '\0';
        is_good = true;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    /* JDK 8 says yes for its anonymous classes, for example X$$Lambda$1/2125039532, and crashes
     * when one is changed. */
    for (const char *at = is_good ? strchr(ret, '/') : NULL; at; at = strchr(at + 1, '/'))
        is_good &= !(at[1] >= '0' && at[1] <= '9');
    return is_good;
}

/* Whether one of the users may have something to inject in the class, or had. */
static bool is_concerned(const struct injector_users *changed, const char *name)
{
    struct injector_users some;
    if (own_class_is(name, strlen(name)))
        return false;
    some = who_wants(changed, name);
    for (uint32_t i = 0; i < some.count; i++)
        if (!injector_seen_is_plain(name, some.users[i]))
            return true;
    return false;
}

static void count_refusal(jclass klass, char *name)
{
    struct injector_users users = users_of(ADDED);
    if (!injector_can_change(klass, name, NAME_MAX_LENGTH))
        return;
    users = who_wants(&users, name);
    for (uint32_t i = 0; i < users.count; i++)
        atomic_fetch_add(&users.users[i]->refused, 1);
}

/* Link classes before they are changed. If another thread is linking a class and rewriting its
 * code, JDK 8 writes a class file from data that does not exist yet. A query for the public fields
 * of a class links the class and does not initialize it. */
static void link_all(JNIEnv *env, const jclass *classes, jint count)
{
    enum { LOCALS = 8 };
    if (injector.release >= RELEASE_LINKS_FIRST ||
        (*env)->EnsureLocalCapacity(env, LOCALS) != JNI_OK)
        return;
    jclass klass = vm_lookup_boot_class(env, "java/lang/Class");
    jmethodID fields = klass ? (*env)->GetMethodID(env, klass, "getDeclaredFields0",
                                                   "(Z)[Ljava/lang/reflect/Field;")
                             : NULL;
    vm_lookup_clear(env);
    for (jint i = 0; fields && i < count; i++) {
        jint status = 0;
        if ((*injector.jvmti)->GetClassStatus(injector.jvmti, classes[i], &status) !=
                JVMTI_ERROR_NONE ||
            status & JVMTI_CLASS_STATUS_PREPARED)
            continue;
        jobject found = (*env)->CallObjectMethod(env, classes[i], fields, JNI_TRUE);
        vm_lookup_clear(env);
        (*env)->DeleteLocalRef(env, found);
    }
    (*env)->DeleteLocalRef(env, klass);
}

/* Change all classes in one call, because each call stops the program. A batch fails as a whole;
 * then its two halves are tried. */
static void retransform(JNIEnv *env, const jclass *classes, jint count, char *name)
{
    jvmtiError error;
    if (count == 0 || !vm_pause_begin()) /* the VM is about to end: nobody needs the change */
        return;
    error = (*injector.jvmti)->RetransformClasses(injector.jvmti, count, classes);
    vm_pause_end();
    if (error == JVMTI_ERROR_NONE)
        return;
    vm_lookup_clear(env);
    if (count == 1) {
        count_refusal(classes[0], name);
        return;
    }
    retransform(env, classes, count / 2, name);
    retransform(env, classes + count / 2, count - count / 2, name);
}

/* ---- the event classes of the recorder */

static bool is_named(jvmtiEnv *jvmti, jclass klass, const char *wanted)
{
    char *signature = NULL;
    bool is_it;
    if ((*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return false;
    is_it = strcmp(signature, wanted) == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return is_it;
}

/* Look for the base classes among `count` classes. */
static struct injector_events find_events(jvmtiEnv *jvmti, const jclass *classes, jint count)
{
    struct injector_events e = {.jvmti = jvmti};
    for (jint i = 0; i < count && !(e.recorded && e.of_jdk); i++) {
        if (!e.recorded && is_named(jvmti, classes[i], "Ljdk/jfr/Event;"))
            e.recorded = classes[i];
        else if (!e.of_jdk && is_named(jvmti, classes[i], "Ljdk/internal/event/Event;"))
            e.of_jdk = classes[i];
    }
    return e;
}

struct injector_events injector_recorded(const struct injector_users *users, const jclass *classes,
                                         jint count)
{
    struct injector_events e = find_events(injector.jvmti, classes, count);
    for (uint32_t i = 0; i < users->count; i++)
        e.trackers[e.tracker_count++] = atomic_load(&users->users[i]->probe)->tracker;
    return e;
}

/* Whether the constant pool of the class names a tracker that a probe calls. */
static bool is_woven(const struct injector_events *e, jclass klass)
{
    unsigned char *bytes = NULL;
    jint entries, len;
    bool is_it = false;
    if ((*e->jvmti)->GetConstantPool(e->jvmti, klass, &entries, &len, &bytes) != JVMTI_ERROR_NONE)
        return true;
    for (uint32_t i = 0; i < e->tracker_count; i++)
        is_it |= memmem(bytes, (size_t)len, e->trackers[i], strlen(e->trackers[i])) != NULL;
    (*e->jvmti)->Deallocate(e->jvmti, bytes);
    return is_it;
}

bool injector_is_recorded(const struct injector_events *e, JNIEnv *env, jclass klass)
{
    bool is_event = e->recorded && ((*env)->IsAssignableFrom(env, klass, e->recorded) ||
                                    (e->of_jdk && (*env)->IsAssignableFrom(env, klass, e->of_jdk)));
    return is_event && !is_woven(e, klass);
}

/* ---- all loaded classes */

static void retransform_loaded(const struct injector_users *changed, JNIEnv *env)
{
    jvmtiEnv *jvmti = injector.jvmti;
    char *name = malloc(NAME_MAX_LENGTH);
    jclass *classes = NULL;
    jint count = 0, used = 0;
    /* one more reference for each class */
    if (!name || (*env)->PushLocalFrame(env, 16) != JNI_OK) {
        free(name);
        return;
    }
    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) == JVMTI_ERROR_NONE) {
        const struct injector_events events = injector_recorded(changed, classes, count);
        for (jint i = 0; i < count; i++) {
            if (injector_can_change(classes[i], name, NAME_MAX_LENGTH) &&
                is_concerned(changed, name) && !injector_is_recorded(&events, env, classes[i]))
                classes[used++] = classes[i];
        }
        link_all(env, classes, used);
        retransform(env, classes, used, name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    }
    (*env)->PopLocalFrame(env, NULL);
    free(name);
}

static void set_applying(bool is_applying, const struct injector_users *changed)
{
    lock_take(&injector.lock);
    injector.is_applying = is_applying;
    for (uint32_t i = 0; i < changed->count; i++)
        changed->users[i]->is_applied = changed->users[i]->is_added;
    set_hook();
    lock_give(&injector.lock);
}

static void tell_begin(const struct injector_users *added, JNIEnv *env)
{
    for (uint32_t i = 0; i < added->count; i++)
        if (added->users[i]->begin)
            added->users[i]->begin(env);
    atomic_fetch_add(&vm_shared_block()->weavings, 1);
}

static void tell_end(const struct injector_users *added, JNIEnv *env)
{
    atomic_fetch_add(&vm_shared_block()->weavings, 1);
    set_applying(false, &(struct injector_users){.count = 0});
    for (uint32_t i = 0; i < added->count; i++)
        if (added->users[i]->end)
            added->users[i]->end(env);
}

void injector_apply(JNIEnv *env)
{
    struct injector_users changed, added;
    if (!injector.jvmti)
        return;
    lock_take(&injector.applying);
    changed = users_of(CHANGED);
    if (changed.count > 0) {
        set_applying(true, &changed);
        added = users_of(ADDED);
        tell_begin(&added, env);
        retransform_loaded(&changed, env);
        tell_end(&added, env);
    }
    lock_give(&injector.applying);
}

/* ---- for injector_later.c */

bool injector_has_tags(void)
{
    return injector.has_tags;
}

int injector_release(void)
{
    return injector.release;
}

void injector_hold(void)
{
    lock_take(&injector.applying);
}

void injector_let_go(void)
{
    lock_give(&injector.applying);
}

struct injector_users injector_all(void)
{
    return users_of(EVER);
}

struct injector_users injector_added(void)
{
    return users_of(ADDED);
}

struct injector_users injector_take_changed(void)
{
    struct injector_users changed = users_of(CHANGED);
    lock_take(&injector.lock);
    for (uint32_t i = 0; i < changed.count; i++)
        changed.users[i]->is_applied = changed.users[i]->is_added;
    lock_give(&injector.lock);
    return changed;
}

/* Change the classes and return how long the program stood still. The VM reads all classes of a
 * batch through the hook before it stops the program, so the stop begins after the hook's last
 * class. */
uint64_t injector_change(JNIEnv *env, const jclass *classes, jint count)
{
    struct injector_users added = users_of(ADDED);
    uint64_t begin_ns = clock_monotonic_ns(), hooked_ns;
    char *name = malloc(NAME_MAX_LENGTH);
    if (!name)
        return 0;
    set_applying(true, &(struct injector_users){.count = 0});
    tell_begin(&added, env);
    link_all(env, classes, count);
    retransform(env, classes, count, name);
    hooked_ns = atomic_load_explicit(&injector.hooked_ns, memory_order_relaxed);
    if (hooked_ns > begin_ns)
        begin_ns = hooked_ns;
    begin_ns = clock_monotonic_ns() - begin_ns;
    tell_end(&added, env);
    free(name);
    return begin_ns;
}

/* ---- users */

int injector_open(const struct vm *vm)
{
    static const uint64_t needed = VM_ENV_SET(VM_CAN_RETRANSFORM_CLASSES) |
                                   VM_ENV_SET(VM_CAN_RETRANSFORM_ANY_CLASS) |
                                   VM_ENV_SET(VM_CAN_GENERATE_ALL_CLASS_HOOK_EVENTS);
    static const jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = on_class};
    if (injector.jvmti)
        return 0;
    if (vm_env_open_hearing(vm, needed, &callbacks, &injector.jvmti, NULL) != 0)
        return E_UNSUPPORTED;
    vm_env_ask(vm, injector.jvmti, VM_CAN_SUPPORT_VIRTUAL_THREADS, NULL);
    vm_env_ask(vm, injector.jvmti, VM_CAN_GET_CONSTANT_POOL, NULL);
    injector.release = vm->release;
    injector.has_tags = vm_env_ask(vm, injector.jvmti, VM_CAN_TAG_OBJECTS, NULL) == 0;
    return 0;
}

jvmtiEnv *injector_env(void)
{
    return injector.jvmti;
}

void injector_watch(struct injector_user *u)
{
    lock_take(&injector.lock);
    u->is_watching = remember_user(u) == 0;
    set_hook();
    lock_give(&injector.lock);
}

int injector_add(struct injector_user *u)
{
    int error;
    lock_take(&injector.lock);
    error = injector.jvmti ? remember_user(u) : E_UNSUPPORTED;
    if (!error) {
        if (!u->is_added)
            atomic_store(&u->injected, 0);
        u->is_watching = false;
        u->is_added = true;
        set_hook();
    }
    lock_give(&injector.lock);
    return error;
}

int injector_add_again(struct injector_user *u)
{
    int error = injector_add(u);
    lock_take(&injector.lock);
    u->wants_more |= u->is_applied;
    u->is_applied = false;
    lock_give(&injector.lock);
    return error;
}

void injector_remove(struct injector_user *u)
{
    lock_take(&injector.lock);
    u->is_watching = false;
    u->is_added = false;
    u->wants_more = false;
    if (injector.jvmti)
        set_hook();
    lock_give(&injector.lock);
}
