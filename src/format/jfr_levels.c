/*
 * jfr_levels.c - see jfr_levels.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_levels.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "format/format.h"
#include "format/jfr_when.h"
#include "jfr/jfr_chunk.h"
#include "jfr/jfr_jvm.h"
#include "jfr/jfr_value.h"
#include "profile/found.h"
#include "profile/levels.h"
#include "profile/profile.h"

enum { MILLION = 1000000, TEXT = 4096 };

/* A level is the sum of one or two fields of an event. A share is a share of all processors. */
static const struct {
    const char *type, *fields[2];
    enum level_kind kind;
} rows[] = {
    {"jdk.GCHeapSummary", {"heapUsed", NULL}, LEVEL_HEAP},
    {"jdk.GCHeapMemoryUsage", {"used", NULL}, LEVEL_HEAP},
    {"jdk.ResidentSetSize", {"size", NULL}, LEVEL_RESIDENT},
    {"jdk.CPULoad", {"jvmUser", "jvmSystem"}, LEVEL_CPU},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const char jvm[] = "jdk.JVMInformation", cpu[] = "jdk.CPUInformation",
                  os[] = "jdk.OSInformation";

static size_t row_of(const struct jfr_type *type)
{
    size_t row = 0;
    while (row < ROWS && strcmp(rows[row].type, type->known_as) != 0)
        row++;
    return row;
}

bool jfr_levels_has(const struct jfr_type *type)
{
    return row_of(type) < ROWS || strcmp(type->known_as, jvm) == 0 ||
           strcmp(type->known_as, cpu) == 0 || strcmp(type->known_as, os) == 0;
}

static string_id text_of(const struct reader_in *in, const struct jfr_chunk *c,
                         const struct jfr_value *event, const char *field)
{
    struct jfr_value value;
    char text[TEXT] = "";
    if (jfr_value_named(c, event, field, &value))
        jfr_value_utf8(&value, text, sizeof(text));
    return *text ? profile_cstring(in->profile, text) : 0;
}

/* "OpenJDK 64-Bit Server VM 21.0.4+7". In the event the JDK's version is "OpenJDK 64-Bit Server VM
 * (21.0.4+7) for linux-amd64 ..."; async-profiler's version is only the number. */
static string_id vm_of(const struct reader_in *in, const struct jfr_chunk *c,
                       const struct jfr_value *event)
{
    struct jfr_value value;
    char name[TEXT] = "", version[TEXT] = "", text[TEXT + 64];
    if (jfr_value_named(c, event, "jvmName", &value))
        jfr_value_utf8(&value, name, sizeof(name));
    if (jfr_value_named(c, event, "jvmVersion", &value))
        jfr_value_utf8(&value, version, sizeof(version));
    const char *number = strchr(version, '(') ? strchr(version, '(') + 1 : version;
    int len = snprintf(text, sizeof(text), "%s%s%.*s", name, *name && *number ? " " : "",
                       (int)strcspn(number, " )"), number);
    return len > 0 ? profile_string(in->profile, text, strnlen(text, sizeof(text) - 1)) : 0;
}

static void take_jvm(const struct reader_in *in, const struct jfr_chunk *c,
                     const struct jfr_type *type, const struct jfr_record *record,
                     const struct jfr_value *event)
{
    struct found *found = profile_found(in->profile);
    struct jfr_jvm program;
    if (!found->arguments)
        found->arguments = text_of(in, c, event, "javaArguments");
    if (!found->vm)
        found->vm = vm_of(in, c, event);
    if (!found->program && jfr_jvm_take(c, type, record, &program)) {
        found->program = *program.program ? profile_cstring(in->profile, program.program) : 0;
        found->pid = program.pid;
    }
}

/* The text behind a word, up to the first character of `ends`; 0: there is none. */
static string_id behind(const struct reader_in *in, const char *text, const char *word,
                        const char *ends)
{
    const char *at = strstr(text, word);
    if (!at)
        return 0;
    at += strlen(word);
    at += strspn(at, " \t:");
    size_t len = strcspn(at, ends);
    return len > 0 ? profile_string(in->profile, at, len) : 0;
}

/* The line of uname; if there is none, the first line. The JDK writes several lines, async-profiler
 * one. */
static string_id system_of(const struct reader_in *in, const struct jfr_chunk *c,
                           const struct jfr_value *event)
{
    string_id whole = text_of(in, c, event, "osVersion");
    const char *text = whole ? profile_string_at(in->profile, whole)->bytes : "";
    string_id kernel = behind(in, text, "uname:", "\n");
    return kernel || !*text ? kernel : profile_string(in->profile, text, strcspn(text, "\n"));
}

/* The name that the manufacturer gave the processor. The JDK writes it as "Brand: ..., Vendor:
 * ...", async-profiler within the text of /proc/cpuinfo. If it is missing, the event's short name:
 * x86_64 or a list. */
static string_id processor_of(const struct reader_in *in, const struct jfr_chunk *c,
                              const struct jfr_value *event)
{
    string_id whole = text_of(in, c, event, "description");
    const char *text = whole ? profile_string_at(in->profile, whole)->bytes : "";
    string_id name = behind(in, text, "Brand:", ",\n");
    name = name ? name : behind(in, text, "model name", "\n");
    return name ? name : text_of(in, c, event, "cpu");
}

/* If the file has several JVMs or machines, the first one counts. */
static void take_fact(const struct reader_in *in, const struct jfr_chunk *c,
                      const struct jfr_type *type, const struct jfr_record *record)
{
    const struct jfr_value object = jfr_value_event(type, record), *event = &object;
    struct found *found = profile_found(in->profile);
    struct jfr_value value;
    if (strcmp(type->known_as, jvm) == 0) {
        take_jvm(in, c, type, record, event);
    } else if (strcmp(type->known_as, os) == 0) {
        if (!found->system)
            found->system = system_of(in, c, event);
    } else if (strcmp(type->known_as, cpu) == 0 && !found->processors) {
        found->processor = processor_of(in, c, event);
        if (jfr_value_named(c, event, "cores", &value) && jfr_value_number(&value) > 0)
            found->cores = (uint32_t)jfr_value_number(&value);
        if (jfr_value_named(c, event, "hwThreads", &value) && jfr_value_number(&value) > 0)
            found->processors = (uint32_t)jfr_value_number(&value);
    }
}

/* Adds a value to a level. A fraction is a share, and is added in millionths. Returns false if a
 * fraction is no share. */
static bool add_value(const struct jfr_value *value, uint64_t *sum)
{
    if (value->shape == JFR_REAL) {
        if (!(value->real >= 0) || value->real > 1)
            return false;
        *sum += (uint64_t)(value->real * MILLION);
        return true;
    }
    *sum += jfr_value_number(value) > 0 ? (uint64_t)jfr_value_number(value) : 0;
    return true;
}

void jfr_levels_take(const struct reader_in *in, const struct jfr_chunk *c,
                     const struct jfr_type *type, const struct jfr_record *record,
                     process_id process)
{
    const struct jfr_value event = jfr_value_event(type, record);
    size_t row = row_of(type);
    struct level level = {.process = process};
    struct jfr_value value;
    if (row == ROWS) {
        take_fact(in, c, type, record);
        return;
    }
    if (!in->want.with_times)
        return;
    level.kind = rows[row].kind;
    if (!jfr_when_has(in, c, &event, &level.time_ns) || level.time_ns == 0)
        return;
    for (int i = 0; i < 2 && rows[row].fields[i]; i++)
        if (!jfr_value_named(c, &event, rows[row].fields[i], &value) ||
            !add_value(&value, &level.value))
            return;
    levels_add(profile_levels(in->profile), &level);
}
