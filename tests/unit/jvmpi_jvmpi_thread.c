/*
 * jvmpi_jvmpi_thread.c - the records of threads, told once each whoever lists them, and held beyond
 * their ends. The VM here is a table of functions with one in it, and a JNIEnv the address of that.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_thread.h"
#include "cmocka_all.h"

enum { ENVS = 4 };

static jobject deleted; /* the last global reference */

static void JNICALL delete_global(JNIEnv *env, jobject ref)
{
    deleted = ref;
}

static const struct JNINativeInterface_ functions = {.DeleteGlobalRef = delete_global};
static JNIEnv envs[ENVS] = {&functions, &functions, &functions, &functions};
static char objects[ENVS];

static jobject ref_of(int i)
{
    return (jobject)&objects[i];
}

static int begin(void **state)
{
    deleted = NULL;
    jvmpi_thread_list_begin();
    return 0;
}

static int end(void **state)
{
    jvmpi_thread_list_end();
    for (int i = 0; i < ENVS; i++) {
        struct jvmpi_thread *t = jvmpi_thread_close(&envs[i]);
        if (t)
            jvmpi_thread_leave(&envs[i], t);
    }
    return 0;
}

static void a_thread_is_claimed_once(void **state)
{
    struct jvmpi_thread *t = jvmpi_thread_claim(&envs[0], ref_of(0), false);
    assert_non_null(t);
    assert_null(jvmpi_thread_claim(&envs[0], ref_of(1), true));
    assert_null(jvmpi_thread_claim(&envs[0], ref_of(1), false));
    assert_ptr_equal(t->ref, ref_of(0));
}

static void a_thread_that_has_ended_is_not_claimed_by_a_list(void **state)
{
    struct jvmpi_thread *t = jvmpi_thread_claim(&envs[0], ref_of(0), true);
    assert_ptr_equal(jvmpi_thread_close(&envs[0]), t);
    jvmpi_thread_leave(&envs[0], t);
    assert_null(jvmpi_thread_claim(&envs[0], ref_of(0), false));
    assert_null(jvmpi_thread_close(&envs[1])); /* began before anybody heard of it */
    assert_null(jvmpi_thread_claim(&envs[1], ref_of(1), false));
    assert_null(jvmpi_thread_find(&envs[1]));
}

static void a_new_thread_may_have_the_env_of_one_that_has_ended(void **state)
{
    assert_null(jvmpi_thread_close(&envs[0]));
    assert_non_null(jvmpi_thread_claim(&envs[0], ref_of(1), true));
    assert_null(
        jvmpi_thread_claim(&envs[0], ref_of(0), false)); /* the list still has the old one */
    assert_ptr_equal(jvmpi_thread_find(&envs[0])->ref, ref_of(1));
}

static void storage_alone_makes_no_thread(void **state)
{
    jvmpi_thread_set_storage(0, &envs[0], &objects[0]);
    assert_ptr_equal(jvmpi_thread_get_storage(0, &envs[0]), &objects[0]);
    assert_null(jvmpi_thread_hold(&envs[0]));
    assert_null(jvmpi_thread_close(&envs[0]));
    assert_null(jvmpi_thread_get_storage(0, &envs[0]));
}

static void a_reference_is_good_until_its_last_holder_lets_go(void **state)
{
    struct jvmpi_thread *t = jvmpi_thread_claim(&envs[0], ref_of(0), true);
    assert_ptr_equal(jvmpi_thread_hold(&envs[0]), t);
    assert_ptr_equal(jvmpi_thread_hold(&envs[0]), t);
    jvmpi_thread_leave(&envs[0], jvmpi_thread_close(&envs[0]));
    assert_null(jvmpi_thread_hold(&envs[0]));
    jvmpi_thread_let_go(&envs[1], t);
    assert_null(deleted);
    assert_ptr_not_equal(jvmpi_thread_claim(&envs[2], ref_of(2), true), t); /* still in use */
    jvmpi_thread_let_go(&envs[1], t);
    assert_ptr_equal(deleted, ref_of(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_thread_is_claimed_once, begin, end),
        cmocka_unit_test_setup_teardown(a_thread_that_has_ended_is_not_claimed_by_a_list, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_new_thread_may_have_the_env_of_one_that_has_ended, begin,
                                        end),
        cmocka_unit_test_setup_teardown(storage_alone_makes_no_thread, begin, end),
        cmocka_unit_test_setup_teardown(a_reference_is_good_until_its_last_holder_lets_go, begin,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
