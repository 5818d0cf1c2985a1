/*
 * command.c - see command.h.
 *
 * Grammar: options/options_command.h. The answer is one line: "hprof/1 ok WORD NAME=VALUE ...", or
 * "hprof/1 error REASON TEXT". It goes into the file that answer= names, before the load returns.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life/command.h"
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/engine/crew_dump.h"
#include "agent/engine/engine.h"
#include "agent/engine/weaving.h"
#include "agent/life/allocator.h"
#include "agent/life/lease.h"
#include "agent/life/life.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "base/lock.h"
#include "base/newfile.h"
#include "options/options_command.h"

/* ---- the line that answers, and its file */

enum { ANSWER_MODE = 0600, TIME_TEXT = 32 };

__attribute__((format(printf, 2, 3))) static void answer_add(struct command_answer *to,
                                                             const char *format, ...)
{
    size_t room = sizeof(to->text) - 1 - to->len; /* room for the newline is kept */
    va_list arguments;
    int n;
    va_start(arguments, format);
    n = vsnprintf(to->text + to->len, room, format, arguments);
    va_end(arguments);
    size_t added = n <= 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
    /*
     * Only a tab at the beginning of the format separates recordings; in names and paths it becomes
     * a blank.
     */
    for (size_t i = format[0] == '\t' ? 1 : 0; i < added; i++)
        if ((unsigned char)to->text[to->len + i] < ' ')
            to->text[to->len + i] = ' ';
    to->len += added;
}

static void answer_append(struct command_answer *to, const struct command_answer *from)
{
    size_t room = sizeof(to->text) - 1 - to->len;
    size_t len = from->len < room ? from->len : room - 1;
    memcpy(to->text + to->len, from->text, len);
    to->len += len;
    to->text[to->len] = '\0';
}

static void add_engines(struct command_answer *to, const struct recording *r)
{
    const struct engine *e;
    const char *between = "";
    answer_add(to, " engines=");
    for (int at = 0; (e = engine_next_of(r->engines, &at)) != NULL; between = ",")
        answer_add(to, "%s%s", between, e->name);
}

/* Append the file of `r`. It comes last, because its name may have blanks. */
static void answer_add_file(struct command_answer *to, const struct recording *r)
{
    char place[PATH_MAX];
    if (r->is_waiting) { /* the file that it will write has no name yet */
        answer_add(to, " waits_for=%s", r->line);
        return;
    }

    output_place(&r->output, place);
    answer_add(to, " file=%s", place);
}

static void time_of_begin(const struct recording *r, char ret[TIME_TEXT])
{
    struct tm utc;
    gmtime_r(&r->began, &utc);
    strftime(ret, TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/*
 * Append a tab, which separates recordings, and a sentence for people: what `r` measures, since
 * when, and into which file.
 */
static void answer_add_sentence(struct command_answer *to, const struct recording *r)
{
    char place[PATH_MAX], what[ENGINE_WORDS], began[TIME_TEXT];
    engine_words(r->engines, what);
    time_of_begin(r, began);
    output_place(&r->output, place);
    bool is_held = r->output.held.is_held;
    bool has_file = !is_held && strcmp(place, "/dev/null") != 0;
    if (r->is_waiting)
        answer_add(to, "\ta trigger is waited for since %s:", began);
    else
        answer_add(to, "\t%s since %s%s%s:", what[0] ? what : "nothing", began,
                   is_held    ? ", for a command that waits"
                   : has_file ? ", into "
                              : "",
                   has_file ? place : "");
}

/* Append the facts about `r` as words from id= on, without the file. */
static void answer_add_recording(struct command_answer *to, const struct recording *r)
{
    char began[TIME_TEXT];
    time_of_begin(r, began);
    answer_add(to, " id=%u name=%s since=%s seconds=%.1f", r->number, r->name, began,
               recording_seconds(r));
    if (r->options.ends.duration_ns)
        answer_add(to, " duration=%.1f", (double)r->options.ends.duration_ns / 1e9);
    if (r->lease_ns)
        answer_add(to, " lease=%.1f", (double)r->lease_ns / 1e9);
    if (r->output.held.is_unnamed)
        answer_add(to, " fd=%d", r->output.fd);
    else if (r->output.held.is_held)
        answer_add(to, " lock=%d", r->output.fd);
    add_engines(to, r);
}

/*
 * Open the file for the answer before the command is carried out: a command whose answer cannot be
 * delivered is not carried out. Errors: 0 (fd -1: nobody waits for an answer), or negative after a
 * message. Owner: answer_write() closes the descriptor.
 */
static int answer_open(const char *path, int *ret_fd)
{
    const char *why = NULL;
    struct newfile file = {.fd = -1};
    int error = path[0] ? newfile_open(path, ANSWER_MODE, NEWFILE_REPLACE, &file, &why) : 0;
    if (error)
        log_error("cannot write the answer to %s (%s)", path, why);
    if (file.is_ours) /* a command may remove a file that nobody locks: jvm/agent_link.h */
        (void)flock(file.fd, LOCK_EX | LOCK_NB);
    *ret_fd = file.fd;
    return error;
}

/* Write the answer as one line. Errors: 0, or negative after a message. */
static int answer_write(int fd, struct command_answer *answer)
{
    ssize_t n;
    int error;
    answer->text[answer->len++] = '\n';
    n = write(fd, answer->text, answer->len);
    error = n == (ssize_t)answer->len ? 0 : n < 0 ? -errno : -EIO;
    close(fd);
    if (error)
        log_error("cannot write the answer (%s)", err_text(error));
    return error;
}

/* ---- what the answers say */

/* The next running recording from place *at on; NULL at the end. Needs the lock. */
static struct recording *next_running(const struct agent *a, int *at)
{
    while (*at < AGENT_RECORDINGS && a->started && !a->dying) {
        struct recording *r = a->recordings[(*at)++];
        if (r && r->is_counting && !recording_is_ending(r))
            return r;
    }
    return NULL;
}

static int count_running(const struct agent *a)
{
    int count = 0;
    for (int at = 0; next_running(a, &at);)
        count++;
    return count;
}

static bool has_file(const struct recording *r, const char *file)
{
    char place[PATH_MAX];
    output_place(&r->output, place);
    return strcmp(file, place) == 0 || strcmp(file, r->output.path) == 0;
}

static bool is_meant(const struct recording *r, const struct options_command *c)
{
    return (!c->id || c->id == r->number) && (!c->name[0] || strcmp(c->name, r->name) == 0) &&
           (!c->file[0] || has_file(r, c->file));
}

static bool says_which(const struct options_command *c)
{
    return c->id || c->name[0] || c->file[0];
}

/*
 * Whether a command that names no recording may mean this one. A recording whose waiting command
 * was killed is not meant, because it is about to end. A recording with a lease is not meant if
 * there is one without a lease.
 */
static bool may_be_meant(struct recording *r, bool has_lasting)
{
    bool is_left = recording_is_left(r);
    return r->lease_ns == 0 || (!has_lasting && !is_left);
}

static bool has_lasting(const struct agent *a)
{
    const struct recording *r;
    for (int at = 0; (r = next_running(a, &at)) != NULL;)
        if (!r->lease_ns)
            return true;
    return false;
}

/* The message for a command that does not say which of several recordings it means. */
static void log_choice(const struct agent *a)
{
    char text[512] = "";
    struct recording *r;
    size_t n = 0;
    bool is_lasting = has_lasting(a);
    for (int at = 0; (r = next_running(a, &at)) != NULL && n < sizeof(text);)
        if (may_be_meant(r, is_lasting))
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%sid=%u name=%s", n ? ", " : "",
                                  r->number, r->name);
    log_error("which recording? There are: %s", text);
}

/*
 * The recording that the command means. If the command names none, that is the only recording
 * without a lease, or else the only recording.
 * Errors: NULL after a message, with E_NOT_FOUND or E_VM_STATE in *ret_error. Needs the lock.
 */
static struct recording *find(const struct agent *a, const struct options_command *c,
                              int *ret_error)
{
    struct recording *r, *found = NULL;
    int count = 0;
    bool is_said = says_which(c), is_lasting = has_lasting(a);
    for (int at = 0; (r = next_running(a, &at)) != NULL;) {
        /*
         * may_be_meant() is called first because it also notices whether the recording's waiting
         * command still holds the file, even if that command is killed soon after.
         */
        if (!may_be_meant(r, is_lasting) && !is_said)
            continue;
        if (!is_meant(r, c))
            continue;
        /*
         * While loop= changes the file there are two recordings of one number: the older one ends.
         */
        bool is_other = !found || found->number != r->number;
        if (is_other || r->options.ends.turn > found->options.ends.turn)
            found = r;
        count += is_other;
    }
    *ret_error = count == 1 ? 0 : count == 0 && says_which(c) ? E_NOT_FOUND : E_VM_STATE;
    if (count > 1)
        log_choice(a);
    else if (*ret_error == E_NOT_FOUND && count_running(a) > 0)
        log_error("no recording is called so");
    return count == 1 ? found : NULL;
}

static void add_status(struct command_answer *to, struct agent *a, struct recording *r)
{
    const struct engine *e;
    answer_add_sentence(to, r);
    answer_add_recording(to, r);
    for (int at = 0; (e = engine_next_of(r->engines, &at)) != NULL;) {
        char words[ENGINE_STATUS] = "";
        if (e->status)
            e->status(a, r, words);
        if (words[0])
            answer_add(to, " %s", words);
    }
    answer_add_file(to, r);
}

/* A status that names a recording renews its lease; a status of all recordings renews none. */
static int answer_status(struct command_answer *to, struct agent *a,
                         const struct options_command *c)
{
    struct recording *r;
    int error = 0;
    agent_lock(a);
    bool is_running = count_running(a) > 0;
    uint32_t restoring = is_running ? 0 : weaving_left();
    answer_add(to, " version=" HPROF_VERSION " state=%s", is_running ? "running" : "idle");
    if (restoring > 0)
        answer_add(to, " classes_restoring=%u", restoring);
    if (says_which(c) && !find(a, c, &error))
        error = E_NOT_FOUND;
    for (int at = 0; !error && (r = next_running(a, &at)) != NULL;)
        if (is_meant(r, c)) {
            if (says_which(c))
                lease_renew(r);
            add_status(to, a, r);
        }
    agent_unlock(a);
    return error;
}

static void answer_list(struct command_answer *to, struct agent *a)
{
    struct recording *r;
    agent_lock(a);
    answer_add(to, " recordings=%d", count_running(a));
    for (int at = 0; (r = next_running(a, &at)) != NULL;) {
        answer_add_recording(to, r);
        answer_add_file(to, r);
    }
    agent_unlock(a);
}

/* ---- what the commands do */

static int stop(struct command_answer *to, struct agent *a, JNIEnv *env,
                const struct options_command *c)
{
    struct recording *r;
    uint32_t number = 0;
    int error;
    agent_lock(a);
    r = find(a, c, &error);
    if (r) {
        number = r->number;
        answer_add_recording(to, r);
        answer_add_file(to, r);
    } else if (count_running(a) == 0) {
        error = 0; /* life_stop() prints that nothing runs */
    }
    agent_unlock(a);
    return error ? error : life_stop(a, env, number);
}

/* The command has been answered: the lease of the recording begins anew. */
static void go_on(struct agent *a, uint32_t number)
{
    struct recording *r;
    agent_lock(a);
    for (int at = 0; (r = next_running(a, &at)) != NULL;)
        if (r->number == number)
            lease_renew(r);
    agent_unlock(a);
    lease_look_again();
}

/*
 * The answer comes after all tables are in the file, also those of a heap dump. Meanwhile the lease
 * of the recording is held, because the command is waiting.
 */
static int dump(struct command_answer *to, struct agent *a, const struct options_command *c)
{
    uint32_t errors = log_errors(), number = 0;
    struct recording *r;
    int error, count;
    agent_lock(a);
    r = find(a, c, &error);
    count = count_running(a);
    if (r) {
        number = r->number;
        lease_hold(r);
        answer_add_recording(to, r);
        answer_add_file(to, r);
    }
    agent_unlock(a);
    if (count == 0) {
        log_error("nothing is measured in this JVM: there is nothing to write");
        return E_VM_STATE;
    }
    if (error)
        return error;
    if (crew_dump(a, r) != 0) {
        log_error("the recording has ended: there is nothing to write");
        return E_VM_STATE;
    }
    log_hear_others();
    crew_dump_begin(a); /* wait until the pending part of the dump has been written */
    crew_dump_end(a);
    go_on(a, number);
    if (log_errors() == errors)
        return 0;
    log_error("the dump is not whole");
    return -EIO;
}

static int start(struct command_answer *to, struct agent *a, JavaVM *vm, JNIEnv *env,
                 const struct options_command *c)
{
    const struct life_start how = {.line = c->options,
                                   .name = c->name[0] ? c->name : NULL,
                                   .lease_ns = c->lease_ns,
                                   .is_held = c->is_held,
                                   .is_command = true};
    struct options_command begun = {.word = c->word};
    struct recording *r;
    int error = life_begin(a, vm, env, &how, &begun.id);
    if (error)
        return error;
    agent_lock(a);
    r = find(a, &begun, &error); /* the recording may have ended meanwhile */
    if (r) {
        answer_add_recording(to, r);
        answer_add_file(to, r);
    }
    agent_unlock(a);
    return 0;
}

/* The answer has what malloc() keeps, and with trim=y what it keeps afterwards, too. */
static int tell_malloc(struct command_answer *to, const struct options_command *c)
{
    struct allocator before, after;
    int error = allocator_read(&before);
    if (!error && c->trims)
        error = allocator_trim();
    if (error) {
        log_error("the C library of this JVM does not tell what malloc() keeps");
        return error;
    }
    answer_add(to, " taken=%llu used=%llu kept=%llu mapped=%llu", (unsigned long long)before.taken,
               (unsigned long long)before.used, (unsigned long long)before.kept,
               (unsigned long long)before.mapped);
    if (c->trims && allocator_read(&after) == 0)
        answer_add(to, " kept_after=%llu", (unsigned long long)after.kept);
    return 0;
}

/* ---- the answer */

static const char *reason_of(int error)
{
    switch (error) {
    case E_SYNTAX:
        return "syntax";
    case E_NOT_FOUND:
        return "not_found";
    case E_VM_STATE:
        return "state";
    case E_UNSUPPORTED:
        return "unsupported";
    default:
        return "failed";
    }
}

static int obey(struct command_answer *to, struct agent *a, JavaVM *vm, JNIEnv *env,
                const char *line, const struct options_command *c)
{
    const struct life_start how = {.line = line, .environment = getenv("_JAVA_HPROF_OPTIONS")};
    uint32_t number;
    switch (c->word) {
    case OPTIONS_COMMAND_NONE:
        return life_begin(a, vm, env, &how, &number);
    case OPTIONS_COMMAND_START:
        return start(to, a, vm, env, c);
    case OPTIONS_COMMAND_STOP:
        return stop(to, a, env, c);
    case OPTIONS_COMMAND_DUMP:
        return dump(to, a, c);
    case OPTIONS_COMMAND_STATUS:
        return answer_status(to, a, c);
    case OPTIONS_COMMAND_LIST:
        answer_list(to, a);
        return 0;
    case OPTIONS_COMMAND_MALLOC:
        return tell_malloc(to, c);
    default:
        return E_UNSUPPORTED;
    }
}

int command_take(struct agent *a, JavaVM *vm, JNIEnv *env, const char *line,
                 struct command_answer *ret_answer)
{
    struct options_command c;
    struct options_error why;
    struct command_answer done = {.len = 0};
    char first_error[LOG_HEARD];
    int fd = -1, wrong = options_command_parse(line, &c, &why);
    int error = answer_open(c.answer, &fd);
    log_hear();
    if (wrong)
        log_error("%s", why.text);
    if (!error)
        error = wrong ? wrong : obey(&done, a, vm, env, line, &c);
    log_heard(first_error);
    if (error) {
        answer_add(ret_answer, "hprof/%d error %s %s", OPTIONS_COMMAND_PROTOCOL, reason_of(error),
                   first_error[0] ? first_error : err_text(error));
    } else {
        answer_add(ret_answer, "hprof/%d ok %s", OPTIONS_COMMAND_PROTOCOL,
                   options_command_text(c.word));
        answer_append(ret_answer, &done);
    }
    if (fd >= 0)
        error = answer_write(fd, ret_answer) != 0 && !error ? -EIO : error;
    options_command_done(&c);
    return error;
}
