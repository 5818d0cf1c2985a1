/*
 * jdk_recording.c - see jdk_recording.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/jdk_recording.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "attach/attach.h"
#include "base/err.h"
#include "jvm/asking.h"
#include "command/cmd.h"
#include "jvm/jvm_target.h"
#include "command/say.h"
#include "command/textbuf.h"
#include "kind/kind.h"
#include "options/options_group.h"
#include "options/options_parse.h"
#include "safe/clock.h"

#define NAME "hprof-" /* the names of recordings begin with it; the nonce follows */

enum {
    CONFIG_MAX = 4 << 20,
    /* How much longer the JVM's recording may last than the agent's: a command that stops both in
     * time still finds it. */
    LONGER_S = 60,
    COMMAND_BYTES = 512,
    LEFT_MOST = 64,    /* end_left() looks at so many names at most */
    NONCE_DIGITS = 16, /* digits of the nonce in the name of a recording */
    ENDING_MS = 2000,  /* the longest wait for the end of a JVM whose socket has ended */
};

/* ---- settings */

static int read_config(struct jdk_recording_how *how, const char *path)
{
    FILE *file = fopen(path, "re");
    int error = file ? 0 : -errno;
    how->config = error == 0 ? malloc(CONFIG_MAX) : NULL;
    if (error == 0 && !how->config)
        error = -ENOMEM;
    if (error == 0) {
        how->config_len = fread(how->config, 1, CONFIG_MAX, file);
        error = ferror(file) ? -EIO : how->config_len == CONFIG_MAX ? -EFBIG : 0;
    }
    if (file)
        (void)fclose(file);
    if (error < 0)
        say("record: --jfr=%s: %s; the settings are default, profile or a .jfc file", path,
            strerror(-error));
    return error;
}

int jdk_recording_take(struct jdk_recording_how *how, const char *value)
{
    jdk_recording_done(how);
    how->settings = value ? value : "default";
    if (strcmp(how->settings, "default") == 0 || strcmp(how->settings, "profile") == 0)
        return 0;
    how->settings = NULL;
    return read_config(how, value);
}

void jdk_recording_done(struct jdk_recording_how *how)
{
    free(how->config);
    how->config = NULL;
}

/* Writes the setting that turns the event off. */
static void turn_off(struct textbuf *t, const char *event)
{
    textbuf_text(t, "<event name=\"");
    textbuf_text(t, event);
    textbuf_text(t, "\"><setting name=\"enabled\">false</setting></event>\n");
}

/* Turns off an event that the agent records, and the other events that count the same in another
 * way: jdk.ObjectAllocationInNewTLAB together with jdk.ObjectAllocationSample. */
static void turn_off_all_like(struct textbuf *t, const char *event)
{
    enum kind_id kind;
    const struct kind_jfr *own = kind_jfr_named(event, &kind);
    turn_off(t, event);
    for (const struct kind_jfr *like = own ? kind_all[kind]->jfr : NULL; like && like->event;
         like++)
        if (like != own && like->skipped == own->skipped && !like->is_waiting)
            turn_off(t, like->event);
}

/* Writes settings that turn off the events that the agent is asked to record. If its options are
 * wrong, nothing is turned off; the agent itself reports the error. */
static void leave_out(struct textbuf *t, const char *items)
{
    struct options options;
    struct options_error why;
    textbuf_text(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<configuration version=\"2.0\" label=\"Beside an agent\" "
                    "description=\"Without what the agent records\" provider=\"hprof\">\n");
    bool is_understood = options_parse(items, NULL, &options, &why) == 0;
    for (int i = 0; is_understood && options_group_all[i]; i++) {
        const struct options_group *group = options_group_all[i];
        const struct options_setting *s = group->settings;
        for (; s && s->event && options_group_asked(&options, group); s++)
            if (strcmp(s->name, "enabled") == 0 && !options_group_is_off(&options, group, s->event))
                turn_off_all_like(t, s->event);
    }
    options_done(&options);
    textbuf_text(t, "</configuration>\n");
}

/* ---- files in the JVM's /tmp */

static int write_file(int tmp, const char *name, const char *bytes, size_t len)
{
    int fd = openat(tmp, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
    int error = fd < 0 ? -errno : recorded_write(fd, bytes, len);
    if (fd >= 0)
        close(fd);
    return error;
}

enum file { FILE_RECORDING, FILE_SETTINGS, FILE_OFF, FILES };

static void name_file(const struct jdk_recording *r, enum file file, char ret[RECORDED_NAME])
{
    static const char *const suffixes[] = {".jfr", ".jfc", "-off.jfc"};
    snprintf(ret, RECORDED_NAME, ".hprof-jdk-%016" PRIx64 "%s", r->nonce, suffixes[file]);
}

static int write_files(struct jdk_recording *r, const struct jdk_recording_how *how)
{
    struct textbuf off = {0};
    char name[RECORDED_NAME];
    int tmp = r->attach->socket.tmp, error = 0;
    leave_out(&off, how->items);
    if (off.is_bad)
        error = -ENOMEM;
    name_file(r, FILE_OFF, name);
    if (error == 0)
        error = write_file(tmp, name, off.bytes, off.len);
    name_file(r, FILE_SETTINGS, name);
    if (error == 0 && how->config)
        error = write_file(tmp, name, how->config, how->config_len);
    if (error == 0)
        error = write_file(tmp, r->file, "", 0);
    /* The JVM writes the file when the recording ends. Until then, the lock tells other commands
     * that this recording still has an owner: see is_left(). */
    if (error == 0)
        r->hold = openat(tmp, r->file, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (r->hold >= 0)
        (void)flock(r->hold, LOCK_EX | LOCK_NB);
    textbuf_done(&off);
    return error;
}

static void remove_file(const struct jdk_recording *r, enum file file)
{
    char name[RECORDED_NAME];
    name_file(r, file, name);
    (void)unlinkat(r->attach->socket.tmp, name, 0);
}

/* ---- the JVM's commands */

/* The caller passes *ret_reply to attach_reply_done(), also after an error. */
static enum attach_cause call(const struct jdk_recording *r, const char *command,
                              struct attach_reply *ret_reply)
{
    const char *const args[] = {command};
    return attach_call(r->attach, "jcmd", args, 1, ret_reply);
}

static void say_lasting(const struct jdk_recording *r)
{
    int pid = (int)r->jvm->process.pid;
    say("%s: the JVM's own recording may go on; 'hprof jcmd %d JFR.stop name=" NAME "%016" PRIx64
        "' ends it",
        jvm_target_name(r->jvm), pid, r->nonce);
}

/* If both files set an event, the later one wins, so the file that turns events off is the last. */
static void write_start(const struct jdk_recording *r, const struct jdk_recording_how *how,
                        char ret[COMMAND_BYTES])
{
    char settings[RECORDED_NAME], off[RECORDED_NAME], duration[48] = "";
    name_file(r, FILE_SETTINGS, settings);
    name_file(r, FILE_OFF, off);
    if (how->duration_ns)
        snprintf(duration, sizeof(duration), " duration=%" PRIu64 "s",
                 how->duration_ns / NS_PER_S + LONGER_S);
    snprintf(ret, COMMAND_BYTES,
             "JFR.start name=" NAME "%016" PRIx64
             " settings=%s%s settings=/tmp/%s filename=/tmp/%s "
             "dumponexit=true%s",
             r->nonce, how->settings ? "" : "/tmp/", how->settings ? how->settings : settings, off,
             r->file, duration);
}

static int start(struct jdk_recording *r, const struct jdk_recording_how *how)
{
    const char *who = jvm_target_name(r->jvm);
    char command[COMMAND_BYTES];
    struct attach_reply reply;
    int status = CMD_FAILED;
    write_start(r, how, command);
    enum attach_cause cause = call(r, command, &reply);
    if (cause != ATTACH_OK) {
        asking_say_cause(who, r->attach, cause);
        say_lasting(r);
    } else if (reply.code == 0 && strstr(reply.text, "Started recording")) {
        status = CMD_OK;
        r->is_running = true;
    } else {
        say("%s: the JVM does not start its own recording: it says '%.*s'; nothing is recorded: "
            "without --jfr the agent alone would record",
            who, (int)strcspn(reply.text, "\n"), reply.text);
    }
    attach_reply_done(&reply);
    return status;
}

/* Whether the command that started this recording has gone: nothing locks the recording's file. */
static bool is_left(const struct jdk_recording *r, uint64_t nonce)
{
    const struct jdk_recording left = {.nonce = nonce};
    char name[RECORDED_NAME];
    name_file(&left, FILE_RECORDING, name);
    int fd = openat(r->attach->socket.tmp, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is = fd < 0 ? errno == ENOENT : flock(fd, LOCK_EX | LOCK_NB) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}

static void end_one(const struct jdk_recording *r, uint64_t nonce)
{
    const struct jdk_recording left = {.attach = r->attach, .nonce = nonce};
    char command[COMMAND_BYTES];
    struct attach_reply reply;
    snprintf(command, sizeof(command), "JFR.stop name=" NAME "%016" PRIx64, nonce);
    bool is_ended = call(r, command, &reply) == ATTACH_OK && reply.code == 0;
    say(is_ended ? "%s: ended the JVM's own recording '" NAME "%016" PRIx64
                   "', which a command left that was killed"
                 : "%s: the JVM does not end its own recording '" NAME "%016" PRIx64
                   "', which a command left that was killed",
        jvm_target_name(r->jvm), nonce);
    attach_reply_done(&reply);
    remove_file(&left, FILE_RECORDING);
}

/* Ends the recordings that killed commands have left. A recording without a duration would go on
 * for ever. */
static void end_left(const struct jdk_recording *r)
{
    static const char mark[] = " name=";
    struct attach_reply reply;

    enum attach_cause cause = call(r, "JFR.check", &reply);
    const char *at = cause == ATTACH_OK ? reply.text : NULL;
    for (unsigned n = 0; n < LEFT_MOST && at && (at = strstr(at, mark)) != NULL; n++) {
        at += sizeof(mark) - 1;
        at += *at == '"'; /* JDK 8 writes the name in quotes */
        if (strncmp(at, NAME, sizeof(NAME) - 1) != 0)
            continue;
        at += sizeof(NAME) - 1;
        char *end;
        uint64_t nonce = strtoull(at, &end, 16);

        if (end == at + NONCE_DIGITS && is_left(r, nonce))
            end_one(r, nonce);
    }
    attach_reply_done(&reply);
}

int jdk_recording_start(struct jdk_recording *r, const struct jdk_recording_how *how,
                        struct attach *a, const struct jvm *jvm, uint64_t nonce)
{
    *r = (struct jdk_recording){.attach = a, .jvm = jvm, .nonce = nonce, .hold = -1};
    name_file(r, FILE_RECORDING, r->file);
    end_left(r);
    int error = write_files(r, how);
    int status = CMD_FAILED;

    if (error < 0)
        say("%s: cannot write into the JVM's /tmp: %s", jvm_target_name(jvm), err_text(error));
    else
        status = start(r, how);
    remove_file(r, FILE_OFF);
    remove_file(r, FILE_SETTINGS);
    if (status != CMD_OK) {
        jdk_recording_drop(r);
        jdk_recording_close(r);
    }
    return status;
}

int jdk_recording_stop(struct jdk_recording *r)
{
    char command[COMMAND_BYTES];
    struct attach_reply reply;
    int status = CMD_OK;
    snprintf(command, sizeof(command), "JFR.stop name=" NAME "%016" PRIx64, r->nonce);
    r->is_running = false;
    enum attach_cause cause = call(r, command, &reply);
    if (cause != ATTACH_OK && !attach_has_ended(r->attach, ENDING_MS)) {
        asking_say_cause(jvm_target_name(r->jvm), r->attach, cause);
        say_lasting(r);
        status = CMD_FAILED;
    }
    attach_reply_done(&reply);
    return status;
}

void jdk_recording_drop(struct jdk_recording *r)
{
    remove_file(r, FILE_RECORDING);
}

void jdk_recording_close(struct jdk_recording *r)
{
    if (r->hold >= 0)
        close(r->hold);
    r->hold = -1;
}
