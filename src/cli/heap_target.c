/*
 * heap_target.c - see heap_target.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/heap_target.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/secret.h"
#include "command/cmd.h"
#include "command/opts.h"
#include "command/say.h"
#include "gzip/unpack.h"
#include "gzip/unpackread.h"
#include "heap/dumproom.h"
#include "heap/heapanswer.h"
#include "heap/heapinput.h"
#include "heap/heapspool.h"
#include "heap/question.h"
#include "heapimage/heapimage.h"
#include "heapimage/heapimage_dump.h"
#include "hotspot/vm_start.h"
#include "jvm/agentlib.h"
#include "jvm/heap_counters.h"
#include "jvm/heap_outside.h"
#include "jvm/jvm_target.h"
#include "jvm/max_stop.h"
#include "recording/heap_fork.h"
#include "snapshot/snapshot.h"

enum { THREAD_BYTES = 256 };

int heap_target_take_option(struct heap_target *t, const struct opts *opts, int id)
{
    switch (id) {
    case HEAP_TARGET_OPT_LIVE:
        t->is_live = true;
        return -1;
    case HEAP_TARGET_OPT_LIBRARY:
        t->agent = opts->value;
        return -1;
    case HEAP_TARGET_OPT_STAND:
        t->stands = true;
        return -1;
    case HEAP_TARGET_OPT_MAX_STOP:
        return max_stop_parse(t->line.q.cmd, opts->value, &t->max_stop_ns) < 0 ? CMD_USAGE : -1;
    default:
        return asking_take(&t->line, opts, id);
    }
}

/* ---- what the target is */

static bool ends_in(const char *word, const char *with)
{
    size_t len = strlen(word), end = strlen(with);
    return len > end && strcmp(word + len - end, with) == 0;
}

enum heap_target_kind heap_target_kind(const struct heap_target *t)
{
    const char *word = t->line.q.target;
    struct stat st;
    if (outside_is_core(word))
        return HEAP_TARGET_CORE;
    if (t->line.is_outside)
        return HEAP_TARGET_JVM;
    if (strcmp(word, "-") == 0)
        return HEAP_TARGET_STREAM;
    bool is_file = stat(word, &st) == 0 && !S_ISDIR(st.st_mode);
    bool looks_so = strchr(word, '/') || word[0] == '.' || strstr(word, ".hprof") ||
                    ends_in(word, ".gz") || ends_in(word, ".zst") || ends_in(word, ".dump");
    return is_file || looks_so ? HEAP_TARGET_FILE : HEAP_TARGET_JVM;
}

int heap_target_check(const struct heap_target *t, enum heap_target_kind kind)
{
    const char *cmd = t->line.q.cmd->name, *option = NULL;
    bool is_dump = kind == HEAP_TARGET_FILE || kind == HEAP_TARGET_STREAM;
    bool is_asked = kind == HEAP_TARGET_JVM && !t->line.is_outside;
    if (!is_asked && (t->agent || t->stands))
        option = t->agent ? "--agent" : "--stand";
    else if (t->is_live && is_dump)
        option = "--live";
    else if ((t->line.files.exe || t->line.files.sysroot) && kind != HEAP_TARGET_CORE)
        option = t->line.files.exe ? "--exe" : "--sysroot";
    if (!option)
        return CMD_OK;
    say("%s: %s: %s is for %s", cmd, t->line.q.target, option,
        strcmp(option, "--agent") == 0 || strcmp(option, "--stand") == 0 ? "a JVM that answers"
        : strcmp(option, "--live") == 0 ? "a JVM or a core; a dump has what it has"
                                        : "a core");
    return CMD_USAGE;
}

/* ---- a JVM that answers */

struct taking {
    const struct heap_target *target;
    const char *folder;
    char *library;
    bool is_found; /* a JVM has that name or number */
    int *fd;
    struct question_origin *origin;
};

/* The heap in use; what nobody knows counts as all of the heap. */
static uint64_t bytes_in_use(const struct heap_target *t, const struct attach *a)
{
    struct heap_counters heap;
    heap_counters_read(&a->counters.data, &heap);
    bool is_known = heap.used_bytes > 0 && (t->is_live || !heap.is_old);
    return (uint64_t)(is_known ? heap.used_bytes : heap.size_bytes);
}

static int refuse_live(struct attach *a, const struct jvm *jvm, void *with)
{
    struct taking *x = with;
    const struct heap_target *t = x->target;
    const char *name = jvm_target_name(jvm);
    uint64_t room = 0;
    x->is_found = true;
    if (max_stop_check_heap(&a->counters.data, name, t->stands ? MAX_STOP_STAND : MAX_STOP_FORK,
                            t->is_live, t->max_stop_ns, "") != CMD_OK)
        return CMD_FAILED;
    struct stat st = {0}, named = {0};
    int folder = heap_fork_folder(a, x->folder);
    int error = folder < 0 || fstat(folder, &st) != 0 ? -errno : heapspool_room_of(folder, &room);
    bool is_named = error == 0 && stat(x->folder, &named) == 0 && st.st_dev == named.st_dev &&
                    st.st_ino == named.st_ino;
    if (folder >= 0)
        close(folder);
    if (error < 0) {
        say("%s: the folder for its dump: %s", name, err_text(error));
        return CMD_FAILED;
    }
    return dumproom_say(name, is_named ? x->folder : "the JVM's /tmp", bytes_in_use(t, a), room)
               ? CMD_OK
               : CMD_FAILED;
}

static int take_live(struct attach *a, const struct jvm *jvm, void *with)
{
    struct taking *x = with;
    x->is_found = true;
    const struct heap_fork_taking how = {
        .folder = x->folder,
        .library = x->library,
        .is_live = x->target->is_live,
        .stands = x->target->stands,
        .leaves_long_arrays = !x->target->wants_elements,
    };
    return heap_fork_take(a, jvm, &how, x->fd);
}

static int take_answering(struct heap_target *t, struct taking *x)
{
    t->line.q.is_single = true;
    t->line.q.refuse = refuse_live;
    if (agentlib_find(t->agent, &x->library) < 0)
        return CMD_FAILED;
    int status = asking_each(&t->line.q, take_live, x);
    const char *word = t->line.q.target;
    if (!x->is_found && word[strspn(word, "0123456789")] != '\0' && access(word, F_OK) != 0)
        say("heap: '%s' is no file here either", word);
    free(x->library);
    return status;
}

/* ---- a core, or a JVM that does not answer */

static int refuse_outside(const char *name, uint64_t used_bytes, void *with)
{
    const struct taking *x = with;
    return dumproom_check(name, x->folder, used_bytes) ? CMD_OK : CMD_FAILED;
}

/* The arguments of the VM, or of the program, with secrets replaced. NULL: unknown. */
static char *join_words(char *words)
{
    static const struct secret usual = {.keys = "", .arguments = ""};
    size_t len = secret_split(words);
    char *text = malloc(secret_room(words, len));
    if (text)
        secret_join(&usual, words, len, text);
    return text;
}

static char *read_command(const struct target *target)
{
    char *text = malloc(VM_START_TEXT);
    int len = text ? vm_start_command(target, text, VM_START_TEXT) : -1;
    char *joined = len > 0 ? join_words(text) : NULL;
    free(text);
    return joined;
}

static char *read_flags(const struct target *target)
{
    char *text = malloc(VM_START_TEXT), *joined = NULL;
    size_t at = 0;
    for (int list = VM_START_FLAGS; text && list <= VM_START_ARGS; list++) {
        uint32_t count = vm_start_count(target, (enum vm_start_list)list);
        for (uint32_t i = 0; i < count && at + 1 < VM_START_TEXT; i++) {
            int len = vm_start_item(target, (enum vm_start_list)list, i, text + at,
                                    VM_START_TEXT - at - 1);
            if (len < 0)
                continue;
            at += (size_t)len;
            text[at++] = ' ';
        }
    }
    if (at > 0) {
        text[at - 1] = '\0';
        joined = join_words(text);
    }
    free(text);
    return joined;
}

/* The thread by which the signal came: of Java, or one of the VM's own. */
static char *read_thread(const struct snapshot *s)
{
    char text[THREAD_BYTES];
    if (!s->crashed)
        return NULL;
    for (uint32_t i = 0; i < s->thread_count; i++) {
        const struct snapshot_thread *thread = &s->threads[i];
        if (thread->os == s->crashed && thread->java && thread->java->name)
            return strdup(thread->java->name);
    }
    snprintf(text, sizeof(text), "%s%sthread %d, which is none of Java", s->crashed->name,
             s->crashed->name[0] ? ": " : "", (int)s->crashed->tid);
    return strdup(text);
}

static void read_origin(const struct snapshot *s, struct question_origin *o)
{
    *o = (struct question_origin){.pid = s->pid,
                                  .signal = s->signal,
                                  .thread = read_thread(s),
                                  .flags = read_flags(&s->target),
                                  .command = read_command(&s->target)};
}

void heap_target_origin_done(struct question_origin *o)
{
    free(o->thread);
    free(o->flags);
    free(o->command);
    *o = (struct question_origin){0};
}

static int write_spool(struct heapimage *h, const char *name, void *with)
{
    const struct taking *x = with;
    struct heapimage_dump dump = {0};
    const struct heapimage_dump_how how = {.created_ms = heap_outside_time_ms(name),
                                           .leaves_long_arrays = !x->target->wants_elements};
    int fd = dumproom_open(name, x->folder);
    if (fd < 0)
        return CMD_FAILED;
    if (heap_outside_write(h, name, x->folder, fd, &how, &dump) < 0) {
        close(fd);
        return CMD_FAILED;
    }
    heap_outside_say_written(name, "taken", h, &dump);
    if (h->snapshot->is_core)
        read_origin(h->snapshot, x->origin);
    *x->fd = fd;
    return CMD_OK;
}

static int take_outside(struct heap_target *t, struct taking *x)
{
    const struct heap_outside how = {.is_live = t->is_live,
                                     .max_stop_ns = t->max_stop_ns,
                                     .job = write_spool,
                                     .refuse = refuse_outside,
                                     .with = x};
    t->line.q.is_single = true;
    return heap_outside_each(&t->line, &how);
}

/* ---- standard input */

/* Whether standard input is a file that can be read as it is. */
static bool is_plain_file(void)
{
    unsigned char head[UNPACK_HEAD];
    struct stat st;
    return fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode) &&
           lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 &&
           !unpack_kind_of(
               head, pread(STDIN_FILENO, head, sizeof(head), 0) == sizeof(head) ? sizeof(head) : 0);
}

/* Copies what comes. Errors: 0; negative after saying why. */
static int fill(const struct taking *x, int fd)
{
    struct unpackread *from = NULL;
    uint64_t bytes;
    int damage = 0, error = unpackread_open(STDIN_FILENO, &from);
    if (error == 0)
        error = heapspool_fill(fd, from, &bytes, &damage);
    if (error == -ENOSPC)
        say("heap: standard input: there is no more room in %s; name another folder by --tmp",
            x->folder);
    else if (error < 0)
        say("heap: standard input: %s", err_text(error));
    else if (damage < 0)
        say("heap: standard input: %s",
            unpackread_why(from) ? unpackread_why(from) : err_text(damage));
    unpackread_close(from);
    return damage == E_UNSUPPORTED ? damage : error;
}

static int take_stream(const struct taking *x)
{
    char left[HEAPANSWER_BYTES_ROOM];
    uint64_t room = 0;
    if (is_plain_file()) {
        *x->fd = dup(STDIN_FILENO);
        return *x->fd < 0 ? CMD_FAILED : CMD_OK;
    }
    int error = heapspool_room(x->folder, &room);
    int fd = error < 0 ? error : heapspool_open(x->folder);
    if (fd < 0) {
        say("heap: standard input: no file without a name can be made in %s: %s; name another "
            "folder by --tmp",
            x->folder, err_text(fd));
        return CMD_FAILED;
    }
    say("heap: standard input goes to a file without a name in %s, which has %s", x->folder,
        heapanswer_bytes(room, left));
    if (fill(x, fd) < 0) {
        close(fd);
        return CMD_FAILED;
    }
    *x->fd = fd;
    return CMD_OK;
}

int heap_target_take(struct heap_target *t, struct heapinput *ret_in,
                     struct question_origin *ret_origin)
{
    int fd = -1, status;
    struct taking x = {
        .target = t, .folder = heapspool_folder(t->tmp), .fd = &fd, .origin = ret_origin};
    *ret_in = (struct heapinput){.fd = -1};
    *ret_origin = (struct question_origin){0};
    if (heap_target_kind(t) == HEAP_TARGET_STREAM)
        status = take_stream(&x);
    else
        status = asking_is_outside(&t->line) ? take_outside(t, &x) : take_answering(t, &x);
    int error = fd >= 0 ? heapinput_take(ret_in, fd) : 0;
    if (error == 0)
        return status;
    say("heap: %s: %s", t->line.q.target, err_text(error));
    return CMD_FAILED;
}
