/*
 * sweep.c - see sweep.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/sweep.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "command/say.h"

#define ANSWER ".hprof-answer-" /* a line that came too late for the command */

enum { DIGITS = 16, QUIET_S = 60 };

static bool is_named(const char *name)
{
    static const char *const prefixes[] = {ANSWER, ".hprof-heap-", ".hprof-jdk-", ".hprof-record-"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        size_t len = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], len) == 0 &&
            strspn(name + len, "0123456789abcdef") == DIGITS)
            return true;
    }
    return false;
}

/* Whether it is the user's own file, and has not changed for a while. */
static bool is_quiet(const struct stat *st)
{
    return S_ISREG(st->st_mode) && st->st_uid == geteuid() && st->st_nlink == 1 &&
           time(NULL) - st->st_mtime > QUIET_S;
}

static void look_at(const char *who, int folder, const char *name)
{
    struct stat st;
    int fd;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !is_quiet(&st))
        return;
    /* Opened for writing, because NFS needs that for an exclusive lock. */
    fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && is_quiet(&st) && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        unlinkat(folder, name, 0) == 0 && strncmp(name, ANSWER, sizeof(ANSWER) - 1) != 0)
        say("%s: removed '%s' of %.1f MB, which a command left that was ended", who, name,
            (double)st.st_size / 1e6);
    close(fd);
}

void sweep_folder(const char *who, int folder)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *all = again < 0 ? NULL : fdopendir(again);
    struct dirent *one;
    if (!all && again >= 0)
        close(again);
    while (all && (one = readdir(all)) != NULL)
        if (is_named(one->d_name))
            look_at(who, folder, one->d_name);
    if (all)
        closedir(all);
}
