/*
 * watch_watch_spool.c - the folder where recordings wait, its bound, and the states beside them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_spool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"
#include "watch/watch_state.h"
#include "cmocka_all.h"
#include "testfile.h"

enum { UNIT = 1000 };

static char top[64];

static int make_top(void **state)
{
    (void)state;
    snprintf(top, sizeof(top), "/tmp/hprof-spool.XXXXXX");
    return mkdtemp(top) ? 0 : -1;
}

static int remove_top(void **state)
{
    (void)state;
    testfile_remove_folder(top);
    return 0;
}

/* A file of `units` units, written at the second `age`. */
static void put(uint64_t token, uint32_t number, unsigned units, int age)
{
    char name[WATCH_SPOOL_NAME], path[128], *text = calloc(units * UNIT + 1, 1);
    assert_non_null(text);
    memset(text, 'x', units * UNIT);
    watch_spool_name(token, number, name);
    testfile_put(top, name, text);
    snprintf(path, sizeof(path), "%s/%s", top, name);
    const struct timespec times[] = {{.tv_sec = age}, {.tv_sec = age}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    free(text);
}

static void names_are_read_as_they_are_written(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "",
        "0123456789abcdef-00000001",
        "0123456789abcdef-1.jfr",
        "0123456789ABCDEF-00000001.jfr",
        "123456789abcdef-00000001.jfr",
        "0123456789abcdef-00000001.jfr.old",
        "../0123456789abcdef-00000001.jfr",
    };
    uint64_t token;
    uint32_t number;
    assert_true(watch_spool_parse("0123456789abcdef-00000042.jfr", &token, &number));
    assert_true(token == UINT64_C(0x0123456789abcdef));
    assert_int_equal(number, 42);
    for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
        assert_false(watch_spool_parse(odd[i], &token, &number));
}

static void the_oldest_file_goes_first(void **state)
{
    (void)state;
    struct watch_spool s;
    put(2, 0, 1, 300);
    put(1, 7, 1, 200);
    put(1, 8, 1, 400);
    testfile_put(top, "other", "x");
    assert_int_equal(watch_spool_open(&s, "watch", top, 100 * UNIT), 0);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.bytes, 3 * UNIT);
    const uint32_t order[] = {7, 0, 8};
    for (size_t i = 0; i < 3; i++) {
        const struct watch_spool_file *file = watch_spool_oldest(&s);
        assert_int_equal(file->number, order[i]);
        watch_spool_remove(&s, file);
    }
    assert_null(watch_spool_oldest(&s));
    assert_int_equal(s.bytes, 0);
    assert_int_equal(watch_spool_read(&s), 0);
    assert_int_equal(s.count, 0);
    assert_int_equal(s.dropped_files, 0);
    watch_spool_close(&s);
}

static void a_full_spool_takes_from_the_one_that_has_most(void **state)
{
    (void)state;
    struct watch_spool s;
    put(1, 0, 1, 100);
    for (uint32_t i = 0; i < 6; i++)
        put(2, i, 2, 200 + (int)i);
    assert_int_equal(watch_spool_open(&s, "watch", top, 9 * UNIT), 0);
    assert_int_equal(s.count, 5);
    assert_int_equal(s.bytes, 9 * UNIT);
    assert_int_equal(s.dropped_files, 2);
    assert_int_equal(s.dropped_bytes, 4 * UNIT);
    assert_true(watch_spool_has_any(&s, 1));
    assert_int_equal(s.files[1].number, 2);
    assert_int_equal(watch_spool_read(&s), 0);
    assert_int_equal(s.count, 5);
    assert_int_equal(s.dropped_files, 2);
    watch_spool_close(&s);
}

static void one_process_has_it_and_nobody_else_can_write(void **state)
{
    (void)state;
    struct watch_spool s, other;
    assert_int_equal(watch_spool_open(&s, "watch", top, UNIT), 0);
    assert_int_equal(watch_spool_open(&other, "watch", top, UNIT), -EBUSY);
    watch_spool_close(&other);
    watch_spool_close(&s);
    assert_int_equal(chmod(top, 0770), 0);
    assert_int_equal(watch_spool_open(&s, "watch", top, UNIT), -EPERM);
    watch_spool_close(&s);
    assert_int_equal(chmod(top, 0700), 0);
    assert_true(watch_spool_open(&s, "watch", "/nowhere/spool", UNIT) < 0);
    watch_spool_close(&s);
}

static void a_state_is_read_as_it_was_written(void **state)
{
    (void)state;
    struct watch_state *s = malloc(sizeof(*s)), *read = malloc(sizeof(*read));
    uint64_t token;
    char name[64];
    assert_true(s && read);
    int folder = open(top, O_RDONLY | O_DIRECTORY);
    watch_state_begin(s);
    assert_true(s->token != 0 && watch_state_is_of_boot(s));
    s->pid = 4711;
    s->began = UINT64_C(1) << 40;
    s->uid = 1000;
    s->gid = 1001;
    s->tmp_device = 7;
    s->tmp_file = UINT64_C(1) << 50;
    s->next = 12;
    s->level = 3;
    snprintf(s->host, sizeof(s->host), "web1");
    watch_labels_set(&s->labels, "service.name", "a shop = good");
    watch_labels_set(&s->labels, "k8s.pod.name", "p\n1");
    assert_int_equal(watch_state_write(s, folder), 0);
    assert_int_equal(watch_state_read(read, folder, s->token), 0);
    assert_memory_equal(read, s, sizeof(*s));
    assert_string_equal(watch_labels_get(&read->labels, "k8s.pod.name"), "p?1");
    snprintf(name, sizeof(name), "jvm-%016llx", (unsigned long long)s->token);
    assert_true(watch_state_parse(name, &token) && token == s->token);
    assert_false(watch_state_parse("jvm-1", &token) || watch_state_parse("new-x", &token));
    snprintf(read->boot, sizeof(read->boot), "another");
    assert_false(watch_state_is_of_boot(read));
    testfile_put(top, name, "hprof-watch 2\npid 1\n");
    assert_int_equal(watch_state_read(read, folder, s->token), E_FORMAT);
    testfile_put(top, name, "hprof-watch 1\npid\n");
    assert_int_equal(watch_state_read(read, folder, s->token), E_FORMAT);
    watch_state_remove(s, folder);
    assert_int_equal(watch_state_read(read, folder, s->token), -ENOENT);
    close(folder);
    free(s);
    free(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_read_as_they_are_written),
        cmocka_unit_test_setup_teardown(the_oldest_file_goes_first, make_top, remove_top),
        cmocka_unit_test_setup_teardown(a_full_spool_takes_from_the_one_that_has_most, make_top,
                                        remove_top),
        cmocka_unit_test_setup_teardown(one_process_has_it_and_nobody_else_can_write, make_top,
                                        remove_top),
        cmocka_unit_test_setup_teardown(a_state_is_read_as_it_was_written, make_top, remove_top),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
