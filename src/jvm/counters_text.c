/*
 * counters_text.c - see counters_text.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/counters_text.h"
#include <fnmatch.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "command/say.h"
#include "format/json_out.h"
#include "jvm/asking.h"
#include "jvm/counters_source.h"
#include "jvm/jvm_target.h"
#include "perfdata/perfdata.h"

static const char *variability_text(unsigned variability)
{
    static const char *const texts[] = {
        [PERFDATA_CONSTANT] = "constant",
        [PERFDATA_MONOTONIC] = "growing",
        [PERFDATA_VARIABLE] = "varying",
    };
    return variability >= PERFDATA_CONSTANT && variability <= PERFDATA_VARIABLE ? texts[variability]
                                                                                : "?";
}

/* The JDK promises how stable a counter is by the first words of its name. */
static const char *stability_text(const char *name)
{
    if (strncmp(name, "java.", 5) == 0)
        return "stable";
    if (strncmp(name, "com.sun.", 8) == 0)
        return "unstable";
    return strncmp(name, "sun.", 4) == 0 ? "internal" : "own"; /* the application's own */
}

static bool is_wanted(const char *name, const char *pattern)
{
    if (!pattern)
        return true;
    return strpbrk(pattern, "*?[") ? fnmatch(pattern, name, 0) == 0 : strstr(name, pattern) != NULL;
}

static void print_row(const struct perfdata *p, const struct perfdata_row *row, bool is_long)
{
    size_t len;
    say_clean(stdout, row->name);
    if (row->len == 0) {
        printf("=%" PRId64, perfdata_number(p, row));
    } else {
        const char *text = perfdata_text(p, row, &len);
        fputs("=\"", stdout);
        asking_put(text, len);
        putchar('"');
    }
    if (is_long)
        printf(" %s %s %s", perfdata_unit_word(row->unit), variability_text(row->variability),
               stability_text(row->name));
    putchar('\n');
}

static void put_json(struct sink *s, const struct perfdata *p, const struct perfdata_row *row)
{
    size_t len;
    sink_text(s, "{\"name\":");
    json_out_text(s, row->name, strlen(row->name));
    sink_text(s, ",\"value\":");
    if (row->len == 0) {
        sink_printf(s, "%" PRId64, perfdata_number(p, row));
    } else {
        const char *text = perfdata_text(p, row, &len);
        json_out_text(s, text, len);
    }
    sink_printf(s, ",\"unit\":\"%s\",\"kind\":\"%s\",\"stability\":\"%s\"}",
                perfdata_unit_word(row->unit), variability_text(row->variability),
                stability_text(row->name));
}

static bool has_any(const struct perfdata *p, const struct counters_text *how)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (is_wanted(p->rows[i].name, how->pattern))
            return true;
    return false;
}

static unsigned print_json(const struct perfdata *p, const struct counters_text *how)
{
    struct sink s;
    unsigned count = 0;
    if (sink_init(&s, STDOUT_FILENO) < 0)
        return 0;
    sink_text(&s, "[");
    for (uint32_t i = 0; i < p->count; i++) {
        if (!is_wanted(p->rows[i].name, how->pattern))
            continue;
        sink_text(&s, count++ > 0 ? ",\n" : "\n");
        put_json(&s, p, &p->rows[i]);
    }
    sink_text(&s, "]\n");
    int error = sink_done(&s);
    if (error < 0)
        say("cannot write to standard output: %s", err_text(error));
    return count;
}

unsigned counters_text_print(const struct perfdata *p, const struct counters_text *how)
{
    unsigned count = 0;
    if (how->is_json)
        return print_json(p, how);
    for (uint32_t i = 0; i < p->count; i++) {
        if (is_wanted(p->rows[i].name, how->pattern)) {
            print_row(p, &p->rows[i], how->is_long);
            count++;
        }
    }
    return count;
}

/* ---- counters that later JDKs have renamed or removed
 *
 * A user may ask for a counter by the name that another JDK gives it. The rows were found by
 * comparing the counters of programs on JDK 8, 11, 17, 21, 25, 26, 27 and 28 with the collectors
 * Serial, Parallel and G1. A counter that exists only after a certain event (a start of a compiler
 * thread, a class loader of a library) has no row. */

/* A counter, or group of counters, that has changed its name. */
static const struct renamed {
    /* The old name. If it ends in '.' or '_', it is the beginning of the names of a group. */
    const char *old;
    const char *now; /* the new name; NULL: the counter was removed */
    int release;     /* the first JDK with the change, or the first JDK that is known to have it */
    const char *see; /* where the same value can be seen; NULL: nowhere */
} renamed[] = {
    {"sun.gc.tlab.slowWaste", "sun.gc.tlab.refillWaste", 17, NULL},
    {"sun.gc.tlab.maxSlowWaste", "sun.gc.tlab.maxRefillWaste", 17, NULL},
    {"sun.gc.tlab.fastWaste", NULL, 17, NULL},
    {"sun.gc.tlab.maxFastWaste", NULL, 17, NULL},
    {"sun.gc.generation.2.", NULL, 8, "sun.gc.metaspace.*"},
    {"java.property.java.ext.dirs", NULL, 9, NULL},
    {"java.property.java.endorsed.dirs", NULL, 9, NULL},
    {"sun.property.sun.boot.class.path", NULL, 9, "hprof props"},
    {"sun.cls.isUnsyncloadClassSet", NULL, 11, NULL},
    {"sun.rt.interruptedBeforeIO", NULL, 11, NULL},
    {"sun.rt.interruptedDuringIO", NULL, 11, NULL},
    {"sun.rt.threadInterruptSignaled", NULL, 11, NULL},
    {"sun.cls.jniDefineClassNoLockCalls", NULL, 17, NULL},
    {"sun.cls.jvmDefineClassNoLockCalls", NULL, 17, NULL},
    {"sun.cls.jvmFindLoadedClassNoLockCalls", NULL, 17, NULL},
    {"sun.cls.loadInstanceClassFailRate", NULL, 17, NULL},
    {"sun.cls.nonSystemLoaderLockContentionRate", NULL, 17, NULL},
    {"sun.cls.systemLoaderLockContentionRate", NULL, 17, NULL},
    {"sun.cls.parseClassTime", NULL, 17, NULL},
    {"sun.cls.parseClassTime.self", NULL, 17, NULL},
    {"sun.cls.lookupSysClassTime", NULL, 21, NULL},
    {"sun.os.hrt.ticks", NULL, 25, "the uptime of hprof ps"},
    {"sun.rt._sync_", NULL, 25, "hprof record -e lock"},
    {"sun.gc.policy.", NULL, 26, NULL},
};

static bool is_group(const char *old)
{
    char last = old[strlen(old) - 1];
    return last == '.' || last == '_';
}

/* The row whose old or new name is `name`; NULL: none. */
static const struct renamed *find_renamed(const char *name)
{
    for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++) {
        const struct renamed *row = &renamed[i];
        if (is_group(row->old) ? strncmp(name, row->old, strlen(row->old)) == 0
                               : strcmp(name, row->old) == 0)
            return row;
        if (row->now && strcmp(name, row->now) == 0)
            return row;
    }
    return NULL;
}

/* The other name of the counter; NULL: none. */
static const char *other_name(const struct renamed *row, const char *name)
{
    return row->now && strcmp(name, row->now) == 0 ? row->old : row->now;
}

/* Prints the counter that another JDK calls by this name. Returns whether there is one. If the
 * counter was renamed or removed, says so. */
static bool print_renamed(const char *word, const struct perfdata *p,
                          const struct counters_text *how)
{
    const struct renamed *row = find_renamed(how->pattern);
    const char *other = row ? other_name(row, how->pattern) : NULL;
    if (other && perfdata_find(p, other)) {
        struct counters_text exact = *how;
        exact.pattern = other;
        say("%s: %s is called %s in this JVM", word, how->pattern, other);
        return counters_text_print(p, &exact) > 0;
    }
    if (row && !row->now)
        say("%s: JVMs of JDK %d and later have no %s%s%s", word, row->release, how->pattern,
            row->see ? "; see " : "", row->see ? row->see : "");
    return false;
}

static int print_source(const char *word, const struct counters_source *s,
                        const struct counters_text *how)
{
    /* This comes first: with --json, printing no counter would print an empty list before the other
     * list. */
    if (how->pattern && !has_any(s->data, how) && print_renamed(word, s->data, how))
        return CMD_OK;
    if (counters_text_print(s->data, how) > 0)
        return CMD_OK;
    say("%s: no counter has a name with '%s'", word, how->pattern ? how->pattern : "");
    return CMD_FAILED;
}

int counters_text_print_target(const struct cmd *cmd, const char *word,
                               const struct counters_text *how)
{
    struct counters_source source;
    struct jvms jvms;
    int status;
    if (counters_source_is_file(word)) {
        status = counters_source_open(cmd, word, &how->files, &source);
        if (status == 0)
            status = print_source(word, &source, how);
        counters_source_close(&source);
        return status;
    }
    status = jvm_target_find(cmd, word, JVM_TARGET_MANY, &jvms);
    for (uint32_t i = 0; status != CMD_USAGE && i < jvms.count; i++) {
        const char *name = jvm_target_name(&jvms.rows[i]);
        int one = counters_source_open_pid(jvms.rows[i].process.pid, name, &source);
        if (one == 0) {
            if (how->is_labelled || jvms.count > 1)
                printf("%d:\n", (int)jvms.rows[i].process.pid);
            one = print_source(name, &source, how);
        }
        counters_source_close(&source);
        status = one > status ? one : status;
    }
    jvms_done(&jvms);
    return status;
}
