/*
 * testfile.c - see testfile.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "testfile.h"
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmocka_all.h"

static char *read_stream(FILE *f, size_t *ret_len)
{
    size_t room = 4096;
    size_t len = 0;
    char *bytes = malloc(room);
    assert_non_null(bytes);
    size_t n;
    while ((n = fread(bytes + len, 1, room - len - 1, f)) > 0) {
        len += n;
        if (room - len - 1 == 0) {
            room *= 2;
            bytes = realloc(bytes, room);
            assert_non_null(bytes);
        }
    }
    bytes[len] = '\0';
    *ret_len = len;
    return bytes;
}

char *testfile_read(const char *name, size_t *ret_len)
{
    const char *folder = getenv("TEST_DATA");
    if (!folder)
        fail_msg("set TEST_DATA to the folder tests/data");
    size_t len = strlen(name);
    int packed = len > 3 && strcmp(name + len - 3, ".gz") == 0;
    char path[1024];
    snprintf(path, sizeof(path), "%s%s/%s%s", packed ? "gzip -dc '" : "", folder, name,
             packed ? "'" : "");
    FILE *f = packed ? popen(path, "r") : fopen(path, "rb"); /* NOLINT(cert-env33-c) */
    if (!f)
        fail_msg("cannot open %s", path);
    char *bytes = read_stream(f, ret_len);
    int status = packed ? pclose(f) : fclose(f);
    if (status != 0 || *ret_len == 0)
        fail_msg("cannot read %s", path);
    return bytes;
}

char *testfile_contents(int fd, size_t *ret_len)
{
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    int copy = dup(fd);
    assert_true(copy >= 0);
    FILE *f = fdopen(copy, "rb");
    assert_non_null(f);
    char *bytes = read_stream(f, ret_len);
    fclose(f);
    return bytes;
}

int testfile_temp(void)
{
    char path[] = "/tmp/hprof-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    return fd;
}

void testfile_put(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (; *text; text++) {
        if (*text == '@')
            fputs(folder, f);
        else
            fputc(*text, f);
    }
    fclose(f);
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *where)
{
    (void)s, (void)type, (void)where;
    return remove(path);
}

void testfile_remove_folder(const char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
