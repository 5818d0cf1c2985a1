/*
 * jvm_target.c - see jvm_target.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/jvm_target.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "attach/main_class.h"
#include "base/err.h"
#include "command/cmd.h"
#include "command/say.h"

enum { NAME_MAX_BYTES = 128, LISTED = 10 };

static bool is_number(const char *word)
{
    return *word != '\0' && word[strspn(word, "0123456789")] == '\0';
}

const char *jvm_target_name(const struct jvm *jvm)
{
    static char name[NAME_MAX_BYTES];
    if (!jvm->command) {
        snprintf(name, sizeof(name), "%d", (int)jvm->process.pid);
        return name;
    }
    size_t len = main_class_len(jvm->command), from = main_class_short(jvm->command, len);
    snprintf(name, sizeof(name), "%d (%.*s)", (int)jvm->process.pid, (int)(len - from),
             jvm->command + from);
    return name;
}

static int take_number(const char *word, struct jvms *ret)
{
    errno = 0;
    long pid = strtol(word, NULL, 10);
    if (errno != 0 || pid <= 0 || pid > INT_MAX) {
        say("%s: no such process; list the JVMs with 'hprof ps'", word);
        return CMD_FAILED;
    }
    if (jvms_one((pid_t)pid, ret) == 0)
        return 0;
    /* The code that opens this process says why it cannot be opened. */
    ret->rows = calloc(1, sizeof(*ret->rows));
    if (!ret->rows) {
        say("%s: %s", word, err_text(-ENOMEM));
        return CMD_FAILED;
    }
    ret->rows[0].process.pid = (pid_t)pid;
    ret->count = 1;
    return 0;
}

static bool has_name(const struct jvm *jvm, const char *word)
{
    if (!jvm->command)
        return false;
    char *name = strndup(jvm->command, main_class_len(jvm->command));
    bool is_found = name && strcasestr(name, word);
    free(name);
    return is_found;
}

/* Keeps the rows whose name contains the word. */
static void keep_named(struct jvms *jvms, const char *word)
{
    struct jvms kept = {.hidden = jvms->hidden}, gone = {0};
    kept.rows = jvms->rows;
    for (uint32_t i = 0; i < jvms->count; i++) {
        struct jvm jvm = jvms->rows[i];
        if (has_name(&jvm, word)) {
            kept.rows[kept.count++] = jvm;
            continue;
        }
        /* jvms_done() also frees the array, so each dropped row gets an array of its own. */
        gone.rows = malloc(sizeof(*gone.rows));
        gone.count = gone.rows ? 1 : 0;
        if (gone.rows)
            gone.rows[0] = jvm;
        jvms_done(&gone);
    }
    *jvms = kept;
}

static void say_candidates(const struct jvms *jvms)
{
    for (uint32_t i = 0; i < jvms->count && i < LISTED; i++)
        say("  %s", jvm_target_name(&jvms->rows[i]));
    if (jvms->count > LISTED)
        say("  and %u more: 'hprof ps'", jvms->count - LISTED);
}

static int say_none(const struct cmd *cmd, const char *word, uint32_t hidden)
{
    struct stat st;
    if (stat(word, &st) == 0 && !S_ISDIR(st.st_mode))
        say("%s: '%s' is a file, and live JVMs are asked here; 'hprof stack' reads a core, and "
            "'hprof help' says what reads which file",
            cmd->name, word);
    else if (hidden > 0)
        say("%s: no JVM is called '%s'; %u of other users cannot be looked at", cmd->name, word,
            hidden);
    else
        say("%s: no JVM is called '%s'; list the JVMs with 'hprof ps'", cmd->name, word);
    return CMD_FAILED;
}

bool jvm_target_is_all(const char *word)
{
    return strcmp(word, "all") == 0 || strcmp(word, "0") == 0;
}

int jvm_target_find(const struct cmd *cmd, const char *word, enum jvm_target_wants wants,
                    struct jvms *ret)
{
    bool wants_all = jvm_target_is_all(word);
    *ret = (struct jvms){0};
    if (wants_all && wants == JVM_TARGET_ONE) {
        say("%s: one JVM at a time, not '%s'", cmd->name, word);
        return CMD_USAGE;
    }
    if (*word == '\0') {
        say("%s: the name of the JVM is empty", cmd->name);
        return CMD_USAGE;
    }
    if (!wants_all && is_number(word))
        return take_number(word, ret);
    int error = jvms_list(ret);
    if (error < 0) {
        say("%s: cannot list the JVMs: %s", cmd->name, err_text(error));
        return CMD_FAILED;
    }
    if (wants_all)
        return ret->count > 0 ? 0 : say_none(cmd, word, ret->hidden);
    keep_named(ret, word);
    if (ret->count == 0)
        return say_none(cmd, word, ret->hidden);
    if (ret->count > 1) {
        say("%s: '%s' may be one of %u JVMs; say which by its number%s:", cmd->name, word,
            ret->count, wants == JVM_TARGET_MANY ? ", or 'all' for every JVM" : "");
        say_candidates(ret);
        return CMD_USAGE;
    }
    return 0;
}
