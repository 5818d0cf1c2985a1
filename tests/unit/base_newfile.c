/*
 * base_newfile.c - output files are made anew, and nothing is written through a name's link.
 *
 * What lies in a folder of several users needs two of them: those tests are for root.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/newfile.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cmocka_all.h"

static char folder[64];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, P_tmpdir "/newfile-XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void assert_holds(const char *name, const char *text)
{
    char found[64] = "";
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    found[fread(found, 1, sizeof(found) - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(found, text);
}

/* Open, write "new", close. Returns is_ours. */
static int write_new(const char *name, mode_t mode)
{
    struct newfile file;
    const char *why = "";
    assert_int_equal(newfile_open(name, mode, NEWFILE_REPLACE, &file, &why), 0);
    assert_true(file.fd > STDERR_FILENO);
    assert_int_equal(write(file.fd, "new", 3), 3);
    close(file.fd);
    return file.is_ours;
}

static void a_file_is_made_anew_and_its_other_name_keeps_what_it_had(void **state)
{
    struct stat st;
    (void)state;
    put("x", "old");
    assert_int_equal(link("x", "y"), 0);
    assert_true(write_new("x", 0600));
    assert_holds("x", "new");
    assert_holds("y", "old");
    assert_int_equal(stat("x", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_link_is_replaced_and_what_it_names_is_untouched(void **state)
{
    struct stat st;
    (void)state;
    put("victim", "old");
    assert_int_equal(symlink("victim", "x"), 0);
    assert_true(write_new("x", 0644));
    assert_holds("victim", "old");
    assert_int_equal(lstat("x", &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(symlink("nowhere", "z"), 0);
    assert_true(write_new("z", 0644));
    assert_int_equal(access("nowhere", F_OK), -1);
}

static void what_shall_be_kept_is_kept(void **state)
{
    struct newfile file;
    const char *why;
    (void)state;
    put("x", "old");
    assert_int_equal(symlink("nowhere", "z"), 0);
    assert_int_equal(newfile_open("x", 0644, NEWFILE_KEEP, &file, &why), -EEXIST);
    assert_int_equal(newfile_open("z", 0644, NEWFILE_KEEP, &file, &why), -EEXIST);
    assert_holds("x", "old");
}

static void a_link_to_a_device_or_into_proc_or_to_a_folder_stays(void **state)
{
    static const struct {
        const char *target, *why;
    } rows[] = {
        {"/dev/null", "device"},
        {"/proc/self/fd/1", "/proc"},
        {P_tmpdir, "folder"},
    };
    struct newfile file;
    const char *why;
    struct stat st;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (void)unlink("x");
        assert_int_equal(symlink(rows[i].target, "x"), 0);
        assert_true(newfile_open("x", 0644, NEWFILE_REPLACE, &file, &why) < 0);
        assert_non_null(strstr(why, rows[i].why));
        assert_int_equal(lstat("x", &st), 0);
        assert_true(S_ISLNK(st.st_mode));
    }
}

static void a_device_is_used_as_it_is_and_is_not_kept_from_anybody(void **state)
{
    struct newfile file;
    const char *why;
    (void)state;
    assert_false(write_new("/dev/null", 0644));
    assert_int_equal(newfile_open("/dev/null", 0644, NEWFILE_KEEP, &file, &why), 0);
    close(file.fd);
    assert_true(newfile_is_special("/dev/null"));
    assert_false(newfile_is_special("x"));
}

static void *read_fifo(void *arg)
{
    int fd = open("fifo", O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, arg, 3);
    close(fd);
    return n == 3 ? arg : NULL;
}

static void a_fifo_takes_what_its_reader_gets(void **state)
{
    struct newfile file;
    pthread_t reader;
    const char *why;
    char bytes[4] = "";
    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    pthread_create(&reader, NULL, read_fifo, bytes);
    assert_int_equal(newfile_open("fifo", 0644, NEWFILE_REPLACE, &file, &why), 0);
    assert_false(file.is_ours);
    assert_int_equal(fcntl(file.fd, F_GETFL) & O_NONBLOCK, 0);
    assert_int_equal(write(file.fd, "new", 3), 3);
    pthread_join(reader, NULL);
    assert_string_equal(bytes, "new");
    close(file.fd);
}

static void names_of_descriptors_mean_them(void **state)
{
    static const struct {
        const char *name;
        int descriptor;
    } rows[] = {
        {"/dev/stdin", 0},    {"/dev/stdout", 1},     {"/dev/stderr", 2},
        {"/dev/fd/17", 17},   {"/proc/self/fd/3", 3}, {"/dev/fd/", -1},
        {"/dev/fd/1x", -1},   {"/dev/fd/-1", -1},     {"/dev/null", -1},
        {"/dev/stdout/", -1}, {"stdout", -1},         {"/dev/fd/99999999999999999999", -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(newfile_descriptor(rows[i].name), rows[i].descriptor);
}

static void a_descriptor_is_written_where_it_stands(void **state)
{
    struct newfile file;
    const char *why;
    char name[32];
    int fd;
    (void)state;
    put("x", "begin ");
    fd = open("x", O_WRONLY | O_APPEND);
    snprintf(name, sizeof(name), "/dev/fd/%d", fd);
    assert_false(write_new(name, 0600));
    assert_int_equal(write(fd, " end", 4), 4);
    close(fd);
    assert_holds("x", "begin new end");
    fd = open("x", O_RDONLY);
    assert_int_equal(newfile_open(name, 0644, NEWFILE_REPLACE, &file, &why), -EBADF);
    assert_non_null(strstr(why, "not open for writing"));
    close(fd);
    assert_int_equal(newfile_open(name, 0644, NEWFILE_REPLACE, &file, &why), -EBADF);
}

static void a_name_that_is_taken_is_not_renamed_to(void **state)
{
    (void)state;
    put("x", "x");
    put("y", "y");
    assert_int_equal(newfile_rename("x", "y"), -EEXIST);
    assert_holds("y", "y");
    assert_int_equal(newfile_rename("x", "z"), 0);
    assert_holds("z", "x");
    assert_int_equal(newfile_rename("x", "z2"), -ENOENT);
}

/* ---- two users: root has been there, and nobody writes */

enum { NOBODY = 65534 };

/* What newfile_open() says to the other user, in the other's words; 0 if the name was opened. */
static int open_as_nobody(const char *name, const char *wanted_why)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct newfile file;
        const char *why = "";
        int error = setgid(NOBODY) == 0 && setuid(NOBODY) == 0
                        ? newfile_open(name, 0600, NEWFILE_REPLACE, &file, &why)
                        : -ENOSYS;
        if (!error && write(file.fd, "new", 3) != 3)
            error = -EIO;
        _exit(error && !strstr(why, wanted_why) ? 255 : -error);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_not_equal(WEXITSTATUS(status), 255);
    return -WEXITSTATUS(status);
}

static void share_folder(mode_t mode)
{
    if (geteuid() != 0) {
        print_message("two users are needed: run as root\n");
        skip();
    }
    assert_int_equal(chmod(folder, mode), 0);
}

static void in_a_folder_of_all_nothing_of_another_user_is_touched(void **state)
{
    struct stat st;
    (void)state;
    share_folder(01777);
    put("root", "old");
    assert_int_equal(chmod("root", 0666), 0);
    assert_int_equal(open_as_nobody("root", "another user's file"), -EPERM);
    assert_holds("root", "old");
    put("nobody", "old");
    assert_int_equal(chown("nobody", NOBODY, NOBODY), 0);
    assert_int_equal(symlink("nobody", "x"), 0);
    assert_int_equal(open_as_nobody("x", "a link that cannot be removed"), -ELOOP);
    assert_holds("nobody", "old");
    assert_int_equal(open_as_nobody("nobody", ""), 0);
    assert_holds("nobody", "new");
    assert_int_equal(open_as_nobody("free", ""), 0);
    assert_int_equal(stat("free", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void in_a_folder_of_another_user_ones_own_file_is_emptied(void **state)
{
    struct stat st;
    (void)state;
    share_folder(0755);
    put("x", "older");
    assert_int_equal(chown("x", NOBODY, NOBODY), 0);
    assert_int_equal(open_as_nobody("x", ""), 0);
    assert_holds("x", "new");
    assert_int_equal(stat("x", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    put("x", "older");
    assert_int_equal(link("x", "y"), 0);
    assert_int_equal(open_as_nobody("x", "another name"), -EPERM);
    assert_holds("y", "older");
    put("root", "old");
    assert_int_equal(open_as_nobody("root", ""), -EACCES);
    assert_int_equal(open_as_nobody("free", ""), -EACCES);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_made_anew_and_its_other_name_keeps_what_it_had),
        TEST(a_link_is_replaced_and_what_it_names_is_untouched),
        TEST(what_shall_be_kept_is_kept),
        TEST(a_link_to_a_device_or_into_proc_or_to_a_folder_stays),
        TEST(a_device_is_used_as_it_is_and_is_not_kept_from_anybody),
        TEST(a_fifo_takes_what_its_reader_gets),
        TEST(names_of_descriptors_mean_them),
        TEST(a_descriptor_is_written_where_it_stands),
        TEST(in_a_folder_of_all_nothing_of_another_user_is_touched),
        TEST(in_a_folder_of_another_user_ones_own_file_is_emptied),
        TEST(a_name_that_is_taken_is_not_renamed_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
