/*
 * otel_otel_publish.c - a process context that is published is found and read like another's.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "otel/otel_publish.h"
#include "cmocka_all.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/err.h"
#include "otel/otel_process.h"

static int read_here(void *with, uint64_t addr, void *dst, size_t len)
{
    memcpy(dst, (const void *)(uintptr_t)addr, len);
    return 0;
}

static int find(struct otel_process *ret)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    int error = otel_process_find(maps, read_here, NULL, ret);
    fclose(maps);
    return error;
}

static void a_reader_finds_the_names_and_those_that_come_later(void **state)
{
    static const char *const names[] = {"user", "trace_id", "action"};
    struct otel_publish p = {0};
    struct otel_process first, second;
    assert_int_equal(find(&first), E_NOT_FOUND);
    assert_int_equal(otel_publish_set(&p, names, 2), 0);
    assert_int_equal(find(&first), 0);
    assert_int_equal(first.header, (uint64_t)(uintptr_t)p.mapping);
    assert_int_equal(first.key_count, 2);
    assert_string_equal(first.keys[1], "trace_id");
    assert_int_equal(first.attribute_count + first.left_out, 0);
    assert_true(otel_process_is_same(&first, read_here, NULL));
    assert_int_equal(otel_publish_set(&p, names, 3), 0);
    assert_false(otel_process_is_same(&first, read_here, NULL));
    assert_int_equal(find(&second), 0);
    assert_int_equal(second.header, first.header);
    assert_true(second.published_ns > first.published_ns);
    assert_int_equal(second.key_count, 3);
    assert_string_equal(second.keys[2], "action");
    otel_process_done(&first);
    otel_process_done(&second);
    otel_publish_done(&p);
    assert_int_equal(find(&first), E_NOT_FOUND);
}

static void a_child_has_no_context_of_its_parent(void **state)
{
    static const char *const names[] = {"user"};
    struct otel_publish p = {0};
    struct otel_process of;
    int status;
    assert_int_equal(otel_publish_set(&p, names, 1), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(find(&of) == E_NOT_FOUND ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    otel_publish_done(&p);
}

static void names_that_fill_more_than_a_page_are_refused(void **state)
{
    char *name = calloc(1, 1 << 20);
    struct otel_publish p = {0};
    struct otel_process of;
    assert_non_null(name);
    memset(name, 'x', (1 << 20) - 1);
    const char *const names[] = {name};
    assert_int_equal(otel_publish_set(&p, names, 1), E_LIMIT);
    assert_null(p.mapping);
    assert_int_equal(find(&of), E_NOT_FOUND);
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_finds_the_names_and_those_that_come_later),
        cmocka_unit_test(a_child_has_no_context_of_its_parent),
        cmocka_unit_test(names_that_fill_more_than_a_page_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
