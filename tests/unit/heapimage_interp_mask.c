/*
 * heapimage_interp_mask.c - types of locals and stacks by bytecodes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "framemade.h"
#include <stdlib.h>
#include <string.h>

static struct framemade *made;

static int begin(void **state)
{
    (void)state;
    made = malloc(sizeof(*made));
    framemade_init(made);
    return 0;
}

static int end(void **state)
{
    (void)state;
    interp_mask_done(&made->masks);
    free(made);
    return 0;
}

/* A mask as text: a letter for each local, '|', one for each place of the stack that is in use;
 * 'r': a reference. */
static const char *mask_at(int32_t bci, bool is_call_done)
{
    static char text[140000];
    struct interp_mask_shape shape;
    const uint8_t *mask = framemade_mask(made, bci, is_call_done, &shape);
    char *at = text;
    if (!mask)
        return "none";
    for (uint32_t i = 0; i < shape.locals + shape.stack; i++) {
        if (i == shape.locals)
            *at++ = '|';
        *at++ = mask[i] ? 'r' : '-';
    }
    *at = 0;
    return text;
}

static void put(const char *type, uint16_t locals, uint16_t stack, const uint8_t *code,
                uint32_t size)
{
    const struct framemade_method method = {.descriptor = type,
                                            .is_static = true,
                                            .locals = locals,
                                            .stack = stack,
                                            .code = code,
                                            .code_size = size};
    framemade_put(made, &method);
}

#define CODE(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static void parameters_are_typed_by_the_descriptor(void **state)
{
    static const uint8_t code[] = {177};
    struct framemade_method method = {"(IJ[[ILjava/lang/Object;D)V", false, 9, 0, code, 1, NULL, 0};
    (void)state;
    framemade_put(made, &method);
    assert_string_equal(mask_at(0, false), "r---rr---");
    method.is_static = true;
    framemade_put(made, &method);
    assert_string_equal(mask_at(0, false), "---rr----");
}

static void a_local_that_one_path_does_not_set_is_no_reference(void **state)
{
    (void)state;
    /* 0 iload_0; ifeq 6; 4 aconst_null; astore_1; 6 aconst_null; astore_2; return */
    put("(I)V", 3, 1, CODE(26, 153, 0, 5, 1, 76, 1, 77, 177));
    assert_string_equal(mask_at(5, false), "---|r");
    assert_string_equal(mask_at(6, false), "---");
    assert_string_equal(mask_at(8, false), "--r");
}

static void a_loop_is_run_until_nothing_changes(void **state)
{
    (void)state;
    /* 0 aconst_null; astore_1; 2 iload_0; ifeq 11; 6 iconst_0; istore_1; goto 2; 11 return */
    put("(I)V", 2, 1, CODE(1, 76, 26, 153, 0, 8, 3, 60, 167, 0xff, 0xfa, 177));
    assert_string_equal(mask_at(2, false), "--");
    assert_string_equal(mask_at(11, false), "--");
}

static void a_call_takes_its_arguments_and_gives_its_result(void **state)
{
    (void)state;
    /* aload_0; aload_0; lconst_0; iconst_0; 4 invokevirtual; astore_0; return */
    put("(Ljava/lang/Object;)V", 1, 6, CODE(42, 42, 9, 3, 182, FRAMEMADE_CALL, 0, 75, 177));
    assert_string_equal(mask_at(4, false), "r|rr---");
    assert_string_equal(mask_at(4, true), "r");
    assert_string_equal(mask_at(7, false), "r|r");
    /* the VM's own form; below the arguments a reference stays */
    put("()V", 1, 6, CODE(1, 1, 1, 9, 3, 227, FRAMEMADE_CALL, 0, 75, 87, 177));
    assert_string_equal(mask_at(5, false), "-|rrr---");
    assert_string_equal(mask_at(5, true), "-|r");
    assert_string_equal(mask_at(8, false), "-|rr");
    /* too few arguments */
    put("()V", 1, 6, CODE(1, 182, FRAMEMADE_CALL, 0, 75, 177));
    assert_string_equal(mask_at(1, true), "none");
}

static void a_handler_knows_what_holds_wherever_an_exception_may_come_from(void **state)
{
    static const uint16_t handlers[][4] = {{0, 5, 6, 0}};
    /* 0 aconst_null; astore_0; 2 invokestatic; 5 return; 6 astore_1; return */
    static const uint8_t code[] = {1, 75, 184, FRAMEMADE_VOID, 0, 177, 76, 177};
    const struct framemade_method method = {"()V", true, 2, 1, code, sizeof(code), handlers, 1};
    (void)state;
    framemade_put(made, &method);
    assert_string_equal(mask_at(6, false), "r-|r");
    assert_string_equal(mask_at(7, false), "rr");
}

static void instructions_move_cells_as_they_move_values(void **state)
{
    (void)state;
    put("()V", 0, 4, CODE(3, 3, 1, 91, 88, 88, 177)); /* dup_x2 */
    assert_string_equal(mask_at(4, false), "|r--r");
    put("()V", 0, 2, CODE(1, 3, 95, 88, 177)); /* swap */
    assert_string_equal(mask_at(3, false), "|-r");
    put("()V", 0, 6, CODE(1, 9, 94, 88, 88, 87, 177)); /* dup2_x2 wants four */
    assert_string_equal(mask_at(3, false), "none");
    put("()V", 0, 2, CODE(178, FRAMEMADE_FIELD, 0, 88, 177)); /* a long */
    assert_string_equal(mask_at(3, false), "|--");
    put("()V", 0, 3, CODE(18, 1, 18, 2, 230, 0, 87, 88, 177)); /* ldc of an int, of a class, aldc */
    assert_string_equal(mask_at(6, false), "|-rr");
    put("()V", 2, 1, CODE(3, 196, 54, 0, 1, 177)); /* wide istore 1 */
    assert_string_equal(mask_at(5, false), "--");
    put("()V", 0, 2, CODE(3, 3, 197, 0, 1, 2, 87, 177)); /* multianewarray */
    assert_string_equal(mask_at(6, false), "|r");
}

static void a_switch_leads_to_each_of_its_targets(void **state)
{
    (void)state;
    /* 0 iload_0; 1 tableswitch 0: 22, else 20; 20 aconst_null; astore_0; 22 return */
    put("(I)V", 1, 1,
        CODE(26, 170, 0, 0, 0, 0, 0, 19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 21, 1, 75, 177));
    assert_string_equal(mask_at(21, false), "-|r");
    assert_string_equal(mask_at(22, false), "-");
}

static void what_cannot_be_followed_is_not_told(void **state)
{
    (void)state;
    put("()V", 1, 1, CODE(168, 0, 3, 177)); /* jsr */
    assert_string_equal(mask_at(3, false), "none");
    put("()V", 1, 1, CODE(202, 177)); /* a breakpoint */
    assert_string_equal(mask_at(1, false), "none");
    put("()V", 1, 1, CODE(177, 1, 177)); /* no path leads there */
    assert_string_equal(mask_at(1, false), "none");
    put("()V", 1, 1, CODE(1, 1, 177)); /* too deep */
    assert_string_equal(mask_at(2, false), "none");
    put("()V", 1, 1, CODE(167, 0x7f, 0, 177)); /* out of the method */
    assert_string_equal(mask_at(0, false), "none");
    put("(I", 1, 1, CODE(177));
    assert_string_equal(mask_at(0, false), "none");
    put("(ILjava/lang/Object)V", 3, 1, CODE(177));
    assert_string_equal(mask_at(0, false), "none");
}

/* Each instruction is the beginning of a block, and each block has many cells. */
static void the_work_for_hostile_methods_is_bounded(void **state)
{
    static uint8_t code[65000];
    (void)state;
    for (uint32_t at = 0; at + 4 <= sizeof(code); at += 4)
        memcpy(code + at, (const uint8_t[]){3, 153, 0xff, 0xff}, 4); /* iconst_0; ifeq itself - 1 */
    put("()V", 200, 1, code, sizeof(code));
    assert_string_equal(mask_at(64000, false), "none");
    put("()V", 65535, 1, code, sizeof(code)); /* more states than there is room for */
    assert_string_equal(mask_at(8, false), "none");
    put("()V", 40, 1, CODE(3, 153, 0xff, 0xff, 177));
    made->masks.work_left = 10;
    assert_string_equal(mask_at(4, false), "none");
    assert_int_equal(made->masks.work_left, 0);
}

static uint64_t seed = 1;
static uint32_t next_random(uint32_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % limit;
}

static void any_bytes_are_read_within_their_bounds(void **state)
{
    uint32_t told = 0;
    (void)state;
    for (int round = 0; round < 2000; round++) {
        uint8_t code[64];
        uint16_t handlers[2][4];
        struct framemade_method method = {.descriptor = "(IJ[[ILjava/lang/Object;D)V",
                                          .is_static = true,
                                          .locals = (uint16_t)(8 + next_random(4)),
                                          .stack = (uint16_t)next_random(100),
                                          .code = code,
                                          .code_size = 1 + next_random(sizeof(code)),
                                          .handlers = (const uint16_t(*)[4])handlers,
                                          .handler_count = next_random(3)};
        for (uint32_t i = 0; i < sizeof(code); i++)
            code[i] = (uint8_t)next_random(next_random(8) ? 17 : 256);
        code[method.code_size - 1] = 177;
        for (uint32_t i = 0; i < 8; i++)
            handlers[i / 4][i % 4] = (uint16_t)next_random(70);
        framemade_put(made, &method);
        for (uint32_t i = next_random(3); i > 0; i--) {
            uint8_t byte = (uint8_t)next_random(256);
            framemade_write(made,
                            next_random(2) ? next_random(0x1000) : FRAMEMADE_CODE + next_random(40),
                            &byte, 1);
        }
        for (int i = 0; i < 3; i++)
            told += strcmp(mask_at((int32_t)next_random(64), i > 1), "none") != 0;
    }
    assert_true(told > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_typed_by_the_descriptor),
        cmocka_unit_test(a_local_that_one_path_does_not_set_is_no_reference),
        cmocka_unit_test(a_loop_is_run_until_nothing_changes),
        cmocka_unit_test(a_call_takes_its_arguments_and_gives_its_result),
        cmocka_unit_test(a_handler_knows_what_holds_wherever_an_exception_may_come_from),
        cmocka_unit_test(instructions_move_cells_as_they_move_values),
        cmocka_unit_test(a_switch_leads_to_each_of_its_targets),
        cmocka_unit_test(what_cannot_be_followed_is_not_told),
        cmocka_unit_test(the_work_for_hostile_methods_is_bounded),
        cmocka_unit_test(any_bytes_are_read_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
