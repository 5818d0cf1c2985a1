/*
 * api_test.c - the ASGST API against JVM TI, called from AsgstApi.java.
 *
 * Each native returns NULL, or what was wrong. Also an agent, for the capabilities it needs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <asgst.h>
#include <jvmti.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "verdict.h"

enum {
    DEPTH = 4096,
    LINES = 70000,
    WAIT_MS = 60000,
};

static ASGST_Frame frames[DEPTH], again[DEPTH];
static jvmtiFrameInfo truth[DEPTH];

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities want;
    memset(&want, 0, sizeof(want));
    want.can_get_line_numbers = 1;
    want.can_redefine_classes = 1;
    return agent_start(vm, &want);
}

struct walk {
    ASGST_Frame *frames;
    int count, end, state_at_end, rewound;
};

static int collect(ASGST_Iterator *it, ASGST_Frame *to)
{
    int count = 0;
    while (count < DEPTH && ASGST_NextFrame(it, &to[count]) == 1)
        count++;
    return count;
}

static void on_walk(ASGST_Iterator *it, void *arg)
{
    struct walk *w = arg;
    ASGST_Frame f;
    w->count = collect(it, w->frames);
    w->end = ASGST_NextFrame(it, &f);
    w->state_at_end = ASGST_State(it);
    ASGST_RewindIterator(it);
    w->rewound = ASGST_State(it) == 1 && collect(it, again) == w->count &&
                 memcmp(again, w->frames, (size_t)w->count * sizeof(*again)) == 0;
}

static void on_simple_walk(ASGST_Iterator *it, void *arg)
{
    struct walk *w = arg;
    w->count = collect(it, w->frames);
    w->end = ASGST_State(it);
}

static int same_text(const char *what, const char *ours, jint our_length, const char *theirs)
{
    const char *wanted = theirs ? theirs : "";
    if ((!theirs) != (!ours))
        return fail("%s: %s, JVM TI %s", what, ours ? ours : "none", theirs ? theirs : "none");
    if (theirs && (strcmp(ours, theirs) != 0 || (size_t)our_length != strlen(wanted)))
        return fail("%s: %s (%d), JVM TI %s", what, ours, our_length, theirs);
    return 1;
}

static int compare_lines(ASGST_Method method, jmethodID id, const char *name)
{
    static ASGST_MethodLineNumberEntry lines[LINES];
    jvmtiLineNumberEntry *table = NULL;
    jint count = 0;
    jvmtiError error = (*ti)->GetLineNumberTable(ti, id, &count, &table);
    int ours = ASGST_GetMethodLineNumberTable(method, lines, LINES);
    int good = 1;
    if (error == JVMTI_ERROR_ABSENT_INFORMATION || error == JVMTI_ERROR_NATIVE_METHOD)
        count = 0;
    else if (error != JVMTI_ERROR_NONE)
        return fail("GetLineNumberTable %d", error);
    if (ours != count || ASGST_GetMethodLineNumberTable(method, NULL, 0) != count)
        good = fail("%s: %d lines, JVM TI %d", name, ours, count);
    for (jint i = 0; good && i < count; i++) {
        if (lines[i].start_bci != table[i].start_location ||
            lines[i].line_number != table[i].line_number)
            good = fail("%s: line entry %d is %d:%d, JVM TI %d:%d", name, i, lines[i].start_bci,
                        lines[i].line_number, (int)table[i].start_location, table[i].line_number);
    }
    /* the first entry of a bci is the one that counts */
    for (jint i = 0; good && i < count; i++) {
        jint first = i;
        for (jint j = 0; j < i; j++) {
            if (table[j].start_location == table[i].start_location) {
                first = j;
                break;
            }
        }
        if (ASGST_GetMethodLineNumber(method, (jint)table[i].start_location) !=
            table[first].line_number)
            good = fail("%s: line of bci %d is %d, JVM TI %d", name, (int)table[i].start_location,
                        ASGST_GetMethodLineNumber(method, (jint)table[i].start_location),
                        table[first].line_number);
    }
    if (table)
        (*ti)->Deallocate(ti, (unsigned char *)table);
    return good;
}

static int compare_class(JNIEnv *env, ASGST_Class klass, jclass theirs)
{
    char name[2000] = "", generic[8000] = "", form[2004];
    ASGST_ClassInfo info = {name, sizeof(name), generic, sizeof(generic), 0, 0};
    char *signature = NULL, *their_generic = NULL;
    jint modifiers = 0;
    if (ASGST_JClassToClass(theirs) != klass)
        return fail("JClassToClass %p is not %p", (void *)ASGST_JClassToClass(theirs),
                    (void *)klass);
    ASGST_GetClassInfo(klass, &info);
    jclass back = ASGST_ClassToJClass(klass);
    if (!back || !(*env)->IsSameObject(env, back, theirs))
        return fail("ClassToJClass of %s is another class", name);
    (*env)->DeleteLocalRef(env, back);
    if ((*ti)->GetClassSignature(ti, theirs, &signature, &their_generic) != JVMTI_ERROR_NONE)
        return fail("GetClassSignature");
    snprintf(form, sizeof(form), name[0] == '[' ? "%s" : "L%s;", name);
    /* Hidden classes: JVM TI has a dot before the suffix where the VM has a plus sign; in JDK 8 it
     * adds a slash and a number that no name has. */
    char *plus = strrchr(form, '+'), *suffix = strrchr(signature, '/');
    if (plus && strchr(signature, '.'))
        *plus = '.';
    if (suffix && strspn(suffix, "/0123456789") == strlen(suffix) - 1)
        strcpy(suffix, ";");
    int good = same_text("class", form, (jint)strlen(signature), signature) &&
               same_text("generic class", info.generic_class_name, info.generic_class_name_length,
                         their_generic);
    (*ti)->GetClassModifiers(ti, theirs, &modifiers);
    jboolean is_array = JNI_FALSE;
    (*ti)->IsArrayClass(ti, theirs, &is_array);
    /* only these are the class's own in every JDK: the others of a member class stand in
     * InnerClasses */
    if (good && !is_array && ((info.modifiers ^ modifiers) & 0x0600) != 0)
        good = fail("modifiers of %s: %x, JVM TI %x", name, info.modifiers, modifiers);
    if (good && (info.idnum == 0 || info.idnum != ASGST_GetClassIdNum(klass)))
        good = fail("id of %s: %ld", name, (long)info.idnum);
    (*ti)->Deallocate(ti, (unsigned char *)signature);
    (*ti)->Deallocate(ti, (unsigned char *)their_generic);
    return good;
}

static int compare_method(JNIEnv *env, ASGST_Method method, jmethodID id)
{
    char name[2000] = "", signature[8000] = "", generic[8000] = "";
    ASGST_MethodInfo info = {
        NULL, name, sizeof(name), signature, sizeof(signature), generic, sizeof(generic), 0, 0, 0};
    char *their_name = NULL, *their_signature = NULL, *their_generic = NULL;
    jint modifiers = 0;
    jclass theirs = NULL;
    if (!method)
        return fail("no method");
    if (ASGST_MethodToJMethodID(method) != id)
        return fail("MethodToJMethodID: %p, JVM TI %p", (void *)ASGST_MethodToJMethodID(method),
                    (void *)id);
    if (ASGST_JMethodIDToMethod(id) != method)
        return fail("JMethodIDToMethod leads to another method");
    ASGST_GetMethodInfo(method, &info);
    if ((*ti)->GetMethodName(ti, id, &their_name, &their_signature, &their_generic) != 0 ||
        (*ti)->GetMethodModifiers(ti, id, &modifiers) != 0 ||
        (*ti)->GetMethodDeclaringClass(ti, id, &theirs) != 0)
        return fail("JVM TI does not know the method %s", name);
    int good =
        same_text("method", info.method_name, info.method_name_length, their_name) &&
        same_text("signature", info.signature, info.signature_length, their_signature) &&
        same_text("generic", info.generic_signature, info.generic_signature_length, their_generic);
    if (good && info.modifiers != modifiers)
        good = fail("modifiers of %s: %x, JVM TI %x", name, info.modifiers, modifiers);
    if (good && (!info.klass || ASGST_GetClass(method) != info.klass ||
                 info.idnum != ASGST_GetMethodIdNum(method) ||
                 info.class_idnum != ASGST_GetClassIdNum(info.klass)))
        good = fail("class or ids of %s do not agree", name);
    good = good && compare_class(env, info.klass, theirs) && compare_lines(method, id, name);
    (*env)->DeleteLocalRef(env, theirs);
    (*ti)->Deallocate(ti, (unsigned char *)their_name);
    (*ti)->Deallocate(ti, (unsigned char *)their_signature);
    (*ti)->Deallocate(ti, (unsigned char *)their_generic);
    return good;
}

static bool is_bytecode(const ASGST_Frame *f)
{
    return f->type == ASGST_FRAME_JAVA || f->type == ASGST_FRAME_JAVA_INLINED;
}

/* Our frames against GetStackTrace's. JVM TI says -1 for native methods. */
static int compare_frames(JNIEnv *env, const struct walk *w, jint count, const char *how)
{
    if (w->count != count)
        return fail("%s: %d frames, GetStackTrace %d", how, w->count, count);
    for (jint i = 0; i < count; i++) {
        const ASGST_Frame *f = &w->frames[i];
        jmethodID id = ASGST_MethodToJMethodID(f->method);
        if (id != truth[i].method)
            return fail("%s: frame %d is another method", how, i);
        if (f->type == ASGST_FRAME_JAVA_NATIVE ? f->bci != -1 || truth[i].location != -1
                                               : f->bci != truth[i].location)
            return fail("%s: frame %d has bci %d, GetStackTrace %d", how, i, f->bci,
                        (int)truth[i].location);
        if (f->comp_level < 0 || f->comp_level > 4 || !f->pc || !f->sp)
            return fail("%s: frame %d: level %d pc %p sp %p", how, i, f->comp_level, f->pc, f->sp);
        if (f->type == ASGST_FRAME_JAVA_INLINED && (f + 1)->sp != f->sp)
            return fail("%s: inlined frame %d does not lie in the next one", how, i);
    }
    return 1;
}

/* From each physical frame on, the rest of the stack must come out. */
static int compare_from_frames(const struct walk *whole)
{
    struct walk part = {again, 0, 0, 0, 0};
    for (int i = 1; i < whole->count && i < 40; i++) {
        const ASGST_Frame *f = &whole->frames[i];
        if (f->sp == whole->frames[i - 1].sp)
            continue;
        int kind = ASGST_RunWithIteratorFromFrame(f->sp, f->fp, f->pc, 0, on_simple_walk, &part);
        if (kind != ASGST_JAVA_TRACE || part.count != whole->count - i)
            return fail("from frame %d of %d: kind %d, %d frames", i, whole->count, kind,
                        part.count);
        for (int j = 0; j < part.count; j++) {
            if (part.frames[j].method != whole->frames[i + j].method ||
                part.frames[j].bci != whole->frames[i + j].bci)
                return fail("from frame %d: frame %d differs", i, j);
        }
    }
    return 1;
}

static int compare_options(const struct walk *whole, ucontext_t *context)
{
    static ASGST_Frame all[DEPTH];
    struct walk mixed = {all, 0, 0, 0, 0}, first = {again, 0, 0, 0, 0};
    int java = 0, other_above = 0, is_above = 1;
    int kind =
        ASGST_RunWithIterator(context, ASGST_INCLUDE_NON_JAVA_FRAMES, on_simple_walk, &mixed);
    if (kind != ASGST_JAVA_TRACE)
        return fail("with C frames: kind %d", kind);
    for (int i = 0; i < mixed.count; i++) {
        if (all[i].type == ASGST_FRAME_NON_JAVA) {
            other_above += is_above;
            if (all[i].method || !all[i].pc)
                return fail("a C frame with a method or without pc");
            continue;
        }
        is_above = 0;
        if (java >= whole->count || all[i].method != whole->frames[java].method)
            return fail("with C frames: Java frame %d differs", java);
        java++;
    }
    if (java != whole->count || other_above == 0)
        return fail("with C frames: %d Java frames of %d, %d C frames above", java, whole->count,
                    other_above);
    kind = ASGST_RunWithIterator(context, ASGST_END_ON_FIRST_JAVA_FRAME, on_simple_walk, &first);
    int expected = 0;
    while (expected < whole->count && !is_bytecode(&whole->frames[expected]))
        expected++;
    const ASGST_Frame *f = &again[first.count];
    if (kind != ASGST_JAVA_TRACE || first.count != expected || first.end != ASGST_NO_FRAME ||
        f->type != ASGST_FRAME_JAVA || f->method || f->pc != whole->frames[expected].pc ||
        f->sp != whole->frames[expected].sp)
        return fail("end on the first Java frame: kind %d, %d frames, state %d", kind, first.count,
                    first.end);
    return 1;
}

static int compare_stack(JNIEnv *env)
{
    struct walk w = {frames, 0, 0, 0, 0};
    ucontext_t context;
    jint count = 0;
    if ((*ti)->GetStackTrace(ti, NULL, 0, DEPTH, truth, &count) != JVMTI_ERROR_NONE)
        return fail("GetStackTrace");
    int kind = ASGST_RunWithIterator(NULL, 0, on_walk, &w);
    if (kind != ASGST_JAVA_TRACE || w.end != ASGST_NO_FRAME || w.state_at_end != ASGST_NO_FRAME)
        return fail("kind %d, end %d, state %d after %d frames", kind, w.end, w.state_at_end,
                    w.count);
    if (!w.rewound)
        return fail("rewound, it gives other frames");
    if (!compare_frames(env, &w, count, "from the anchor") || !compare_from_frames(&w))
        return 0;
    getcontext(&context);
    kind = ASGST_RunWithIterator(&context, 0, on_walk, &w);
    if (kind != ASGST_JAVA_TRACE || !compare_frames(env, &w, count, "from a context") ||
        !compare_options(&w, &context))
        return kind == ASGST_JAVA_TRACE ? 0 : fail("from a context: %d", kind);
    for (jint i = 0; i < count && i < 30; i++) {
        if (!compare_method(env, frames[i].method, truth[i].method))
            return 0;
    }
    int state = ASGST_ThreadState();
    if (state !=
        (JVMTI_THREAD_STATE_ALIVE | JVMTI_THREAD_STATE_RUNNABLE | JVMTI_THREAD_STATE_IN_NATIVE))
        return fail("thread state %x in a native method", state);
    return 1;
}

JNIEXPORT jstring JNICALL Java_AsgstApi_compareStack(JNIEnv *env, jclass self)
{
    return verdict(env, compare_stack(env));
}

JNIEXPORT jstring JNICALL Java_AsgstApi_allMethods(JNIEnv *env, jclass self, jobjectArray classes)
{
    int good = 1;
    for (jsize i = 0; good && i < (*env)->GetArrayLength(env, classes); i++) {
        jclass klass = (*env)->GetObjectArrayElement(env, classes, i);
        jmethodID *ids = NULL;
        jint count = 0;
        good = compare_class(env, ASGST_JClassToClass(klass), klass);
        if (good && (*ti)->GetClassMethods(ti, klass, &count, &ids) == JVMTI_ERROR_NONE) {
            for (jint j = 0; good && j < count; j++)
                good = compare_method(env, ASGST_JMethodIDToMethod(ids[j]), ids[j]);
            (*ti)->Deallocate(ti, (unsigned char *)ids);
        }
    }
    return verdict(env, good);
}

static int check_ids(JNIEnv *env, jobjectArray classes)
{
    jlong seen[16];
    jsize count = (*env)->GetArrayLength(env, classes);
    for (jsize i = 0; i < count && i < 16; i++) {
        jclass klass = (*env)->GetObjectArrayElement(env, classes, i);
        seen[i] = ASGST_GetClassIdNum(ASGST_JClassToClass(klass));
        if (seen[i] <= 0 || ASGST_GetClassIdNum(ASGST_JClassToClass(klass)) != seen[i])
            return fail("class %d has the id %ld", i, (long)seen[i]);
        for (jsize j = 0; j < i; j++) {
            if (seen[j] == seen[i])
                return fail("two classes have the id %ld", (long)seen[i]);
        }
    }
    char text[4] = "xxx";
    ASGST_ClassInfo cut = {text, sizeof(text), NULL, 0, 0, 0};
    jclass string = (*env)->GetObjectArrayElement(env, classes, 0);
    ASGST_GetClassInfo(ASGST_JClassToClass(string), &cut);
    if (strcmp(text, "jav") != 0 || cut.class_name_length != (jint)strlen("java/lang/String"))
        return fail("a text that does not fit: %s (%d)", text, cut.class_name_length);
    ASGST_MethodInfo none = {0};
    ASGST_GetMethodInfo((ASGST_Method)(uintptr_t)0x1234567800, &none);
    if (none.klass || none.class_idnum != 0 || ASGST_GetMethodIdNum(NULL) != 0 ||
        ASGST_GetMethodLineNumber(NULL, 0) != -1 || ASGST_GetClassIdNum(NULL) != 0 ||
        ASGST_JMethodIDToMethod(NULL) || ASGST_ClassToJClass(NULL))
        return fail("something was found for no method or class");
    if ((ASGST_Capabilities() & (ASGST_REGISTER_QUEUE | ASGST_MARK_FRAME)) !=
            ASGST_REGISTER_QUEUE ||
        ASGST_RegisterFrameMark(env, NULL, 0, NULL))
        return fail("capabilities %x", ASGST_Capabilities());
    return 1;
}

JNIEXPORT jstring JNICALL Java_AsgstApi_ids(JNIEnv *env, jclass self, jobjectArray classes)
{
    return verdict(env, check_ids(env, classes));
}

static void *run_outside(void *arg)
{
    struct walk w = {again, 0, 0, 0, 0};
    ucontext_t context;
    int *good = arg;
    getcontext(&context);
    int plain = ASGST_RunWithIterator(&context, 0, on_simple_walk, &w);
    int kind = ASGST_RunWithIterator(&context, ASGST_INCLUDE_NON_JAVA_FRAMES, on_simple_walk, &w);
    *good = plain == ASGST_NO_THREAD && kind == ASGST_NON_JAVA_TRACE && w.count > 0 &&
            again[0].type == ASGST_FRAME_NON_JAVA && ASGST_ThreadState() == 0;
    if (!*good)
        fail("results %d and %d, %d frames", plain, kind, w.count);
    return NULL;
}

JNIEXPORT jstring JNICALL Java_AsgstApi_noJavaThread(JNIEnv *env, jclass self)
{
    pthread_t thread;
    int good = 0;
    pthread_create(&thread, NULL, run_outside, &good);
    pthread_join(thread, NULL);
    return verdict(env, good);
}

/* ---- queues ---- */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static char order[64];
static int arrived, handled, first_depth, starts, ends, with_iterator;
static ASGST_Queue *queue;
static int results[64], result_count;
static long next_arg;
static ASGST_QueueElement enqueuable;

static void on_element(ASGST_Iterator *it, void *queue_arg, void *arg)
{
    ASGST_Frame f;
    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&gate);
    int count = 0;
    char name[100];
    ASGST_MethodInfo info = {NULL, name, sizeof(name), NULL, 0, NULL, 0, 0, 0, 0};
    while (ASGST_NextFrame(it, &f) == 1) {
        if (count++ == 0) {
            ASGST_GetMethodInfo(f.method, &info);
            if (f.pc != enqueuable.pc && strcmp(name, "queue") == 0)
                fail("the first frame has another pc");
        }
    }
    first_depth = count;
    order[handled++] = queue_arg == &queue ? (char)(long)arg : '?';
    pthread_mutex_unlock(&gate);
}

static void on_start(ASGST_Queue *q, ASGST_Iterator *it, void *arg)
{
    ASGST_Frame f;
    starts++;
    int methods = 0;
    while (it && ASGST_NextFrame(it, &f) == 1)
        methods += f.method != NULL;
    with_iterator += methods != 0;
}

static void on_end(ASGST_Queue *q, ASGST_Iterator *it, void *arg)
{
    ends += !it && arg == &ends;
}

static void on_prof(int sig, siginfo_t *info, void *ucontext)
{
    results[result_count++] = ASGST_Enqueue(queue, ucontext, (void *)next_arg);
    ASGST_GetEnqueuableElement(ucontext, &enqueuable);
}

static int put(char arg)
{
    next_arg = arg;
    raise(SIGUSR2);
    return results[result_count - 1];
}

static int wait_for(const int *value, int wanted)
{
    struct timespec pause = {0, 1000000};
    for (int i = 0; i < WAIT_MS; i++) {
        if (__atomic_load_n(value, __ATOMIC_SEQ_CST) >= wanted)
            return 1;
        nanosleep(&pause, NULL);
    }
    return fail("%d of %d after %d s", *value, wanted, WAIT_MS / 1000);
}

static void begin_queue_test(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_prof;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR2, &action, NULL);
    arrived = handled = result_count = 0;
    memset(order, 0, sizeof(order));
    why[0] = 0;
}

/* All in one handler, in which nothing that waits may go away. */
static void check_in_handler(int sig, siginfo_t *info, void *ucontext)
{
    for (char c = 'a'; c <= 'd'; c++) {
        int result = ASGST_Enqueue(queue, ucontext, (void *)(long)c);
        ASGST_QueueElement *e = ASGST_GetQueueElement(queue, -1);
        if (result != ASGST_JAVA_TRACE || !e || e->arg != (void *)(long)c)
            fail("enqueue %c: %d, and the youngest is another", c, result);
    }
    int full = ASGST_Enqueue(queue, ucontext, NULL);
    ASGST_QueueSizeInfo info4 = ASGST_GetQueueSizeInfo(queue);
    if (full != ASGST_ENQUEUE_FULL_QUEUE || info4.size != 4 || info4.capacity != 4 ||
        info4.attempts != 5)
        fail("full: %d, size %d of %d, %d attempts", full, info4.size, info4.capacity,
             info4.attempts);
    for (int i = 0; i < 4; i++) {
        ASGST_QueueElement *e = ASGST_GetQueueElement(queue, i);
        if (!e || e != ASGST_GetQueueElement(queue, i - 4) || e->arg != (void *)(long)('a' + i) ||
            !e->pc || !e->sp)
            fail("element %d", i);
    }
    if (ASGST_GetQueueElement(queue, 4) || ASGST_GetQueueElement(queue, -5))
        fail("an element that is not there");
    ASGST_GetEnqueuableElement(ucontext, &enqueuable);
    if (ASGST_GetQueueElement(queue, -1)->pc != enqueuable.pc ||
        ASGST_GetQueueElement(queue, -1)->sp != enqueuable.sp || enqueuable.arg)
        fail("the youngest element is not the enqueuable one");
    ASGST_ResizeQueue(queue, 9);
    if (ASGST_GetQueueSizeInfo(queue).capacity != 4)
        fail("resized before the batch ended");
    ASGST_GetQueueElement(queue, -1)->arg = (void *)(long)'Z';
}

static void raise_into(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR2);
}

static int check_queue(JNIEnv *env)
{
    begin_queue_test();
    if (ASGST_RegisterQueue(env, 0, 0, on_element, NULL) ||
        ASGST_RegisterQueue(env, 4, 0, NULL, NULL))
        return fail("a queue without size or handler");
    queue = NULL;
    if (put('x') != ASGST_ENQUEUE_NO_QUEUE)
        return fail("no queue: %d", results[0]);
    queue = ASGST_RegisterQueue(env, 4, 0, on_element, &queue);
    if (!queue || ASGST_GetQueueElement(queue, 0))
        return fail("no queue, or an element in an empty one");
    raise_into(check_in_handler);
    if (why[0] != 0 || !wait_for(&handled, 4))
        return 0;
    for (int i = 0; i < WAIT_MS && ASGST_GetQueueSizeInfo(queue).capacity != 9; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    ASGST_QueueSizeInfo info = ASGST_GetQueueSizeInfo(queue);
    if (strcmp(order, "abcZ") != 0 || info.capacity != 9 || info.size != 0 || info.attempts != 0)
        return fail("order %s, then size %d of %d, %d attempts", order, info.size, info.capacity,
                    info.attempts);
    raise_into(on_prof);
    for (char c = 'f'; c <= 'h'; c++)
        put(c);
    if (!ASGST_DeregisterQueue(env, queue) || strcmp(order + strlen(order) - 3, "fgh") != 0)
        return fail("after deregistering: %s", order);
    if (ASGST_DeregisterQueue(env, queue) || put('i') != ASGST_ENQUEUE_NO_QUEUE ||
        ASGST_GetQueueElement(queue, 0) || ASGST_GetQueueSizeInfo(queue).capacity != 0)
        return fail("a closed queue");
    /* main and the native: the native is on top and not in the queue's stack */
    if (first_depth != 1)
        return fail("%d frames", first_depth);
    return why[0] == 0;
}

JNIEXPORT jstring JNICALL Java_AsgstApi_queue(JNIEnv *env, jclass self)
{
    return verdict(env, check_queue(env));
}

static int check_around(JNIEnv *env)
{
    begin_queue_test();
    queue = ASGST_RegisterQueue(NULL, 100, ASGST_INCLUDE_NON_JAVA_FRAMES, on_element, &queue);
    if (!queue)
        return fail("no queue");
    ASGST_SetOnQueueProcessingStart(queue, 0, true, on_start, NULL);
    ASGST_SetOnQueueProcessingEnd(queue, 0, false, on_end, &ends);
    pthread_mutex_lock(&gate);
    put('a');
    put('b');
    pthread_mutex_unlock(&gate);
    if (!wait_for(&handled, 2) || !wait_for(&ends, 1))
        return 0;
    if (starts < 1 || starts > 2 || with_iterator != starts)
        return fail("%d starts, %d with frames, %d ends", starts, with_iterator, ends);
    int before = starts;
    ASGST_SetOnQueueProcessingStart(queue, 0, true, NULL, NULL);
    put('c');
    if (!wait_for(&handled, 3) || starts != before)
        return fail("a removed handler was called");
    if (first_depth < 3)
        return fail("%d frames with C frames", first_depth);
    return ASGST_DeregisterQueue(env, queue) ? 1 : fail("deregister");
}

JNIEXPORT jstring JNICALL Java_AsgstApi_queueAround(JNIEnv *env, jclass self)
{
    return verdict(env, check_around(env));
}

JNIEXPORT void JNICALL Java_AsgstApi_registerQueueHere(JNIEnv *env, jclass self)
{
    begin_queue_test();
    queue = ASGST_RegisterQueue(env, 10, 0, on_element, &queue);
    put('a');
}

JNIEXPORT jstring JNICALL Java_AsgstApi_queueEndOfThread(JNIEnv *env, jclass self, jobject thread)
{
    int good = wait_for(&handled, 1);
    for (int i = 0; i < WAIT_MS && ASGST_GetQueueSizeInfo(queue).capacity != 0; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (good && (ASGST_GetQueueSizeInfo(queue).capacity != 0 || order[0] != 'a'))
        good = fail("not closed, or handed out %s", order);
    return verdict(env, good);
}

/* ---- unloading and redefinition ---- */

static char watched[100];
static int redefinitions, unloads, bad_names;
static jlong unloaded_id;

static void on_unload(ASGST_Class klass, ASGST_Method *methods, int count, bool redefined,
                      void *arg)
{
    char name[100] = "", method[100], signature[100];
    ASGST_ClassInfo info = {name, sizeof(name), NULL, 0, 0, 0};
    ASGST_GetClassInfo(klass, &info);
    if (strcmp(name, watched) != 0)
        return;
    int found = 0;
    for (int i = 0; i < count; i++) {
        ASGST_MethodInfo m = {
            NULL, method, sizeof(method), signature, sizeof(signature), NULL, 0, 0, 0, 0};
        ASGST_GetMethodInfo(methods[i], &m);
        found +=
            m.klass == klass && ASGST_GetClass(methods[i]) == klass &&
            (strcmp(method, "visit") == 0 ? strcmp(signature, "(I)I") == 0
                                          : strcmp(method, "other") == 0 &&
                                                strcmp(signature, "(Ljava/lang/String;[J)J") == 0);
    }
    bad_names += found != 2;
    unloaded_id = info.idnum;
    if (redefined)
        __atomic_fetch_add(&redefinitions, 1, __ATOMIC_SEQ_CST);
    else
        __atomic_fetch_add(&unloads, 1, __ATOMIC_SEQ_CST);
}

/* Redefines the class until a handler is told of it: the watch must have seen it before. */
static int redefine_until_told(JNIEnv *env, jclass klass, jbyteArray bytes)
{
    jsize length = (*env)->GetArrayLength(env, bytes);
    unsigned char *copy = (unsigned char *)malloc((size_t)length);
    jvmtiClassDefinition definition = {klass, length, copy};
    jvmtiError error = JVMTI_ERROR_NONE;
    int before = __atomic_load_n(&redefinitions, __ATOMIC_SEQ_CST), now = before;
    (*env)->GetByteArrayRegion(env, bytes, 0, length, (jbyte *)copy);
    for (int i = 0; i < WAIT_MS && now == before && error == JVMTI_ERROR_NONE; i++) {
        if (i % 100 == 0)
            error = (*ti)->RedefineClasses(ti, 1, &definition);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        now = __atomic_load_n(&redefinitions, __ATOMIC_SEQ_CST);
    }
    free(copy);
    if (error != JVMTI_ERROR_NONE)
        return fail("RedefineClasses %d", error);
    return now != before ? 1 : fail("nobody was told of a redefinition");
}

/* Until the watch has looked at all classes once more: a redefinition is told in the middle of a
 * look. The look of the first may have begun before, that of the second has not, and has ended when
 * the third is told. */
JNIEXPORT jstring JNICALL Java_AsgstApi_awaitLooks(JNIEnv *env, jclass self, jclass klass,
                                                   jbyteArray bytes)
{
    int good = 1;
    for (int i = 0; i < 3 && good; i++)
        good = redefine_until_told(env, klass, bytes);
    return verdict(env, good);
}

static int check_redefine(JNIEnv *env, jclass klass, jbyteArray bytes)
{
    jmethodID id = (*env)->GetStaticMethodID(env, klass, "visit", "(I)I");
    strcpy(watched, "AsgstPassing");
    ASGST_RegisterClassUnloadHandler(on_unload, NULL);
    ASGST_Class ours = ASGST_JClassToClass(klass);
    ASGST_Method before = ASGST_JMethodIDToMethod(id);
    jlong class_id = ASGST_GetClassIdNum(ours);
    jint number = ASGST_GetMethodIdNum(before);
    if (!redefine_until_told(env, klass, bytes))
        return 0;
    ASGST_Method after = ASGST_JMethodIDToMethod(id);
    if (!after || ASGST_MethodToJMethodID(after) != id)
        return fail("the jmethodID leads to no method any more");
    if (ASGST_GetMethodIdNum(after) != number || ASGST_JClassToClass(klass) != ours ||
        ASGST_GetClassIdNum(ours) != class_id)
        return fail("ids changed: %d to %d", number, ASGST_GetMethodIdNum(after));
    int good = 1;
    if (bad_names != 0 || unloads != 0 || unloaded_id != class_id)
        good = fail("%d calls without the methods' names, %d unloads", bad_names, unloads);
    if (!ASGST_DeregisterClassUnloadHandler(on_unload, NULL) ||
        ASGST_DeregisterClassUnloadHandler(on_unload, NULL))
        good = fail("deregister");
    return good;
}

JNIEXPORT jstring JNICALL Java_AsgstApi_redefine(JNIEnv *env, jclass self, jclass klass,
                                                 jbyteArray bytes)
{
    return verdict(env, check_redefine(env, klass, bytes));
}

JNIEXPORT jstring JNICALL Java_AsgstApi_watchUnload(JNIEnv *env, jclass self, jstring name)
{
    unloads = redefinitions = bad_names = 0;
    ASGST_RegisterClassUnloadHandler(on_unload, NULL);
    return NULL;
}

JNIEXPORT jstring JNICALL Java_AsgstApi_unloaded(JNIEnv *env, jclass self)
{
    int good = unloads == 1 && bad_names == 0;
    if (!good)
        fail("%d unloads, %d without names", unloads, bad_names);
    return verdict(env, good);
}

JNIEXPORT jstring JNICALL Java_AsgstApi_reloaded(JNIEnv *env, jclass self)
{
    int good = redefinitions == 0 && unloads > 0 && bad_names == 0;
    if (!good)
        fail("%d redefinitions of classes nobody redefined, %d unloads, %d without names",
             redefinitions, unloads, bad_names);
    return verdict(env, good);
}
