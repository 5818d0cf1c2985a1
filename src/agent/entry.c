/*
 * entry.c - the entry points of the agent in a running JVM: a load of the library as an agent, and
 * the native methods of hprof.jar.
 *
 * The native methods of the class hprof.Bridge are bound here. The VM finds one of them, bind(), by
 * its name, whether the VM has loaded the library as an agent or the program has loaded it by
 * System.load(). bind() binds the other methods. When the agent is loaded, it looks for a Bridge
 * that was loaded earlier. Of the scope operations only the first of each thread calls a native
 * method: after that Java writes the cell itself (safe/scope.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmti.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/commit/commit.h"
#include "agent/life/command.h"
#include "agent/life/copy_kept.h"
#include "agent/life/life.h"
#include "agent/scope/scope_cell.h"
#include "agent/scope/scope_context.h"
#include "agent/scope/scope_publish.h"
#include "agent/scope/scope_record.h"
#include "agent/scope/scope_value.h"
#include "agent/scope/scope_virtual.h"
#include "safe/scope.h"
#include "vm/vm_lookup.h"

#define BRIDGE "Lhprof/Bridge;"

enum { LOCAL_REFERENCES = 16 };
enum { CHARS_MAX = SCOPE_VALUE_BYTES / 3 - 1, NAME_MAX_CHARS = 63 };

/* ---- scopes */

/* Make a cell for the calling thread, which has none yet. NULL: the thread can have none. */
static struct scope_cell *enter(JNIEnv *env)
{
    jlong id = scope_virtual_self(env);
    if (id == 0)
        return scope_cell_own();
    return id > 0 && scope_virtual_is_followed() ? scope_cell_virtual(id) : NULL;
}

/*
 * The words of the calling thread's cell as a direct buffer. NULL: the thread can have no cell now.
 */
static jobject JNICALL cell(JNIEnv *env, jclass bridge)
{
    struct scope_cell *c = enter(env);
    return c ? (*env)->NewDirectByteBuffer(env, &c->words, sizeof(c->words)) : NULL;
}

/* The word that counts how often values were forgotten, or a publication began or ended, as a
 * direct buffer. */
static jobject JNICALL epoch(JNIEnv *env, jclass bridge)
{
    return (*env)->NewDirectByteBuffer(env, (void *)&scope_value_epoch, sizeof(scope_value_epoch));
}

static jboolean JNICALL knows(JNIEnv *env, jclass bridge, jint number)
{
    return number == 0 || scope_value_is_known((uint32_t)number);
}

/* ---- records for other profilers */

/* What scope_record_state says, as a direct buffer. */
static jobject JNICALL publication(JNIEnv *env, jclass bridge)
{
    return (*env)->NewDirectByteBuffer(env, &scope_record_state, sizeof(scope_record_state));
}

/* The record of the calling thread's cell, as a direct buffer. NULL: no cell, no memory. */
static jobject JNICALL record(JNIEnv *env, jclass bridge)
{
    struct scope_record *r = scope_cell_record();
    return r ? (*env)->NewDirectByteBuffer(env, r, sizeof(*r)) : NULL;
}

/* The text of a value that another thread of the program has opened. NULL: it was forgotten. */
static jstring JNICALL text(JNIEnv *env, jclass bridge, jint number)
{
    char bytes[SCOPE_VALUE_BYTES];
    return scope_value_text((uint32_t)number, bytes) ? (*env)->NewStringUTF(env, bytes) : NULL;
}

/* ---- names */

/* Copy at most `max` characters of a string as modified UTF-8. Returns the number of bytes. */
static size_t copy(JNIEnv *env, jstring string, jsize max, char *ret)
{
    jsize chars = string ? (*env)->GetStringLength(env, string) : 0;
    ret[0] = '\0';
    if (chars > 0)
        (*env)->GetStringUTFRegion(env, string, 0, chars < max ? chars : max, ret);
    return strlen(ret);
}

static jint JNICALL key(JNIEnv *env, jclass bridge, jstring name, jstring about)
{
    char name_text[3 * NAME_MAX_CHARS + 1], about_text[SCOPE_VALUE_BYTES];
    struct agent *a = &life_agent;
    int number;
    copy(env, name, NAME_MAX_CHARS, name_text);
    copy(env, about, CHARS_MAX, about_text);
    number = scope_context_add_key(name_text, about_text);
    agent_life_lock(a);
    scope_virtual_begin(a, env);
    agent_life_unlock(a);
    scope_publish_look();
    return number;
}

static jint JNICALL value(JNIEnv *env, jclass bridge, jstring text)
{
    char bytes[SCOPE_VALUE_BYTES];
    return (jint)scope_value_new(bytes, copy(env, text, CHARS_MAX, bytes));
}

/* ---- binding */

static jstring JNICALL command(JNIEnv *env, jclass bridge, jstring line);

static const JNINativeMethod natives[] = {
    {"cell", "()Ljava/nio/ByteBuffer;", (void *)cell},
    {"epoch", "()Ljava/nio/ByteBuffer;", (void *)epoch},
    {"knows", "(I)Z", (void *)knows},
    {"key", "(Ljava/lang/String;Ljava/lang/String;)I", (void *)key},
    {"value", "(Ljava/lang/String;)I", (void *)value},
    {"command", "(Ljava/lang/String;)Ljava/lang/String;", (void *)command},
};

/* Those of records, which a Bridge of before lacks. */
static const JNINativeMethod record_natives[] = {
    {"publication", "()Ljava/nio/ByteBuffer;", (void *)publication},
    {"record", "()Ljava/nio/ByteBuffer;", (void *)record},
    {"text", "(I)Ljava/lang/String;", (void *)text},
};

/* Returns whether the class has all of these methods; a Bridge of another version may lack some. */
static bool bind_methods(JNIEnv *env, jclass bridge, const JNINativeMethod *methods, jint count)
{
    jint result = (*env)->RegisterNatives(env, bridge, methods, count);
    return !vm_lookup_clear(env) && result == JNI_OK;
}

/* Bind all methods. A Bridge without the methods for events or records is accepted too. */
static bool bind_class(JNIEnv *env, jclass bridge)
{
    (void)bind_methods(env, bridge, record_natives,
                       sizeof(record_natives) / sizeof(record_natives[0]));
    (void)bind_methods(env, bridge, commit_native_methods(&life_agent), COMMIT_NATIVES);
    return bind_methods(env, bridge, natives, sizeof(natives) / sizeof(natives[0]));
}

JNIEXPORT jboolean JNICALL Java_hprof_Bridge_bind(JNIEnv *env, jclass bridge);

__attribute__((visibility("default"))) JNIEXPORT jboolean JNICALL
Java_hprof_Bridge_bind(JNIEnv *env, jclass bridge)
{
    return bind_class(env, bridge) ? JNI_TRUE : JNI_FALSE;
}

/*
 * Bind a Bridge that was loaded before the agent, and tell it so in its field `bound`. If its
 * initializer has not run yet, the initializer calls bind() itself.
 */
static void bind_late(JNIEnv *env, jclass bridge)
{
    jfieldID bound = (*env)->GetStaticFieldID(env, bridge, "bound", "Z");
    if (!vm_lookup_clear(env) && bound && bind_class(env, bridge))
        (*env)->SetStaticBooleanField(env, bridge, bound, JNI_TRUE);
}

static bool is_bridge(jvmtiEnv *jvmti, jclass klass)
{
    char *signature = NULL;
    bool is_ours;
    if ((*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return false;
    is_ours = strcmp(signature, BRIDGE) == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return is_ours;
}

static void bind_all(jvmtiEnv *jvmti, JNIEnv *env)
{
    jclass *classes = NULL;
    jint count = 0;
    if ((*env)->PushLocalFrame(env, LOCAL_REFERENCES) != JNI_OK) {
        vm_lookup_clear(env);
        return;
    }
    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++)
            if (is_bridge(jvmti, classes[i]))
                bind_late(env, classes[i]);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    }
    (*env)->PopLocalFrame(env, NULL);
}

/*
 * Bind the Bridges that are loaded already; web applications may each have one. Such a Bridge does
 * not look for the library again. This is done once: a Bridge that is loaded later finds the
 * library itself.
 */
static void bind_loaded(struct agent *a, JNIEnv *env)
{
    static bool has_bound;
    agent_life_lock(a);
    if (!has_bound && a->started && a->vm.main) {
        has_bound = true;
        bind_all(a->vm.main, env);
    }
    agent_life_unlock(a);
}

/* ---- commands */

/*
 * Take a command line as a second load of the agent would, and return the answer line. NULL: no
 * memory.
 */
static jstring JNICALL command(JNIEnv *env, jclass bridge, jstring line)
{
    struct command_answer answer = {.len = 0};
    JavaVM *vm;
    const char *text = (*env)->GetStringUTFChars(env, line, NULL);
    if (!text || (*env)->GetJavaVM(env, &vm) != JNI_OK)
        return NULL;
    command_take(&life_agent, vm, env, text, &answer);
    bind_loaded(&life_agent, env);
    (*env)->ReleaseStringUTFChars(env, line, text);
    if ((*env)->ExceptionCheck(env))
        return NULL;
    return (*env)->NewStringUTF(env, answer.text);
}

/* ---- a load */

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *line,
                                                                             void *reserved)
{
    struct command_answer answer = {.len = 0};
    JNIEnv *env;
    int error;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK)
        return JNI_ERR;
    copy_kept_take();
    error = command_take(&life_agent, vm, env, line, &answer);
    bind_loaded(&life_agent, env);
    return error == 0 ? JNI_OK : JNI_ERR;
}
