/*
 * query_input.c - see query_input.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_input.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/diag.h"
#include "base/err.h"
#include "base/feed.h"
#include "base/sink.h"
#include "format/format.h"
#include "gzip/gzfeed.h"
#include "gzip/unpack.h"
#include "heap/heapspool.h"
#include "jfr/jfr_chunk.h"

enum { BEGINNING = 1 << 16, PIECE = 1 << 20 };

/* Copies the unpacked bytes into the spool. */
static int copy(struct feed *feed, int spool)
{
    struct sink sink;
    int error = sink_init(&sink, spool);
    size_t at = 0;
    while (error == 0 && feed_has(feed, at, 1)) {
        size_t len = feed->len - at < PIECE ? feed->len - at : PIECE;
        uint64_t room;
        error = heapspool_room_of(spool, &room);
        if (error == 0 && room < len)
            error = -ENOSPC;
        if (error < 0)
            break;
        sink_bytes(&sink, feed->bytes + at, len);
        at += len;
        feed_release(feed, at);
        error = sink_error(&sink);
    }
    int done = sink_done(&sink);
    return error < 0 ? error : done;
}

/* Replaces a packed file, a stream or a folder by a file with its bytes. */
static int unpack(struct query_input *in, const char *tmp, struct diag *diag)
{
    struct gzfeed gz;
    int spool = heapspool_open(heapspool_folder(tmp));
    if (spool < 0) {
        diag_tell(diag, spool, in->word,
                  "a packed input is unpacked into a temporary file, which could not be made: %s; "
                  "name a folder by --tmp",
                  err_text(spool));
        return spool;
    }
    int error = gzfeed_open(&gz, in->fd);
    if (error == 0)
        error = copy(&gz.feed, spool);
    if (error < 0)
        diag_tell(diag, error, in->word, "%s", err_text(error));
    else if (gz.feed.error != 0)
        diag_tell(diag, gz.feed.error, in->word, "%s; what came before it was read",
                  gz.feed.why ? gz.feed.why : err_text(gz.feed.error));
    gzfeed_close(&gz);
    close(in->fd);
    in->fd = spool;
    in->is_spooled = true;
    return error;
}

static bool is_packed(int fd)
{
    unsigned char magic[UNPACK_HEAD];
    ssize_t len = pread(fd, magic, sizeof(magic), 0);
    return len > 0 && unpack_kind_of(magic, (size_t)len);
}

/* Whether it is a core file of this machine's byte order. Source: elf(5). */
static bool is_core(const unsigned char *bytes, size_t len)
{
    uint16_t type = 0;
    if (len < sizeof(Elf64_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(&type, bytes + offsetof(Elf64_Ehdr, e_type), sizeof(type));
    return type == ET_CORE;
}

/* Which kind of file it is. */
static int recognise(struct query_input *in, struct diag *diag)
{
    unsigned char *bytes = malloc(BEGINNING);
    ssize_t len = bytes ? pread(in->fd, bytes, BEGINNING, 0) : 0;
    if (!bytes || len <= 0) {
        int error = !bytes ? -ENOMEM : len < 0 ? -errno : E_FORMAT;
        diag_tell(diag, error, in->word, "%s",
                  error == E_FORMAT ? "the file is empty; was its JVM killed before it could write?"
                                    : err_text(error));
        free(bytes);
        return error;
    }
    const struct format *format = format_probe(bytes, (size_t)len);
    in->is_jfr = jfr_chunk_begins(bytes, (size_t)len);
    in->is_heap = len >= 18 && memcmp(bytes, "JAVA PROFILE 1.0", 16) == 0 && bytes[16] <= '9' &&
                  memchr(bytes, 0, (size_t)(len < 32 ? len : 32));
    in->is_core = is_core(bytes, (size_t)len);
    in->is_heap |= in->is_core;
    in->is_profile = format != NULL;
    in->format = format ? format->name : in->is_core ? "core" : in->is_heap ? "hprof-binary" : NULL;
    free(bytes);
    if (in->format)
        return 0;
    diag_tell(diag, E_FORMAT, in->word,
              "offset 0: neither a recording nor a profile nor a heap dump nor a core; 'hprof "
              "formats' lists what is read");
    return E_FORMAT;
}

pid_t query_input_pid(const char *word)
{
    char *end;
    long pid = strtol(word, &end, 10);
    return *word >= '1' && *word <= '9' && *end == '\0' && pid > 0 && pid < INT32_MAX ? (pid_t)pid
                                                                                      : 0;
}

int query_input_open(struct query_input *in, const char *word, const char *tmp, struct diag *diag)
{
    struct stat st = {0};
    *in = (struct query_input){.word = word, .fd = open(word, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    if (in->fd < 0 && errno == ENOENT && query_input_pid(word)) {
        in->pid = query_input_pid(word);
        in->format = "process";
        return 0;
    }
    int error = in->fd < 0 || fstat(in->fd, &st) != 0 ? -errno : 0;
    if (error < 0) {
        diag_tell(diag, error, word, "%s", strerror(-error));
        return error;
    }
    if (!S_ISREG(st.st_mode) || is_packed(in->fd))
        error = unpack(in, tmp, diag);
    if (error == 0 && fstat(in->fd, &st) == 0)
        in->bytes = (uint64_t)st.st_size;
    if (error == 0)
        error = recognise(in, diag);
    snprintf(in->path, sizeof(in->path), "/proc/self/fd/%d", in->fd);
    return error;
}

void query_input_close(struct query_input *in)
{
    if (in->fd >= 0)
        close(in->fd);
    in->fd = -1;
}
