/*
 * bundle_make.c - see bundle_make.h.
 *
 * The items run as children, whose output lies in memory until it is written; an item that fails is
 * a line of the index, and the others go on. The recording needs a file with a name: a folder of
 * its own, which a process removes that lives until this one and all children have ended, however
 * they end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bundle/bundle_make.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "attach/jvms.h"
#include "base/err.h"
#include "base/sink.h"
#include "bundle/bundle_child.h"
#include "bundle/bundle_item.h"
#include "bundle/bundle_logs.h"
#include "command/say.h"
#include "command/redact_text.h"
#include "command/textbuf.h"
#include "format/json_out.h"
#include "gzip/tarfile.h"
#include "jvm/jvm_target.h"
#include "process/process.h"
#include "safe/clock.h"

enum {
    ITEM_MAX = 256 << 20, /* bytes of one item */
    PROC_MAX = 16 << 20,
    SAID_MAX = 4096,
    EXTRA_S = 60, /* an item may take so much longer than its own time */
    ITEMS = 32,
    WORD = 1024,
    FOLDER = 900,
};

/* What is made of one item, until it is in the archive. */
struct running {
    const struct bundle_item *item;
    struct bundle_child child;
    char words[BUNDLE_CHILD_WORDS][WORD];
    char *argv[BUNDLE_CHILD_WORDS + 2];
    char path[WORD]; /* of the file that it writes; "": its output is taken */
};

struct maker {
    struct bundle_make *m;
    struct sink *out;
    struct textbuf index; /* the members of the index's list of files */
    char folder[FOLDER];
    int watched; /* the end of a pipe that this process and its children have */
    time_t now;
};

/* ---- files of the archive and lines of the index */

static void index_text(struct textbuf *t, const char *before, const char *text, size_t len)
{
    /* Only what is plain: quotation marks, backslashes and control characters are replaced. */
    textbuf_text(t, before);
    textbuf_char(t, '"');
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        textbuf_char(t, c == '"' ? '\'' : c == '\\' ? '/' : c < ' ' || c > '~' ? ' ' : (char)c);
    }
    textbuf_char(t, '"');
}

static void index_begin(struct maker *k, const char *file, uint64_t bytes)
{
    textbuf_text(&k->index, k->index.len > 0 ? ",\n" : "\n");
    index_text(&k->index, "{\"file\":", file, strlen(file));
    textbuf_printf(&k->index, ",\"bytes\":%" PRIu64, bytes);
}

static void put_bytes(struct maker *k, const char *file, const char *bytes, size_t len)
{
    tarfile_head(k->out, file, len, k->now);
    sink_bytes(k->out, bytes, len);
    tarfile_pad(k->out, len);
    k->m->files++;
}

/* A text, without its secrets. */
static void put_text(struct maker *k, const char *file, const char *text, size_t len)
{
    struct textbuf clean = {0};
    uint32_t count = redact_text_put(&k->m->secret, text, len, &clean);
    put_bytes(k, file, clean.bytes ? clean.bytes : "", clean.is_bad ? 0 : clean.len);
    index_begin(k, file, clean.len);
    if (count > 0)
        textbuf_printf(&k->index, ",\"redacted\":%u", count);
    k->m->redacted += count;
    textbuf_done(&clean);
}

static ssize_t read_all(int fd, size_t max, struct textbuf *ret)
{
    ssize_t n = 1;
    off_t at = 0;
    while (n > 0 && ret->len < max) {
        char *to = textbuf_room(ret, SINK_BUFFER);
        n = to ? pread(fd, to, SINK_BUFFER, at) : -1;
        ret->len += n > 0 ? (size_t)n : 0;
        at += n > 0 ? n : 0;
    }
    return n;
}

/* A file that is no text: a recording, which has redacted itself. */
static void put_file(struct maker *k, const char *file, const char *path)
{
    struct stat st = {0};
    unsigned char bytes[SINK_BUFFER / 16];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    uint64_t left =
        fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    index_begin(k, file, left);
    if (left > 0) {
        k->m->files++;
        tarfile_head(k->out, file, left, k->now);
        for (ssize_t n = 1; left > 0 && n > 0; left -= n > 0 ? (uint64_t)n : 0) {
            size_t want = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);
            n = read(fd, bytes, want);
            if (n <= 0) { /* others have cut it */
                memset(bytes, 0, sizeof(bytes));
                n = (ssize_t)want;
            }
            sink_bytes(k->out, bytes, (size_t)n);
        }
        tarfile_pad(k->out, (uint64_t)st.st_size);
    }
    if (fd >= 0)
        close(fd);
}

/* ---- items */

/* Replaces the names in one word of an item. */
static void fill_word(const struct maker *k, struct running *r, const char *word, size_t len,
                      char to[WORD])
{
    uint64_t ms = k->m->during_ns / 1000000, count = ms / 5000;
    count = count < 2 ? 2 : count > 10 ? 10 : count;
    if (len == 3 && memcmp(word, "PID", 3) == 0) {
        snprintf(to, WORD, "%d", (int)k->m->jvm->process.pid);
    } else if (len == 7 && memcmp(word, "SECONDS", 7) == 0) {
        snprintf(to, WORD, "%" PRIu64 "ms", ms);
    } else if (len == 5 && memcmp(word, "COUNT", 5) == 0) {
        snprintf(to, WORD, "%" PRIu64, count);
    } else if (len == 8 && memcmp(word, "INTERVAL", 8) == 0) {
        snprintf(to, WORD, "%" PRIu64 "ms", ms / count > 0 ? ms / count : 1);
    } else if (len == 4 && memcmp(word, "FILE", 4) == 0) {
        snprintf(r->path, WORD, "%s/%s", k->folder, r->item->file);
        snprintf(to, WORD, "%s", r->path);
    } else {
        snprintf(to, WORD, "%.*s", (int)len, word);
    }
}

static void start(struct maker *k, struct running *r, const struct bundle_item *item)
{
    unsigned count = 0;
    *r = (struct running){.item = item};
    r->argv[0] = "hprof";
    for (const char *at = item->words; *at != '\0' && count < BUNDLE_CHILD_WORDS;) {
        size_t len = strcspn(at, " ");
        fill_word(k, r, at, len, r->words[count]);
        r->argv[count + 1] = r->words[count];
        count++;
        at += len + strspn(at + len, " ");
    }
    bundle_child_start(
        &r->child, r->argv,
        (item->at == BUNDLE_DURING ? k->m->during_ns : 0) + (uint64_t)EXTRA_S * NS_PER_S, ITEM_MAX);
}

static void put_command(struct maker *k, const struct running *r)
{
    struct textbuf said = {0};
    textbuf_printf(&k->index, ",\"ms\":%" PRIu64,
                   (r->child.ended_ns - r->child.began_ns) / 1000000);
    index_text(&k->index, ",\"command\":", "hprof", 5);
    k->index.len--; /* the words go on within the quotation marks */
    for (int i = 1; r->argv[i]; i++) {
        const char *word = strcmp(r->argv[i], r->path) == 0 ? r->item->file : r->argv[i];
        textbuf_char(&k->index, ' ');
        textbuf_text(&k->index, word);
    }
    textbuf_char(&k->index, '"');
    textbuf_printf(&k->index, ",\"status\":%d", process_child_status(&r->child.process));
    if (r->child.is_late)
        textbuf_text(&k->index, ",\"ended\":\"its time was over\"");
    if (read_all(r->child.said, SAID_MAX, &said) >= 0 && said.len > 0)
        index_text(&k->index, ",\"said\":", said.bytes, said.len < SAID_MAX ? said.len : SAID_MAX);
    textbuf_done(&said);
    textbuf_char(&k->index, '}');
}

/* Commands that found something have other statuses than 0, and an output. */
static bool is_refused(const struct running *r, size_t len)
{
    int status = process_child_status(&r->child.process);
    return len == 0 || status < 0 || status >= PROCESS_CHILD_CANNOT_RUN;
}

static void finish(struct maker *k, struct running *r)
{
    struct textbuf text = {0};
    size_t before = k->m->files;
    if (r->path[0] != '\0') {
        put_file(k, r->item->file, r->path);
        unlink(r->path);
    } else {
        if (r->child.out >= 0)
            read_all(r->child.out, ITEM_MAX, &text);
        if (is_refused(r, text.len))
            index_begin(k, r->item->file, 0);
        else
            put_text(k, r->item->file, text.bytes, text.len);
    }
    k->m->refused += k->m->files == before;
    put_command(k, r);
    textbuf_done(&text);
    bundle_child_close(&r->child);
}

static bool is_wanted(const struct maker *k, const struct bundle_item *item)
{
    bool asks = item->does[0] != '\0' || strncmp(item->words, "jcmd", 4) == 0;
    return !asks || !k->m->is_quiet;
}

static void run_items(struct maker *k, enum bundle_item_at at)
{
    struct running *all = calloc(ITEMS, sizeof(*all));
    struct bundle_child *children = calloc(ITEMS, sizeof(*children));
    uint32_t count = 0;
    for (uint32_t i = 0; all && children && bundle_item_all[i].file && count < ITEMS; i++) {
        const struct bundle_item *item = &bundle_item_all[i];
        if (item->at != at || !is_wanted(k, item) || *k->m->is_ended != 0)
            continue;
        start(k, &all[count], item);
        children[count] = all[count].child;
        count++;
        if (at != BUNDLE_DURING)
            bundle_child_wait(&children[count - 1], 1, k->m->is_ended);
    }
    if (at == BUNDLE_DURING && children)
        bundle_child_wait(children, count, k->m->is_ended);
    for (uint32_t i = 0; i < count; i++) {
        all[i].child = children[i];
        finish(k, &all[i]);
    }
    free(children);
    free(all);
}

/* ---- the folder */

/* In a process of its own: waits until nobody has the other end of the pipe. */
static void watch(const char *folder, int end)
{
    char path[WORD], byte;
    setsid();
    signal(SIGPIPE, SIG_IGN);
    while (read(end, &byte, 1) < 0 && errno == EINTR)
        continue;
    for (uint32_t i = 0; bundle_item_all[i].file; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, bundle_item_all[i].file);
        unlink(path);
    }
    rmdir(folder);
    _exit(0);
}

static int make_folder(struct maker *k)
{
    const char *top = getenv("TMPDIR");
    int ends[2];
    int len = snprintf(k->folder, sizeof(k->folder), "%s/hprof-XXXXXX",
                       top && *top == '/' ? top : "/tmp");
    if (len >= (int)sizeof(k->folder))
        return -ENAMETOOLONG;
    if (!mkdtemp(k->folder))
        return -errno;
    if (pipe(ends) != 0)
        return -errno;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        if (fork() != 0)
            _exit(0); /* so that nobody has to wait for it */
        watch(k->folder, ends[0]);
    }
    close(ends[0]);
    k->watched = ends[1]; /* children have it, too */
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return pid < 0 ? -errno : 0;
}

/* ---- files of /proc, of the control group, and logs */

static void put_taken(void *with, const char *file, const char *text, size_t len)
{
    struct maker *k = with;
    put_text(k, file, text, len);
    textbuf_char(&k->index, '}');
}

static void put_proc(struct maker *k)
{
    static const char *const names[] = {"status", "limits", "smaps_rollup", "maps",
                                        "cgroup", "io",     "oom_score",    "sched"};
    char file[WORD], *text;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        ssize_t len = process_file(k->m->jvm->process.pid, names[i], PROC_MAX, &text);
        snprintf(file, sizeof(file), "proc/%s.txt", names[i]);
        if (len <= 0) {
            index_begin(k, file, 0);
            index_text(&k->index, ",\"said\":", len < 0 ? err_text((int)len) : "empty",
                       strlen(len < 0 ? err_text((int)len) : "empty"));
            textbuf_char(&k->index, '}');
            k->m->refused++;
        } else {
            put_taken(k, file, text, (size_t)len);
        }
        if (len >= 0)
            free(text);
    }
    bundle_logs_take(k->m->jvm, put_taken, k);
}

static void put_index(struct maker *k)
{
    struct textbuf t = {0};
    char when[32];
    struct tm tm;
    gmtime_r(&k->now, &tm);
    strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
    textbuf_printf(&t, "{\"hprof_bundle\":1,\"made\":\"%s\",\"pid\":%d", when,
                   (int)k->m->jvm->process.pid);
    index_text(&t, ",\"version\":", k->m->version, strlen(k->m->version));
    textbuf_printf(&t, ",\"seconds\":%.3f,\"redacted\":%u,\"ended_early\":%s,\"files\":[",
                   (double)k->m->during_ns / NS_PER_S, k->m->redacted,
                   *k->m->is_ended != 0 ? "true" : "false");
    textbuf_bytes(&t, k->index.bytes, k->index.len);
    textbuf_text(&t, "]}\n");
    if (!t.is_bad)
        put_bytes(k, "index.json", t.bytes, t.len);
    textbuf_done(&t);
}

void bundle_make_say(const struct bundle_make *m)
{
    for (uint32_t i = 0; bundle_item_all[i].file; i++) {
        const struct bundle_item *item = &bundle_item_all[i];
        if (item->does[0] != '\0' && !m->is_quiet)
            say("%s: %s: %s", jvm_target_name(m->jvm), item->file, item->does);
    }
}

int bundle_make_write(struct bundle_make *m, struct sink *out)
{
    struct maker k = {.m = m, .out = out, .now = time(NULL), .watched = -1};
    int error = make_folder(&k);
    if (error < 0)
        return error;
    run_items(&k, BUNDLE_NOW);
    put_proc(&k);
    run_items(&k, BUNDLE_DURING);
    run_items(&k, BUNDLE_AFTER);
    put_index(&k);
    tarfile_end(out);
    error = k.index.is_bad ? -ENOMEM : sink_error(out);
    textbuf_done(&k.index);
    close(k.watched);
    return error;
}
