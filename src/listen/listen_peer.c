/*
 * listen_peer.c - see listen_peer.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "listen/listen_peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/newfile.h"
#include "base/plain.h"
#include "base/plural.h"
#include "command/outfile.h"
#include "command/say.h"
#include "format/hprof_bin.h"

enum {
    READ_BYTES = 65536,
    RECORD_MAX = 1 << 20, /* bytes; a longer record of text is not shown */
};

/* The records that are counted: by their tag in the binary format, by their first words in text. */
static const struct stream_kind {
    uint8_t tag;       /* 0: only in text */
    const char *words; /* NULL: only in the binary format */
    const char *name;
} kinds[] = {
    {HPROF_BIN_START_THREAD, "THREAD START ", "threads begun"},
    {HPROF_BIN_END_THREAD, "THREAD END ", "threads ended"},
    {HPROF_BIN_LOAD_CLASS, NULL, "classes"},
    {HPROF_BIN_UNLOAD_CLASS, NULL, "classes unloaded"},
    {HPROF_BIN_TRACE, "TRACE ", "traces"},
    {HPROF_BIN_CPU_SAMPLES, "CPU SAMPLES BEGIN", "tables of CPU samples"},
    {0, "CPU TIME (ms) BEGIN", "tables of CPU time"},
    {HPROF_BIN_ALLOC_SITES, "SITES BEGIN", "tables of sites"},
    {HPROF_BIN_HEAP_SUMMARY, NULL, "heap summaries"},
    {HPROF_BIN_HEAP_DUMP, "HEAP DUMP BEGIN", "heap dumps"},
    {HPROF_BIN_HEAP_DUMP_END, NULL, "heap dumps in segments"},
    {0, "MONITOR DUMP BEGIN", "monitor dumps"},
    {0, "MONITOR TIME BEGIN", "tables of monitor time"},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
_Static_assert((int)KINDS <= (int)LISTEN_PEER_KINDS, "a count for each kind");

static void set_name(struct listen_peer *p)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);
    char host[64], port[8];
    if (getpeername(p->fd, (struct sockaddr *)&address, &size) == 0 &&
        getnameinfo((struct sockaddr *)&address, size, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        snprintf(p->name, sizeof(p->name), strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
    else
        snprintf(p->name, sizeof(p->name), "connection %u", p->number);
}

void listen_peer_init(struct listen_peer *p, int fd, unsigned number, const char *asked,
                      enum listen_peer_show show)
{
    *p = (struct listen_peer){.fd = fd, .file = -1, .number = number, .asked = asked, .show = show};
    set_name(p);
    say("listen: %s has connected", p->name);
}

/* ---- the file */

/* The path of the file: the name that the user gave, from the second connection on with its number
 * before the suffix; or a name made of the peer's address. malloc'ed; NULL without memory. */
static char *make_path(const struct listen_peer *p)
{
    char *path = NULL;
    int n;
    if (p->asked) {
        const char *slash = strrchr(p->asked, '/'), *dot = strrchr(p->asked, '.');
        size_t stem = dot && (!slash || dot > slash + 1) && dot > p->asked
                          ? (size_t)(dot - p->asked)
                          : strlen(p->asked);
        n = p->number == 1
                ? asprintf(&path, "%s", p->asked)
                : asprintf(&path, "%.*s-%u%s", (int)stem, p->asked, p->number, p->asked + stem);
        return n < 0 ? NULL : path;
    }
    n = asprintf(&path, "hprof-%s.%s", p->name, p->split.format == 'b' ? "hprof" : "txt");
    if (n < 0)
        return NULL;
    for (char *c = path; *c != '\0'; c++)
        *c = strchr(":[] ", *c) ? '-' : *c;
    return path;
}

static int open_file(struct listen_peer *p)
{
    char *old = NULL;
    struct newfile file;
    const char *why;
    int error;
    p->path = make_path(p);
    if (!p->path) {
        say("listen: %s", strerror(ENOMEM));
        return -ENOMEM;
    }
    error = outfile_move_aside("listen", p->path, &old);
    free(old);
    if (error < 0)
        return error;
    /* The file may get a heap dump, which no other user may read. */
    error = newfile_open(p->path, 0600, NEWFILE_KEEP, &file, &why);
    if (error < 0) {
        say("listen: cannot write '%s': %s; name another file with --output", p->path, why);
        return error;
    }
    p->file = file.fd;
    say("listen: %s goes to '%s'", p->name, p->path);
    return 0;
}

static int write_file(struct listen_peer *p, const unsigned char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(p->file, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            int error = n < 0 ? -errno : -EIO;
            say("listen: cannot write '%s': %s", p->path, strerror(-error));
            return error;
        }
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

/* ---- what is shown */

/* Control characters in names must not reach a terminal. Returns how many bytes at the end are the
 * beginning of a character; these bytes are not shown. */
static size_t show_text(const char *bytes, size_t len)
{
    while (len > 0) {
        size_t odd, n = plain_run(bytes, len, &odd);
        fwrite(bytes, 1, n, stdout);
        bytes += n;
        len -= n;
        if (odd > 0 && plain_is_cut(bytes, len))
            return len;
        if (odd > 0)
            putchar(*bytes == '\n' || *bytes == '\t' ? *bytes : '?');
        bytes += odd;
        len -= odd;
    }
    return 0;
}

/* Shows the stream as it comes; a piece may end within a character. */
static void show_stream(struct listen_peer *p, const char *bytes, size_t len)
{
    while (p->cut_len > 0 && len > 0) {
        p->cut[p->cut_len++] = *bytes++;
        len--;
        if (p->cut_len < sizeof(p->cut) && plain_is_cut(p->cut, p->cut_len))
            continue;
        show_text(p->cut, p->cut_len);
        p->cut_len = 0;
    }
    size_t cut = show_text(bytes, len);
    memcpy(p->cut + p->cut_len, bytes + len - cut, cut);
    p->cut_len += cut;
}

static uint64_t number_at(const struct hprof_split *s, size_t at, size_t count)
{
    uint64_t value = 0;
    for (size_t i = at; i < at + count && i < s->used; i++)
        value = value << 8 | (unsigned char)s->head[i];
    return value;
}

/* Prints the numbers at the head of a binary table. */
static void show_table(const struct hprof_split *s)
{
    if (s->tag == HPROF_BIN_CPU_SAMPLES)
        printf("CPU SAMPLES: %" PRIu64 " sample%s, %" PRIu64 " row%s\n", number_at(s, 0, 4),
               plural_s(number_at(s, 0, 4)), number_at(s, 4, 4), plural_s(number_at(s, 4, 4)));
    else if (s->tag == HPROF_BIN_HEAP_SUMMARY)
        printf("HEAP SUMMARY: %" PRIu64 " object%s of %" PRIu64 " bytes live, %" PRIu64
               " of %" PRIu64 " allocated\n",
               number_at(s, 4, 4), plural_s(number_at(s, 4, 4)), number_at(s, 0, 4),
               number_at(s, 16, 8), number_at(s, 8, 8));
    else if (s->tag == HPROF_BIN_ALLOC_SITES)
        printf("ALLOC SITES: %" PRIu64 " object%s of %" PRIu64 " bytes live, %" PRIu64
               " of %" PRIu64 " allocated, %" PRIu64 " row%s\n",
               number_at(s, 10, 4), plural_s(number_at(s, 10, 4)), number_at(s, 6, 4),
               number_at(s, 22, 8), number_at(s, 14, 8), number_at(s, 30, 4),
               plural_s(number_at(s, 30, 4)));
}

static int kind_of(const struct hprof_split *s)
{
    for (int i = 0; i < KINDS; i++) {
        size_t len = kinds[i].words ? strlen(kinds[i].words) : 0;
        if (s->format == 'b'
                ? s->tag != 0 && s->tag == kinds[i].tag
                : len > 0 && s->used >= len && memcmp(s->head, kinds[i].words, len) == 0)
            return i;
    }
    return -1;
}

static void keep_text(struct listen_peer *p, const unsigned char *bytes, size_t len)
{
    if (p->record_len + len > p->record_room && p->record_room < RECORD_MAX) {
        size_t room = p->record_room ? p->record_room : 4096;
        while (room < p->record_len + len && room < RECORD_MAX)
            room *= 2;
        char *more = realloc(p->record, room);
        if (more) {
            p->record = more;
            p->record_room = room;
        }
    }
    if (p->record_len + len <= p->record_room)
        memcpy(p->record + p->record_len, bytes, len);
    p->record_len += len; /* longer than the room: the record is not shown */
}

/* Shows a table of text. A heap dump is too long to be read line by line, so only its number of
 * lines is shown. */
static void show_text_table(const struct listen_peer *p, int kind)
{
    if (kind >= 0 && kinds[kind].tag == HPROF_BIN_HEAP_DUMP) {
        show_text(p->split.head, p->split.used);
        printf(": %" PRIu32 " line%s\n", p->split.lines, plural_s(p->split.lines));
    } else if (p->record_len <= p->record_room) {
        show_text(p->record, p->record_len);
    }
}

static void record_ends(struct listen_peer *p)
{
    int kind = kind_of(&p->split);
    if (kind >= 0)
        p->kinds[kind]++;
    if (p->show == LISTEN_PEER_TABLES && p->split.format == 'b')
        show_table(&p->split);
    else if (p->show == LISTEN_PEER_TABLES && p->split.state == HPROF_SPLIT_TABLE)
        show_text_table(p, kind);
    p->record_len = 0;
}

static void look_at(struct listen_peer *p, const unsigned char *bytes, size_t len)
{
    for (size_t at = 0; at < len;) {
        bool is_end;
        size_t n = hprof_split_take(&p->split, bytes + at, len - at, &is_end);
        if (p->show == LISTEN_PEER_TABLES && p->split.format != 'b')
            keep_text(p, bytes + at, n);
        at += n;
        if (is_end)
            record_ends(p);
    }
    if (p->show == LISTEN_PEER_ALL && p->split.format == 'a')
        show_stream(p, (const char *)bytes, len);
    fflush(stdout);
}

/* ---- the connection */

int listen_peer_read(struct listen_peer *p)
{
    static unsigned char bytes[READ_BYTES];
    ssize_t n = recv(p->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return 1;
    if (n < 0) {
        say("listen: %s: %s", p->name, strerror(errno));
        p->failed = true;
    }
    if (n <= 0)
        return 0;
    look_at(p, bytes, (size_t)n);
    p->bytes += (uint64_t)n;
    int error = p->file < 0 ? open_file(p) : 0;
    if (error == 0)
        error = write_file(p, bytes, (size_t)n);
    p->failed = p->failed || error < 0;
    return error < 0 ? error : 1;
}

void listen_peer_send(struct listen_peer *p, const struct net_command *command)
{
    unsigned char bytes[NET_COMMAND_MAX];
    struct net_command numbered = *command;
    numbered.sequence = ++p->sequence;
    size_t len = net_command_write(&numbered, bytes);
    if (send(p->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)len)
        say("listen: %s does not take the command: %s", p->name, strerror(errno));
}

/* Whether the stream may end here. */
static bool is_whole(const struct hprof_split *s)
{
    if (s->format == 'b')
        return s->is_over || (s->state == HPROF_SPLIT_TAG && s->in_line == 0);
    return s->is_over || (s->state == HPROF_SPLIT_BLOCK && s->in_line == 0);
}

static void summarise(struct listen_peer *p)
{
    if (p->split.format == 'a' && !p->split.is_over)
        /* The last record ended with the stream. */
        record_ends(p);
    say_out("%s: %" PRIu64 " bytes", p->name, p->bytes);
    for (int i = 0; i < KINDS; i++)
        if (p->kinds[i] > 0)
            printf(", %" PRIu64 " %s", p->kinds[i], kinds[i].name);
    putchar('\n');
    fflush(stdout);
}

int listen_peer_done(struct listen_peer *p, bool is_enough)
{
    bool whole = is_enough || is_whole(&p->split);
    if (p->bytes == 0 && !is_enough) {
        say("listen: %s closed without a byte", p->name);
    } else if (!whole) {
        say("listen: %s ended within a record: the JVM was killed, or the connection broke; what "
            "came is in '%s'",
            p->name, p->path ? p->path : "");
    }
    if (p->file >= 0 && p->show != LISTEN_PEER_NOTHING)
        summarise(p);
    if (p->file >= 0 && close(p->file) != 0) {
        say("listen: cannot write '%s': %s", p->path, strerror(errno));
        p->failed = true;
    }
    close(p->fd);
    free(p->path);
    free(p->record);
    return p->failed || !whole || (p->bytes == 0 && !is_enough) ? -EIO : 0;
}
