/*
 * agent_scope_cell.c - the cells of threads with open scopes, and the numbers of values in them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "agent/scope/scope_cell.h"
#include "agent/scope/scope_record.h"
#include "agent/scope/scope_value.h"

enum { PLACES = 1 << 17 };

static uint32_t mine(int key)
{
    struct scope_values now;
    scope_read(&now);
    return now.of[key];
}

static void open_scope(struct scope_cell *c, uint32_t value)
{
    c->words.value[0] = value;
    c->words.depth++;
}

static void *read_other(void *tid)
{
    struct scope_values of;
    struct scope_cell *own = scope_cell_own();
    assert_int_equal(mine(0), 0);
    open_scope(own, 9);
    scope_cell_read(*(int32_t *)tid, &of);
    assert_int_equal(of.of[0], 7);
    *(int32_t *)tid = (int32_t)gettid();
    return NULL;
}

static void a_thread_has_its_own_and_leaves_nothing(void **state)
{
    struct scope_cell *own = scope_cell_own();
    struct scope_values of;
    int32_t tid = (int32_t)gettid();
    pthread_t other;
    assert_int_equal(mine(0), 0);
    open_scope(own, 7);
    assert_int_equal(mine(0), 7);
    assert_int_equal(pthread_create(&other, NULL, read_other, &tid), 0);
    pthread_join(other, NULL);
    scope_cell_read(tid, &of);
    assert_int_equal(of.of[0], 0);
    own->words.value[0] = 0;
    own->words.depth = 0;
}

static void a_virtual_thread_takes_its_scopes_along(void **state)
{
    struct scope_cell *own = scope_cell_own(), *one, *two;
    struct scope_values of;
    open_scope(own, 1);
    scope_cell_mount(100);
    assert_int_equal(mine(0), 0); /* and not what its carrier has */
    one = scope_cell_virtual(100);
    open_scope(one, 11);
    assert_int_equal(mine(0), 11);
    scope_cell_unmount(100);
    assert_int_equal(mine(0), 1);
    scope_cell_read_virtual(100, &of);
    assert_int_equal(of.of[0], 11);
    scope_cell_mount(200);
    two = scope_cell_virtual(200);
    assert_ptr_not_equal(one, two);
    scope_cell_unmount(200); /* has none open: its cell is anybody's */
    scope_cell_mount(100);
    assert_int_equal(mine(0), 11);
    scope_cell_forget(100);
    assert_int_equal(mine(0), 0);
    scope_cell_unmount(100);
    scope_cell_mount(100);
    assert_int_equal(mine(0), 0);
    scope_cell_unmount(100);
    own->words.value[0] = 0;
    own->words.depth = 0;
}

static void a_cell_that_was_taken_away_says_so(void **state)
{
    uint32_t stamp;
    struct scope_cell *c;
    scope_cell_mount(1);
    c = scope_cell_virtual(1);
    stamp = c->words.stamp;
    assert_int_not_equal(stamp, 0);
    open_scope(c, 5);
    scope_cell_unmount(1);
    assert_int_equal(c->words.stamp, stamp);
    scope_cell_forget_virtuals();
    assert_int_not_equal(c->words.stamp, stamp);
    assert_int_equal(c->words.value[0], 0);
    scope_cell_mount(1);
    assert_int_equal(mine(0), 0);
    scope_cell_unmount(1);
}

/* ---- records for other profilers */

static void *mine_to_others(void)
{
    return atomic_load(scope_record_mine());
}

static void a_record_is_shown_while_contexts_are_published(void **state)
{
    struct scope_cell *own = scope_cell_own();
    struct scope_record *r = scope_cell_record();
    assert_null(mine_to_others()); /* nobody has asked */
    scope_record_begin();
    assert_null(mine_to_others()); /* the record is not of this publication */
    assert_ptr_equal(scope_cell_record(), r);
    assert_ptr_equal(mine_to_others(), r);
    assert_int_equal(r->head.valid, 1);
    r->head.attribute_bytes = 7;
    assert_ptr_equal(scope_cell_record(), r);
    assert_int_equal(r->head.attribute_bytes, 7); /* another class loader's Java code asks for it */
    scope_record_end();
    scope_cell_hide_all();
    assert_null(mine_to_others());
    scope_record_begin();
    assert_null(mine_to_others());
    assert_ptr_equal(scope_cell_record(), r);
    assert_int_equal(r->head.attribute_bytes, 0);
    scope_record_end();
    scope_cell_hide_all();
    assert_ptr_equal(own->record, r);
}

static void a_record_follows_its_virtual_thread(void **state)
{
    struct scope_cell *own = scope_cell_own();
    scope_record_begin();
    struct scope_record *of_carrier = scope_cell_record(), *r;
    scope_cell_mount(300);
    assert_null(mine_to_others()); /* and not that of its carrier */
    struct scope_cell *cell = scope_cell_virtual(300);
    assert_null(mine_to_others());
    r = scope_cell_record();
    assert_ptr_equal(mine_to_others(), r);
    open_scope(cell, 5);
    scope_cell_unmount(300);
    assert_ptr_equal(mine_to_others(), of_carrier);
    scope_cell_mount(300);
    assert_ptr_equal(mine_to_others(), r);
    scope_cell_forget(300);
    assert_null(mine_to_others());
    scope_cell_unmount(300);
    scope_cell_mount(301);
    assert_ptr_equal(scope_cell_virtual(301), cell); /* the same cell for another thread */
    assert_null(mine_to_others());
    scope_cell_unmount(301);
    scope_record_end();
    scope_cell_hide_all();
    assert_null(mine_to_others());
    assert_ptr_equal(own->record, of_carrier);
}

static void values_in_use_outlive_any_number_of_others(void **state)
{
    char text[SCOPE_VALUE_BYTES];
    struct scope_cell *own = scope_cell_own();
    uint32_t kept = scope_value_new("kept", 4), outer = scope_value_new("outer", 5),
             idle = scope_value_new("idle", 4), epoch = scope_value_epoch, last = 0;
    own->words.value[3] = kept;
    own->words.saved[0].before = outer;
    own->words.depth = 1;
    assert_true(scope_value_is_known(idle));
    for (int i = 0; i < PLACES + 10; i++) {
        last = scope_value_new(text, (size_t)sprintf(text, "%d", i));
        assert_int_not_equal(last, 0);
    }
    assert_int_not_equal(scope_value_epoch, epoch);
    assert_true(scope_value_is_known(kept) && scope_value_is_known(outer));
    assert_false(scope_value_is_known(idle));
    assert_int_equal(scope_value_text(kept, text), 4);
    assert_string_equal(text, "kept");
    assert_int_equal(scope_value_text(last, text), 6);
    for (int i = 0; i < PLACES; i++)
        last = scope_value_new("x", 1);
    assert_int_equal(scope_value_text(idle, text), 0); /* its place is another's */
    assert_int_equal(scope_value_lost(), 0);
    own->words.depth = 0;
    own->words.value[3] = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_has_its_own_and_leaves_nothing),
        cmocka_unit_test(a_virtual_thread_takes_its_scopes_along),
        cmocka_unit_test(a_cell_that_was_taken_away_says_so),
        cmocka_unit_test(a_record_is_shown_while_contexts_are_published),
        cmocka_unit_test(a_record_follows_its_virtual_thread),
        cmocka_unit_test(values_in_use_outlive_any_number_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
