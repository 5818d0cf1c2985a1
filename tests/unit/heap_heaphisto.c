/*
 * heap_heaphisto.c - saved histograms of hprof histo, jmap and jcmd.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaphisto.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/err.h"
#include "cmocka_all.h"

enum { ROWS = 8 };

struct rows {
    uint32_t count;
    char name[ROWS][64];
    uint64_t objects[ROWS], bytes[ROWS];
};

static bool take(void *with, const char *name, uint64_t objects, uint64_t bytes)
{
    struct rows *r = with;
    snprintf(r->name[r->count], sizeof(r->name[0]), "%s", name);
    r->objects[r->count] = objects;
    r->bytes[r->count++] = bytes;
    return r->count < ROWS;
}

/* Reads a text as a file. */
static int read_text(const char *text, struct rows *ret, bool *ret_is)
{
    char path[64];
    int64_t ms = 0;
    int fd = memfd_create("histo", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    *ret = (struct rows){0};
    *ret_is = heaphisto_is(path);
    int error = heaphisto_read(path, take, ret, &ms);
    if (error == 0)
        assert_true(ms > 0);
    close(fd);
    return error;
}

static void the_output_of_each_tool_is_read(void **state)
{
    (void)state;
    struct rows r;
    bool is;
    assert_int_equal(read_text("4711:\n num     #instances         #bytes  class name (module)\n"
                               "-------------------------------------------------------\n"
                               "   1:         50743       43367440  [B (java.base@25.0.3)\n"
                               "   2:           255         154736  [[Ljava.lang.String;\n"
                               "   3:             7             56  Grows$Session\n"
                               "Total         51005       43522232\n",
                               &r, &is),
                     0);
    assert_true(is);
    assert_int_equal(r.count, 3);
    assert_string_equal(r.name[0], "byte[]");
    assert_int_equal(r.objects[0], 50743);
    assert_int_equal(r.bytes[0], 43367440);
    assert_string_equal(r.name[1], "java.lang.String[][]");
    assert_string_equal(r.name[2], "Grows$Session");
}

static void other_texts_are_none(void **state)
{
    (void)state;
    static const char *const texts[] = {"",           "JAVA PROFILE 1.0.2",
                                        "1: 2\n",     "1: 2 3\n",
                                        "1: x 3 A\n", "1: 99999999999999999999 3 A\n",
                                        "1 2 3 A\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct rows r;
        bool is;
        assert_int_equal(read_text(texts[i], &r, &is), E_FORMAT);
        assert_false(is);
    }
    struct rows r;
    int64_t ms;
    assert_int_equal(heaphisto_read("/proc/self/nothing", take, &r, &ms), -ENOENT);
    assert_false(heaphisto_is("/proc/self/nothing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_output_of_each_tool_is_read),
        cmocka_unit_test(other_texts_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
