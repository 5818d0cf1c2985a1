/*
 * profile_hidden.c - which frames a report leaves out.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/hidden.h"
#include "cmocka_all.h"

static void what_the_vm_makes_for_itself_is_hidden(void **state)
{
    (void)state;
    static const char *const names[] = {
        "org.acme.Main$$Lambda$14/0x00007f0b2c000a00",
        "org.acme.Main$$Lambda/0x000076c1d4000c20",
        "org.acme.Main$$Lambda$1",
        "java.lang.invoke.LambdaForm$MH/0x00007f0b2c001000",
        "java.lang.invoke.LambdaForm$DMH/1427810650",
        "java.lang.invoke.LambdaForm$Holder",
        "java.lang.invoke.Invokers$Holder",
        "java.lang.invoke.DirectMethodHandle$Holder",
        "jdk.internal.reflect.DirectMethodHandleAccessor",
        "jdk.internal.reflect.GeneratedConstructorAccessor12",
        "jdk.internal.reflect.DirectMethodHandleAccessor$NativeAccessor",
        "sun.reflect.NativeMethodAccessorImpl",
        "sun.reflect.DelegatingMethodAccessorImpl",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (!hidden_has(names[i]))
            fail_msg("%s is shown", names[i]);
}

static void what_a_program_calls_by_name_is_shown(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",
        "java.lang.reflect.Method",
        "java.lang.invoke.MethodHandle",
        "java.lang.invoke.LambdaForm",
        "org.acme.Holder",
        "org.acme.reflect.Accessor",
        "org.acme.Lambda",
        "jdk.internal.reflect.Reflection",
        "jdk.internal.reflect.MethodHandleAccessorFactory",
        "sun.reflect.MethodAccessorGenerator",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (hidden_has(names[i]))
            fail_msg("%s is hidden", names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_vm_makes_for_itself_is_hidden),
        cmocka_unit_test(what_a_program_calls_by_name_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
