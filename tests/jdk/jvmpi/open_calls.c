/*
 * open_calls.c - a JVMPI agent that keeps the stack of each thread by METHOD_ENTRY2 and
 * METHOD_EXIT.
 *
 * It doubts that each exit is that of the innermost open call, that each thread begins and ends
 * with none, and that the objects are of the methods' classes. At the end it says how often methods
 * of the class Methods were called, or of the class that an option names. Option `toggle`: a thread
 * of its own turns METHOD_ENTRY and EXIT off and on and doubts that any come in between, and that
 * they come again; the stacks begin anew each time. At the end it makes the file "toggled", for
 * which the program waits. SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { METHODS = 64, DEPTH = 4096, TOGGLES = 5, US = 2000 };

struct stack {
    int count, period;
    jmethodID calls[DEPTH];
};

static JVMPI_Interface *jvmpi;
static struct method {
    jmethodID id;
    const char *name;
    _Atomic long calls, exits, with_object;
} methods[METHODS];
static int method_count;
static const char *watched = "Methods";
static jobjectID methods_class;
static _Atomic long wrongs, late;
static _Atomic int is_off, period, is_toggling, toggled;
static _Atomic long told; /* events of methods */

static void wrong(const char *what)
{
    if (atomic_fetch_add(&wrongs, 1) < 10)
        fprintf(stderr, "open_calls: wrong: %s\n", what);
}

static struct method *method_of(jmethodID id)
{
    for (int i = 0; i < method_count; i++)
        if (methods[i].id == id)
            return &methods[i];
    return NULL;
}

/* All methods of classes that were told. */
enum { PLACES = 1 << 18 };
static _Atomic(jmethodID) known[PLACES];

static _Atomic(jmethodID) *place_of(jmethodID id)
{
    unsigned at = (unsigned)((unsigned long)id * 0x9e3779b97f4a7c15u >> 46);
    for (; known[at] && known[at] != id; at = (at + 1) % PLACES)
        continue;
    return &known[at];
}

static void learn(jmethodID id)
{
    jmethodID none = NULL;
    while (*place_of(id) != id) {
        atomic_compare_exchange_strong(place_of(id), &none, id);
        none = NULL;
    }
}

static struct stack *stack_of(JNIEnv *env)
{
    struct stack *s = jvmpi->GetThreadLocalStorage(env);
    if (!s)
        wrong("a thread that has not started");
    else if (s->period != period)
        s->count = 0;
    if (s)
        s->period = period;
    return s;
}

static void on_entry(JVMPI_Event *e, jmethodID id, jobjectID object)
{
    struct stack *s = stack_of(e->env_id);
    struct method *m = method_of(id);
    if (*place_of(id) != id)
        wrong("a method whose class was not told");
    if (s && s->count < DEPTH)
        s->calls[s->count++] = id;
    if (!m)
        return;
    m->calls++;
    if (object)
        m->with_object++;
    if (jvmpi->GetMethodClass(m->id) != methods_class)
        wrong("the class of a method");
}

static void on_exit_of(JVMPI_Event *e)
{
    struct stack *s = stack_of(e->env_id);
    struct method *m = method_of(e->u.method.method_id);
    if (m)
        m->exits++;
    if (!s || (s->count == 0 && is_toggling))
        return;
    if (s->count == 0 || s->calls[--s->count] != e->u.method.method_id)
        wrong("the exit of a call that is not the innermost");
}

static void on_class(JVMPI_Event *e)
{
    for (jint i = 0; i < e->u.class_load.num_methods; i++)
        learn(e->u.class_load.methods[i].method_id);
    if (strcmp(e->u.class_load.class_name, watched) != 0)
        return;
    methods_class = e->u.class_load.class_id;
    for (jint i = 0; i < e->u.class_load.num_methods && i < METHODS; i++) {
        methods[i].name = strdup(e->u.class_load.methods[i].method_name);
        methods[i].id = e->u.class_load.methods[i].method_id;
        method_count++;
    }
}

static void toggle(void *unused)
{
    FILE *end;
    while (toggled < TOGGLES) {
        long before = told;
        while (told == before)
            usleep(US);
        jvmpi->DisableEvent(JVMPI_EVENT_METHOD_EXIT, NULL); /* else it tells of calls unknown */
        jvmpi->DisableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
        is_off = 1;
        usleep(US);
        is_off = 0;
        period++;
        toggled++;
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
    }
    end = fopen("toggled", "w");
    if (end)
        fclose(end);
}

static void on_end(void)
{
    for (int i = 0; i < method_count; i++)
        fprintf(stderr, "open_calls: %s %ld %ld %ld\n", methods[i].name, methods[i].calls,
                methods[i].exits, methods[i].with_object);
    fprintf(stderr, "open_calls: %ld wrong, %ld late, toggled %d\n", wrongs, late, toggled);
}

static void on_event(JVMPI_Event *e)
{
    struct stack *s;
    switch (e->event_type) {
    case JVMPI_EVENT_THREAD_START:
        jvmpi->SetThreadLocalStorage(e->u.thread_start.thread_env_id,
                                     calloc(1, sizeof(struct stack)));
        break;
    case JVMPI_EVENT_THREAD_END:
        s = stack_of(e->env_id);
        if (s && s->count != 0 && !is_toggling)
            wrong("a thread ends with open calls");
        free(s);
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        on_class(e);
        break;
    case JVMPI_EVENT_METHOD_ENTRY2:
        late += is_off;
        told++;
        on_entry(e, e->u.method_entry2.method_id, e->u.method_entry2.obj_id);
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
        late += is_off;
        told++;
        on_entry(e, e->u.method.method_id, NULL);
        break;
    case JVMPI_EVENT_METHOD_EXIT:
        late += is_off;
        told++;
        on_exit_of(e);
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        if (is_toggling)
            jvmpi->CreateSystemThread((char *)"toggler", JVMPI_NORMAL_PRIORITY, toggle);
        break;
    default:
        on_end();
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jint events[] = {JVMPI_EVENT_CLASS_LOAD,    JVMPI_EVENT_THREAD_START,
                                  JVMPI_EVENT_THREAD_END,    JVMPI_EVENT_METHOD_EXIT,
                                  JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN};
    void *answer = NULL;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    is_toggling = options && strcmp(options, "toggle") == 0;
    if (options && options[0] && !is_toggling)
        watched = options;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        if (jvmpi->EnableEvent(events[i], NULL) != JVMPI_SUCCESS)
            return JNI_ERR;
    return jvmpi->EnableEvent(is_toggling ? JVMPI_EVENT_METHOD_ENTRY : JVMPI_EVENT_METHOD_ENTRY2,
                              NULL) == JVMPI_SUCCESS
               ? JNI_OK
               : JNI_ERR;
}
