/*
 * agent_classfile.c - the test's agent: injects each class that its JVM loads.
 *
 * Options, separated by commas: tracker=NAME (java/lang/X), define=FILE (a class file that is
 * defined in the boot loader first), prefix=TEXT (of the class names to inject),
 * keep=handlers|all|none, int (is kept, not long), first=N, count (nothing is injected, all is
 * read), spoil=NAME (of a class whose result is damaged, to see that damage is found). Several
 * probes at once: outer=NAME (a second tracker, whose probe encloses the first), every (the probes
 * of all engines, all of the one tracker; any two and any three of them are then compared with one
 * after the other). At the end
 * it prints what it did on standard error, a line per count. The Java side (Oracle.java) asks for
 * the classes that were loaded before the agent could see them. SPDX-License-Identifier: Apache-2.0
 */
#include <jvmti.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../../fuzz/callprobe.h"
#include "../../fuzz/weavecheck.h"
#include "base/arena.h"
#include "base/err.h"
#include "classfile/classfile.h"
#include "classfile/instrument.h"

enum { NAMES_MAX = 10000, EVERY_PROBES = 5, COMPARED_FROM = 1 };

static struct {
    jvmtiEnv *jvmti;
    pthread_mutex_t lock;
    struct instrument_probe probe;
    struct instrument_probe outer, every[EVERY_PROBES];
    const struct instrument_probe *probes[EVERY_PROBES];
    uint32_t probe_count;
    char tracker[256], prefix[256], define[1024], outer_tracker[256];
    int only_count, is_every;
    int32_t first, next;
    char names[NAMES_MAX][128]; /* of the first methods, when a prefix is given */
    char spoil[256];
    unsigned long classes, changed, errors, methods, compared;
    unsigned long verdicts[INSTRUMENT_VERDICT_COUNT];
    double seconds, bytes;
    jclass *early; /* global references */
    jint early_count;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .tracker = "java/lang/HprofProbe"};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Takes the advice, but injects intrinsics too, whose frames must verify as well. */
static int32_t select_method(void *context, const struct instrument_method *m)
{
    (void)context;
    if (m->advice != INSTRUMENT_INJECTED && m->advice != INSTRUMENT_INTRINSIC)
        return -1;
    int32_t slot = all.next - all.first;
    if (all.prefix[0] && slot < NAMES_MAX)
        snprintf(all.names[slot], sizeof(all.names[slot]), "%.*s.%.*s", m->class_name.len,
                 m->class_name.bytes, m->name.len, m->name.bytes);
    return all.next++;
}

/* The same number for the same method, whoever asks; some are large. */
static int32_t select_hashed(void *context, const struct instrument_method *m)
{
    (void)context;
    uint32_t hash = m->desc.len;
    for (uint32_t i = 0; i < m->name.len; i++)
        hash = hash * 31 + (uint8_t)m->name.bytes[i];
    if (m->advice != INSTRUMENT_INJECTED && m->advice != INSTRUMENT_INTRINSIC)
        return -1;
    return (int32_t)(hash & 0xffff);
}

static int32_t select_objects(void *context, const struct instrument_method *m)
{
    (void)context;
    return m->advice == INSTRUMENT_TRACKER ? -1 : 0;
}

/* As JVMPI's monitors, heap=sites, monitor=all, cpu=times, and the default. */
static void make_every(void)
{
    struct instrument_probe probe = all.probe;
    probe.select = select_hashed;
    all.every[4] = probe;
    probe.keep = INSTRUMENT_KEEP_ALL;
    probe.huge_bytes = INSTRUMENT_HUGE_BYTES;
    all.every[3] = probe;
    probe.kept = 'I';
    probe.enter_keep = "enterKeepInt";
    all.every[2] = probe;
    all.every[1] = (struct instrument_probe){
        .tracker = all.tracker,
        .object = "object",
        .array = "array",
        .arrays = "arrays",
        .maybe = "maybe",
        .keep = INSTRUMENT_KEEP_NONE,
        .select = select_objects,
    };
    all.every[0] = (struct instrument_probe){
        .tracker = all.tracker,
        .unlock = "unlock",
        .keep = INSTRUMENT_KEEP_NONE,
        .select = select_objects,
    };
}

static void choose_probes(void)
{
    all.probes[all.probe_count++] = &all.probe;
    if (all.outer_tracker[0]) {
        all.outer = all.probe;
        all.outer.tracker = all.outer_tracker;
        all.probes[all.probe_count++] = &all.outer;
    }
    if (all.is_every) {
        make_every();
        for (all.probe_count = 0; all.probe_count < EVERY_PROBES; all.probe_count++)
            all.probes[all.probe_count] = all.every + all.probe_count;
    }
}

/* Any two and any three of the probes: at once and one after the other. Not the first, whose
 * handler is one more for those that come after. */
static void compare(const unsigned char *bytes, size_t len, const char *name)
{
    for (unsigned set = 1; set < 1u << EVERY_PROBES; set++) {
        const struct instrument_probe *some[EVERY_PROBES];
        uint32_t n = 0;
        for (unsigned i = COMPARED_FROM; i < EVERY_PROBES; i++)
            if (set >> i & 1)
                some[n++] = all.every + i;
        if (n < 2 || n > 3 || set % (1u << COMPARED_FROM) != 0)
            continue;
        struct arena a;
        struct cpool_utf8 method;
        arena_init(&a, (size_t)256 << 20);
        int methods = weavecheck(some, n, bytes, len, &a, &method);
        if (methods < 0)
            fprintf(stderr, "classfile: differs one after the other: %s.%.*s, probes %#x\n", name,
                    method.len, method.bytes, set);
        else
            all.compared += (unsigned)methods;
        arena_done(&a);
    }
}

/* What became of the last probe, which is the one that has all methods. */
static void count(const struct instrument_result *r, int error, const char *name)
{
    all.classes++;
    if (error != 0) {
        all.errors++;
        fprintf(stderr, "classfile: %s: %s at byte %zu\n", name, err_text(error), r->error_at);
        return;
    }
    const struct instrument_share *share = r->shares + all.probe_count - 1;
    all.changed += r->bytes != NULL;
    all.methods += share->injected;
    for (uint32_t i = 0; i < r->row_count; i++)
        all.verdicts[share->rows[i].verdict]++;
    for (uint32_t i = 0; i < r->row_count; i++)
        if (share->rows[i].verdict >= INSTRUMENT_MALFORMED)
            fprintf(stderr, "classfile: left alone %s.%.*s%.*s: %s\n", name,
                    share->rows[i].name.len, share->rows[i].name.bytes, share->rows[i].desc.len,
                    share->rows[i].desc.bytes, instrument_verdict_text(share->rows[i].verdict));
}

/* No room on the stack in the first method that has code: no VM that verifies takes that. */
static void spoil(unsigned char *bytes, size_t len, struct arena *a)
{
    struct classfile c;
    size_t at;
    if (classfile_read(&c, bytes, len, a, &at) != 0)
        return;
    for (uint32_t i = 0; i < c.method_count; i++) {
        if (c.methods[i].code_at != 0) {
            memset(bytes + c.methods[i].code_at + 6, 0, 2);
            return;
        }
    }
}

static void JNICALL on_class(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
                             const char *name, jobject domain, jint len, const unsigned char *bytes,
                             jint *new_len, unsigned char **new_bytes)
{
    if (!name || strncmp(name, all.prefix, strlen(all.prefix)) != 0)
        return;
    struct arena a;
    struct instrument_result r;
    arena_init(&a, (size_t)256 << 20);
    pthread_mutex_lock(&all.lock);
    double begin = now();
    int error = instrument_class(all.probes, all.probe_count, bytes, (size_t)len, &a, &r);
    all.seconds += now() - begin;
    all.bytes += len;
    if (!redefined)
        count(&r, error, name);
    if (all.is_every)
        compare(bytes, (size_t)len, name);
    pthread_mutex_unlock(&all.lock);
    unsigned char *copy;
    if (error == 0 && r.bytes && !all.only_count &&
        (*jvmti)->Allocate(jvmti, (jlong)r.len, &copy) == JVMTI_ERROR_NONE) {
        memcpy(copy, r.bytes, r.len);
        if (strcmp(name, all.spoil) == 0)
            spoil(copy, r.len, &a);
        *new_bytes = copy;
        *new_len = (jint)r.len;
    }
    arena_done(&a);
}

static void define_tracker(JNIEnv *jni)
{
    static jbyte bytes[1 << 16];
    FILE *f = fopen(all.define, "rb");
    size_t len = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
    if (f)
        fclose(f);
    if (!(*jni)->DefineClass(jni, all.tracker, NULL, bytes, (jsize)len)) {
        (*jni)->ExceptionDescribe(jni);
        fprintf(stderr, "classfile: the tracker cannot be defined\n");
        exit(3);
    }
}

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    if (all.define[0])
        define_tracker(jni);
    (*jvmti)->GetLoadedClasses(jvmti, &all.early_count, &all.early);
    for (jint i = 0; i < all.early_count; i++)
        all.early[i] = (*jni)->NewGlobalRef(jni, all.early[i]);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                       NULL);
    pthread_mutex_lock(&all.lock);
    fprintf(stderr, "classfile: %lu classes, %lu changed, %lu errors, %lu methods injected\n",
            all.classes, all.changed, all.errors, all.methods);
    if (all.is_every)
        fprintf(stderr, "classfile: %lu methods compared\n", all.compared);
    for (int v = 0; v < INSTRUMENT_VERDICT_COUNT; v++)
        if (all.verdicts[v])
            fprintf(stderr, "classfile: %lu methods: %s\n", all.verdicts[v],
                    instrument_verdict_text((enum instrument_verdict)v));
    fprintf(stderr, "classfile: %.1f MB in %.2f s\n", all.bytes / 1e6, all.seconds);
    pthread_mutex_unlock(&all.lock);
}

/* Non-zero and a line per class when some of the classes could not be replaced. */
static int retransform(JNIEnv *jni, const jclass *classes, jint n)
{
    if (n == 0)
        return 0;
    jvmtiError error = (*all.jvmti)->RetransformClasses(all.jvmti, n, classes);
    if ((*jni)->ExceptionCheck(jni))
        (*jni)->ExceptionClear(jni);
    if (error == JVMTI_ERROR_NONE)
        return 0;
    if (n > 1) /* a batch fails as a whole: find out whose fault it is */
        return retransform(jni, classes, n / 2) + retransform(jni, classes + n / 2, n - n / 2);
    char *name = NULL;
    (*all.jvmti)->GetClassSignature(all.jvmti, classes[0], &name, NULL);
    fprintf(stderr, "classfile: rejected %s: JVM TI error %d\n", name ? name : "?", error);
    return 1;
}

/* JDK 8 calls its anonymous classes X/123 and modifiable, but dies of trying. */
static bool can_retransform(jclass c)
{
    char *name = NULL;
    jboolean yes = JNI_FALSE;
    (*all.jvmti)->IsModifiableClass(all.jvmti, c, &yes);
    (*all.jvmti)->GetClassSignature(all.jvmti, c, &name, NULL);
    const char *last = name ? strrchr(name, '/') : NULL;
    bool is_anonymous = last && last[1] >= '0' && last[1] <= '9';
    (*all.jvmti)->Deallocate(all.jvmti, (unsigned char *)name);
    return yes && !is_anonymous;
}

JNIEXPORT jint JNICALL Java_Oracle_retransformEarly(JNIEnv *jni, jclass self);

/* Injects the classes that were loaded before the agent saw any; how many were rejected. */
JNIEXPORT jint JNICALL Java_Oracle_retransformEarly(JNIEnv *jni, jclass self)
{
    jint used = 0;
    for (jint i = 0; i < all.early_count; i++)
        if (can_retransform(all.early[i]))
            all.early[used++] = all.early[i];
    int bad = retransform(jni, all.early, used);
    fprintf(stderr, "classfile: %d early classes retransformed\n", used - bad);
    return bad;
}

JNIEXPORT jstring JNICALL Java_Probe_name(JNIEnv *jni, jclass self, jint number);

JNIEXPORT jstring JNICALL Java_Probe_name(JNIEnv *jni, jclass self, jint number)
{
    jint slot = number - all.first;
    return (*jni)->NewStringUTF(jni, slot >= 0 && slot < NAMES_MAX ? all.names[slot] : "?");
}

static void read_option(char *word)
{
    char *value = strchr(word, '=');
    value = value ? value + 1 : word;
    if (strncmp(word, "tracker=", 8) == 0)
        snprintf(all.tracker, sizeof(all.tracker), "%s", value);
    else if (strncmp(word, "define=", 7) == 0)
        snprintf(all.define, sizeof(all.define), "%s", value);
    else if (strncmp(word, "prefix=", 7) == 0)
        snprintf(all.prefix, sizeof(all.prefix), "%s", value);
    else if (strcmp(word, "int") == 0)
        all.probe.kept = 'I';
    else if (strncmp(word, "first=", 6) == 0)
        all.first = all.next = (int32_t)strtol(value, NULL, 10);
    else if (strncmp(word, "spoil=", 6) == 0)
        snprintf(all.spoil, sizeof(all.spoil), "%s", value);
    else if (strcmp(word, "keep=all") == 0)
        all.probe.keep = INSTRUMENT_KEEP_ALL;
    else if (strcmp(word, "keep=none") == 0)
        all.probe.keep = INSTRUMENT_KEEP_NONE;
    else if (strcmp(word, "unwound") == 0) {
        all.probe.keep = INSTRUMENT_KEEP_UNWOUND;
        all.probe.caught = "unwound";
    } else if (strncmp(word, "outer=", 6) == 0)
        snprintf(all.outer_tracker, sizeof(all.outer_tracker), "%s", value);
    else if (strcmp(word, "every") == 0)
        all.is_every = 1;
    else if (strcmp(word, "count") == 0)
        all.only_count = 1;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jvmtiCapabilities wanted = {
        .can_retransform_classes = 1,
        .can_retransform_any_class = 1,
        .can_generate_all_class_hook_events = 1,
    };
    static const jvmtiEventCallbacks callbacks = {
        .VMInit = on_init,
        .VMDeath = on_death,
        .ClassFileLoadHook = on_class,
    };
    all.probe = (struct instrument_probe){
        CALLPROBE(all.tracker),
        .select = select_method,
    };
    char *save = NULL;
    for (char *w = strtok_r(options, ",", &save); w; w = strtok_r(NULL, ",", &save))
        read_option(w);
    if (all.probe.kept == 'I')
        all.probe.enter_keep = "enterKeepInt";
    choose_probes();
    if ((*vm)->GetEnv(vm, (void **)&all.jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    jvmtiEnv *jvmti = all.jvmti;
    if ((*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    return JNI_OK;
}
