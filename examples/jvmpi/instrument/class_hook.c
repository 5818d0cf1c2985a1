/*
 * class_hook.c - a JVMPI agent that lets a Java class change other classes while they are loaded.
 *
 * The option names the Java class, which has `public static byte[] instrumentClass(byte[])`: it is
 * given each class file, and returns a changed one or null. TimingWeaver.java is such a class.
 *   cc -shared -fPIC -Iinclude -I$JAVA_HOME/include -I$JAVA_HOME/include/linux \
 *      examples/jvmpi/instrument/class_hook.c -o libclass_hook.so
 *   LD_LIBRARY_PATH=. java -agentpath:libjvmpi.so -Xrunclass_hook:TimingWeaver,dump=first.class \
 *      -Xbootclasspath/a:weaver:asm.jar -cp app.jar Program
 *
 * With dump= the first class that was changed is written to a new file, for javap to look at.
 * The library is not called libinstrument.so: the JDK has one of that name, which is found first.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <jvmpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 1024, LOCAL_REFS = 8 };

static JVMPI_Interface *jvmpi;
static char class_name[NAME_BYTES];
static const char *dump_path; /* NULL without dump= */
static jclass weaver;
static jmethodID weave_method;
static atomic_flag has_dumped = ATOMIC_FLAG_INIT;

/* The weaver's own classes are loaded while it weaves: its thread leaves those as they are. Other
 * threads go on to be asked, so the Java class must be fit for several at once. */
static __thread bool is_weaving;

static void dump_first(const unsigned char *bytes, jint len)
{
    int fd;
    if (!dump_path || atomic_flag_test_and_set(&has_dumped))
        return;
    fd = open(dump_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, bytes, (size_t)len) != len)
        fprintf(stderr, "class_hook: dump=%s was not written: %s\n", dump_path, strerror(errno));
    if (fd >= 0)
        close(fd);
}

/* Asks the Java class; what it throws is printed, and the class stays as it is. */
static void weave_class(JNIEnv *env, JVMPI_Event *e)
{
    jint len = e->u.class_load_hook.class_data_len;
    jbyteArray old = (*env)->NewByteArray(env, len), changed = NULL;
    if (old) {
        (*env)->SetByteArrayRegion(env, old, 0, len, (jbyte *)e->u.class_load_hook.class_data);
        changed = (*env)->CallStaticObjectMethod(env, weaver, weave_method, old);
    }
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionDescribe(env);
        return;
    }
    if (changed) {
        jint new_len = (*env)->GetArrayLength(env, changed);
        unsigned char *bytes = e->u.class_load_hook.malloc_f((unsigned)new_len);
        if (!bytes)
            return;
        (*env)->GetByteArrayRegion(env, changed, 0, new_len, (jbyte *)bytes);
        e->u.class_load_hook.new_class_data = bytes;
        e->u.class_load_hook.new_class_data_len = new_len;
        dump_first(bytes, new_len);
    }
}

static void on_class_file(JVMPI_Event *e)
{
    JNIEnv *env = e->env_id;
    e->u.class_load_hook.new_class_data = e->u.class_load_hook.class_data;
    e->u.class_load_hook.new_class_data_len = e->u.class_load_hook.class_data_len;
    if (is_weaving || (*env)->PushLocalFrame(env, LOCAL_REFS) < 0)
        return;
    is_weaving = 1;
    weave_class(env, e);
    is_weaving = 0;
    (*env)->PopLocalFrame(env, NULL);
}

static void on_ready(JNIEnv *env)
{
    jclass found = (*env)->FindClass(env, class_name);
    if (found)
        weave_method = (*env)->GetStaticMethodID(env, found, "instrumentClass", "([B)[B");
    if (!weave_method) {
        (*env)->ExceptionDescribe(env);
        fprintf(stderr,
                "class_hook: no class %s with \"public static byte[] instrumentClass(byte[])\" "
                "can be used: is it, and what it uses, behind -Xbootclasspath/a:?\n",
                class_name);
        jvmpi->ProfilerExit(1);
    }
    weaver = (*env)->NewGlobalRef(env, found);
    jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD_HOOK, NULL);
}

static void on_event(JVMPI_Event *e)
{
    if (e->event_type == JVMPI_EVENT_CLASS_LOAD_HOOK)
        on_class_file(e);
    else if (e->event_type == JVMPI_EVENT_JVM_INIT_DONE)
        on_ready(e->env_id);
}

/* "CLASS" or "CLASS,dump=FILE"; whether it is one of them. */
static int read_options(const char *options)
{
    const char *rest = options ? options + strcspn(options, ",") : NULL;
    if (!rest || rest == options || rest - options >= NAME_BYTES)
        return 0;
    memcpy(class_name, options, (size_t)(rest - options));
    for (char *c = class_name; *c; c++)
        if (*c == '.')
            *c = '/';
    if (!*rest)
        return 1;
    if (strncmp(rest, ",dump=", 6) != 0 || !rest[6])
        return 0;
    dump_path = strdup(rest + 6);
    return dump_path != NULL;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    void *answer = NULL;
    (void)reserved;
    if (!read_options(options)) {
        fprintf(stderr, "class_hook: its options are CLASS[,dump=FILE], not \"%s\"\n",
                options ? options : "");
        return JNI_ERR;
    }
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1_1) < 0) {
        fprintf(stderr, "class_hook: this VM has no JVMPI\n");
        return JNI_ERR;
    }
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    return jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL) == JVMPI_SUCCESS ? JNI_OK : JNI_ERR;
}
