/*
 * jvmpi_class.c - see jvmpi_class.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_class.h"
#include <jvmti.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "jvmpi/jvmpi_alloc_event.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_ids.h"
#include "safe/own_class.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"
#include "vm/vm_lookup.h"
#include "vm/vm_names.h"

enum {
    BYTES_MAX = 16 << 20, /* memory for the description of one class */
    NO_LINE = -1,
    /* count of local references that -Xcheck:jni accepts: as many as HotSpot allows */
    LOCALS = 65536,
    STATIC = 0x0008, /* access flag of members */
};

/* The description of a class for the event. All texts are copied into the arena. */
struct description {
    jvmtiEnv *jvmti;
    struct arena arena;
    JVMPI_Event event;
    bool failed; /* there was no memory */
};

/* Copy a text of the VM into the arena, and free the VM's text. */
static char *keep(struct description *d, char *text)
{
    size_t size = text ? strlen(text) + 1 : 1;
    char *copy = arena_alloc(&d->arena, size);
    if (copy && text)
        memcpy(copy, text, size);
    (*d->jvmti)->Deallocate(d->jvmti, (unsigned char *)text);
    d->failed |= !copy;
    return copy;
}

/* The name of a class as agents of that time know it, without 'L' and ';'; "[I" stays as it is. */
static char *name_of(struct description *d, char *signature)
{
    char *name = keep(d, signature);
    size_t len = name ? strlen(name) : 0;
    if (len > 2 && name[0] == 'L') {
        name[len - 1] = '\0';
        name++;
    }
    for (char *at = name; at && *at && !jvmpi_bridge.options.names_have_slashes; at++)
        if (*at == '/')
            *at = '.';
    return name;
}

static void describe_lines(struct description *d, jmethodID method, JVMPI_Method *m)
{
    jvmtiLineNumberEntry *lines = NULL;
    jint count = 0;
    m->start_lineno = m->end_lineno = NO_LINE;
    if ((*d->jvmti)->GetLineNumberTable(d->jvmti, method, &count, &lines) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        if (m->start_lineno == NO_LINE || lines[i].line_number < m->start_lineno)
            m->start_lineno = lines[i].line_number;
        if (lines[i].line_number > m->end_lineno)
            m->end_lineno = lines[i].line_number;
    }
    (*d->jvmti)->Deallocate(d->jvmti, (unsigned char *)lines);
}

static void describe_methods(struct description *d, jclass klass)
{
    jmethodID *methods = NULL;
    JVMPI_Method *all;
    jint count = 0;
    if ((*d->jvmti)->GetClassMethods(d->jvmti, klass, &count, &methods) != JVMTI_ERROR_NONE)
        return;
    all = arena_alloc(&d->arena, (size_t)count * sizeof(*all));
    d->failed |= count > 0 && !all;
    for (jint i = 0; all && i < count; i++) {
        char *name = NULL, *signature = NULL;
        (*d->jvmti)->GetMethodName(d->jvmti, methods[i], &name, &signature, NULL);
        all[i].method_name = keep(d, name);
        all[i].method_signature = keep(d, signature);
        all[i].method_id = methods[i];
        describe_lines(d, methods[i], &all[i]);
    }
    d->event.u.class_load.num_methods = count;
    d->event.u.class_load.methods = all;
    (*d->jvmti)->Deallocate(d->jvmti, (unsigned char *)methods);
}

/* Fill in the fields: static fields in one array, instance fields in another, each in the order of
 * the class file. */
static void describe_fields(struct description *d, jclass klass)
{
    jfieldID *fields = NULL;
    JVMPI_Field *of[2];
    jint count = 0, counts[2] = {0, 0};
    if ((*d->jvmti)->GetClassFields(d->jvmti, klass, &count, &fields) != JVMTI_ERROR_NONE)
        return;
    for (int i = 0; i < 2; i++) {
        of[i] = arena_alloc(&d->arena, (size_t)count * sizeof(**of));
        d->failed |= count > 0 && !of[i];
    }
    for (jint i = 0; of[0] && of[1] && i < count; i++) {
        char *name = NULL, *signature = NULL;
        jint flags = 0, which;
        (*d->jvmti)->GetFieldName(d->jvmti, klass, fields[i], &name, &signature, NULL);
        (*d->jvmti)->GetFieldModifiers(d->jvmti, klass, fields[i], &flags);
        which = flags & STATIC ? 1 : 0;
        of[which][counts[which]].field_name = keep(d, name);
        of[which][counts[which]++].field_signature = keep(d, signature);
    }
    d->event.u.class_load.num_instance_fields = counts[0];
    d->event.u.class_load.instances = of[0];
    d->event.u.class_load.num_static_fields = counts[1];
    d->event.u.class_load.statics = of[1];
    (*d->jvmti)->Deallocate(d->jvmti, (unsigned char *)fields);
}

static void describe(struct description *d, JNIEnv *env, jclass klass, char *signature)
{
    jclass *interfaces = NULL;
    char *source = NULL;
    jint count = 0;
    d->event.u.class_load.class_name = name_of(d, signature);
    (*d->jvmti)->GetSourceFileName(d->jvmti, klass, &source);
    d->event.u.class_load.source_name = keep(d, source);
    if ((*d->jvmti)->GetImplementedInterfaces(d->jvmti, klass, &count, &interfaces) ==
        JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++)
            (*env)->DeleteLocalRef(env, interfaces[i]);
        (*d->jvmti)->Deallocate(d->jvmti, (unsigned char *)interfaces);
        d->event.u.class_load.num_interfaces = count;
    }
    describe_methods(d, klass);
    describe_fields(d, klass);
}

bool jvmpi_class_is_own(jclass klass)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    char *signature = NULL;
    const char *name;
    bool answer;
    size_t len;
    if ((*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return false;
    name = vm_names_class(signature, &len);
    answer = own_class_is(name, len);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return answer;
}

/* Tell the object of the class, because CLASS_LOAD names it. Its OBJECT_ALLOC names
 * java.lang.Class, so java.lang.Class is told first. */
static void name_object(JNIEnv *env, jclass klass, jobjectID id)
{
    jclass of_classes = jvmpi_ids_class_of_classes(env);
    if (!jvmpi_send_promised(JVMPI_EVENT_OBJECT_ALLOC))
        return;
    if (!(*env)->IsSameObject(env, klass, of_classes))
        jvmpi_class_named(env, of_classes);
    jvmpi_alloc_event_mirror(env, klass, id);
}

bool jvmpi_class_has_own(JNIEnv *env, jmethodID method)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jclass klass = NULL;
    bool answer;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &klass) != JVMTI_ERROR_NONE)
        return false;
    answer = jvmpi_class_is_own(klass);
    (*env)->DeleteLocalRef(env, klass);
    return answer;
}

/* The texts of the CLASS_LOAD that the thread has requested last. Agents of that time keep the
 * pointer to the class's name, which then lay in the VM's memory, after the handler has returned.
 * So the texts are kept until the next request. */
static __thread struct arena last_texts;

void jvmpi_class_end_thread(void)
{
    arena_done(&last_texts);
}

/* Send CLASS_LOAD. Returns whether the event was sent. */
static bool send_load(JNIEnv *env, jclass klass, jobjectID id, jvmpi_agents agents, jint bits)
{
    struct description d = {
        .jvmti = jvmpi_bridge.vm.main,
        .event = {.event_type = JVMPI_EVENT_CLASS_LOAD | bits, .env_id = env},
    };
    char *signature = NULL;
    bool is_good = false;
    if (!agents || !id || jvmpi_class_is_own(klass))
        return false;
    name_object(env, klass, id);
    jvmpi_self_hush();
    if ((*d.jvmti)->GetClassSignature(d.jvmti, klass, &signature, NULL) == JVMTI_ERROR_NONE) {
        arena_init(&d.arena, BYTES_MAX);
        describe(&d, env, klass, signature);
        d.event.u.class_load.class_id = id;
        is_good = !d.failed;
    }
    jvmpi_self_speak();
    if (is_good)
        jvmpi_send_to(agents, &d.event);
    if (signature && bits) {
        arena_done(&last_texts);
        last_texts = d.arena;
    } else if (signature) {
        arena_done(&d.arena);
    }
    return is_good;
}

jint jvmpi_class_status(jclass klass)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jint status = 0;
    (*jvmti)->GetClassStatus(jvmti, klass, &status);
    return status;
}

bool jvmpi_class_is_prepared(jclass klass)
{
    return jvmpi_class_status(klass) &
           (JVMTI_CLASS_STATUS_PREPARED | JVMTI_CLASS_STATUS_ARRAY | JVMTI_CLASS_STATUS_PRIMITIVE);
}

/* A question for the fields of a class prepares the class without initialising it. Source: HotSpot
 * jvm.cpp, JVM_GetClassDeclaredFields. */
bool jvmpi_class_prepare(JNIEnv *env, jclass klass)
{
    struct vm_lookup l;
    jmethodID fields;
    if (jvmpi_class_is_prepared(klass))
        return true;
    l = vm_lookup_begin(env);
    fields = vm_lookup_method(&l, vm_lookup_class(&l, "java/lang/Class"), "getDeclaredFields0",
                              "(Z)[Ljava/lang/reflect/Field;");
    vm_lookup_call_object(&l, klass, fields, JNI_FALSE);
    vm_lookup_end(&l);
    return jvmpi_class_is_prepared(klass);
}

/* Send CLASS_LOAD to those of `agents` that have not had it. For a class that cannot be prepared
 * there is nothing to tell. */
static jobjectID tell(JNIEnv *env, jclass klass, jvmpi_agents agents)
{
    jobjectID id = jvmpi_ids_of(env, klass);
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    jvmpi_agents mine;
    if (!r || !(agents & ~(jvmpi_agents)atomic_load(&r->told_class)) ||
        !jvmpi_class_prepare(env, klass))
        return id;
    mine = agents & ~(jvmpi_agents)atomic_fetch_or(&r->telling_class, (uint8_t)agents);
    send_load(env, klass, id, mine, 0);
    atomic_fetch_or(&r->told_class, (uint8_t)mine);
    jvmpi_send_wait_until_told(&r->told_class, agents);
    return id;
}

jobjectID jvmpi_class_named(JNIEnv *env, jclass klass)
{
    return tell(env, klass, jvmpi_send_promised(JVMPI_EVENT_CLASS_LOAD));
}

static atomic_bool is_behind; /* a class was prepared of which no agent was told */

static void on_prepare(void *data, JNIEnv *env, jthread thread, jclass klass)
{
    jvmpi_agents agents = jvmpi_send_whom(JVMPI_EVENT_CLASS_LOAD);
    if (jvmpi_self.quiet && jvmpi_send_wanted(JVMPI_EVENT_CLASS_LOAD))
        atomic_store(&is_behind, true);
    if (agents)
        tell(env, klass, agents);
    else if (jvmpi_send_whom(JVMPI_EVENT_CLASS_UNLOAD))
        jvmpi_ids_of(env, klass);
}

static struct vm_event_subscriber prepared = {.event = VM_EVENT_CLASS_PREPARE,
                                              .on.class_prepare = on_prepare};

/* The count of uses of the ClassPrepare event: it is on while CLASS_LOAD or CLASS_UNLOAD is
 * wanted. */
static int users;

int jvmpi_class_on(JNIEnv *env)
{
    int error = users == 0 ? vm_event_add(&prepared, NULL) : 0;
    users += !error;
    return error;
}

void jvmpi_class_off(void)
{
    if (--users == 0)
        vm_event_remove(&prepared);
}

void jvmpi_class_visit(JNIEnv *env, jint wanted, void (*each)(JNIEnv *env, jclass klass, void *arg),
                       void *arg)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jclass *classes = NULL;
    jint count = 0;
    if ((*env)->PushLocalFrame(env, LOCALS) != JNI_OK)
        return;
    (*jvmti)->GetLoadedClasses(jvmti, &count, &classes); /* one local reference for each class */
    for (jint i = 0; i < count; i++)
        if (!wanted || (jvmpi_class_status(classes[i]) & wanted))
            each(env, classes[i], arg);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    (*env)->PopLocalFrame(env, NULL);
}

void jvmpi_class_visit_primitives(JNIEnv *env, void (*each)(JNIEnv *env, jclass klass, void *arg),
                                  void *arg)
{
    static const char *const names[] = {
        "java/lang/Boolean", "java/lang/Character", "java/lang/Float",
        "java/lang/Double",  "java/lang/Byte",      "java/lang/Short",
        "java/lang/Integer", "java/lang/Long",      "java/lang/Void",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct vm_lookup l;
        jobject type, kept;
        jvmpi_self_hush();
        l = vm_lookup_begin(env);
        type =
            vm_lookup_static_object(&l, vm_lookup_class(&l, names[i]), "TYPE", "Ljava/lang/Class;");
        if (!vm_lookup_end_with(&l, type, &kept))
            kept = NULL;
        jvmpi_self_speak();
        if (kept)
            each(env, kept, arg);
        jvmpi_self_hush();
        (*env)->DeleteGlobalRef(env, kept);
        jvmpi_self_speak();
    }
}

struct search {
    jclass klass;
    bool is_found;
};

static void compare(JNIEnv *env, jclass klass, void *arg)
{
    struct search *s = arg;
    s->is_found |= (*env)->IsSameObject(env, klass, s->klass);
}

bool jvmpi_class_is_loaded(JNIEnv *env, jclass klass)
{
    struct search s = {.klass = klass};
    if (jvmpi_class_status(klass) & (JVMTI_CLASS_STATUS_PREPARED | JVMTI_CLASS_STATUS_PRIMITIVE))
        return true;
    jvmpi_class_visit(env, 0, compare, &s);
    return s.is_found;
}

static void give_id(JNIEnv *env, jclass klass, void *arg)
{
    jvmpi_ids_of(env, klass);
}

static void name_class(JNIEnv *env, jclass klass, void *arg)
{
    jvmpi_class_named(env, klass);
}

int jvmpi_class_unload_on(JNIEnv *env)
{
    int error = jvmpi_class_on(env);
    if (!error)
        jvmpi_class_visit(env, JVMTI_CLASS_STATUS_PREPARED, give_id, NULL);
    return error;
}

void jvmpi_class_unload_off(void)
{
    jvmpi_class_off();
}

void jvmpi_class_replay(JNIEnv *env)
{
    if (!jvmpi_send_promised(JVMPI_EVENT_CLASS_LOAD))
        return;
    jvmpi_class_visit(env, JVMTI_CLASS_STATUS_PREPARED | JVMTI_CLASS_STATUS_ARRAY, name_class,
                      NULL);
    jvmpi_class_visit_primitives(env, name_class, NULL);
}

void jvmpi_class_catch_up(JNIEnv *env)
{
    if (!jvmpi_self.quiet && atomic_exchange(&is_behind, false))
        jvmpi_class_replay(env);
}

/* Send CLASS_UNLOAD. An agent that was promised each CLASS_LOAD hears only of classes whose
 * CLASS_LOAD it has had. */
void jvmpi_class_gone(JNIEnv *env, jobjectID id)
{
    JVMPI_Event e = {.event_type = JVMPI_EVENT_CLASS_UNLOAD, .env_id = env};
    e.u.class_unload.class_id = id;
    jvmpi_send_to(jvmpi_send_whom(JVMPI_EVENT_CLASS_UNLOAD) &
                      (~jvmpi_send_promised(JVMPI_EVENT_CLASS_LOAD) |
                       atomic_load(&jvmpi_ids_find(id)->told_class)),
                  &e);
}

jint jvmpi_class_request(JNIEnv *env, int agent, jobjectID id)
{
    const struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    jobject klass = r && r->kind == JVMPI_IDS_CLASS ? jvmpi_ids_object(env, id) : NULL;
    bool is_sent = klass && jvmpi_class_is_loaded(env, klass) &&
                   send_load(env, klass, id, 1u << agent, JVMPI_REQUESTED_EVENT);
    (*env)->DeleteLocalRef(env, klass);
    return is_sent ? JVMPI_SUCCESS : JVMPI_FAIL;
}

jobjectID jvmpi_class_of_method(jmethodID method)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    jclass klass = NULL;
    jobjectID id;
    if (!env || !method ||
        (*jvmti)->GetMethodDeclaringClass(jvmti, method, &klass) != JVMTI_ERROR_NONE)
        return NULL;
    id = jvmpi_class_named(env, klass);
    (*env)->DeleteLocalRef(env, klass);
    return id;
}
