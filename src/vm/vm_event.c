/*
 * vm_event.c - see vm_event.h.
 *
 * The subscribers of an event are a linked list that dispatchers read without a lock. A subscriber
 * that is removed is unlinked but keeps its own link, so a dispatcher that stands on it finds the
 * way on.
 *
 * Counters of the calls under way say when no dispatcher stands on a removed subscriber any more,
 * as in sleepable RCU. There are two sets of counters, and new calls count in one of them. A thread
 * that waits directs new calls to the other set until the first set is empty. The thread does this
 * twice, because a call may have chosen its set long before it counted. The counters are divided
 * into stripes (base/stripe.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_event.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/lock.h"
#include "base/stripe.h"
#include "safe/release.h"
#include "vm/vm.h"
#include "vm/vm_env.h"

enum {
    NOTHING = -1,
    FIRST_NUMBER = JVMTI_MIN_EVENT_TYPE_VAL,
    LAST_NUMBER = 88,
    POLL_US = 100,
    US_PER_MS = 1000,
};

enum place { MAIN, VIRTUAL, LOADING, PLACES };

static const struct row {
    int capability;
    enum place place;
    int number;     /* 0: an extension event, whose number the VM tells */
    const char *id; /* the name of an extension event */
} rows[VM_EVENT_COUNT] = {
#define VM_EVENT(NAME, word, capability, place, number, type, parameters, arguments)               \
    {capability, place, number, NULL},
#define VM_EVENT_EXTENSION(NAME, word, id) {VM_CAN_SUPPORT_VIRTUAL_THREADS, VIRTUAL, 0, id},
#include "vm/vm_event.def"
#undef VM_EVENT
#undef VM_EVENT_EXTENSION
};

static struct vm_event_subscriber *_Atomic firsts[VM_EVENT_COUNT];

static struct {
    const struct vm *vm;
    jvmtiEnv *places[PLACES];   /* NULL: not needed yet */
    jvmtiEventSingleStep step;  /* vm_event_hear_steps() */
    jvmtiEventObjectFree freed; /* vm_event_hear_freed() */
    struct lock lock;           /* held by threads that add and remove subscribers */
} table = {.lock = LOCK_INIT(EVENTS)};

static struct {
    struct lock lock;      /* held by a thread that waits for calls to end */
    _Atomic unsigned turn; /* its lowest bit is the set in which new calls count */
    struct {
        _Alignas(STRIPE_BYTES) _Atomic uint32_t inside[2];
    } stripes[STRIPES];
} calls = {.lock = LOCK_INIT(EVENT_CALLS)};

/* ---- dispatchers */

static _Atomic uint32_t *begin_call(void)
{
    _Atomic uint32_t *inside =
        &calls.stripes[stripe_of_thread()].inside[atomic_load(&calls.turn) & 1];
    atomic_fetch_add(inside, 1);
    return inside;
}

static void end_call(_Atomic uint32_t *inside)
{
    atomic_fetch_sub_explicit(inside, 1, memory_order_release);
}

#define VM_EVENT(NAME, word, capability, place, number, type, parameters, arguments)               \
    static void JNICALL on_##word(jvmtiEnv *jvmti VM_EVENT_BARE parameters)                        \
    {                                                                                              \
        _Atomic uint32_t *inside = begin_call();                                                   \
                                                                                                   \
        for (struct vm_event_subscriber *s = atomic_load(&firsts[VM_EVENT_##NAME]); s;             \
             s = atomic_load(&s->next))                                                            \
            s->on.word(s->data VM_EVENT_BARE arguments);                                           \
        end_call(inside);                                                                          \
    }
#define VM_EVENT_EXTENSION(NAME, word, id)                                                         \
    static void JNICALL on_##word(jvmtiEnv *jvmti, ...)                                            \
    {                                                                                              \
        _Atomic uint32_t *inside = begin_call();                                                   \
        va_list arguments;                                                                         \
        JNIEnv *env;                                                                               \
        jthread thread;                                                                            \
                                                                                                   \
        va_start(arguments, jvmti);                                                                \
        env = va_arg(arguments, JNIEnv *);                                                         \
        thread = va_arg(arguments, jthread);                                                       \
        va_end(arguments);                                                                         \
        for (struct vm_event_subscriber *s = atomic_load(&firsts[VM_EVENT_##NAME]); s;             \
             s = atomic_load(&s->next))                                                            \
            s->on.word(s->data, env, thread);                                                      \
        end_call(inside);                                                                          \
    }
#include "vm/vm_event.def"
#undef VM_EVENT
#undef VM_EVENT_EXTENSION

/* The table of callbacks that the VM gets. Newer headers have more slots than an older VM. */
union callbacks {
    jvmtiEventCallbacks known;
    void (*slots[LAST_NUMBER - FIRST_NUMBER + 1])(void);
};

static void set_callbacks(jvmtiEnv *jvmti, enum place place)
{
    union callbacks all;
    size_t size = table.vm->release < RELEASE_CONTINUATIONS ? sizeof(all.known) : sizeof(all);
    memset(&all, 0, sizeof(all));
#define VM_EVENT(NAME, word, capability, where, number, type, parameters, arguments)               \
    if (place == (where)) {                                                                        \
        type typed = on_##word;                                                                    \
        memcpy(&all.slots[(number)-FIRST_NUMBER], &typed, sizeof(typed));                          \
    }
#define VM_EVENT_EXTENSION(NAME, word, id)
#include "vm/vm_event.def"
#undef VM_EVENT
#undef VM_EVENT_EXTENSION
    if (place == MAIN) {
        all.known.SingleStep = table.step;
        all.known.ObjectFree = table.freed;
    }
    (*jvmti)->SetEventCallbacks(jvmti, &all.known, (jint)size);
}

/* ---- events of the VM, on and off */

static jvmtiExtensionEvent extension_of(enum vm_event event)
{
    switch (event) {
#define VM_EVENT(NAME, word, capability, place, number, type, parameters, arguments)
#define VM_EVENT_EXTENSION(NAME, word, id)                                                         \
    case VM_EVENT_##NAME:                                                                          \
        return on_##word;
#include "vm/vm_event.def"
#undef VM_EVENT
#undef VM_EVENT_EXTENSION
    default:
        return NULL;
    }
}

static void free_extension(jvmtiEnv *jvmti, jvmtiExtensionEventInfo *event)
{
    for (jint i = 0; i < event->param_count; i++)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)event->params[i].name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->params);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->id);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->short_description);
}

/* The VM's number of an extension event; 0: the VM has no event of that name. */
static int find_extension(jvmtiEnv *jvmti, const char *id)
{
    jvmtiExtensionEventInfo *events = NULL;
    jint count = 0;
    int number = 0;
    if ((*jvmti)->GetExtensionEvents(jvmti, &count, &events) != JVMTI_ERROR_NONE)
        return 0;
    for (jint i = 0; i < count; i++) {
        if (strcmp(events[i].id, id) == 0)
            number = events[i].extension_event_index;
        free_extension(jvmti, &events[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)events);
    return number;
}

static int set_mode(enum vm_event event, jvmtiEventMode mode)
{
    const struct row *row = &rows[event];
    jvmtiEnv *jvmti = table.places[row->place];
    int number = row->number ? row->number : find_extension(jvmti, row->id);
    if (!number)
        return E_UNSUPPORTED;
    /* A callback alone is not called: an extension event must be enabled like all other events. */
    if (!row->number &&
        (*jvmti)->SetExtensionEventCallback(
            jvmti, number, mode == JVMTI_ENABLE ? extension_of(event) : NULL) != JVMTI_ERROR_NONE)
        return E_UNSUPPORTED;
    return (*jvmti)->SetEventNotificationMode(jvmti, mode, (jvmtiEvent)number, NULL) ==
                   JVMTI_ERROR_NONE
               ? 0
               : E_UNSUPPORTED;
}

/* Open the environment for the event. VIRTUAL also hears of virtual threads, if the VM has them.
 * LOADING never asks for the capability to retransform: so the VM gives it each class once, before
 * the environments with this capability. */
static int open_place(enum place place)
{
    jvmtiEnv *jvmti = NULL;
    if (table.places[place])
        return 0;
    if (vm_env_open(table.vm, 0, &jvmti, NULL) != 0)
        return E_UNSUPPORTED;
    if (place == VIRTUAL)
        vm_env_ask(table.vm, jvmti, VM_CAN_SUPPORT_VIRTUAL_THREADS, NULL);
    set_callbacks(jvmti, place);
    table.places[place] = jvmti;
    return 0;
}

/* Get the environment of an event, with the capability. Needs the lock. */
static int get(enum vm_event event, struct vm_env_refusal *ret_why)
{
    const struct row *row = &rows[event];
    int error = open_place(row->place);
    if (!error && row->capability != NOTHING)
        error = vm_env_ask(table.vm, table.places[row->place], (enum vm_capability)row->capability,
                           ret_why);
    return error;
}

static int turn_on(enum vm_event event, struct vm_env_refusal *ret_why)
{
    int error = get(event, ret_why);
    return error ? error : set_mode(event, JVMTI_ENABLE);
}

/* ---- subscribers */

void vm_event_open(const struct vm *vm)
{
    table.vm = vm;
    table.places[MAIN] = vm->main;
    set_callbacks(vm->main, MAIN);
}

void vm_event_hear_steps(jvmtiEventSingleStep heard)
{
    table.step = heard;
    set_callbacks(table.places[MAIN], MAIN);
}

void vm_event_hear_freed(jvmtiEventObjectFree heard)
{
    table.freed = heard;
    set_callbacks(table.places[MAIN], MAIN);
}

/* The link that points to `s`, or the link at the end of the list if `s` is not in the list. Needs
 * the lock. */
static struct vm_event_subscriber *_Atomic *place_of(const struct vm_event_subscriber *s)
{
    struct vm_event_subscriber *_Atomic *at = &firsts[s->event];

    while (*at && *at != s)
        at = &(*at)->next;
    return at;
}

int vm_event_want(enum vm_capability what, struct vm_env_refusal *ret_why)
{
    int error = 0;
    lock_take(&table.lock);
    for (int event = 0; !error && event < VM_EVENT_COUNT; event++)
        if (rows[event].capability == (int)what)
            error = get((enum vm_event)event, ret_why);
    lock_give(&table.lock);
    return error;
}

/* Add the subscriber to the list before the event is turned on: otherwise the first events would be
 * lost. */
int vm_event_add(struct vm_event_subscriber *s, struct vm_env_refusal *ret_why)
{
    int error = 0;
    if (ret_why && rows[s->event].capability != NOTHING)
        *ret_why =
            (struct vm_env_refusal){(enum vm_capability)rows[s->event].capability, VM_ENV_HAS_NONE};
    lock_take(&table.lock);
    if (!s->is_heard) {
        bool is_first = !atomic_load(&firsts[s->event]);
        atomic_store(&s->next, NULL);
        s->is_heard = true;
        atomic_store(place_of(s), s);
        error = is_first ? turn_on(s->event, ret_why) : 0;
        if (error) {
            atomic_store(place_of(s), NULL);
            s->is_heard = false;
        }
    }
    lock_give(&table.lock);
    return error;
}

void vm_event_remove(struct vm_event_subscriber *s)
{
    lock_take(&table.lock);
    if (s->is_heard) {
        s->is_heard = false;
        atomic_store(place_of(s), atomic_load(&s->next));
        if (!atomic_load(&firsts[s->event]))
            set_mode(s->event, JVMTI_DISABLE);
    }
    lock_give(&table.lock);
}

int vm_event_add_all(struct vm_event_subscriber *s, int count, struct vm_env_refusal *ret_why)
{
    for (int i = 0; i < count; i++) {
        int error = vm_event_add(&s[i], ret_why);
        if (error) {
            vm_event_remove_all(s, i);
            return error;
        }
    }
    return 0;
}

void vm_event_remove_all(struct vm_event_subscriber *s, int count)
{
    for (int i = 0; i < count; i++)
        vm_event_remove(&s[i]);
}

static bool is_empty(unsigned set)
{
    for (int i = 0; i < STRIPES; i++)
        if (atomic_load(&calls.stripes[i].inside[set]) != 0)
            return false;
    return true;
}

void vm_event_close(void)
{
    struct vm_event_subscriber *s;
    for (int event = 0; event < VM_EVENT_COUNT; event++)
        while ((s = atomic_load(&firsts[event])) != NULL)
            vm_event_remove(s);
    lock_take(&table.lock);
    for (int place = MAIN + 1; place < PLACES; place++) {
        vm_env_close(table.places[place]);
        table.places[place] = NULL;
    }
    table.places[MAIN] = NULL;
    table.vm = NULL;
    lock_give(&table.lock);
}

bool vm_event_settle(int ms)
{
    int waits = ms * US_PER_MS / POLL_US;
    bool is_settled = true;
    lock_take(&calls.lock);
    for (int i = 0; i < 2 && is_settled; i++) {
        unsigned old = atomic_fetch_add(&calls.turn, 1) & 1;

        /* It is enough that the set is empty once. A call that enters the old set later is waited
         * for in the second round. */
        while (!(is_settled = is_empty(old)) && waits-- > 0)
            usleep(POLL_US);
    }
    lock_give(&calls.lock);
    return is_settled;
}
