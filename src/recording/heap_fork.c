/*
 * heap_fork.c - see heap_fork.h.
 *
 * The agent writes into a file without a name that this command holds open. A signal ends the wait:
 * then nobody holds the file, the agent notices this and ends its child. On a file system without
 * such files, the file has a name and is removed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/heap_fork.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/newfile.h"
#include "base/plural.h"
#include "base/sink.h"
#include "jvm/agent_link.h"
#include "command/cmd.h"
#include "jvm/heap_counters.h"
#include "jvm/held_file.h"
#include "jvm/jvm_target.h"
#include "command/outfile.h"
#include "command/progress.h"
#include "recording/recorded.h"
#include "command/say.h"
#include "gzip/gzsink.h"

#define LEASE "30s"  /* the agent ends the recording if it hears nothing for so long */
#define DEPTH "1024" /* frames of a stack; the default of JVMs */

enum {
    NAME_BYTES = 64,
    COMMAND_BYTES = 1024, /* JDK 8 takes no longer command, with the name of the answer */
    PATH_MOST = 768,
    COPY_BYTES = 256 * 1024,
};

struct dump {
    const struct heap_fork *how;
    const struct heap_fork_taking *taking; /* NULL: the dump gets the name that `how` says */
    struct agent_link link;
    const char *who;
    char *real; /* path of `folder`; NULL: there is none */
    int folder; /* the folder in which the agent writes; -1: the JVM's /tmp */
    int held;   /* descriptor of the file without a name; HELD_FILE_NAMED: it has a name */
    int waits;  /* descriptor that tells the agent that we wait, if `held` does not; or -1 */
    char name[NAME_BYTES]; /* the name of the file in that folder */
    char path[PATH_MAX];   /* path of the file in the JVM; in our folder it is our path too */
    uint64_t id;           /* the number of the recording; 0: there is none */
    struct progress progress;
};

static int folder_of(const struct dump *d)
{
    return d->folder >= 0 ? d->folder : d->link.attach->socket.tmp;
}

/* ---- where the agent writes */

/* The folder of the output, links resolved. NULL: an error. Owner: the caller. */
static char *real_folder(const char *output)
{
    const char *slash = strrchr(output, '/');
    char *folder = slash ? strndup(output, (size_t)(slash - output) + 1) : strdup(".");
    char *real = folder ? realpath(folder, NULL) : NULL;
    free(folder);
    return real;
}

/* Whether the JVM has this very folder under this name, and whether its user may write there. */
static bool sees_folder(const struct attach *a, int fd, const char *path)
{
    const char *below = path[1] ? path + 1 : ".";
    struct stat ours, theirs;
    return fstat(fd, &ours) == 0 && fstatat(a->root, below, &theirs, 0) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino &&
           faccessat(a->root, below, W_OK | X_OK, AT_EACCESS) == 0;
}

/* Chooses the folder in which the agent writes. That of the output is chosen if the JVM runs as our
 * user and sees the folder: then the file belongs to our user and only has to be renamed. */
static void choose_folder(struct dump *d, struct attach *a)
{
    const char *output = d->how->output;
    if (!d->taking && (d->how->gzip != 0 || strcmp(output, "-") == 0 || newfile_is_special(output)))
        return;
    (void)process_ids_back(&a->before);
    bool is_same_user = geteuid() == a->socket.process.uid;
    char *folder = !is_same_user ? NULL
                   : d->taking   ? realpath(d->taking->folder, NULL)
                                 : real_folder(output);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (process_ids_take(&a->socket.process, &a->before) == 0 && fd >= 0 &&
        sees_folder(a, fd, folder) && !strpbrk(folder, ",\n") &&
        strlen(folder) + sizeof(d->name) < PATH_MOST) {
        d->folder = fd;
        d->real = folder;
        return;
    }
    if (fd >= 0)
        close(fd);
    free(folder);
}

static void name_place(struct dump *d)
{
    const char *folder = d->real ? d->real : "/tmp";
    snprintf(d->name, sizeof(d->name), ".hprof-heap-%016llx.hprof",
             (unsigned long long)d->link.nonce);
    snprintf(d->path, sizeof(d->path), "%s%s%s", folder, folder[1] ? "/" : "", d->name);
}

/* While the agent writes the file, the name ends in .TMP. */
static void remove_file(struct dump *d)
{
    if (d->held >= 0)
        close(d->held);
    d->held = HELD_FILE_NAMED;

    char aside[NAME_BYTES + sizeof(".TMP")];

    snprintf(aside, sizeof(aside), "%s.TMP", d->name);
    (void)unlinkat(folder_of(d), aside, 0);
    (void)unlinkat(folder_of(d), d->name, 0);
}

/* ---- commands to the agent */

static void show_progress(void *with)
{
    struct dump *d = with;
    char aside[NAME_BYTES + sizeof(".TMP")];
    struct stat st;
    snprintf(aside, sizeof(aside), "%s.TMP", d->name);
    if (d->held >= 0 ? fstat(d->held, &st) == 0
                     : fstatat(folder_of(d), aside, &st, AT_SYMLINK_NOFOLLOW) == 0 ||
                           fstatat(folder_of(d), d->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        progress_tell(&d->progress, (uint64_t)st.st_size);
}

static int start(struct dump *d)
{
    static const char *const redact[] = {[HPROF_REDACT_NOTHING] = "",
                                         [HPROF_REDACT_VALUES] = ",redact=y",
                                         [HPROF_REDACT_ALL] = ",redact=all"};
    const struct hprof_redact_rule *rule = &d->how->redact;
    bool keeps = rule->keep && *rule->keep;
    char command[COMMAND_BYTES];
    int len = snprintf(command, sizeof(command),
                       "start,verbose=n,heap=dump,format=b,sites=n,plain=y,doe=n,depth=" DEPTH
                       ",inpause=n%s,live=%c%s%s%s%s%s,lease=" LEASE "%s,file=%.*s",
                       d->how->stands ? ",forkmem=0" : "", d->how->is_live ? 'y' : 'n',
                       redact[rule->values], rule->has_names ? ",redact-names=y" : "",
                       keeps ? ",redact-keep=" : "", keeps ? rule->keep : "",
                       d->taking && d->taking->leaves_long_arrays ? ",longarrays=n" : "",
                       held_file_item(d->link.attach), PATH_MOST, d->path);
    if (len >= (int)sizeof(command)) {
        say("%s: the patterns of --keep are too long for a command to the JVM; a pattern with * "
            "stands for many classes",
            d->who);
        return CMD_FAILED;
    }
    int status = agent_link_send(&d->link, command);
    if (status != CMD_OK)
        return status;
    d->id = agent_link_number(&d->link, "id");
    d->held = held_file_open(&d->link);
    d->waits = held_file_wait(&d->link);
    return d->held >= 0 || d->held == HELD_FILE_NAMED ? CMD_OK : CMD_FAILED;
}

/* Sends a command about the recording. The agent's answer is in d->link. */
static int tell(struct dump *d, const char *word)
{
    char command[NAME_BYTES];
    snprintf(command, sizeof(command), "%s,id=%llu", word, (unsigned long long)d->id);
    return agent_link_send(&d->link, command);
}

/* Makes the dump. Only this command of the agent takes long. */
static int make(struct dump *d)
{
    struct attach_socket *s = &d->link.attach->socket;
    struct heap_counters heap;
    heap_counters_read(&d->link.attach->counters.data, &heap);
    d->progress = progress_begin(d->taking ? d->who : d->how->output, (uint64_t)heap.used_bytes);
    s->waits = show_progress;
    s->waits_with = d;
    int status = tell(d, "dump");
    s->waits = NULL;
    progress_end(&d->progress);
    return status;
}

/* ---- copying, packing and renaming the file */

static int pack(int from, const struct heap_fork *how)
{
    struct outfile file;
    struct sink plain = {.fd = -1};
    struct gzsink packed = {0};
    char *bytes = malloc(COPY_BYTES);
    if (!bytes || outfile_open("dump-heap", how->output, &file) < 0) {
        free(bytes);
        return CMD_FAILED;
    }
    int error = sink_init(&plain, file.file.fd);
    if (error == 0)
        error = gzsink_open(&packed, &plain);
    if (error == 0)
        gzsink_set_level(&packed, (int)how->gzip);
    for (ssize_t n; error == 0 && (n = read(from, bytes, COPY_BYTES)) != 0;) {
        if (n > 0)
            sink_bytes(&packed.sink, bytes, (size_t)n);
        error = n > 0 ? sink_error(&packed.sink) : errno == EINTR ? 0 : -errno;
    }
    int closed = gzsink_close(&packed), done = sink_done(&plain);
    error = error ? error : closed ? closed : done;
    if (error == 0 && fsync(file.file.fd) != 0 && errno != EINVAL && errno != EROFS)
        error = -errno;
    free(bytes);
    if (error)
        say("dump-heap: %s: %s", how->output, strerror(-error));
    return outfile_close(&file, error) == 0 ? CMD_OK : CMD_FAILED;
}

/* The file lies in the folder of the output and has no name, so it gets one. If the JVM has the
 * folder from another mount, this is impossible, and the file is copied. */
static int name_file(const struct dump *d)
{
    const char *output = d->how->output;
    const struct newfile file = {.fd = d->held};
    char *old = NULL;
    int error = outfile_move_aside("dump-heap", output, &old);
    if (error < 0)
        return CMD_FAILED;
    error = newfile_link(&file, output);
    if (error < 0 && error != -EEXIST && recorded_copy("dump-heap", d->held, output) == CMD_OK)
        error = 0;
    else if (error == -EEXIST)
        say("dump-heap: cannot write '%s': %s", output, strerror(-error));
    if (error < 0 && old && newfile_rename(old, output) == 0)
        say("dump-heap: '%s' is back", output);
    free(old);
    return error == 0 ? CMD_OK : CMD_FAILED;
}

/* The file lies in the folder of the output under a temporary name, so it is renamed. */
static int rename_file(const struct dump *d)
{
    const char *output = d->how->output;
    char *old = NULL;
    struct stat st;
    if (fstatat(d->folder, d->name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) ||
        st.st_uid != geteuid()) {
        say("dump-heap: the JVM has left no dump as %s", d->path);
        return CMD_FAILED;
    }
    int error = outfile_move_aside("dump-heap", output, &old);
    free(old);
    if (error < 0)
        return CMD_FAILED;
    error = newfile_rename(d->path, output);
    if (error == 0)
        return CMD_OK;
    say("dump-heap: cannot write '%s': %s", output, strerror(-error));
    return CMD_FAILED;
}

static int bring(struct dump *d)
{
    struct attach *a = d->link.attach;
    int status, from = d->folder >= 0 || d->held >= 0 ? -1 : recorded_open(a, d->name);
    (void)process_ids_back(&a->before);
    if (d->folder >= 0) {
        status = d->held >= 0 ? name_file(d) : rename_file(d);
    } else if (d->held >= 0) {
        status = d->how->gzip != 0 ? pack(d->held, d->how)
                                   : recorded_copy("dump-heap", d->held, d->how->output);
    } else if (from < 0) {
        say("dump-heap: the JVM has left no dump in its /tmp");
        status = CMD_FAILED;
    } else {
        status = d->how->gzip != 0 ? pack(from, d->how)
                                   : recorded_copy("dump-heap", from, d->how->output);
    }
    if (from >= 0)
        close(from);
    if (process_ids_take(&a->socket.process, &a->before) != 0 && d->held < 0)
        say("dump-heap: %s is still in the JVM's /tmp", d->name);
    return status;
}

/* Keeps the file open, also if it has a name that will be removed. */
static int keep(struct dump *d, int *ret_fd)
{
    struct attach *a = d->link.attach;
    struct stat st;
    int fd = d->held;
    if (fd < 0)
        fd = d->folder >= 0
                 ? openat(d->folder, d->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                 : recorded_open(a, d->name);
    d->held = HELD_FILE_NAMED;
    if (ret_fd && fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        *ret_fd = fd;
        return CMD_OK;
    }
    if (fd >= 0)
        close(fd);
    say("%s: the JVM has left no dump as %s", d->who, d->path);
    return CMD_FAILED;
}

/* ---- messages */

#define CUT_CLASS " heap_cut_class=\""

struct result {
    uint64_t pause_us, child_ms, objects, bytes;
    bool is_live, stood;
    struct {
        uint64_t count, id, full, written;
        char class_name[NAME_BYTES];
    } cut; /* arrays too long for one record; all but `count` are of the first */
};

static void read_result(const struct agent_link *l, struct result *ret)
{
    *ret = (struct result){
        .pause_us = agent_link_number(l, "heap_pause_us"),
        .child_ms = agent_link_number(l, "heap_child_ms"),
        .objects = agent_link_number(l, "heap_objects"),
        .bytes = agent_link_number(l, "heap_bytes"),
        .is_live = strstr(l->answer, " heap_live=y") != NULL,
        .stood = strstr(l->answer, " heap_stood=y") != NULL,
        .cut = {.count = agent_link_number(l, "heap_cut"),
                .id = agent_link_number(l, "heap_cut_id"),
                .full = agent_link_number(l, "heap_cut_full"),
                .written = agent_link_number(l, "heap_cut_written")},
    };
    const char *name = strstr(l->answer, CUT_CLASS);

    if (name)
        snprintf(ret->cut.class_name, sizeof(ret->cut.class_name), "%.*s",
                 (int)strcspn(name + sizeof(CUT_CLASS) - 1, "\""), name + sizeof(CUT_CLASS) - 1);
}

static void say_taken(const struct dump *d, const struct result *r)
{
    say("%s: taken: %llu object%s, %.1f MB; the program stood still for %.1f ms%s", d->who,
        (unsigned long long)r->objects, plural_s(r->objects), (double)r->bytes / 1e6,
        (double)r->pause_us / 1e3, r->stood ? ", all the time that it took" : "");
}

static void say_written(const struct dump *d, const struct result *r)
{
    FILE *out = strcmp(d->how->output, "-") == 0 ? stderr : stdout;
    say_clean(out, d->how->output);
    fprintf(out, ": heap dump of %llu object%s, %.1f MB%s: the program stood still for %.1f ms, ",
            (unsigned long long)r->objects, plural_s(r->objects), (double)r->bytes / 1e6,
            d->how->gzip != 0 ? " before they were packed" : "", (double)r->pause_us / 1e3);
    if (r->stood)
        fputs("all the time that it took\n", out);
    else
        fprintf(out, "and went on for the %.1f s that it took\n", (double)r->child_ms / 1e3);
}

static void say_result(const struct dump *d, const struct result *r)
{
    if (d->taking)
        say_taken(d, r);
    else
        say_written(d, r);
    if (r->cut.count > 0)
        say("%s: %llu %s longer than a record of the format can be and cut: the %s with id 0x%llx "
            "has "
            "%llu elements, the file the first %llu%s",
            d->who, (unsigned long long)r->cut.count,
            plural_of(r->cut.count, "array is", "arrays are"), r->cut.class_name,
            (unsigned long long)r->cut.id, (unsigned long long)r->cut.full,
            (unsigned long long)r->cut.written,
            plural_of(r->cut.count, "", " (the JVM's stderr names the others)"));
    if (r->is_live && !d->how->is_live)
        say("%s: only objects that can be reached are in the dump: a copy of ZGC's heap is not "
            "searched for others",
            d->who);
}

/* ---- the whole dump */

/* Removes the file and ends the recording after a failure. A second signal ends the wait for the
 * agent's answer. */
static void drop(struct dump *d, enum agent_link_end end)
{
    struct attach_socket *s = &d->link.attach->socket;
    remove_file(d);
    if (end == AGENT_LINK_GONE)
        say("%d: the JVM has ended", (int)d->link.jvm->process.pid);
    if (end == AGENT_LINK_INTERRUPTED) {
        static const struct timespec at_once = {0};
        while (sigtimedwait(s->ending, NULL, &at_once) > 0)
            ;
        say("%s: there is no heap dump: the waiting for it was ended", d->who);
    }
    /* The agent may already know that no command waits, and then refuses. */
    d->link.is_quiet = true;
    if (d->id != 0 && end != AGENT_LINK_GONE && end != AGENT_LINK_SILENT)
        (void)tell(d, "stop");
    remove_file(d);
}

static int dump(struct dump *d, int *ret_fd)
{
    struct result result;
    name_place(d);
    if (d->folder >= 0)
        agent_link_sweep("dump-heap", d->folder);
    int status = start(d);
    if (status == CMD_OK)
        status = make(d);
    if (status == CMD_OK)
        status = tell(d, "status");
    read_result(&d->link, &result);
    if (status == CMD_OK)
        status = tell(d, "stop");
    if (status != CMD_OK) {
        drop(d, d->link.end);
        return status;
    }
    status = d->taking ? keep(d, ret_fd) : bring(d);
    remove_file(d);
    if (status == CMD_OK)
        say_result(d, &result);
    return status;
}

/* Loads the agent, and makes the dump; a signal ends the wait. */
static int dump_with_agent(struct dump *d, struct attach *a, const struct jvm *jvm, int *ret_fd)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t ending, before;
    int status = agent_link_open(&d->link, a, jvm, d->how->library);
    if (status != CMD_OK) {
        agent_link_close(&d->link);
        return status;
    }
    sigemptyset(&ending);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaddset(&ending, numbers[i]);
    sigprocmask(SIG_BLOCK, &ending, &before);
    a->socket.ending = &ending;
    status = dump(d, ret_fd);
    a->socket.ending = NULL;
    sigprocmask(SIG_SETMASK, &before, NULL);
    agent_link_close(&d->link);
    return status;
}

static int run(struct attach *a, const struct jvm *jvm, const struct heap_fork *how,
               const struct heap_fork_taking *taking, int *ret_fd)
{
    struct dump d = {.how = how,
                     .taking = taking,
                     .who = jvm_target_name(jvm),
                     .folder = -1,
                     .held = HELD_FILE_NAMED,
                     .waits = -1};
    choose_folder(&d, a);
    int status = dump_with_agent(&d, a, jvm, ret_fd);
    if (d.folder >= 0)
        close(d.folder);
    if (d.waits >= 0)
        close(d.waits);
    free(d.real);
    return status;
}

int heap_fork_dump(struct attach *a, const struct jvm *jvm, const struct heap_fork *how)
{
    return run(a, jvm, how, NULL, NULL);
}

int heap_fork_folder(struct attach *a, const char *folder)
{
    const struct heap_fork_taking taking = {.folder = folder};
    struct dump d = {.taking = &taking, .how = &(struct heap_fork){.gzip = 0}, .folder = -1};
    choose_folder(&d, a);
    free(d.real);
    return d.folder >= 0 ? d.folder : dup(a->socket.tmp);
}

int heap_fork_take(struct attach *a, const struct jvm *jvm, const struct heap_fork_taking *how,
                   int *ret_fd)
{
    const struct heap_fork inner = {
        .library = how->library, .is_live = how->is_live, .stands = how->stands};
    return run(a, jvm, &inner, how, ret_fd);
}
