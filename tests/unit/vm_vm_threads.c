/*
 * vm_vm_threads.c - the records of threads, and what is kept in them. The VM here is a table of
 * functions, and a thread an entry of an array. The VM's thread-local storage may be asked for by
 * its own thread only. SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_threads.h"
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"
#include "vm/vm.h"

enum { THREADS = 6, VIRTUAL = THREADS - 1, EETOP = 1, NUMBER, MARKS = 4096 };

/* Like HotSpot's: the JNIEnv lies in the JavaThread. */
struct java_thread {
    char before[640];
    JNIEnv env;
};

static struct thread {
    struct java_thread *java; /* NULL: it has ended, or is virtual */
    jlong number;
    void *storage;
} fake[THREADS];

static struct java_thread java[THREADS];
static int current; /* the thread that calls */
static bool is_odd; /* the VM knows no field of java.lang.Thread */
static int references, asked;

static jthread thread_at(int i)
{
    return (jthread)&fake[i];
}

static JNIEnv *env_here(void)
{
    return fake[current].java ? &fake[current].java->env : &java[0].env; /* of the carrier */
}

static jvmtiError JNICALL get_storage(jvmtiEnv *jvmti, jthread thread, void **ret)
{
    assert_null(thread);
    *ret = fake[current].storage;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_storage(jvmtiEnv *jvmti, jthread thread, const void *data)
{
    assert_null(thread);
    fake[current].storage = (void *)data;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL current_thread(jvmtiEnv *jvmti, jthread *ret)
{
    asked++;
    *ret = thread_at(current);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_state(jvmtiEnv *jvmti, jthread thread, jint *ret)
{
    *ret = ((struct thread *)thread)->java ? JVMTI_THREAD_STATE_ALIVE : 0;
    return JVMTI_ERROR_NONE;
}

static jint JNICALL get_env(JavaVM *vm, void **ret, jint version)
{
    *ret = env_here();
    return JNI_OK;
}

static jint JNICALL push(JNIEnv *env, jint capacity)
{
    return JNI_OK;
}

static jobject JNICALL pop(JNIEnv *env, jobject kept)
{
    return kept;
}

static jboolean JNICALL no_exception(JNIEnv *env)
{
    return JNI_FALSE;
}

static jclass JNICALL find_class(JNIEnv *env, const char *name)
{
    assert_string_equal(name, "java/lang/Thread");
    return is_odd ? NULL : (jclass)fake;
}

static jfieldID JNICALL find_field(JNIEnv *env, jclass klass, const char *name, const char *type)
{
    return (jfieldID)(uintptr_t)(strcmp(name, "eetop") == 0 ? EETOP : NUMBER);
}

static jlong JNICALL get_field(JNIEnv *env, jobject object, jfieldID field)
{
    const struct thread *t = (const struct thread *)object;
    return field == (jfieldID)(uintptr_t)EETOP ? (jlong)(uintptr_t)t->java : t->number;
}

static jboolean JNICALL is_same(JNIEnv *env, jobject a, jobject b)
{
    return a == b;
}

static jobject JNICALL new_reference(JNIEnv *env, jobject object)
{
    references++;
    return object;
}

static void JNICALL delete_reference(JNIEnv *env, jobject object)
{
    references--;
}

static void JNICALL delete_local(JNIEnv *env, jobject object)
{
}

static const struct jvmtiInterface_1_ tool_functions = {
    .GetThreadLocalStorage = get_storage,
    .SetThreadLocalStorage = set_storage,
    .GetCurrentThread = current_thread,
    .GetThreadState = get_state,
};
static const struct JNINativeInterface_ java_functions = {
    .PushLocalFrame = push,
    .PopLocalFrame = pop,
    .ExceptionCheck = no_exception,
    .FindClass = find_class,
    .GetFieldID = find_field,
    .GetLongField = get_field,
    .IsSameObject = is_same,
    .NewGlobalRef = new_reference,
    .DeleteGlobalRef = delete_reference,
    .DeleteLocalRef = delete_local,
};
static const struct JNIInvokeInterface_ invoke = {.GetEnv = get_env};
static JavaVM the_java = &invoke;
static jvmtiEnv the_tool = &tool_functions;
static struct vm vm = {.java = &the_java, .main = &the_tool};

/* ---- two parts of a library */

static void fill(struct vm_thread *t);

static struct vm_threads_row number = {.bytes = sizeof(int), .fill = fill};
static struct vm_threads_row text = {.bytes = 3};
static int next_number;

static void fill(struct vm_thread *t)
{
    for (int i = 0; i < THREADS; i++)
        assert_ptr_not_equal(fake[i].storage, t);
    *(int *)vm_threads_slot(t, &number) = ++next_number;
}

static void begin(int i)
{
    java[i].env = &java_functions;
    fake[i] = (struct thread){.java = i == VIRTUAL ? NULL : &java[i], .number = i + 1};
}

static int open_all(void)
{
    for (int i = 0; i < THREADS; i++)
        begin(i);
    current = next_number = asked = 0;
    vm_threads_open(&vm, env_here());
    return vm_threads_add_row(&number) || vm_threads_add_row(&text);
}

static int set_up(void **state)
{
    is_odd = false;
    return open_all();
}

static int set_up_odd(void **state)
{
    is_odd = true;
    return open_all();
}

static int tear_down(void **state)
{
    vm_threads_close(env_here());
    return references;
}

static struct vm_thread *enter(int i)
{
    bool is_new;
    return vm_threads_enter(env_here(), thread_at(i), i == current, &is_new);
}

static struct vm_thread *find(int i)
{
    return vm_threads_find(env_here(), thread_at(i));
}

static struct vm_thread *here(int i)
{
    current = i;
    return vm_threads_here();
}

/* The thread ends. */
static void leave(int i, uint32_t mark)
{
    vm_threads_leave(env_here(), here(i), mark);
}

static void a_record_has_room_for_each_row_and_is_filled_before_it_is_found(void **state)
{
    struct vm_thread *first = enter(0), *second = enter(1);
    bool is_new;
    assert_int_equal(*(int *)vm_threads_slot(first, &number), 1);
    assert_int_equal(*(int *)vm_threads_slot(second, &number), 2);
    assert_memory_equal(vm_threads_slot(first, &text), "\0\0\0", 3);
    memcpy(vm_threads_slot(first, &text), "abc", 3);
    assert_int_equal(*(int *)vm_threads_slot(first, &number), 1);
    assert_ptr_equal(vm_threads_enter(env_here(), thread_at(1), false, &is_new), second);
    assert_false(is_new);
    assert_ptr_equal(vm_threads_here(), first);
    assert_ptr_equal(find(0), first);
    assert_ptr_equal(find(1), second);
    assert_null(find(2));
    assert_true(first->tid != 0 && second->tid == 0);
    assert_ptr_equal(first->jni_env, &java[0].env);
    assert_ptr_equal(second->jni_env, &java[1].env);
}

static void a_row_that_comes_behind_the_first_record_is_refused(void **state)
{
    static struct vm_threads_row late = {.bytes = 8};
    enter(0);
    assert_int_equal(vm_threads_add_row(&late), E_VM_STATE);
    assert_int_equal(vm_threads_add_row(&text), 0);
}

static void a_thread_comes_for_the_record_that_another_one_has_made(void **state)
{
    struct vm_thread *second = enter(1);
    assert_ptr_equal(here(1), second);
    assert_ptr_equal(fake[1].storage, second);
    asked = 0;
    assert_ptr_equal(here(1), second);
    assert_null(here(2)); /* nobody's record waits: not even the VM is asked who calls */
    assert_int_equal(asked, 0);
    assert_ptr_equal(enter(1), second);
}

static void what_nobody_came_for_ends_with_its_thread(void **state)
{
    struct vm_thread *second = enter(1);
    leave(1, 200002);
    assert_null(vm_threads_here());
    assert_null(find(1));
    assert_null(vm_threads_next(NULL));

    begin(1); /* another thread with the address of the first one */
    fake[1].number = 77;
    assert_null(here(1));
    current = 0;
    second = enter(1);
    assert_non_null(second);
    assert_ptr_equal(here(1), second);
}

static void a_virtual_thread_does_not_take_what_is_its_carrier_s(void **state)
{
    struct vm_thread *carrier, *mounted;
    current = 1;
    carrier = enter(0);
    assert_null(here(VIRTUAL));
    mounted = enter(VIRTUAL);
    assert_true(mounted && mounted != carrier && mounted->tid == 0 && !mounted->jni_env);
    assert_ptr_equal(here(VIRTUAL), mounted);
    assert_ptr_equal(here(0), carrier);
    leave(VIRTUAL, 200009);
    assert_null(enter(VIRTUAL));
    assert_ptr_equal(here(0), carrier);
}

static void a_thread_that_was_left_has_its_mark_and_no_record(void **state)
{
    enter(0);
    leave(0, 200001);
    assert_null(vm_threads_here());
    assert_int_equal(vm_threads_mark_here(), 200001);
    assert_null(enter(0));
    assert_int_equal(vm_threads_mark(env_here(), thread_at(0)), 200001);
    assert_int_equal(vm_threads_mark(env_here(), thread_at(1)), 0);
    assert_null(vm_threads_next(NULL));
    current = 2; /* for others, too: it may be listed for a while */
    assert_null(find(0));
    assert_null(enter(0));
    assert_int_equal(vm_threads_mark(env_here(), thread_at(0)), 200001);
    assert_int_equal(vm_threads_mark_here(), 0);
    assert_int_equal(references, 0);
}

/* The marks of others are known of the last threads, one's own always. */
static void a_mark_gives_way_to_a_later_one(void **state)
{
    enter(0);
    leave(0, 200001);
    current = 1;
    fake[1].number = fake[0].number + MARKS;
    enter(1);
    leave(1, 200002);
    current = 2;
    assert_int_equal(vm_threads_mark(env_here(), thread_at(0)), 0);
    assert_int_equal(vm_threads_mark(env_here(), thread_at(1)), 200002);
    current = 0;
    assert_int_equal(vm_threads_mark(env_here(), thread_at(0)), 200001);
}

static void a_thread_that_is_dead_gets_no_record(void **state)
{
    fake[2].java = NULL;
    assert_null(enter(2));
    assert_null(vm_threads_next(NULL));
}

static void the_list_has_those_that_live_but_not_our_own(void **state)
{
    struct vm_thread *all[3] = {enter(0), enter(1), enter(2)}, *own;
    current = 3;
    own = vm_threads_enter_own(env_here(), thread_at(3));
    assert_true(own->is_own);
    assert_ptr_equal(find(3), own);
    assert_ptr_equal(enter(3), own);
    leave(1, 1);
    assert_ptr_equal(vm_threads_next(NULL), all[2]);
    assert_ptr_equal(vm_threads_next(all[2]), all[0]);
    assert_null(vm_threads_next(all[0]));
    assert_int_equal(references, 2);
}

static void many_threads_are_found(void **state)
{
    enum { MANY = 1000 };
    static struct thread many[MANY];
    static struct java_thread their_java[MANY];
    bool is_new;
    for (int i = 0; i < MANY; i++) {
        many[i] = (struct thread){.java = &their_java[i], .number = 100 + 3 * i};
        assert_non_null(vm_threads_enter(env_here(), (jthread)&many[i], false, &is_new));
        assert_true(is_new);
    }
    for (int i = 0; i < MANY; i++) {
        const struct vm_thread *t = vm_threads_find(env_here(), (jthread)&many[i]);
        assert_ptr_equal(t->ref, &many[i]);
    }
    assert_null(find(0));
}

/* Then a thread that is not asked for its own record with the lock has none. */
static void a_vm_whose_threads_have_no_known_fields(void **state)
{
    struct vm_thread *first = enter(0), *second = enter(1);
    assert_true(first && second && first != second);
    assert_ptr_equal(find(0), first);
    assert_ptr_equal(find(1), second);
    assert_null(here(1));
    assert_ptr_equal(enter(1), second);
    assert_ptr_equal(here(1), second);
    fake[2].java = NULL;
    assert_null(enter(2));
    leave(1, 200002);
    assert_int_equal(vm_threads_mark(env_here(), thread_at(1)), 200002);
    assert_ptr_equal(here(0), first);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_record_has_room_for_each_row_and_is_filled_before_it_is_found),
        TEST(a_row_that_comes_behind_the_first_record_is_refused),
        TEST(a_thread_comes_for_the_record_that_another_one_has_made),
        TEST(what_nobody_came_for_ends_with_its_thread),
        TEST(a_virtual_thread_does_not_take_what_is_its_carrier_s),
        TEST(a_thread_that_was_left_has_its_mark_and_no_record),
        TEST(a_mark_gives_way_to_a_later_one),
        TEST(a_thread_that_is_dead_gets_no_record),
        TEST(the_list_has_those_that_live_but_not_our_own),
        TEST(many_threads_are_found),
        cmocka_unit_test_setup_teardown(a_vm_whose_threads_have_no_known_fields, set_up_odd,
                                        tear_down),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
