/*
 * vm_vm_threads.c - the records of threads, and what is kept in them. The VM here is a table of
 * functions, and a thread an entry of an array. SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_threads.h"
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"
#include "vm/vm.h"

enum { THREADS = 4 };

static struct thread {
    void *storage;
    bool is_dead;
} fake[THREADS];

static jthread thread_at(int i)
{
    return (jthread)&fake[i];
}

static struct thread *fake_of(jthread thread)
{
    return thread ? (struct thread *)thread : &fake[0]; /* which calls */
}

static jvmtiError JNICALL get_storage(jvmtiEnv *jvmti, jthread thread, void **ret)
{
    *ret = fake_of(thread)->storage;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_storage(jvmtiEnv *jvmti, jthread thread, const void *data)
{
    if (fake_of(thread)->is_dead)
        return JVMTI_ERROR_THREAD_NOT_ALIVE;
    fake_of(thread)->storage = (void *)data;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL no_current_thread(jvmtiEnv *jvmti, jthread *ret)
{
    return JVMTI_ERROR_WRONG_PHASE;
}

static jint JNICALL no_frame(JNIEnv *env, jint capacity)
{
    return JNI_ERR; /* all look-ups fail */
}

static jboolean JNICALL no_exception(JNIEnv *env)
{
    return JNI_FALSE;
}

static int references;

static jobject JNICALL new_reference(JNIEnv *env, jobject object)
{
    references++;
    return object;
}

static void JNICALL delete_reference(JNIEnv *env, jobject object)
{
    references--;
}

static const struct jvmtiInterface_1_ tool_functions = {
    .GetThreadLocalStorage = get_storage,
    .SetThreadLocalStorage = set_storage,
    .GetCurrentThread = no_current_thread,
};
static const struct JNINativeInterface_ java_functions = {
    .PushLocalFrame = no_frame,
    .ExceptionCheck = no_exception,
    .NewGlobalRef = new_reference,
    .DeleteGlobalRef = delete_reference,
};
static jvmtiEnv the_tool = &tool_functions;
static JNIEnv the_env = &java_functions;
static struct vm vm = {.main = &the_tool};

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

static int set_up(void **state)
{
    memset(fake, 0, sizeof(fake));
    next_number = 0;
    vm_threads_open(&vm, &the_env);
    return vm_threads_add_row(&number) || vm_threads_add_row(&text);
}

static int tear_down(void **state)
{
    vm_threads_close(&the_env);
    return references;
}

static struct vm_thread *enter(int i)
{
    bool is_new;
    return vm_threads_enter(&the_env, thread_at(i), i == 0, &is_new);
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
    assert_ptr_equal(vm_threads_enter(&the_env, thread_at(1), false, &is_new), second);
    assert_false(is_new);
    assert_ptr_equal(vm_threads_find(NULL), first);
    assert_ptr_equal(vm_threads_find(thread_at(1)), second);
    assert_null(vm_threads_find(thread_at(2)));
    assert_true(first->tid != 0 && second->tid == 0);
}

static void a_row_that_comes_behind_the_first_record_is_refused(void **state)
{
    static struct vm_threads_row late = {.bytes = 8};
    enter(0);
    assert_int_equal(vm_threads_add_row(&late), E_VM_STATE);
    assert_int_equal(vm_threads_add_row(&text), 0);
}

static void a_thread_that_was_left_has_its_mark_and_no_record(void **state)
{
    vm_threads_leave(&the_env, thread_at(0), enter(0), 200001);
    assert_null(vm_threads_find(NULL));
    assert_int_equal(vm_threads_mark(NULL), 200001);
    assert_int_equal(vm_threads_mark(thread_at(1)), 0);
    assert_null(enter(0));
    assert_null(vm_threads_next(NULL));
    assert_int_equal(references, 0);
}

static void a_thread_that_is_dead_gets_no_record(void **state)
{
    fake[2].is_dead = true;
    assert_null(enter(2));
    assert_null(vm_threads_next(NULL));
}

static void the_list_has_those_that_live_but_not_our_own(void **state)
{
    struct vm_thread *all[3] = {enter(0), enter(1), enter(2)};
    assert_true(vm_threads_enter_own(thread_at(3))->is_own);
    vm_threads_leave(&the_env, thread_at(1), all[1], 1);
    assert_ptr_equal(vm_threads_next(NULL), all[2]);
    assert_ptr_equal(vm_threads_next(all[2]), all[0]);
    assert_null(vm_threads_next(all[0]));
    assert_int_equal(references, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_record_has_room_for_each_row_and_is_filled_before_it_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_row_that_comes_behind_the_first_record_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_thread_that_was_left_has_its_mark_and_no_record, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_thread_that_is_dead_gets_no_record, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_list_has_those_that_live_but_not_our_own, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
