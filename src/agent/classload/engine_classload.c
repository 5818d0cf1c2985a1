/*
 * engine_classload.c - event=classload: classes that are loaded, with loader, bytes, time and
 * stack, and classes that are gone.
 *
 * The VM tells twice of a class that is loaded: with the bytes of its class file, before it reads
 * them, and when the class is defined. Between the two the VM may load superclasses, so each thread
 * keeps the classes that it has begun (struct begun). Classes without a class file, such as hidden
 * ones, are told of only once. Each class gets a tag in an environment of this engine; the VM tells
 * when an object with a tag is gone, perhaps within a pause (class_rows.h). beat() or a dump counts
 * these classes. docs/classload.md. SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/classload/class_rows.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/names/names.h"
#include "agent/names/threads.h"
#include "agent/names/traces.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "base/err.h"
#include "base/fnv.h"
#include "base/gate.h"
#include "base/javaname.h"
#include "options/options_group.h"
#include "profile/sums.h"
#include "safe/clock.h"
#include "safe/own_class.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"

extern const struct options_group options_classload;

extern const struct engine engine_classload;

/* The values of an event, in the order of its kind. */
enum { TIME, LOADED, BYTES, UNLOADED };

enum {
    BEGUN_MOST = 8,    /* a class, its superclass, the superclass of that ... */
    LOADER_MOST = 256, /* bytes of the text for a loader */
    AT_ONCE = 256,     /* loaded classes that ready() looks at while it holds the lock */
};

/* A class whose class file the VM reads. */
struct begun {
    /* inner_ns: the time of classes that were loaded meanwhile, and of our work for them */
    uint64_t start_ns, inner_ns;
    uint64_t name; /* a hash (base/fnv.h) */
    uint32_t bytes;
};

/* Kept for a thread. The last class that it has begun comes last. A class whose definition fails
 * stays until the one before it is defined, or until its place is needed. */
struct loading {
    uint32_t count;
    struct begun begun[BEGUN_MOST];
};

static struct vm_threads_row thread_row = {.bytes = sizeof(struct loading)};

static struct {
    struct agent *agent;
    /* whose tags are those of class_rows.h; NULL: none. It stays open for good: see open_tags() */
    jvmtiEnv *tags;
    jfieldID name;      /* ClassLoader.name; NULL: before JDK 9 */
    uint64_t timed;     /* loaded classes whose class file was seen */
    uint64_t untracked; /* loaded classes that have no tag */
    struct {
        uint64_t timed, untracked;
    } before[AGENT_RECORDINGS]; /* when the recording began; by its place */
} loads;

static struct gate freed; /* threads that tell of freed classes pass it */

/* ---- what the VM tells */

static struct loading *loading_here(void)
{
    const struct thread *t = threads_here();
    return t ? vm_threads_slot(t->vm, &thread_row) : NULL;
}

static void on_file(void *data, JNIEnv *env, jclass redefined, jobject loader, const char *name,
                    jobject domain, jint len, const unsigned char *bytes, jint *new_len,
                    unsigned char **new_bytes)
{
    bool is_wanted = !redefined && name && len >= 0 && !agent_lock_is_mine(loads.agent);
    struct loading *l = is_wanted ? loading_here() : NULL;
    if (!l)
        return;
    if (l->count == BEGUN_MOST)
        memmove(l->begun, l->begun + 1, --l->count * sizeof(*l->begun));
    l->begun[l->count++] = (struct begun){.start_ns = clock_monotonic_ns(),
                                          .bytes = (uint32_t)len,
                                          .name = fnv_add(FNV_START, name, strlen(name))};
}

/* Fills the time and bytes of a class that is defined now, if its class file was seen. */
static void end_class(uint64_t name, uint64_t now_ns, struct event *e)
{
    struct loading *l = loading_here();
    uint32_t at = l ? l->count : 0;
    while (at > 0 && l->begun[at - 1].name != name)
        at--;
    if (at == 0)
        return;
    const struct begun *b = &l->begun[at - 1];
    uint64_t all_ns = now_ns - b->start_ns;
    e->value[TIME] = all_ns > b->inner_ns ? all_ns - b->inner_ns : 0;
    e->value[BYTES] = b->bytes;
    l->count = at - 1;
    if (at > 1)
        l->begun[at - 2].inner_ns += all_ns;
}

/* The class that this thread has begun before is not to blame for the time since `from_ns`. */
static void leave_out(uint64_t from_ns)
{
    struct loading *l = loading_here();
    if (l && l->count > 0)
        l->begun[l->count - 1].inner_ns += clock_monotonic_ns() - from_ns;
}

/* What the loader of the class is called (base/javaname.h). Needs the agent's lock. */
static string_id loader_of(struct agent *a, JNIEnv *env, jclass klass)
{
    jobject loader = NULL;
    const char *type = "";
    char name[LOADER_MOST / 2] = "", text[LOADER_MOST];
    if ((*a->vm.main)->GetClassLoader(a->vm.main, klass, &loader) == JVMTI_ERROR_NONE && loader) {
        jclass of = (*env)->GetObjectClass(env, loader);
        class_id id = names_class(a, of);
        jstring given = loads.name ? (*env)->GetObjectField(env, loader, loads.name) : NULL;
        jsize len = given ? (*env)->GetStringUTFLength(env, given) : 0;
        if (given && len < (jsize)sizeof(name)) {
            (*env)->GetStringUTFRegion(env, given, 0, (*env)->GetStringLength(env, given), name);
            name[len] = '\0';
        }
        if (id)
            type = profile_string_at(a->profile, profile_class_at(a->profile, id)->name)->bytes;
        if (given)
            (*env)->DeleteLocalRef(env, given);
        (*env)->DeleteLocalRef(env, of);
        (*env)->DeleteLocalRef(env, loader);
    }
    javaname_join_loader(name, type, text, sizeof(text));
    return profile_cstring(a->profile, text);
}

/* Whether the class has a tag. The VM also tells of a class if a second loader finds it by asking
 * the loader that has defined it: then the class was counted, and has a tag. */
static bool is_tracked(jclass klass)
{
    jvmtiEnv *tags = loads.tags;
    jlong tag = 0;
    return tags && (*tags)->GetTag(tags, klass, &tag) == JVMTI_ERROR_NONE && class_rows_is_tag(tag);
}

/* Gives the class, which has none, a tag. Needs the agent's lock. */
static void track(jclass klass, const struct class_rows_class *c)
{
    jvmtiEnv *tags = loads.tags;
    jlong tag = tags && c->klass ? class_rows_add(c) : 0;
    if (tag == 0 || (*tags)->SetTag(tags, klass, tag) != JVMTI_ERROR_NONE)
        loads.untracked++;
}

/* Counts an event of a class for all recordings that want it. `whole`: the stack that has loaded
 * the class; `is_cut`: it had more frames. Needs the agent's lock. */
static void tell(struct agent *a, struct event *e, trace_id whole, bool is_cut)
{
    if (whole && e->klass)
        engine_count(a, &engine_classload, e, whole, is_cut);
}

/* Needs the agent's lock. */
static void count_load(struct agent *a, JNIEnv *env, jclass klass, struct traces_stack *stack,
                       struct event *e)
{
    const struct thread *t = threads_here();
    e->klass = names_class(a, klass);
    e->text = loader_of(a, env, klass);
    e->thread = t ? t->id : 0;
    e->context = scope_context_here(a);
    trace_id whole =
        stack->count > 0 ? traces_of(a, e->thread, stack) : profile_trace(a->profile, 0, NULL, 0);
    if (!is_tracked(klass)) /* ready() may have been faster */
        track(klass, &(struct class_rows_class){e->klass, e->text, whole});
    loads.timed += e->value[BYTES] > 0;
    tell(a, e, whole, stack->is_cut);
}

/* Whether the class is one of our own. *ret_hash: of its name. */
static bool is_own(jclass klass, uint64_t *ret_hash)
{
    jvmtiEnv *jvmti = loads.agent->vm.main;
    char *signature = NULL;
    *ret_hash = 0;
    if ((*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return false;
    size_t len = strlen(signature);
    bool is = len > 2 && own_class_is(signature + 1, len - 2);
    if (len > 2)
        *ret_hash = fnv_add(FNV_START, signature + 1, len - 2);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return is;
}

static void on_load(void *data, JNIEnv *env, jthread thread, jclass klass)
{
    struct agent *a = loads.agent;
    struct event e = {
        .kind = KIND_CLASS_LOAD, .time_ns = clock_monotonic_ns(), .value = {[LOADED] = 1}};
    struct traces_stack stack;
    uint64_t name;
    if (is_tracked(klass) || is_own(klass, &name))
        return;
    if (agent_lock_is_mine(a)) { /* our own calls need the class: it is not counted */
        if (loads.tags)
            (void)(*loads.tags)->SetTag(loads.tags, klass, class_rows_none());
        return;
    }
    end_class(name, e.time_ns, &e);
    if (traces_take(a, NULL, 0, a->options.depth, &stack) != 0)
        stack = (struct traces_stack){0};
    if (agent_enter(a)) {
        if (a->started && !a->closed)
            count_load(a, env, klass, &stack, &e);
        agent_unlock(a);
    }
    leave_out(e.time_ns);
}

enum { HEARD_LOAD, HEARD_FILE, HEARD };

static struct vm_event_subscriber heard[HEARD] = {
    [HEARD_LOAD] = {.event = VM_EVENT_CLASS_LOAD, .on.class_load = on_load},
    [HEARD_FILE] = {.event = VM_EVENT_CLASS_FILE, .on.class_file = on_file},
};

/* Context: gc. */
static void JNICALL on_free(jvmtiEnv *jvmti, jlong tag)
{
    _Atomic uint32_t *inside = gate_enter(&freed);
    if (!inside)
        return;
    class_rows_gone(tag);
    gate_leave(inside);
}

/* ---- the engine */

static int prepare(const struct options *o)
{
    return 0;
}

static int load(struct agent *a)
{
    loads.agent = a;
    return 0;
}

static jfieldID name_field(JNIEnv *env)
{
    jclass loader = (*env)->FindClass(env, "java/lang/ClassLoader");
    jfieldID name = loader ? (*env)->GetFieldID(env, loader, "name", "Ljava/lang/String;") : NULL;
    (*env)->ExceptionClear(env);
    if (loader)
        (*env)->DeleteLocalRef(env, loader);
    return name;
}

/*
 * Open the environment whose tags tell that a class is gone, once in the life of the JVM. From JDK
 * 17 on a thread that turns the event off, or closes the environment, waits in the VM while another
 * thread tells of freed objects. If a pause is asked for meanwhile, for example by a collection,
 * the JVM hangs for ever (vm/vm_pause.h). So the event stays on, and without tags there is nothing
 * to tell. Source: HotSpot jvmtiEventController.cpp, flush_object_free_events().
 */
static void open_tags(struct agent *a)
{
    const jvmtiEventCallbacks callbacks = {.ObjectFree = on_free};
    uint64_t needed =
        VM_ENV_SET(VM_CAN_TAG_OBJECTS) | VM_ENV_SET(VM_CAN_GENERATE_OBJECT_FREE_EVENTS);
    struct vm_env_refusal why;
    char text[VM_ENV_TEXT];
    gate_open(&freed);
    if (loads.tags)
        return;
    if (vm_env_open_hearing(&a->vm, needed, &callbacks, &loads.tags, &why) != 0) {
        loads.tags = NULL;
        log_note("event=classload: classes that are unloaded are not seen: %s",
                 vm_env_say(&why, text));
        return;
    }
    (void)(*loads.tags)
        ->SetEventNotificationMode(loads.tags, JVMTI_ENABLE, JVMTI_EVENT_OBJECT_FREE, NULL);
}

/* The class has no array type and no primitive type: these are not loaded. */
static void track_loaded(struct agent *a, JNIEnv *env, jclass klass)
{
    jvmtiEnv *jvmti = a->vm.main;
    jboolean is_array = JNI_FALSE;
    if ((*jvmti)->IsArrayClass(jvmti, klass, &is_array) != JVMTI_ERROR_NONE || is_array ||
        is_tracked(klass))
        return;
    const struct class_rows_class c = {names_class(a, klass), loader_of(a, env, klass),
                                       profile_trace(a->profile, 0, NULL, 0)};
    track(klass, &c);
}

/* Classes that were loaded before may be unloaded, too. */
static void ready(struct agent *a)
{
    JNIEnv *env = vm_jni(&a->vm);
    jvmtiEnv *jvmti = a->vm.main;
    jclass *classes = NULL;
    jint count = 0;
    if (!env || !loads.tags ||
        (*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count;) {
        agent_lock(a);
        for (jint end = i + AT_ONCE; i < end && i < count; i++)
            track_loaded(a, env, classes[i]);
        agent_unlock(a);
    }
    for (jint i = 0; i < count; i++)
        (*env)->DeleteLocalRef(env, classes[i]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
}

static int start(struct agent *a, JNIEnv *env)
{
    struct vm_env_refusal why;
    char text[VM_ENV_TEXT];
    loads.name = name_field(env);
    open_tags(a);
    if (vm_event_add(&heard[HEARD_FILE], &why) != 0)
        log_note("event=classload: bytes and times are not known: %s", vm_env_say(&why, text));
    int error = vm_event_add(&heard[HEARD_LOAD], NULL);
    if (error)
        log_error("event=classload: this VM does not tell of classes");
    return error;
}

/* Count the classes that are gone since the last call. Needs the agent's lock. */
static void tell_gone(struct agent *a)
{
    struct class_rows_class gone;
    while (class_rows_next(&gone)) {
        struct event e = {.kind = KIND_CLASS_LOAD,
                          .klass = gone.klass,
                          .text = gone.loader,
                          .time_ns = clock_monotonic_ns(),
                          .value = {[UNLOADED] = 1}};
        tell(a, &e, gone.trace, false);
    }
}

static void beat(struct agent *a, JNIEnv *env)
{
    tell_gone(a);
}

static int join(struct agent *a, struct recording *r)
{
    tell_gone(a);
    loads.before[r->place].timed = loads.timed;
    loads.before[r->place].untracked = loads.untracked;
    return 0;
}

static void dump(struct agent *a, struct recording *r)
{
    tell_gone(a);
    recording_set_quality(r, QUALITY_CLASSLOAD_TIMED, loads.timed - loads.before[r->place].timed);
    recording_set_quality(r, QUALITY_CLASSLOAD_UNTRACKED,
                          loads.untracked - loads.before[r->place].untracked);
    recording_table(r, KIND_CLASS_LOAD);
    recording_put_quality(r);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    tell_gone(a);
    const uint64_t *total = tally_sums(r->tally, KIND_CLASS_LOAD)->total;
    snprintf(ret, ENGINE_STATUS, "loaded=%llu unloaded=%llu", (unsigned long long)total[LOADED],
             (unsigned long long)total[UNLOADED]);
}

enum { WAIT_MS = 2000 };

static void stop(struct agent *a)
{
    vm_event_remove_all(heard, HEARD);
    gate_close(&freed, WAIT_MS);
}

static void forget_tags(JNIEnv *env)
{
    jvmtiEnv *tags = loads.tags;
    jclass *classes = NULL;
    jint count = 0;
    if (!tags || !env || (*tags)->GetLoadedClasses(tags, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        (void)(*tags)->SetTag(tags, classes[i], 0);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*tags)->Deallocate(tags, (unsigned char *)classes);
}

static int release(struct agent *a, JNIEnv *env)
{
    vm_event_remove_all(heard, HEARD);
    if (!vm_event_settle(WAIT_MS) || !gate_close(&freed, WAIT_MS)) {
        log_error("event=classload: a class is still being loaded");
        return -EBUSY;
    }
    forget_tags(env);
    class_rows_clear();
    loads.timed = loads.untracked = 0;
    return 0;
}

const struct engine engine_classload = {
    .name = "classload",
    .help = "event=classload: classes loaded, by loader and trace, and unloaded",
    .dumping = " classes ...",
    .begun = "class loading",
    .options = &options_classload,
    .owns = {.per_thread = &thread_row, .counts = "classload"},
    .prepare = prepare,
    .load = load,
    .start = start,
    .ready = ready,
    .beat = beat,
    .sharing = {.join = join},
    .dump = dump,
    .stop = stop,
    .status = status,
    .release = release,
};
