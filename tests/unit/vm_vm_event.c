/*
 * vm_vm_event.c - an event is on while somebody wants it, reaches all in their order, and may be
 * subscribed to and left while it is under way. The VM here is a table of functions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_event.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"
#include "vm/vm.h"
#include "vm/vm_env.h"

enum {
    EVENTS = 100,
    ROUNDS = 2000,
    DISPATCHERS = 3,
    LONG_MS = 60000,
    JDK_8 = 0x30010000 | 2 << 8,
    JDK_25 = 0x30190000,
};

static struct {
    jvmtiEventCallbacks callbacks;
    bool is_on[EVENTS];
    uint64_t given; /* capabilities that somebody has */
    uint64_t refused;
    jint version;
} fake;

/* ---- a VM that gives what it is asked for */

static jvmtiError JNICALL get_version(jvmtiEnv *jvmti, jint *ret)
{
    *ret = fake.version;
    return JVMTI_ERROR_NONE;
}

static uint64_t bits(const jvmtiCapabilities *set)
{
    uint64_t all;
    memcpy(&all, set, sizeof(all));
    return all;
}

static jvmtiError JNICALL get_potential(jvmtiEnv *jvmti, jvmtiCapabilities *ret)
{
    uint64_t all = ~fake.refused;
    memset(ret, 0, sizeof(*ret));
    memcpy(ret, &all, sizeof(all));
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL add_capabilities(jvmtiEnv *jvmti, const jvmtiCapabilities *set)
{
    fake.given |= bits(set);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_callbacks(jvmtiEnv *jvmti, const jvmtiEventCallbacks *all, jint size)
{
    fake.callbacks = *all;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_mode(jvmtiEnv *jvmti, jvmtiEventMode mode, jvmtiEvent event,
                                   jthread thread, ...)
{
    fake.is_on[event] = mode == JVMTI_ENABLE;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL dispose(jvmtiEnv *jvmti)
{
    return JVMTI_ERROR_NONE;
}

static struct jvmtiInterface_1_ functions = {
    .GetVersionNumber = get_version,
    .GetPotentialCapabilities = get_potential,
    .AddCapabilities = add_capabilities,
    .SetEventCallbacks = set_callbacks,
    .SetEventNotificationMode = set_mode,
    .DisposeEnvironment = dispose,
};
static jvmtiEnv the_env = &functions;

static jint JNICALL get_env(JavaVM *java, void **ret, jint version)
{
    *ret = &the_env;
    return JNI_OK;
}

static struct JNIInvokeInterface_ invoke = {.GetEnv = get_env};
static JavaVM the_java = &invoke;
static struct vm vm;

static int set_up(void **state)
{
    memset(&fake, 0, sizeof(fake));
    fake.version = JDK_25;
    if (vm_open(&vm, &the_java) != 0)
        return -1;
    vm_event_open(&vm);
    return 0;
}

static void thread_starts(void)
{
    fake.callbacks.ThreadStart(&the_env, NULL, NULL);
}

/* ---- who hears */

static char heard[16];

static void hear(void *data, JNIEnv *env, jthread thread)
{
    strcat(heard, data);
}

static struct vm_event_subscriber a = {
    .event = VM_EVENT_THREAD_START, .on.thread_start = hear, .data = "a"};
static struct vm_event_subscriber b = {
    .event = VM_EVENT_THREAD_START, .on.thread_start = hear, .data = "b"};
static struct vm_event_subscriber c = {
    .event = VM_EVENT_THREAD_START, .on.thread_start = hear, .data = "c"};

static void an_event_is_on_from_its_first_subscriber_to_its_last(void **state)
{
    assert_false(fake.is_on[JVMTI_EVENT_THREAD_START]);
    assert_int_equal(vm_event_add(&a, NULL), 0);
    assert_int_equal(vm_event_add(&b, NULL), 0);
    assert_true(fake.is_on[JVMTI_EVENT_THREAD_START]);
    vm_event_remove(&a);
    assert_true(fake.is_on[JVMTI_EVENT_THREAD_START]);
    vm_event_remove(&b);
    assert_false(fake.is_on[JVMTI_EVENT_THREAD_START]);
    vm_event_remove(&b);
    assert_false(fake.is_on[JVMTI_EVENT_THREAD_END]);
}

static void all_hear_in_the_order_in_which_they_came(void **state)
{
    vm_event_add(&a, NULL);
    vm_event_add(&b, NULL);
    vm_event_add(&c, NULL);
    vm_event_add(&a, NULL); /* has no effect */
    heard[0] = '\0';
    thread_starts();
    assert_string_equal(heard, "abc");
    vm_event_remove(&a);
    heard[0] = '\0';
    thread_starts();
    assert_string_equal(heard, "bc");
    vm_event_add(&a, NULL);
    vm_event_remove(&c);
    heard[0] = '\0';
    thread_starts();
    assert_string_equal(heard, "ba");
    vm_event_remove(&a);
    vm_event_remove(&b);
}

static void leave(void *data, JNIEnv *env, jthread thread)
{
    vm_event_remove(data);
    strcat(heard, "-");
}

static void one_may_leave_in_the_middle_of_the_event(void **state)
{
    static struct vm_event_subscriber leaver = {
        .event = VM_EVENT_THREAD_START, .on.thread_start = leave, .data = &leaver};
    vm_event_add(&a, NULL);
    vm_event_add(&leaver, NULL);
    vm_event_add(&c, NULL);
    heard[0] = '\0';
    thread_starts();
    thread_starts();
    assert_string_equal(heard, "a-cac");
    vm_event_remove(&a);
    vm_event_remove(&c);
}

static void hear_collection(void *data)
{
}

static struct vm_event_subscriber collections = {.event = VM_EVENT_GC_FINISH,
                                                 .on.gc_finish = hear_collection};

static void a_refusal_has_the_name_of_what_was_refused(void **state)
{
    struct vm_env_refusal why;
    char text[VM_ENV_TEXT];
    fake.refused = VM_ENV_SET(VM_CAN_GENERATE_GARBAGE_COLLECTION_EVENTS);
    assert_int_equal(vm_event_add(&collections, &why), E_UNSUPPORTED);
    assert_string_equal(vm_env_say(&why, text),
                        "can_generate_garbage_collection_events: this VM does not give it");
    assert_false(fake.is_on[JVMTI_EVENT_GARBAGE_COLLECTION_FINISH]);
    fake.refused = 0;
    assert_int_equal(vm_event_add(&collections, &why), 0);
    assert_true(fake.is_on[JVMTI_EVENT_GARBAGE_COLLECTION_FINISH]);
    vm_event_remove(&collections);
}

static void what_came_with_a_later_jdk_is_not_asked_for(void **state)
{
    struct vm_env_refusal why;
    char text[VM_ENV_TEXT];
    vm_event_close();
    fake.version = JDK_8;
    vm_open(&vm, &the_java);
    vm_event_open(&vm);
    assert_int_equal(vm_event_want(VM_CAN_SUPPORT_VIRTUAL_THREADS, &why), E_UNSUPPORTED);
    assert_string_equal(vm_env_say(&why, text), "can_support_virtual_threads: it came with JDK 21");
    assert_false(fake.given & VM_ENV_SET(VM_CAN_SUPPORT_VIRTUAL_THREADS));
}

static void nobody_hears_after_the_table_is_closed(void **state)
{
    vm_event_add(&a, NULL);
    vm_event_close();
    assert_false(fake.is_on[JVMTI_EVENT_THREAD_START]);
    vm_event_open(&vm);
    heard[0] = '\0';
    vm_event_add(&b, NULL);
    thread_starts();
    assert_string_equal(heard, "b");
    vm_event_remove(&b);
}

static void hook(void *data, JNIEnv *env, jclass redefined, jobject loader, const char *name,
                 jobject domain, jint len, const unsigned char *bytes, jint *new_len,
                 unsigned char **new_bytes)
{
    static unsigned char kept[2][8];
    unsigned char *into = kept[*(const char *)data == 'b'];
    memcpy(into, bytes, (size_t)len);
    into[len] = *(const unsigned char *)data;
    *new_len = len + 1;
    *new_bytes = into;
}

static void each_hook_is_given_what_the_one_before_has_left(void **state)
{
    static struct vm_event_subscriber hooks[] = {
        {.event = VM_EVENT_CLASS_FILE, .on.class_file = hook, .data = "a"},
        {.event = VM_EVENT_CLASS_FILE, .on.class_file = hook, .data = "b"},
    };
    const unsigned char bytes[] = {'-'};
    unsigned char *new_bytes = NULL;
    jint new_len = 0;
    fake.given = 0;
    assert_int_equal(vm_event_add_all(hooks, 2, NULL), 0);
    assert_false(fake.given & VM_ENV_SET(VM_CAN_RETRANSFORM_CLASSES));
    fake.callbacks.ClassFileLoadHook(NULL, NULL, NULL, NULL, "Marked", NULL, 1, bytes, &new_len,
                                     &new_bytes);
    assert_int_equal(new_len, 3);
    assert_memory_equal(new_bytes, "-ab", 3);
    vm_event_remove_all(hooks, 2);
}

/* ---- from several threads */

static _Atomic bool ends;
static _Atomic uint64_t steady_count;

static void count(void *data, JNIEnv *env, jthread thread)
{
    atomic_fetch_add((_Atomic uint64_t *)data, 1);
}

static void *dispatch(void *arg)
{
    while (!atomic_load(&ends))
        thread_starts();
    return NULL;
}

/* Half of the memory is poisoned as soon as nobody can look at it: who did would fall over it. */
static void subscribers_come_and_go_while_events_fly(void **state)
{
    static struct vm_event_subscriber steady = {
        .event = VM_EVENT_THREAD_START, .on.thread_start = count, .data = &steady_count};
    pthread_t threads[DISPATCHERS];
    uint64_t guest_count = 0;
    vm_event_add(&steady, NULL);
    for (int i = 0; i < DISPATCHERS; i++)
        pthread_create(&threads[i], NULL, dispatch, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        struct vm_event_subscriber *guest = calloc(1, sizeof(*guest));
        _Atomic uint64_t *counted = calloc(1, sizeof(*counted));
        *guest = (struct vm_event_subscriber){
            .event = VM_EVENT_THREAD_START, .on.thread_start = count, .data = counted};
        assert_int_equal(vm_event_add(guest, NULL), 0);
        while (i == 0 && !atomic_load(counted))
            ;
        vm_event_remove(guest);
        assert_true(vm_event_settle(LONG_MS));
        guest_count += *counted;
        memset(guest, 0xff, sizeof(*guest));
        free(guest);
        free(counted);
    }
    atomic_store(&ends, true);
    for (int i = 0; i < DISPATCHERS; i++)
        pthread_join(threads[i], NULL);
    vm_event_remove(&steady);
    assert_true(guest_count > 0);
    assert_true(steady_count >= guest_count);
}

static _Atomic int is_inside;

static void linger(void *data, JNIEnv *env, jthread thread)
{
    atomic_store(&is_inside, 1);
    while (atomic_load(&is_inside) == 1)
        ;
}

static void *dispatch_once(void *arg)
{
    thread_starts();
    return NULL;
}

static void a_call_that_goes_on_is_waited_for(void **state)
{
    static struct vm_event_subscriber slow = {.event = VM_EVENT_THREAD_START,
                                              .on.thread_start = linger};
    pthread_t thread;
    vm_event_add(&slow, NULL);
    pthread_create(&thread, NULL, dispatch_once, NULL);
    while (!atomic_load(&is_inside))
        ;
    vm_event_remove(&slow);
    assert_false(vm_event_settle(1));
    atomic_store(&is_inside, 2);
    assert_true(vm_event_settle(LONG_MS));
    pthread_join(thread, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_event_is_on_from_its_first_subscriber_to_its_last, set_up),
        cmocka_unit_test_setup(all_hear_in_the_order_in_which_they_came, set_up),
        cmocka_unit_test_setup(one_may_leave_in_the_middle_of_the_event, set_up),
        cmocka_unit_test_setup(a_refusal_has_the_name_of_what_was_refused, set_up),
        cmocka_unit_test_setup(what_came_with_a_later_jdk_is_not_asked_for, set_up),
        cmocka_unit_test_setup(nobody_hears_after_the_table_is_closed, set_up),
        cmocka_unit_test_setup(each_hook_is_given_what_the_one_before_has_left, set_up),
        cmocka_unit_test_setup(subscribers_come_and_go_while_events_fly, set_up),
        cmocka_unit_test_setup(a_call_that_goes_on_is_waited_for, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
