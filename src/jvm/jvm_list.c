/*
 * jvm_list.c - see jvm_list.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/jvm_list.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "attach/jvms.h"
#include "attach/main_class.h"
#include "base/err.h"
#include "base/plain.h"
#include "base/plural.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "command/redact_text.h"
#include "command/resolve.h"
#include "command/say.h"
#include "command/shorten.h"
#include "command/textbuf.h"
#include "format/json_out.h"
#include "mem/mem_live.h"

enum { NAME_COLUMNS = 120 }; /* greatest width of a name that is not shown in full */
enum { MINUTE_S = 60, HOUR_S = 3600, DAY_S = 86400 };

/* The columns that are as wide as their longest cell. */
enum column {
    COLUMN_PID,
    COLUMN_INNER,
    COLUMN_USER,
    COLUMN_JDK,
    COLUMN_UPTIME,
    COLUMN_CONTAINER,
    COLUMN_COUNT
};

static const char *const heads[COLUMN_COUNT] = {"PID", "INNER",  "USER",
                                                "JDK", "UPTIME", "CONTAINER"};

void jvm_list_put_user(char text[JVM_LIST_USER], uid_t uid)
{
    if (!resolve_user(uid, text, JVM_LIST_USER))
        snprintf(text, JVM_LIST_USER, "%u", (unsigned)uid);
}

void jvm_list_put_uptime(char text[JVM_LIST_UPTIME], double age_s)
{
    unsigned long s = age_s < 0 ? 0 : (unsigned long)age_s;
    if (age_s < 0)
        snprintf(text, JVM_LIST_UPTIME, "-");
    else if (s >= DAY_S)
        snprintf(text, JVM_LIST_UPTIME, "%lud%02luh", s / DAY_S, s % DAY_S / HOUR_S);
    else if (s >= HOUR_S)
        snprintf(text, JVM_LIST_UPTIME, "%luh%02lum", s / HOUR_S, s % HOUR_S / MINUTE_S);
    else if (s >= MINUTE_S)
        snprintf(text, JVM_LIST_UPTIME, "%lum%02lus", s / MINUTE_S, s % MINUTE_S);
    else
        snprintf(text, JVM_LIST_UPTIME, "%lus", s);
}

struct cells {
    char text[COLUMN_COUNT][64];
};

static void fill(struct cells *c, const struct jvm *jvm)
{
    snprintf(c->text[COLUMN_PID], sizeof(c->text[0]), "%d", (int)jvm->process.pid);
    snprintf(c->text[COLUMN_INNER], sizeof(c->text[0]), "%d", (int)jvm->process.inner_pid);
    jvm_list_put_user(c->text[COLUMN_USER], jvm->process.uid);
    plain_copy(c->text[COLUMN_JDK], sizeof(c->text[0]), jvm->version ? jvm->version : "?");
    jvm_list_put_uptime(c->text[COLUMN_UPTIME], mem_live_age_s(jvm->process.pid));
    snprintf(c->text[COLUMN_CONTAINER], sizeof(c->text[0]), "%s",
             jvm->container[0] != '\0' ? jvm->container : "-");
}

/* A text without its secrets: the words of a command line. NULL: there is none, or no memory.
 * Owner: free(). */
static char *told_of(const struct jvm_list *l, const char *words)
{
    struct textbuf t = {0};
    if (!words)
        return NULL;
    if (!l->redact)
        return strdup(words);
    uint32_t count = redact_text_words(redact_text_secret(l->redact), words, strlen(words), &t);
    textbuf_char(&t, '\0');
    if (t.is_bad) {
        textbuf_done(&t);
        return NULL;
    }
    l->redact->count += count;
    return t.bytes;
}

static void put_more(const struct jvm_list *l, const char *text)
{
    char *told = told_of(l, text);
    if (told && *told != '\0') {
        putchar(' ');
        say_clean(stdout, told);
    }
    free(told);
}

/* Prints the name and the parts that the user asked for. */
static void put_name(const struct jvm_list *l, const struct jvm *jvm)
{
    if (!jvm->command) {
        fputs("-- no main class is known", stdout);
    } else {
        size_t len = main_class_len(jvm->command);
        size_t from = l->is_full ? 0 : main_class_short(jvm->command, len);
        char *name = strndup(jvm->command + from, len - from);
        if (name && !l->is_full)
            shorten_name(name, NAME_COLUMNS);
        say_clean(stdout, name ? name : "?");
        free(name);
        if (l->has_args)
            put_more(l, main_class_args(jvm->command));
    }
    if (l->has_vm_args)
        put_more(l, jvm->vm_args);
    if (l->has_vm_flags)
        put_more(l, jvm->vm_flags);
    putchar('\n');
}

static bool is_shown(const struct jvms *jvms, enum column column)
{
    for (uint32_t i = 0; i < jvms->count; i++) {
        const struct jvm *jvm = &jvms->rows[i];
        if (column == COLUMN_INNER && jvm->process.inner_pid != jvm->process.pid)
            return true;
        if (column == COLUMN_CONTAINER && jvm->container[0] != '\0')
            return true;
    }
    return column != COLUMN_INNER && column != COLUMN_CONTAINER;
}

static void print_table(const struct jvm_list *l, const struct jvms *jvms)
{
    int widths[COLUMN_COUNT];
    struct cells *rows = calloc(jvms->count + 1, sizeof(*rows));
    if (!rows)
        return;
    for (enum column c = 0; c < COLUMN_COUNT; c++)
        widths[c] = is_shown(jvms, c) ? (int)strlen(heads[c]) : 0;
    for (uint32_t i = 0; i < jvms->count; i++) {
        fill(&rows[i], &jvms->rows[i]);
        for (enum column c = 0; c < COLUMN_COUNT; c++) {
            int width = (int)strlen(rows[i].text[c]);
            if (widths[c] != 0 && width > widths[c])
                widths[c] = width;
        }
    }
    for (enum column c = 0; c < COLUMN_COUNT; c++)
        if (widths[c] != 0)
            printf(c <= COLUMN_INNER ? "%*s " : "%-*s ", c <= COLUMN_INNER ? widths[c] : -widths[c],
                   heads[c]);
    puts("NAME");
    for (uint32_t i = 0; i < jvms->count; i++) {
        for (enum column c = 0; c < COLUMN_COUNT; c++)
            if (widths[c] != 0)
                printf("%*s ", c <= COLUMN_INNER ? widths[c] : -widths[c], rows[i].text[c]);
        put_name(l, &jvms->rows[i]);
    }
    free(rows);
}

static void put_member(struct sink *s, const char *name, const char *text)
{
    sink_printf(s, ",\"%s\":", name);
    if (text)
        json_out_text(s, text, strlen(text));
    else
        sink_text(s, "null");
}

/* Writes the words of a command line as a member, without their secrets. */
static void put_words(struct sink *s, const struct jvm_list *l, const char *name, const char *words)
{
    char *told = told_of(l, words);
    put_member(s, name, told);
    free(told);
}

static void put_row(struct sink *s, const struct jvm_list *l, const struct jvm *jvm)
{
    char user[JVM_LIST_USER];
    double age_s = mem_live_age_s(jvm->process.pid);
    size_t len = jvm->command ? main_class_len(jvm->command) : 0;
    char *name = jvm->command ? strndup(jvm->command, len) : NULL;
    sink_printf(s, "{\"pid\":%d,\"inner_pid\":%d", (int)jvm->process.pid,
                (int)jvm->process.inner_pid);
    put_member(s, "main", name);
    put_words(s, l, "arguments", jvm->command ? main_class_args(jvm->command) : NULL);
    put_words(s, l, "vm_arguments", jvm->vm_args);
    put_words(s, l, "vm_flags", jvm->vm_flags);
    put_member(s, "jdk", jvm->version);
    put_member(s, "libjvm", jvm->libjvm);
    jvm_list_put_user(user, jvm->process.uid);
    put_member(s, "user", user);
    sink_printf(s, ",\"uid\":%u,\"uptime_s\":%.1f", (unsigned)jvm->process.uid,
                age_s < 0 ? 0 : age_s);
    put_member(s, "container", jvm->container[0] != '\0' ? jvm->container : NULL);
    sink_printf(s, ",\"counters\":%s}", jvm->has_counters ? "true" : "false");
    free(name);
}

static int print_json(const struct jvm_list *l, const struct jvms *jvms)
{
    struct sink s;
    if (sink_init(&s, STDOUT_FILENO) < 0)
        return CMD_FAILED;
    sink_text(&s, "{\"jvms\":[");
    for (uint32_t i = 0; i < jvms->count; i++) {
        sink_text(&s, i > 0 ? ",\n" : "\n");
        put_row(&s, l, &jvms->rows[i]);
    }
    sink_printf(&s, "],\n\"hidden\":%u", jvms->hidden);
    if (l->redact)
        sink_printf(&s, ",\"redacted\":%u", l->redact->count);
    sink_text(&s, "}\n");
    int error = sink_done(&s);
    if (error < 0)
        say("cannot write to standard output: %s", err_text(error));
    return error < 0 ? CMD_FAILED : CMD_OK;
}

int jvm_list_print(const struct jvm_list *l)
{
    struct jvms jvms;
    int status = CMD_OK, error = jvms_list(&jvms);
    if (error < 0) {
        say("cannot list the JVMs: %s", err_text(error));
        status = CMD_FAILED;
    } else if (l->is_json) {
        status = print_json(l, &jvms);
    } else if (l->is_quiet || l->is_plain) {
        for (uint32_t i = 0; i < jvms.count; i++) {
            printf(l->is_quiet ? "%d\n" : "%d ", (int)jvms.rows[i].process.pid);
            if (!l->is_quiet)
                put_name(l, &jvms.rows[i]);
        }
    } else {
        print_table(l, &jvms);
    }
    if (status == CMD_OK && jvms.hidden > 0 && !l->is_json)
        say("%u JVM%s of other users cannot be looked at; run as root to see %s", jvms.hidden,
            plural_s(jvms.hidden), plural_of(jvms.hidden, "it", "them"));
    if (l->redact && !l->is_json) {
        fflush(stdout);
        redact_text_say(l->redact, "ps");
    }
    jvms_done(&jvms);
    return status;
}
