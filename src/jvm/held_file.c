/*
 * held_file.c - see held_file.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/held_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "attach/attach.h"
#include "jvm/agent_link.h"
#include "jvm/jvm_target.h"
#include "command/say.h"

enum { PATH_BYTES = 64 };

/* If the JVM runs in another user namespace, /proc shows our own user more than it shows the JVM's
 * user. */
static int open_in_proc(struct attach *a, const char *path, int flags)
{
    (void)process_ids_back(&a->before);
    int fd = open(path, flags | O_CLOEXEC);
    int error = -errno;

    if (process_ids_take(&a->socket.process, &a->before) != 0 && fd >= 0) {
        close(fd);
        return -EPERM;
    }
    return fd < 0 ? error : fd;
}

const char *held_file_item(struct attach *a)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)a->socket.process.task);
    int fd = open_in_proc(a, path, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return "";
    close(fd);
    return ",held=y";
}

/* Opening a device can have an effect, so the type of the file is checked before it is opened. */
static int open_checked(struct attach *a, const char *path, nlink_t names)
{
    char again[PATH_BYTES];
    struct stat st;
    int at = open_in_proc(a, path, O_PATH);
    if (at < 0)
        return at;
    snprintf(again, sizeof(again), "/proc/self/fd/%d", at);
    bool is_it = fstat(at, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == names &&
                 st.st_uid == a->socket.process.uid;
    int fd = is_it ? open_in_proc(a, again, O_RDONLY) : -ENOENT;
    close(at);
    return fd;
}

static void path_of(const struct agent_link *l, unsigned number, char ret[PATH_BYTES])
{
    snprintf(ret, PATH_BYTES, "/proc/%d/fd/%u", (int)l->attach->socket.process.task, number);
}

int held_file_open(const struct agent_link *l)
{
    unsigned number = (unsigned)agent_link_number(l, "fd");
    char path[PATH_BYTES];
    if (number == 0)
        return HELD_FILE_NAMED;
    path_of(l, number, path);
    int fd = open_checked(l->attach, path, 0);
    if (fd < 0)
        say("%s: what the JVM writes cannot be opened as %s: %s", jvm_target_name(l->jvm), path,
            strerror(-fd));
    else
        (void)flock(fd, LOCK_SH | LOCK_NB);
    return fd == HELD_FILE_NAMED ? -EACCES : fd;
}

int held_file_wait(const struct agent_link *l)
{
    unsigned number = (unsigned)agent_link_number(l, "lock");
    char path[PATH_BYTES];
    if (number == 0)
        return -1;
    path_of(l, number, path);
    int fd = open_checked(l->attach, path, 1);
    if (fd < 0)
        return -1;
    (void)flock(fd, LOCK_SH | LOCK_NB);
    return fd;
}

int held_file_name(const struct attach *a, int fd, const char *name)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, path, a->socket.tmp, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : -errno;
}
