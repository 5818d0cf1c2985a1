/*
 * vm_vm.c - a VM that had an environment of JVM TI is never without one again. The VM here is a
 * table of functions. SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm.h"
#include <stdbool.h>
#include "cmocka_all.h"

enum { ENVIRONMENTS = 8, ROUNDS = 3, JDK_25 = 0x30190000 };

static struct {
    jvmtiEnv environments[ENVIRONMENTS];
    int made, open;
    bool gives_none;
} fake;

static jvmtiError JNICALL get_version(jvmtiEnv *jvmti, jint *ret)
{
    *ret = JDK_25;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL dispose(jvmtiEnv *jvmti)
{
    fake.open--;
    return JVMTI_ERROR_NONE;
}

static struct jvmtiInterface_1_ functions = {
    .GetVersionNumber = get_version,
    .DisposeEnvironment = dispose,
};

static jint JNICALL get_env(JavaVM *java, void **ret, jint version)
{
    if (fake.gives_none || fake.made == ENVIRONMENTS)
        return JNI_EVERSION;
    fake.environments[fake.made] = &functions;
    *ret = &fake.environments[fake.made++];
    fake.open++;
    return JNI_OK;
}

static struct JNIInvokeInterface_ invoke = {.GetEnv = get_env};
static JavaVM the_java = &invoke;

static void the_main_environment_stays_if_no_other_is_given(void **state)
{
    struct vm vm = {0};
    assert_int_equal(vm_open(&vm, &the_java), 0);
    fake.gives_none = true;
    vm_close(&vm);
    assert_null(vm.main);
    assert_int_equal(fake.open, 1);
    fake.gives_none = false;
    fake.open = fake.made = 0;
}

static void one_environment_stays_however_often_the_vm_is_closed(void **state)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct vm vm = {0};
        assert_int_equal(vm_open(&vm, &the_java), 0);
        assert_int_equal(fake.open, i ? 2 : 1);
        vm_close(&vm);
        vm_close(&vm); /* nothing more */
        assert_int_equal(fake.open, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_main_environment_stays_if_no_other_is_given),
        cmocka_unit_test(one_environment_stays_however_often_the_vm_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
