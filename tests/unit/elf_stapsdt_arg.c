/*
 * elf_stapsdt_arg.c - descriptors of arguments as compilers write them, for two CPUs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elf/stapsdt_arg.h"
#include <elf.h>
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"

enum { RAX = 0, RBX = 1, RDX = 3, RBP = 6, RSP = 7, R10 = 18, REGISTERS = 40 };

static uint64_t registers[REGISTERS];

/* The value of one descriptor that is not in memory. */
static uint64_t value(const char *text, unsigned machine)
{
    const struct stapsdt_regs regs = {.mask = (UINT64_C(1) << REGISTERS) - 1, .of = registers};
    struct stapsdt_arg arg;
    uint64_t ret = 0;
    assert_int_equal(stapsdt_arg_next(&text, machine, &arg), 1);
    assert_true(stapsdt_arg_value(&arg, &regs, &ret));
    return ret;
}

static uint64_t address(const char *text, unsigned machine)
{
    const struct stapsdt_regs regs = {.mask = (UINT64_C(1) << REGISTERS) - 1, .of = registers};
    struct stapsdt_arg arg;
    uint64_t ret = 0;
    assert_int_equal(stapsdt_arg_next(&text, machine, &arg), 1);
    assert_true(stapsdt_arg_address(&arg, &regs, &ret));
    return ret;
}

static void a_register_has_its_part_and_sign(void **state)
{
    (void)state;
    registers[RDX] = 0x1122334455667788;
    registers[RAX] = 0xfffffffffffffff0;
    registers[R10] = 77;
    assert_true(value("8@%rdx", EM_X86_64) == 0x1122334455667788);
    assert_true(value("4@%edx", EM_X86_64) == 0x55667788);
    assert_true(value("2@%dx", EM_X86_64) == 0x7788);
    assert_true(value("1@%dl", EM_X86_64) == 0x88);
    assert_true(value("1@%dh", EM_X86_64) == 0x77);
    assert_true(value("-1@%dl", EM_X86_64) == (uint64_t)-0x78);
    assert_true(value("-4@%eax", EM_X86_64) == (uint64_t)-16);
    assert_true(value("4@%eax", EM_X86_64) == 0xfffffff0);
    assert_true(value("-8@%r10", EM_X86_64) == 77);
    assert_true(value("4@%r10d", EM_X86_64) == 77);
    assert_true(value("8@x3", EM_AARCH64) == 0x1122334455667788);
    assert_true(value("-4@w0", EM_AARCH64) == (uint64_t)-16);
}

static void a_constant_is_its_own_value(void **state)
{
    (void)state;
    assert_true(value("1@$0", EM_X86_64) == 0);
    assert_true(value("-4@$-1", EM_X86_64) == UINT64_MAX);
    assert_true(value("4@$-1", EM_X86_64) == UINT32_MAX);
    assert_true(value("8@$0x7fffffff", EM_X86_64) == 0x7fffffff);
    assert_true(value("-4@-3", EM_AARCH64) == (uint64_t)-3);
}

static void memory_has_base_index_and_scale(void **state)
{
    (void)state;
    registers[RBP] = 0x1000;
    registers[RBX] = 3;
    registers[RSP] = 0x2000;
    registers[31] = 0x3000;
    assert_true(address("8@-48(%rbp)", EM_X86_64) == 0x1000 - 48);
    assert_true(address("8@(%rsp)", EM_X86_64) == 0x2000);
    assert_true(address("8@152(%rbp,%rbx,8)", EM_X86_64) == 0x1000 + 152 + 24);
    assert_true(address("4@(%rbp,%rbx)", EM_X86_64) == 0x1003);
    assert_true(address("8@16(,%rbx,4)", EM_X86_64) == 28);
    assert_true(address("8@[sp]", EM_AARCH64) == 0x3000);
    assert_true(address("8@[sp, 16]", EM_AARCH64) == 0x3010);
}

static void a_list_is_read_to_its_end(void **state)
{
    const char *text = "8@%rdx -4@%eax 8@152(%rdi) 1@$0", *arm = "8@x1 4@[sp, 12] -4@7";
    struct stapsdt_arg arg;
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(stapsdt_arg_next(&text, EM_X86_64, &arg), 1);
    assert_int_equal(arg.place, STAPSDT_VALUE);
    assert_int_equal(stapsdt_arg_next(&text, EM_X86_64, &arg), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(stapsdt_arg_next(&arm, EM_AARCH64, &arg), 1);
    assert_int_equal(stapsdt_arg_next(&arm, EM_AARCH64, &arg), 0);
}

static void what_is_not_understood_is_passed(void **state)
{
    static const char *const wrong[] = {
        "8@%rzz",           "8@",      "@%rax",   "16@%xmm0", "3@%rax", "8@foo(%rip)",
        "8@8(%rax,%rbx,3)", "8@(%rax", "8@%rax)", "8@$",      "8@(,)",  "9999999999999999999999@$0",
        "8@%r16",           "8@%r7",   "8@()",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char both[64];
        const char *at = both;
        struct stapsdt_arg arg;
        strcpy(both, wrong[i]);
        strcat(both, " 8@%rdx");
        assert_int_equal(stapsdt_arg_next(&at, EM_X86_64, &arg), E_SYNTAX);
        assert_int_equal(stapsdt_arg_next(&at, EM_X86_64, &arg), 1);
        assert_int_equal(arg.base, RDX);
    }
    const char *other = "8@%rdx";
    struct stapsdt_arg arg;
    assert_int_equal(stapsdt_arg_next(&other, EM_386, &arg), E_SYNTAX);
}

static void a_register_that_was_not_copied_has_no_value(void **state)
{
    const struct stapsdt_regs none = {.mask = 0, .of = registers};
    const char *in_register = "8@%rdx", *in_memory = "8@(%rbp)", *constant = "8@$5";
    struct stapsdt_arg arg;
    uint64_t got;
    (void)state;
    stapsdt_arg_next(&in_register, EM_X86_64, &arg);
    assert_false(stapsdt_arg_value(&arg, &none, &got));
    assert_true(stapsdt_arg_needs(&arg) == UINT64_C(1) << RDX);
    stapsdt_arg_next(&in_memory, EM_X86_64, &arg);
    assert_false(stapsdt_arg_address(&arg, &none, &got));
    stapsdt_arg_next(&constant, EM_X86_64, &arg);
    assert_true(stapsdt_arg_value(&arg, &none, &got) && got == 5);
    assert_true(stapsdt_arg_needs(&arg) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_register_has_its_part_and_sign),
        cmocka_unit_test(a_constant_is_its_own_value),
        cmocka_unit_test(memory_has_base_index_and_scale),
        cmocka_unit_test(a_list_is_read_to_its_end),
        cmocka_unit_test(what_is_not_understood_is_passed),
        cmocka_unit_test(a_register_that_was_not_copied_has_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
