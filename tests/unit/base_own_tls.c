/*
 * base_own_tls.c - thread-local variables in the static block, and beside it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/own_tls.h"
#include <dlfcn.h>
#include <pthread.h>
#include "cmocka_all.h"

static void *ask(void *function)
{
    bool (*is_static)(void) = (bool (*)(void))function;
    return is_static() ? function : NULL;
}

/* What a thread that has just begun is told, and the main one. */
static bool is_static(bool (*function)(void))
{
    pthread_t thread;
    void *told = NULL;
    assert_int_equal(pthread_create(&thread, NULL, ask, (void *)function), 0);
    assert_int_equal(pthread_join(thread, &told), 0);
    assert_int_equal(told != NULL, function());
    return told != NULL;
}

static void a_program_has_its_own_in_the_static_block(void **state)
{
    (void)state;
    assert_true(is_static(own_tls_is_static));
}

static void a_library_with_too_many_is_told(void **state)
{
    void *library = dlopen(LARGE_TLS, RTLD_NOW);
    (void)state;
    assert_non_null(library);
    assert_false(is_static((bool (*)(void))dlsym(library, "largetls_is_static")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_has_its_own_in_the_static_block),
        cmocka_unit_test(a_library_with_too_many_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
