/*
 * agent_place.c - see agent_place.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/agent_place.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "process/process.h"

enum {
    PIECE_BYTES = 256 * 1024,
    NAME_BYTES = 64,
    LIBRARY_MAX = 256 << 20,
    TRIES = 5, /* attempts, because another process may sweep at the same time */
};

/* The agent library inside the command: libhprof.so of the same build, without debug information
 * (agent_carried.S). */
extern const unsigned char agent_carried_bytes[], agent_carried_end[];

static const char library_name[] = "libhprof.so", new_prefix[] = ".new-", promised[] = "promised";
static const char own_folder[] = ".hprof-%u"; /* %u is the number of the user who owns the folder */
static const char *const folders[] = {"tmp", "var/tmp", "dev/shm"};

static int read_whole(int fd, unsigned char *to, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = read(fd, to + at, len - at);
        if (n == 0 || (n < 0 && errno != EINTR))
            return n == 0 ? -EIO : -errno;
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int agent_place_read(struct agent_place *p, const char *library)
{
    struct stat st;
    *p = (struct agent_place){.bytes = agent_carried_bytes,
                              .len = (size_t)(agent_carried_end - agent_carried_bytes)};
    if (!library)
        return 0;
    int fd = open(library, O_RDONLY | O_CLOEXEC), error = fd < 0 ? -errno : 0;
    if (error == 0 && fstat(fd, &st) != 0)
        error = -errno;
    if (error == 0 && (st.st_size <= 0 || st.st_size > LIBRARY_MAX))
        error = -EFBIG;
    if (error == 0 && !(p->owned = malloc((size_t)st.st_size)))
        error = -ENOMEM;
    if (error == 0)
        error = read_whole(fd, p->owned, (size_t)st.st_size);
    if (error == 0) {
        p->bytes = p->owned;
        p->len = (size_t)st.st_size;
    }
    if (fd >= 0)
        close(fd);
    return error;
}

void agent_place_done(struct agent_place *p)
{
    free(p->owned);
    *p = (struct agent_place){0};
}

/* The sum of the library's bytes (FNV-1a): it tells one build of the library from another. */
static uint64_t sum_of(const struct agent_place *p)
{
    uint64_t sum = 1469598103934665603u;
    for (size_t i = 0; i < p->len; i++)
        sum = (sum ^ p->bytes[i]) * 1099511628211u;
    return sum;
}

static int write_whole(const struct agent_place *p, int fd)
{
    for (size_t at = 0; at < p->len;) {
        ssize_t n = write(fd, p->bytes + at, p->len - at);
        if (n < 0 && errno != EINTR)
            return -errno;
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Whether the file holds exactly the bytes of the library. */
static bool has_bytes(const struct agent_place *p, int fd)
{
    unsigned char *piece = malloc(PIECE_BYTES);
    size_t at = 0;
    bool is_same = piece != NULL;
    for (ssize_t n; is_same && (n = read(fd, piece, PIECE_BYTES)) != 0; at += (size_t)n)
        is_same = n > 0 && (size_t)n <= p->len - at && memcmp(piece, p->bytes + at, (size_t)n) == 0;
    free(piece);
    return is_same && at == p->len;
}

/* Open the folder of one user, or make it. A link and a folder of another user are refused. */
static int open_own_folder(int parent, const char *name, uid_t uid, mode_t mode)
{
    struct stat st;
    if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST)
        return -errno;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) == 0 && st.st_uid == uid && (st.st_mode & 022) == 0 &&
        ((st.st_mode & mode) == mode || fchmod(fd, mode) == 0))
        return fd;
    close(fd);
    return -EACCES;
}

/* Open the folder of user `uid` below a shared folder. Another user may have taken the name first.
 * Then an existing folder of this user with a number in its name is used, or a new one is made with
 * a random number. */
static int open_users_folder(int parent, uid_t uid, mode_t mode, char ret_own[NAME_BYTES])
{
    uint64_t number;
    int dir = -1;
    snprintf(ret_own, NAME_BYTES, own_folder, (unsigned)uid);
    int fd = open_own_folder(parent, ret_own, uid, mode);
    if (fd >= 0 || (fd != -EACCES && fd != -ENOTDIR && fd != -ELOOP))
        return fd;
    size_t len = strlen(ret_own);
    ret_own[len++] = '-';
    ret_own[len] = '\0';
    dir = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = dir < 0 ? NULL : fdopendir(dir);
    for (const struct dirent *e; d && fd < 0 && (e = readdir(d)) != NULL;)
        if (strncmp(e->d_name, ret_own, len) == 0 && strlen(e->d_name) < NAME_BYTES &&
            (fd = open_own_folder(parent, e->d_name, uid, mode)) >= 0)
            snprintf(ret_own, NAME_BYTES, "%s", e->d_name);
    if (d)
        closedir(d);
    if (fd >= 0 || getrandom(&number, sizeof(number), 0) != sizeof(number))
        return fd;
    snprintf(ret_own + len, NAME_BYTES - len, "%016llx", (unsigned long long)number);
    return open_own_folder(parent, ret_own, uid, mode);
}

/* Take a shared lock on the file, if its file system has such locks. Errors: 0; -ESTALE: the file
 * was removed before the lock. */
static int hold(int fd)
{
    struct stat st;
    (void)flock(fd, LOCK_SH);
    return fstat(fd, &st) == 0 && st.st_nlink > 0 ? 0 : -ESTALE;
}

/* Open the copy that is there: returns a descriptor that holds it. Errors: -ENOENT no file; -EEXIST
 * a file with other bytes, owner or mode; -ESTALE the file was removed at the same time. */
static int find_file(const struct agent_place *p, int folder, uid_t uid, mode_t mode)
{
    struct stat st;
    int fd = openat(folder, library_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int error = hold(fd);
    if (error == 0 && !(fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == uid &&
                        (st.st_mode & 022) == 0 && has_bytes(p, fd) &&
                        ((st.st_mode & mode) == mode || fchmod(fd, mode) == 0)))
        error = -EEXIST;
    if (error == 0)
        return fd;
    close(fd);
    return error;
}

/* Write the library into `folder`: returns a descriptor that holds it. The copy gets its final name
 * only when all bytes are written. */
static int make_file(const struct agent_place *p, int folder, mode_t mode)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof(name), "%s%d", new_prefix, (int)getpid());
    int fd = openat(folder, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0700);
    if (fd < 0)
        return -errno;
    int error = hold(fd);
    if (error == 0)
        error = write_whole(p, fd);
    if (error == 0 && fchmod(fd, mode) != 0)
        error = -errno;
    /* No program can be run from a file that is open for writing, so the copy is held by a second
     * descriptor. */
    int reader = error == 0 ? openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (error == 0)
        error = reader < 0 ? -errno : hold(reader);
    if (close(fd) != 0 && error == 0)
        error = -errno;
    if (error == 0 && renameat(folder, name, folder, library_name) != 0)
        error = -errno;
    if (error == 0)
        return reader;
    (void)unlinkat(folder, name, 0);
    if (reader >= 0)
        close(reader);
    return error;
}

/* Open the folders `own` and `build` in a shared folder from which programs may be run: returns a
 * descriptor of `build`. */
static int open_build(int parent, char own[NAME_BYTES], const char *build, uid_t uid, mode_t mode)
{
    struct statvfs st;
    if (fstatvfs(parent, &st) != 0 || (st.f_flag & (ST_NOEXEC | ST_RDONLY)) != 0)
        return -EROFS;
    int mine = open_users_folder(parent, uid, mode, own);
    if (mine < 0)
        return mine;
    int folder = open_own_folder(mine, build, uid, mode);
    close(mine);
    return folder;
}

static int put_below(const struct agent_place *p, int parent, char own[NAME_BYTES],
                     const char *build, uid_t uid, mode_t mode)
{
    int fd = -ESTALE;

    /* A process that sweeps may remove the file and its folders until the file is held. */
    for (int i = 0; i < TRIES && (fd == -ESTALE || fd == -ENOENT); i++) {
        int folder = open_build(parent, own, build, uid, mode);
        if (folder < 0) {
            fd = folder;
            continue;
        }
        fd = find_file(p, folder, uid, mode);
        if (fd == -ENOENT)
            fd = make_file(p, folder, mode);
        close(folder);
    }
    return fd;
}

int agent_place_put(const struct agent_place *p, int root, uid_t uid, mode_t mode,
                    char ret_path[PATH_MAX], int *ret_hold)
{
    char own[NAME_BYTES], build[NAME_BYTES];
    int fd = -ENOENT;
    snprintf(build, sizeof(build), "%016llx", (unsigned long long)sum_of(p));
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && fd < 0; i++) {
        int parent = process_folder_open(root, folders[i]);
        if (parent < 0) {
            fd = parent;
            continue;
        }
        fd = put_below(p, parent, own, build, uid, mode);
        close(parent);
        if (fd >= 0)
            snprintf(ret_path, PATH_MAX, "/%s/%s/%s/%s", folders[i], own, build, library_name);
    }
    *ret_hold = fd;
    return fd < 0 ? fd : 0;
}

int agent_place_promise(const char *path)
{
    char mark[PATH_MAX + NAME_BYTES];
    const char *slash = strrchr(path, '/');
    snprintf(mark, sizeof(mark), "%.*s/%s", slash ? (int)(slash - path) : 0, path, promised);
    int fd = open(mark, O_CREAT | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

/* ---- removing copies that no process holds */

static bool is_ours(const char *name)
{
    return strcmp(name, library_name) == 0 ||
           strncmp(name, new_prefix, sizeof(new_prefix) - 1) == 0;
}

/* Call `call` for each name in a folder. Owner: takes over the folder's descriptor. */
static void each_name(int folder, void (*call)(int folder, const char *name))
{
    DIR *d = fdopendir(folder);
    if (!d) {
        close(folder);
        return;
    }
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            call(dirfd(d), e->d_name);
    closedir(d);
}

static void sweep_file(int folder, const char *name)
{
    struct stat st;
    int fd =
        is_ours(name) ? openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)unlinkat(folder, name, 0);
    close(fd);
}

static void sweep_build(int own, const char *name)
{
    int folder = openat(own, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    if (faccessat(folder, promised, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        close(folder);
        return;
    }
    each_name(folder, sweep_file);
    (void)unlinkat(own, name, AT_REMOVEDIR); /* succeeds only if the folder is empty */
}

static void sweep_users(int parent, const char *own, uid_t uid)
{
    struct stat st;
    int mine = openat(parent, own, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (mine >= 0 && fstat(mine, &st) == 0 && st.st_uid == uid && (st.st_mode & 022) == 0)
        each_name(mine, sweep_build);
    else if (mine >= 0)
        close(mine);
    (void)unlinkat(parent, own, AT_REMOVEDIR);
}

void agent_place_sweep(int root, uid_t uid)
{
    char own[NAME_BYTES];
    int len = snprintf(own, sizeof(own), own_folder, (unsigned)uid);
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        int parent = process_folder_open(root, folders[i]);
        int dir = parent < 0 ? -1 : openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *d = dir < 0 ? NULL : fdopendir(dir);
        for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
            if (strncmp(e->d_name, own, (size_t)len) == 0 &&
                (e->d_name[len] == '\0' || e->d_name[len] == '-'))
                sweep_users(parent, e->d_name, uid);
        if (d)
            closedir(d);
        else if (dir >= 0)
            close(dir);
        if (parent >= 0)
            close(parent);
    }
}
