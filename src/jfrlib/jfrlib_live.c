/*
 * jfrlib_live.c - see jfrlib_live.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrlib/jfrlib_live.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/rooted.h"
#include "jfr/jfr_budget.h"
#include "jfr/jfr_file.h"

static const char suffix[] = ".jfr";

/* Closes the present chunk file. */
static void leave(struct jfrlib_live *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
    jfr_budget_give(l->budget, l->len);
    free(l->bytes);
    l->bytes = NULL;
    l->len = l->done = 0;
    l->seen = 0;
}

void jfrlib_live_close(struct jfrlib_live *l)
{
    leave(l);
    if (l->folder >= 0)
        close(l->folder);
    l->folder = -1;
}

/* Finds the first name behind `behind`, or the last one of all if `is_last`. The names are times,
 * so their order is that of the chunks. Returns 1, 0 or -errno. */
static int find_name(const struct jfrlib_live *l, const char *behind, bool is_last,
                     char ret_name[NAME_MAX + 1])
{
    int fd = openat(l->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), is_found = 0;
    if (fd < 0)
        return errno == ENOENT ? 0 : -errno; /* the folder was removed */
    DIR *folder = fdopendir(fd);
    if (!folder) {
        close(fd);
        return -ENOMEM;
    }
    for (const struct dirent *e; (e = readdir(folder)) != NULL;) {
        size_t len = strlen(e->d_name), end = sizeof(suffix) - 1;
        if (len <= end || len > NAME_MAX || strcmp(e->d_name + len - end, suffix) != 0 ||
            strcmp(e->d_name, behind) <= 0 ||
            (is_found && (strcmp(e->d_name, ret_name) > 0) != is_last))
            continue;
        memcpy(ret_name, e->d_name, len + 1);
        is_found = 1;
    }
    closedir(folder);
    return is_found;
}

/* Opens a chunk file. -ENOENT: it was removed, or is no regular file. */
static int open_file(const struct jfrlib_live *l, const char *name)
{
    int fd = rooted_open(l->folder, name);
    return fd == -EINVAL || fd == -ELOOP ? -ENOENT : fd;
}

/* Opens the next chunk file. Returns 1; 0: there is none; -errno. */
static int open_next(struct jfrlib_live *l)
{
    char name[NAME_MAX + 1];
    int r;
    if (l->folder < 0)
        return 0;
    while ((r = find_name(l, l->name, false, name)) > 0) {
        memcpy(l->name, name, sizeof(name));
        l->fd = open_file(l, name);
        if (l->fd >= 0)
            return 1;
        if (l->fd != -ENOENT)
            return l->fd;
    }
    return r;
}

/* Reads `len` bytes from offset `at` on. Errors: 0, -errno, E_TRUNCATED. */
static int read_all(int fd, unsigned char *to, size_t at, size_t len)
{
    for (size_t end = at + len; at < end;) {
        ssize_t got = pread(fd, to, end - at, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : E_TRUNCATED;
        to += got;
        at += (size_t)got;
    }
    return 0;
}

/* Reads the header of a chunk file if what it describes is there. Returns 1; 0: not now; -errno;
 * E_FORMAT: it is no chunk; E_UNSUPPORTED. */
static int read_header(int fd, unsigned char bytes[JFR_LAYOUT_HEADER], struct jfr_header *ret)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -errno;
    if (st.st_size < JFR_LAYOUT_HEADER)
        return 0; /* the file has just been made */
    int r = read_all(fd, bytes, 0, JFR_LAYOUT_HEADER);
    if (r == 0)
        r = jfr_chunk_read_header(bytes, ret);
    if (r < 0)
        return r == E_TRUNCATED ? 0 : r;
    return ret->state != JFR_LAYOUT_UPDATING && ret->size >= JFR_LAYOUT_HEADER &&
           ret->size <= (uint64_t)st.st_size;
}

/* Reads the bytes that the header describes and that were not read before. The bytes before them
 * stay as they are; only the header changes. */
static int load(struct jfrlib_live *l, const unsigned char header[JFR_LAYOUT_HEADER], size_t size)
{
    if (!jfr_budget_take(l->budget, size - l->len))
        return -ENOMEM;
    unsigned char *bytes = realloc(l->bytes, size);
    int r = bytes ? read_all(l->fd, bytes + l->len, l->len, size - l->len) : -ENOMEM;
    if (bytes)
        l->bytes = bytes;
    if (r < 0) {
        jfr_budget_give(l->budget, size - l->len);
        return r;
    }
    memcpy(bytes, header, JFR_LAYOUT_HEADER);
    l->len = size;
    return 0;
}

/* Opens the loaded bytes as the chunk of `file`. Returns JFRLIB_LIVE_CHUNK; JFRLIB_LIVE_WAIT: they
 * have no types yet; an error. */
static int open_chunk(struct jfrlib_live *l, struct jfr_file *file, const struct jfr_header *h)
{
    bool is_finished = h->state == JFR_LAYOUT_FINISHED;
    uint32_t damage_count = file->damage_count;
    feed_memory(&l->feed, l->bytes, l->len);
    int r = jfr_file_follow(file, &l->feed);
    if (r == 0)
        r = jfr_file_next_chunk(file);
    if (r < 0)
        return r;
    if (!is_finished) /* that it is not finished is no damage */
        file->damage_count = damage_count;
    if (!file->chunk.has_types && !is_finished)
        return JFRLIB_LIVE_WAIT;
    if (l->has_before)
        jfr_chunk_follow(&file->chunk, &l->before, l->clock);
    if (is_finished && file->chunk.len < l->len)
        jfr_file_damage(file, file->chunk.len, l->len - file->chunk.len,
                        "these bytes are no records");
    if (l->done > JFR_LAYOUT_HEADER)
        file->at = l->done < file->chunk.len ? l->done : file->chunk.len;
    l->done = file->chunk.len;
    return JFRLIB_LIVE_CHUNK;
}

/* Whether a later chunk file has begun. Then the JVM writes no more into the present one. */
static bool has_later(const struct jfrlib_live *l)
{
    unsigned char bytes[JFR_LAYOUT_HEADER];
    char name[NAME_MAX + 1];
    struct jfr_header h = {0};
    if (l->folder < 0 || find_name(l, l->name, false, name) <= 0)
        return false;
    int fd = open_file(l, name);
    bool has_begun = fd >= 0 && read_header(fd, bytes, &h) > 0;
    if (fd >= 0)
        close(fd);
    return has_begun;
}

/* Looks at the present chunk file. Returns enum jfrlib_live_result, JFRLIB_LIVE_END at its end. */
static int look(struct jfrlib_live *l, struct jfr_file *file)
{
    unsigned char bytes[JFR_LAYOUT_HEADER];
    struct jfr_header h = {0};
    int r = read_header(l->fd, bytes, &h);
    if (r <= 0)
        return r < 0 ? r : JFRLIB_LIVE_WAIT;
    if (l->is_first) {
        l->is_first = false;
        l->seen = h.size;
        l->done = (size_t)h.size;
    }
    if (h.size > l->seen) {
        jfr_file_close(file);
        r = load(l, bytes, (size_t)h.size);
        if (r < 0)
            return r == E_TRUNCATED ? JFRLIB_LIVE_WAIT : r;
        l->seen = h.size;
        return open_chunk(l, file, &h);
    }
    if (h.state != JFR_LAYOUT_FINISHED)
        return JFRLIB_LIVE_WAIT;
    l->is_last = h.is_final;
    return JFRLIB_LIVE_END;
}

/* Ends the present chunk file. The next chunk may go on with its clock. */
static void end_file(struct jfrlib_live *l, struct jfr_file *file)
{
    if (l->done > 0 && file->is_open) {
        l->before = file->chunk.header;
        l->clock = file->chunk.clock;
        l->has_before = true;
    }
    jfr_file_close(file);
    leave(l);
}

static bool is_removed(const struct jfrlib_live *l)
{
    struct stat st;
    return fstat(l->folder >= 0 ? l->folder : l->fd, &st) < 0 || st.st_nlink == 0;
}

static int open_alone(struct jfrlib_live *l, const char *path)
{
    l->fd = rooted_open(-1, path);
    return l->fd < 0 ? l->fd : 0;
}

int jfrlib_live_open(struct jfrlib_live *l, const char *path, bool only_new,
                     struct jfr_budget *budget)
{
    char name[NAME_MAX + 1];
    *l = (struct jfrlib_live){.folder = -1, .fd = -1, .is_first = only_new, .budget = budget};
    l->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (l->folder < 0)
        return errno == ENOTDIR ? open_alone(l, path) : -errno;
    int r = only_new ? find_name(l, "", true, name) : 0;
    if (r > 0) {
        l->fd = open_file(l, name);
        memcpy(l->name, name, sizeof(name));
    }
    l->is_first = l->fd >= 0;
    return r < 0 ? r : 0;
}

int jfrlib_live_next(struct jfrlib_live *l, struct jfr_file *file)
{
    for (;;) {
        bool is_over = is_removed(l) || (l->folder < 0 && l->fd < 0);
        bool is_later = l->fd >= 0 && has_later(l);
        int r = l->fd < 0 ? open_next(l) : 1;
        if (r < 0)
            return r;
        if (r == 0)
            return is_over || l->is_last ? JFRLIB_LIVE_END : JFRLIB_LIVE_WAIT;
        r = look(l, file);
        if (r == JFRLIB_LIVE_CHUNK || (r < 0 && (r != E_FORMAT || l->folder < 0)))
            return r;
        if (r == JFRLIB_LIVE_WAIT && !is_later)
            return is_over ? JFRLIB_LIVE_END : JFRLIB_LIVE_WAIT;
        if (r == E_FORMAT)
            jfr_file_damage(file, 0, 0, "a chunk file that does not begin with FLR");
        else if (r == JFRLIB_LIVE_WAIT)
            jfr_file_damage(file, l->len, 0, "its writer has never finished this chunk");
        end_file(l, file);
        if (r != JFRLIB_LIVE_END)
            return JFRLIB_LIVE_PASSED;
    }
}
