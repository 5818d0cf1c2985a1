/*
 * recorded.c - see recorded.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/recorded.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "attach/attach.h"
#include "base/be.h"
#include "base/err.h"
#include "command/cmd.h"
#include "report/convert.h"
#include "jvm/held_file.h"
#include "jfrtool/jfr_secret.h"
#include "jfrtool/jfrtool.h"
#include "reading/load.h"
#include "command/outfile.h"
#include "command/say.h"
#include "format/hprof_bin.h"
#include "jfr/jfr_layout.h"

#define PREFIX ".hprof-record-" /* a sweep may remove such files: jvm/agent_link.h */
#define KEPT "hprof-record-"

enum {
    COPY_BYTES = 256 * 1024,
    HOLES_MAX = 65536,     /* number of holes that are examined */
    HOLE_BYTES = 32 << 20, /* larger holes may be half of the file at most */
};

static bool has_suffix(const char *name, const char *suffix)
{
    size_t len = strlen(name), n = strlen(suffix);
    return len > n && strcmp(name + len - n, suffix) == 0;
}

/* ---- whether the agent has finished it */

static bool read_at(int fd, void *to, size_t len, uint64_t at)
{
    return pread(fd, to, len, (off_t)at) == (ssize_t)len;
}

/* The last chunk of a finished recording has a mark. The recording of a killed JVM can be read too,
 * but has no mark. */
static bool is_jfr_finished(int fd, uint64_t len)
{
    unsigned char header[JFR_LAYOUT_HEADER];
    uint64_t bytes;
    for (uint64_t at = 0; len - at >= sizeof(header); at += bytes) {
        if (!read_at(fd, header, sizeof(header), at) ||
            memcmp(header, JFR_LAYOUT_MAGIC, sizeof(JFR_LAYOUT_MAGIC)) != 0)
            return false;
        bytes = be_8(header + JFR_LAYOUT_SIZE_AT);
        if (bytes < sizeof(header) || bytes > len - at)
            return false;
        if (bytes == len - at)
            return (header[JFR_LAYOUT_FLAGS_AT] & JFR_LAYOUT_LAST) != 0;
    }
    return false;
}

/* Tables are written at the end, and the last line of each is "... END". */
static bool is_text_finished(int fd, uint64_t len)
{
    static const char last[] = " END\n";
    char end[sizeof(last) - 1];
    return len > sizeof(end) && read_at(fd, end, sizeof(end), len - sizeof(end)) &&
           memcmp(end, last, sizeof(end)) == 0;
}

/* A finished file consists of complete records, and one of them is a table. */
static bool is_binary_finished(int fd, uint64_t len)
{
    enum { HEAD_MAX = 64, RECORD = 9 };
    unsigned char head[HEAD_MAX];
    bool has_table = false;

    ssize_t n = pread(fd, head, sizeof(head), 0);
    const unsigned char *end = n > 0 ? memchr(head, 0, (size_t)n) : NULL;
    if (!end)
        return false;
    /* The text is followed by the size of ids (4 bytes) and the time (8 bytes). */
    uint64_t at = (uint64_t)(end - head) + 1 + 4 + 8;
    while (at < len && len - at >= RECORD && read_at(fd, head, RECORD, at)) {
        uint64_t bytes = RECORD + (uint64_t)be_4(head + 5);
        if (bytes > len - at)
            return false;
        has_table = has_table || head[0] == HPROF_BIN_ALLOC_SITES ||
                    head[0] == HPROF_BIN_CPU_SAMPLES || head[0] == HPROF_BIN_HEAP_DUMP ||
                    head[0] == HPROF_BIN_HEAP_DUMP_END;
        at += bytes;
    }
    return has_table && at == len;
}

/* The files that the agent writes itself. All other formats are made from a JFR recording, which is
 * the last row. */
static const struct own {
    const char *suffix;
    bool (*is_finished)(int fd, uint64_t len);
} owns[] = {
    {".txt", is_text_finished},
    {".hprof", is_binary_finished},
    {".jfr", is_jfr_finished},
};

static const struct own *own_for(const char *name)
{
    size_t i = 0;
    while (i + 1 < sizeof(owns) / sizeof(owns[0]) && !has_suffix(name, owns[i].suffix))
        i++;
    return &owns[i];
}

/* Whether the output is the agent's file as it is, and not made from it. */
static bool is_copy(const char *output)
{
    return recorded_is_stdout(output) || has_suffix(output, recorded_suffix(output));
}

bool recorded_is_stdout(const char *output)
{
    return strcmp(output, "-") == 0;
}

const char *recorded_said(const char *output)
{
    return recorded_is_stdout(output) ? "standard output" : output;
}

bool recorded_can_make(const char *output)
{
    return is_copy(output) || outfile_format(output);
}

const char *recorded_suffix(const char *output)
{
    return own_for(output)->suffix;
}

bool recorded_can_merge(const char *output)
{
    return recorded_is_stdout(output) || has_suffix(output, ".jfr");
}

void recorded_name(char ret_name[RECORDED_NAME], uint64_t nonce, const char *output)
{
    snprintf(ret_name, RECORDED_NAME, PREFIX "%016llx%s", (unsigned long long)nonce,
             recorded_suffix(output));
}

/* ---- fetching it */

int recorded_write(int fd, const char *bytes, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = write(fd, bytes + at, len - at);
        if (n < 0 && errno != EINTR)
            return -errno;
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Copies every byte, and flushes a file to the disk. Returns the number of bytes, or -errno. */
static int64_t copy_bytes(int from, int to)
{
    char *bytes = malloc(COPY_BYTES);
    int64_t copied = 0;
    int error = bytes ? 0 : -ENOMEM;
    for (ssize_t n; error == 0 && (n = read(from, bytes, COPY_BYTES)) != 0;) {
        error = n < 0 ? (errno == EINTR ? 0 : -errno) : recorded_write(to, bytes, (size_t)n);
        copied += n > 0 ? n : 0;
    }
    free(bytes);
    if (error == 0 && fsync(to) != 0 && errno != EINVAL && errno != EROFS)
        error = -errno;
    return error < 0 ? error : copied;
}

int recorded_copy(const char *command, int from, const char *output)
{
    struct outfile out;
    struct stat st;
    if (outfile_open(command, output, &out) < 0)
        return CMD_FAILED;
    int64_t copied = copy_bytes(from, out.file.fd);
    bool is_whole = copied >= 0 && fstat(from, &st) == 0 && st.st_size == copied;
    if (!is_whole)
        say("%s: %s: %s", command, output,
            copied < 0 ? strerror((int)-copied) : "the file grew or shrank while it was copied");
    return outfile_close(&out, is_whole ? 0 : -EIO) == 0 ? CMD_OK : CMD_FAILED;
}

/* Makes a format that the agent does not write, as `hprof report` does. */
static int draw(int from, const char *name, const struct recorded_to *to, bool *ret_is_empty)
{
    const struct convert convert = {.command = "record",
                                    .format = outfile_format(to->output),
                                    .first = to->first,
                                    .rest = to->is_quiet ? NULL : "what was recorded with -o X.jfr",
                                    .path = to->output};
    const struct load_how how = {.name = name};
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", from);
    if (convert_file(&convert, path, &how, ret_is_empty) == 0)
        return CMD_OK;
    if (*ret_is_empty)
        say("record: %s: nothing of what is measured has happened, so there is no picture of it; "
            "threads that wait use no CPU: '-e wall' shows where they do",
            to->output);
    return CMD_FAILED;
}

/*
 * Whether holes are too large a part of the file. A file of holes costs its writer nothing, but its
 * copy could fill our disk. The agent's .jfr files have holes for bytes that will follow: one at
 * the end of each chunk, and up to the length of a chunk at the end of the file. A file system that
 * does not know holes reports the end of the file as the first hole.
 */
static bool has_large_holes(int fd, off_t len)
{
    off_t holes = 0, data = 0;
    for (int i = 0; i < HOLES_MAX && data < len; i++) {
        off_t hole = lseek(fd, data, SEEK_HOLE);
        if (hole < 0 || hole >= len)
            return lseek(fd, 0, SEEK_SET) != 0;
        data = lseek(fd, hole, SEEK_DATA);
        if (data < 0) /* no data follow */
            data = len;
        holes += data - hole;
        if (holes > HOLE_BYTES && holes - HOLE_BYTES > data / 2)
            return true;
    }
    return data < len || lseek(fd, 0, SEEK_SET) != 0;
}

static bool can_be_it(const struct attach *a, int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == a->socket.process.uid &&
           !has_large_holes(fd, st.st_size);
}

int recorded_open(const struct attach *a, const char *name)
{
    int fd = openat(a->socket.tmp, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && !can_be_it(a, fd)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

void recorded_keep(const struct attach *a, int held, const char *name, char ret_name[RECORDED_NAME])
{
    int error;
    snprintf(ret_name, RECORDED_NAME, KEPT "%s", name + sizeof(PREFIX) - 1);
    error = held >= 0 ? held_file_name(a, held, ret_name)
                      : renameat(a->socket.tmp, name, a->socket.tmp, ret_name);
    if (error != 0)
        snprintf(ret_name, RECORDED_NAME, "%s", held >= 0 ? "" : name);
}

static uint64_t length_of(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

bool recorded_is_finished(int fd, const char *name)
{
    return own_for(name)->is_finished(fd, length_of(fd));
}

/* Merges two files into one. Errors: an exit status, after saying why. */
static int merge(int from, const char *name, int beside, const struct recorded_to *to,
                 bool *ret_is_whole)
{
    char paths[2][64];
    const char *const all[] = {paths[0], paths[1]}, *const names[] = {name, to->beside};
    struct jfr_secret secret = {.secret = to->secret};
    const struct jfrtool_merge merge = {"record", all, names, 2, to->output, &secret};
    snprintf(paths[0], sizeof(paths[0]), "/proc/self/fd/%d", from);
    snprintf(paths[1], sizeof(paths[1]), "/proc/self/fd/%d", beside);
    int r = jfr_merge_write(&merge);
    jfr_secret_done(&secret);
    *ret_is_whole &= r == 0;
    return r == 0 || r == E_TRUNCATED ? CMD_OK : CMD_FAILED;
}

/* Brings the agent's file `from` to the output, merged with `beside`, or without it if `beside` is
 * -1. If a second file is wanted and there is none, *ret_is_whole becomes false. */
static int bring(int from, const char *name, int beside, const struct recorded_to *to,
                 bool *ret_is_whole, bool *ret_is_empty)
{
    if (beside >= 0 && length_of(beside) > 0)
        return merge(from, name, beside, to, ret_is_whole);
    if (to->beside) {
        *ret_is_whole = false;
        say("record: the JVM has written nothing of its own recording: %s has the agent's alone",
            recorded_said(to->output));
    }
    return is_copy(to->output) ? recorded_copy("record", from, to->output)
                               : draw(from, name, to, ret_is_empty);
}

/* Removes the files that were fetched. If they were not fetched, says where they are. */
static void leave(struct attach *a, const char *name, const struct recorded_to *to, bool may_go)
{
    const char *beside = to->beside;
    char kept[RECORDED_NAME] = "";
    bool is_user = process_ids_take(&a->socket.process, &a->before) == 0;
    if (is_user && may_go) {
        if (to->held < 0)
            (void)unlinkat(a->socket.tmp, name, 0);
        if (beside)
            (void)unlinkat(a->socket.tmp, beside, 0);
        return;
    }
    if (is_user)
        recorded_keep(a, to->held, name, kept);
    if (kept[0])
        say("record: what was recorded is still in the JVM's /tmp, as %s%s%s", kept,
            beside ? " and " : "", beside ? beside : "");
    else
        say("record: what was recorded is lost: it could not be kept in the JVM's /tmp");
}

int recorded_fetch(struct attach *a, const char *name, const struct recorded_to *to, bool is_over,
                   bool *ret_is_whole)
{
    bool is_empty = false, is_there = true;
    int status = CMD_FAILED, fd = to->held < 0 ? recorded_open(a, name) : to->held;
    int beside = to->beside ? recorded_open(a, to->beside) : -1;
    *ret_is_whole = false;
    (void)process_ids_back(&a->before);
    if (fd >= 0 && (fd != to->held || can_be_it(a, fd))) {
        *ret_is_whole = recorded_is_finished(fd, name);
        status = bring(fd, name, beside, to, ret_is_whole, &is_empty);
    } else {
        say("record: the JVM has left no recording in its /tmp");
        is_there = false;
    }
    if (fd >= 0 && fd != to->held)
        close(fd);
    if (beside >= 0)
        close(beside);
    bool may_go =
        (status == CMD_OK || is_empty) && (*ret_is_whole || (is_over && is_copy(to->output)));
    if (is_there)
        leave(a, name, to, may_go);
    else
        (void)process_ids_take(&a->socket.process, &a->before);
    return status;
}
