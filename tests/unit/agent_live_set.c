/*
 * agent_live_set.c - sets of weak references, with a JNI whose objects live as long as the test
 * says. SPDX-License-Identifier: Apache-2.0
 */
#include "agent/allocsample/live_set.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"

enum { CAPACITY = 64, MANY = 100000, ROUNDS = 200 };

/* An object is a number whose references are counted; an odd one is dead once `odd_are_dead`. */
static struct {
    uint32_t references;
    bool odd_are_dead, is_full, is_cleared;
} vm;

static jweak JNICALL make_reference(JNIEnv *env, jobject object)
{
    (void)env;
    if (vm.is_full)
        return NULL;
    vm.references++;
    return object;
}

static void JNICALL delete_reference(JNIEnv *env, jweak ref)
{
    (void)env;
    assert_non_null(ref);
    assert_true(vm.references > 0);
    vm.references--;
}

static jboolean JNICALL is_same(JNIEnv *env, jobject one, jobject other)
{
    (void)env;
    assert_null(other);
    return vm.odd_are_dead && ((uintptr_t)one & 1);
}

static void JNICALL clear_exception(JNIEnv *env)
{
    (void)env;
    vm.is_cleared = true;
}

static const struct JNINativeInterface_ table = {
    .NewWeakGlobalRef = make_reference,
    .DeleteWeakGlobalRef = delete_reference,
    .IsSameObject = is_same,
    .ExceptionClear = clear_exception,
};
static JNIEnv env = &table;
static struct live_set set;

static int set_up(void **state)
{
    (void)state;
    memset(&vm, 0, sizeof(vm));
    return live_set_open(&set, CAPACITY * sizeof(*set.objects), 1);
}

static int tear_down(void **state)
{
    (void)state;
    live_set_close(&set, &env);
    return vm.references == 0 ? 0 : -1;
}

static int add(uintptr_t number)
{
    const struct live_object o = {.trace = (trace_id)number, .for_bytes = 24, .for_objects = 1};
    return live_set_add(&set, &env, (jobject)number, &o);
}

static uint64_t stands_for(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < set.count; i++) {
        assert_int_equal(set.objects[i].trace, (uintptr_t)set.objects[i].ref);
        assert_int_equal(set.objects[i].for_bytes, 24 * set.objects[i].for_objects);
        sum += set.objects[i].for_objects;
    }
    return sum;
}

static void what_is_dead_leaves_when_it_is_swept(void **state)
{
    (void)state;
    for (uintptr_t n = 1; n <= 10; n++)
        assert_int_equal(add(n), 0);
    live_set_sweep(&set, &env);
    assert_int_equal(set.count, 10);
    vm.odd_are_dead = true;
    live_set_sweep(&set, &env);
    assert_int_equal(set.count, 5);
    assert_int_equal(vm.references, 5);
    assert_int_equal(stands_for(), 5);
}

static void a_full_set_is_swept_before_anything_is_dropped(void **state)
{
    (void)state;
    for (uintptr_t n = 1; n <= CAPACITY; n++)
        add(n);
    assert_int_equal(set.count, CAPACITY);
    vm.odd_are_dead = true;
    add(CAPACITY + 2);
    assert_int_equal(set.count, CAPACITY / 2 + 1);
    assert_int_equal(set.one_in, 1);
}

/* The mean over the rounds has a standard error of some 2 %. */
static void sums_stay_right_on_average_where_most_are_left_out(void **state)
{
    double sum = 0;
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        for (uintptr_t n = 1; n <= MANY / 10; n++)
            add(n);
        assert_true(set.count <= CAPACITY);
        assert_true(set.one_in >= MANY / 10 / CAPACITY / 4);
        sum += (double)stands_for();
        live_set_close(&set, &env);
        live_set_open(&set, CAPACITY * sizeof(*set.objects), (uint64_t)round + 2);
    }
    assert_true(sum / ROUNDS > 0.9 * MANY / 10 && sum / ROUNDS < 1.1 * MANY / 10);
}

static void a_vm_without_room_is_no_harm(void **state)
{
    (void)state;
    vm.is_full = true;
    assert_int_equal(add(1), -ENOMEM);
    assert_int_equal(set.count, 0);
    assert_true(vm.is_cleared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_dead_leaves_when_it_is_swept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_set_is_swept_before_anything_is_dropped, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(sums_stay_right_on_average_where_most_are_left_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_vm_without_room_is_no_harm, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
