/*
 * safe_hs_names_order.c - entering and emptying of hs_names.c in all orders that the memory model
 * of C allows: a half is emptied when no handler is in it, and a handler that enters later uses the
 * other one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "litmus.h"
#include "cmocka_all.h"
#include "litmus/stdatomic.h"
#include "litmus/litmus_plain.h"
#include "safe/hs_names.c"
#undef memcpy
#undef memset

enum { SLOTS = 2, HALF_BYTES = 64 };

static const struct hs_layout layout;
static struct hs_names names;
static _Alignas(8) unsigned char memory[2 * HALF_BYTES];

static void make(void)
{
    memset(memory, 0, sizeof(memory));
    memset(&names, 0, sizeof(names));
    names.layout = &layout;
    names.memory = memory;
    names.slot_mask = SLOTS - 1;
    for (int i = 0; i < 2; i++) {
        names.half[i].slots = (void *)(memory + i * HALF_BYTES);
        names.half[i].first = (uint64_t)i * HALF_BYTES + SLOTS * 4;
        names.half[i].end = (uint64_t)(i + 1) * HALF_BYTES;
        atomic_store(&names.half[i].next, names.half[i].end); /* full: each turn changes halves */
    }
    atomic_store(&names.generation, 1);
}

static void handler(void)
{
    struct mem_view v = {0};
    struct hs_names_visit visit;
    hs_names_enter(&names, &v, &visit);
    if (visit.half) {
        atomic_store_explicit(&visit.half->slots[0], 5, memory_order_relaxed);
        litmus_require(atomic_load_explicit(&visit.half->slots[0], memory_order_relaxed) == 5,
                       "a half that was emptied under a handler");
    }
    hs_names_leave(&visit);
}

static void drain(void)
{
    for (int i = 0, emptied; i < 3; i++)
        hs_names_turn(&names, NULL, 0, &emptied);
}

static void nobody_is_inside(void)
{
    litmus_require(atomic_load(&names.half[0].inside) == 0 &&
                       atomic_load(&names.half[1].inside) == 0,
                   "a handler that is still counted");
}

static const struct litmus one_handler = {make, {handler, drain}, nobody_is_inside, 0};

static void a_half_is_emptied_when_no_handler_is_in_it(void **state)
{
    (void)state;
    uint64_t executions = litmus_run(&one_handler);
    if (executions == 0)
        fail_msg("%s", litmus_wrong());
    print_message("%lu executions\n", (unsigned long)executions);
    assert_true(executions > 1000);
}

/* The five orders of entering, leaving and looking at who is inside, and of the generation. The
 * other lines are the drain's own numbers. */
static void the_orders_of_the_handshake_are_needed(void **state)
{
    int lines[64], count = litmus_lines(lines, 64), needed = 0;
    (void)state;
    for (int i = 0; i < count; i++) {
        litmus_weaken(lines[i]);
        bool is_wrong = litmus_run(&one_handler) == 0;
        needed += is_wrong;
        print_message("hs_names.c:%d relaxed: %s\n", lines[i],
                      is_wrong ? litmus_wrong() : "no harm");
    }
    litmus_weaken(0);
    assert_int_equal(needed, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_half_is_emptied_when_no_handler_is_in_it),
        cmocka_unit_test(the_orders_of_the_handshake_are_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
