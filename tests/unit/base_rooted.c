/* base_rooted.c - names below a root that others fill. SPDX-License-Identifier: Apache-2.0 */
#include "base/rooted.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmocka_all.h"

static char folder[] = P_tmpdir "/base_rooted-XXXXXX";

static void make_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* "secret" lies beside the root, which has links that would lead to it. */
static int make_root(void **state)
{
    char text[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    make_file("secret", "secret");
    assert_int_equal(mkdir("r", 0700) | mkdir("r/a", 0700) | mkdir("r/a/b", 0700), 0);
    make_file("r/a/b/file", "file");
    make_file("r/secret", "inner");
    snprintf(text, sizeof(text), "%s/secret", folder);
    assert_int_equal(symlink(text, "r/absolute"), 0);
    assert_int_equal(symlink("../secret", "r/up"), 0);
    assert_int_equal(symlink("../../../../../secret", "r/a/far"), 0);
    assert_int_equal(symlink("/a/b", "r/folder"), 0);
    assert_int_equal(symlink("a/b/../../folder/./file", "r/round"), 0);
    assert_int_equal(symlink("loop", "r/loop"), 0);
    assert_int_equal(symlink("/proc/self/root", "r/magic"), 0);
    assert_int_equal(mkfifo("r/fifo", 0600), 0);
    return 0;
}

static int remove_root(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

/* What is read, "" a folder, or the error. */
static const struct {
    const char *path, *text;
    int error;
} rows[] = {
    {"a/b/file", "file", 0},
    {"/a/b/file", "file", 0},
    {"//a/./b//file", "file", 0},
    {"a/../../../a/b/file", "file", 0},
    {"folder/file", "file", 0},
    {"round", "file", 0},
    {"a/b/", "", 0},
    {"folder", "", 0},
    {"/", "", 0},
    {"..", "", 0},
    {"up", "inner", 0}, /* not the one beside the root */
    {"a/far", "inner", 0},
    {"absolute", NULL, -ENOENT},
    {"loop", NULL, -ELOOP},
    {"magic/etc/passwd", NULL, -ENOENT},
    {"a/b/file/", NULL, -ENOTDIR},
    {"a/b/file/x", NULL, -ENOTDIR},
    {"nothing", NULL, -ENOENT},
};

static void check(int fd, const char *path, const char *text, int error)
{
    char name[64], read_text[16] = "";
    struct stat st;
    if (error) {
        if (fd != error)
            fail_msg("%s: %d", path, fd);
        return;
    }
    if (fd < 0 || fstat(fd, &st) != 0)
        fail_msg("%s: %d", path, fd);
    assert_int_equal(S_ISDIR(st.st_mode), text[0] == '\0');
    if (text[0]) {
        snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
        int reader = open(name, O_RDONLY | O_CLOEXEC);

        assert_true(read(reader, read_text, sizeof(read_text) - 1) > 0);
        if (strcmp(read_text, text) != 0)
            fail_msg("%s: '%s'", path, read_text);
        close(reader);
    }
    close(fd);
}

static void every_way_stays_below_the_root(void **state)
{
    int root = open("r", O_PATH | O_DIRECTORY | O_CLOEXEC);
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check(rooted_find(root, rows[i].path), rows[i].path, rows[i].text, rows[i].error);
        check(rooted_walk(root, rows[i].path), rows[i].path, rows[i].text, rows[i].error);
    }
    close(root);
}

static void only_a_regular_file_is_opened(void **state)
{
    int root = open("r", O_PATH | O_DIRECTORY | O_CLOEXEC);
    (void)state;
    assert_int_equal(rooted_open(root, "fifo"), -EINVAL);
    assert_int_equal(rooted_open(root, "a"), -EINVAL);
    assert_int_equal(rooted_open(root, "absolute"), -ENOENT);
    assert_int_equal(rooted_open(-1, "r/fifo"), -EINVAL);
    assert_int_equal(rooted_open(-1, "/dev/null"), -EINVAL);
    assert_int_equal(rooted_folder(root, "up"), -ENOTDIR);
    check(rooted_open(root, "round"), "round", "file", 0);
    check(rooted_open(-1, "r/up"), "r/up", "secret", 0);
    close(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_stays_below_the_root),
        cmocka_unit_test(only_a_regular_file_is_opened),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
