/*
 * names.c - see names.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/names.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/names/methods.h"
#include "agent/recording/recording.h"
#include "base/javaname.h"
#include "format/row_marks.h"
#include "options/options_group.h"
#include "safe/own_class.h"
#include "vm/vm_env.h"

enum { REFERENCES = 16 };

struct line {
    int32_t bci, line;
};

struct known_method {
    jmethodID id;
    method_id method;
    uint32_t line_count; /* 0: no table */
    struct line *lines;  /* sorted by bci */
};

int names_init(struct names *n, uint64_t mem_bytes)
{
    arena_init(&n->arena, budget_bytes(mem_bytes, BUDGET_NAMES));
    lookup_key_init(&n->key);
    table_init(&n->methods, sizeof(struct known_method));
    return 0;
}

void names_done(struct names *n)
{
    arena_done(&n->arena);
    vm_env_close(n->jvmti);
    *n = (struct names){.methods.count = 0};
}

/* If the VM refuses one of the last two capabilities, frames have no source file or no line. */
int names_open(struct agent *a, struct vm_env_refusal *ret_why)
{
    struct names *n = a->names;
    int error =
        n->jvmti ? 0 : vm_env_open(&a->vm, VM_ENV_SET(VM_CAN_TAG_OBJECTS), &n->jvmti, ret_why);
    if (!error) {
        vm_env_ask(&a->vm, n->jvmti, VM_CAN_GET_SOURCE_FILE_NAME, NULL);
        vm_env_ask(&a->vm, n->jvmti, VM_CAN_GET_LINE_NUMBERS, NULL);
    }
    return error;
}

/*
 * The row of a class that is met for the first time. A stack may have named the class before; then
 * that row is used.
 */
static class_id class_row(struct agent *a, string_id name)
{
    uint32_t before = profile_class_count(a->profile);
    class_id id = name ? profile_class_named(a->profile, name) : 0;
    if (id && profile_class_count(a->profile) == before) {
        struct profile_class *c = profile_class_at(a->profile, id);
        if (!c->is_by_name)
            id = profile_add_class(a->profile, name);
        c->is_by_name = 0;
    }
    return id;
}

static void announce(struct agent *a, class_id id)
{
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i])
            recording_announce_class(a, a->recordings[i], id);
}

static class_id add_class(struct agent *a, jclass klass)
{
    char *signature = NULL, short_name[512], *name = short_name;
    size_t size;
    class_id id = 0;
    if ((*a->names->jvmti)->GetClassSignature(a->names->jvmti, klass, &signature, NULL) !=
        JVMTI_ERROR_NONE)
        return 0;
    size = strlen(signature) + 16;
    if (size > sizeof(short_name))
        name = malloc(size);
    if (name) {
        javaname_of_type(signature, name, size);
        id = class_row(a, profile_cstring(a->profile, name));
    }
    if (name != short_name)
        free(name);
    (*a->names->jvmti)->Deallocate(a->names->jvmti, (unsigned char *)signature);
    if (id) {
        (*a->names->jvmti)->SetTag(a->names->jvmti, klass, id);
        announce(a, id);
    }
    return id;
}

class_id names_known_class(const struct agent *a, jclass klass)
{
    jlong tag = 0;
    (*a->names->jvmti)->GetTag(a->names->jvmti, klass, &tag);
    return tag > 0 ? (class_id)tag : 0;
}

class_id names_class(struct agent *a, jclass klass)
{
    class_id known = names_known_class(a, klass);
    return known ? known : add_class(a, klass);
}

static int by_bci(const void *left, const void *right)
{
    const struct line *l = left, *r = right;
    return l->bci < r->bci ? -1 : l->bci > r->bci;
}

static void read_lines(struct agent *a, struct known_method *m)
{
    jvmtiLineNumberEntry *entries = NULL;
    jint count = 0;
    if (!a->options.lineno ||
        (*a->names->jvmti)->GetLineNumberTable(a->names->jvmti, m->id, &count, &entries) !=
            JVMTI_ERROR_NONE)
        return;
    m->lines = count > 0 ? arena_alloc(&a->names->arena, (size_t)count * sizeof(*m->lines)) : NULL;
    if (m->lines) {
        for (jint i = 0; i < count; i++)
            m->lines[i] = (struct line){(int32_t)entries[i].start_location, entries[i].line_number};
        qsort(m->lines, (size_t)count, sizeof(*m->lines), by_bci);
        m->line_count = (uint32_t)count;
    }
    (*a->names->jvmti)->Deallocate(a->names->jvmti, (unsigned char *)entries);
}

static string_id source_of(struct agent *a, jclass klass)
{
    char *source = NULL;
    string_id id = 0;
    if ((*a->names->jvmti)->GetSourceFileName(a->names->jvmti, klass, &source) ==
        JVMTI_ERROR_NONE) {
        id = profile_cstring(a->profile, source);
        (*a->names->jvmti)->Deallocate(a->names->jvmti, (unsigned char *)source);
    }
    return id;
}

/* Ask the VM once for everything about a method. 0: the method is gone, or no memory. */
static method_id ask_method(struct agent *a, jmethodID id, JNIEnv *env)
{
    char *name = NULL, *descriptor = NULL;
    jclass klass = NULL;
    method_id method = 0;
    if ((*a->names->jvmti)->GetMethodDeclaringClass(a->names->jvmti, id, &klass) !=
        JVMTI_ERROR_NONE)
        return 0;
    if ((*a->names->jvmti)->GetMethodName(a->names->jvmti, id, &name, &descriptor, NULL) ==
        JVMTI_ERROR_NONE) {
        class_id owner = names_class(a, klass);
        if (owner)
            method = profile_method(a->profile, owner, profile_cstring(a->profile, name),
                                    profile_cstring(a->profile, descriptor), source_of(a, klass));
        (*a->names->jvmti)->Deallocate(a->names->jvmti, (unsigned char *)name);
        (*a->names->jvmti)->Deallocate(a->names->jvmti, (unsigned char *)descriptor);
    }
    (*env)->DeleteLocalRef(env, klass);
    return method;
}

static struct known_method *known_method(struct agent *a, jmethodID id)
{
    struct names *n = a->names;
    uint32_t hash = lookup_hash(&n->key, &id, sizeof(jmethodID)), at = hash, row;
    struct known_method *m;
    JNIEnv *env = NULL;
    while ((row = lookup_next(&n->method_index, hash, &at)) != 0) {
        m = table_at(&n->methods, row);
        if (m->id == id)
            return m;
    }
    if (!(env = vm_jni(&a->vm)) || !lookup_reserve(&n->method_index, &n->arena) ||
        !(m = table_add(&n->methods, &n->arena)))
        return NULL;
    m->id = id;
    m->method = ask_method(a, id, env);
    if (m->method)
        read_lines(a, m);
    lookup_add(&n->method_index, hash, n->methods.count);
    return m;
}

static int32_t line_at(const struct known_method *m, int32_t bci)
{
    int32_t line = PROFILE_LINE_NONE;
    if (bci == -1) /* JVM TI counts the entry of a method as -1 */
        bci = 0;
    if (bci < 0)
        return line;
    for (uint32_t low = 0, high = m->lines ? m->line_count : 0; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (m->lines[middle].bci <= bci) {
            line = m->lines[middle].line;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return line;
}

frame_id names_frame(struct agent *a, jmethodID method, int32_t bci)
{
    const struct known_method *m = known_method(a, method);
    return m && m->method ? profile_frame(a->profile, m->method, bci, line_at(m, bci)) : 0;
}

class_id names_class_named(struct agent *a, string_id name)
{
    uint32_t before = profile_class_count(a->profile);
    class_id id = name ? profile_class_named(a->profile, name) : 0;
    if (id && profile_class_count(a->profile) != before) { /* for example a hidden class */
        profile_class_at(a->profile, id)->is_by_name = 1;
        announce(a, id);
    }
    return id;
}

frame_id names_unknown_frame(struct agent *a)
{
    method_id method = profile_method(
        a->profile, names_class_named(a, profile_cstring(a->profile, "<Unknown Class>")),
        profile_cstring(a->profile, "<Unknown Method>"), profile_cstring(a->profile, "()V"), 0);
    return method ? profile_frame(a->profile, method, -1, PROFILE_LINE_NONE) : 0;
}

bool names_is_own(const struct agent *a, frame_id frame)
{
    const struct profile_method *m;
    const struct profile_string *name;
    if (!frame)
        return false;
    m = profile_method_at(a->profile, profile_frame_at(a->profile, frame)->method);
    if (!m->klass)
        return false;
    name = profile_string_at(a->profile, profile_class_at(a->profile, m->klass)->name);
    return own_class_is(name->bytes, name->len);
}

method_id names_injected(struct agent *a, uint32_t number)
{
    struct methods_names n = methods_names(number);
    char dotted[1024], *name = dotted;
    size_t len = strlen(n.class_name);
    method_id method = 0;
    if (len >= sizeof(dotted) && !(name = malloc(len + 1)))
        return 0;
    for (size_t i = 0; i <= len; i++)
        name[i] = n.class_name[i] == '/' ? '.' : n.class_name[i];
    class_id klass = names_class_named(a, profile_string(a->profile, name, len));
    string_id called = profile_cstring(a->profile, n.name);
    string_id desc = profile_cstring(a->profile, n.desc);
    /* If the model is full, there is no frame at all, not a frame with a part of its name. */
    if (klass && called && desc)
        method = profile_method(a->profile, klass, called, desc,
                                n.source[0] ? profile_cstring(a->profile, n.source) : 0);
    if (name != dotted)
        free(name);
    return method;
}

/* ---- classes that are gone */

/* Whether each class of the model is loaded now, by class_id; NULL: the VM does not say. */
static bool *loaded_now(struct agent *a)
{
    jclass *classes = NULL;
    jint count = 0;
    if ((*a->vm.main)->GetLoadedClasses(a->vm.main, &count, &classes) != JVMTI_ERROR_NONE)
        return NULL;
    class_id *rows = calloc((size_t)count + 1, sizeof(*rows));
    for (jint i = 0; rows && i < count; i++)
        rows[i] = names_known_class(a, classes[i]);
    bool *is_loaded = rows ? calloc(profile_class_count(a->profile) + 1, sizeof(*is_loaded)) : NULL;
    for (jint i = 0; is_loaded && i < count; i++)
        is_loaded[rows[i]] = true;
    free(rows);
    (*a->vm.main)->Deallocate(a->vm.main, (unsigned char *)classes);
    return is_loaded;
}

/*
 * GetLoadedClasses lacks some classes, for example those of lambdas on JDK 8. Such a class exists
 * as long as its tag; one call of GetObjectsWithTags looks up all of `ids`.
 */
static void add_unlisted(struct agent *a, const jlong *ids, jint count, bool *is_loaded)
{
    jlong *found = NULL;
    jint found_count = 0;

    bool is_known =
        count > 0 && (*a->names->jvmti)
                             ->GetObjectsWithTags(a->names->jvmti, count, ids, &found_count, NULL,
                                                  &found) == JVMTI_ERROR_NONE;
    for (jint i = 0; !is_known && i < count; i++)
        is_loaded[ids[i]] = true;
    for (jint i = 0; is_known && i < found_count; i++)
        is_loaded[found[i]] = true;
    (*a->names->jvmti)->Deallocate(a->names->jvmti, (unsigned char *)found);
}

void names_tell_unloaded(struct agent *a, struct recording *r, JNIEnv *env)
{
    struct row_marks *marks = recording_marks(r);
    if (!recording_can(r, WRITER_CLASSES) || !marks ||
        options_group_marks(&r->options) & OPTIONS_MARK_PLAIN ||
        /* room for one reference to each class */
        (*env)->PushLocalFrame(env, REFERENCES) != JNI_OK)
        return;
    uint32_t classes = profile_class_count(a->profile);
    bool *is_loaded = loaded_now(a);
    jlong *ids = is_loaded ? calloc((size_t)classes + 1, sizeof(*ids)) : NULL;
    jint count = 0;

    /*
     * A class that only a stack has named was in no earlier list, so it is not reported as
     * unloaded.
     */
    for (class_id id = 1; ids && id <= classes; id++) {
        if (is_loaded[id])
            (void)row_marks_set(marks, ROW_MARKS_LISTED, id);
        else if (row_marks_take(marks, ROW_MARKS_LISTED, id) && row_marks_class(marks, id))
            ids[count++] = id;
    }
    if (ids)
        add_unlisted(a, ids, count, is_loaded);
    for (jint i = 0; i < count; i++) {
        if (is_loaded[ids[i]])
            (void)row_marks_set(marks, ROW_MARKS_LISTED, (class_id)ids[i]);
        else
            recording_unload_class(r, (class_id)ids[i]);
    }
    free(ids);
    free(is_loaded);
    (*env)->PopLocalFrame(env, NULL);
}
