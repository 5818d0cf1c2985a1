/*
 * doctor_setup.c - see doctor_setup.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "doctor/doctor_setup.h"
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "doctor/doctor_fact.h"
#include "hotspot/target.h"
#include "hotspot/vm_flags.h"
#include "hotspot/vm_start.h"
#include "process/process.h"

enum { MAPS_MAX = 16 << 20, LIST = DOCTOR_FACT_TEXT, SMALL = 256 };

/* ---- the version */

static const struct {
    unsigned release, below;
    const char *text;
} old[] = {
#define OLD(release, below, text, source) {release, below, text},
#include "doctor/doctor_old.def"
#undef OLD
};

/* "1.8.0_352", "8u352", "11.0.15", "17": release and update. */
static void read_version(const char *version, unsigned *release, unsigned *update)
{
    char *end;
    *release = (unsigned)strtoul(version, &end, 10);
    *update = 0;
    if (*release == 1 && *end == '.')
        *release = (unsigned)strtoul(end + 1, &end, 10);
    const char *at = *release == 8 ? strpbrk(end, "_u") : strchr(end, '.');
    if (at && *release != 8)
        at = strchr(at + 1, '.');
    if (at)
        *update = (unsigned)strtoul(at + 1, NULL, 10);
}

const char *doctor_setup_old(const char *version)
{
    unsigned release, update;
    read_version(version, &release, &update);
    for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++)
        if (old[i].release == release && (old[i].below == 0 || update < old[i].below))
            return old[i].text;
    return NULL;
}

/* ---- lists of words */

struct words {
    char text[LIST];
    unsigned count;
};

static void add_word(struct words *w, const char *word, size_t len)
{
    size_t at = strlen(w->text);
    char one[SMALL];
    snprintf(one, sizeof(one), "%.*s", (int)(len < SMALL - 1 ? len : SMALL - 1), word);
    if (strstr(w->text, one))
        return;
    w->count++;
    snprintf(w->text + at, sizeof(w->text) - at, "%s%s", at > 0 ? ", " : "", one);
}

static void set_words(struct doctor_facts *f, enum doctor_fact_id id, const struct words *w,
                      bool is_first)
{
    doctor_fact_set(f, id, w->count, is_first);
    if (w->count > 0)
        doctor_fact_say(f, id, "%s", w->text);
}

/* ---- arguments */

/* What makes a JVM slow or talkative, and is meant for developers. */
static const char *const debugging[] = {
    "-Xint",
    "-Xcheck:jni",
    "-XX:+CheckJNICalls",
    "-XX:+VerifyBeforeGC",
    "-XX:+VerifyAfterGC",
    "-XX:+VerifyDuringGC",
    "-XX:+PrintAssembly",
    "-XX:+PrintInterpreter",
    "-XX:+TraceClassLoading",
    "-XX:+DeoptimizeALot",
    "-XX:+StressGCM",
    "-XX:NativeMemoryTracking=detail",
    "-XX:TieredStopAtLevel=0",
    "-Xlog:all=trace",
    "-Xlog:all=debug",
    "-Xdebug",
};

/* "-agentlib:NAME=options": the options may have secrets, so the name alone is kept. */
static void take_argument(const char *arg, struct words *debug, struct words *agents)
{
    static const char *const kinds[] = {"-agentlib:", "-agentpath:", "-javaagent:"};
    for (size_t i = 0; i < sizeof(debugging) / sizeof(debugging[0]); i++)
        if (strcmp(arg, debugging[i]) == 0)
            add_word(debug, arg, strlen(arg));
    /* Without server=y it connects to a debugger itself, as that of jshell. */
    if (strstr(arg, "jdwp") && strstr(arg, "server=y"))
        add_word(debug, "jdwp (a debugger can attach)", 28);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t len = strlen(kinds[i]);
        if (strncmp(arg, kinds[i], len) != 0)
            continue;
        size_t end = strcspn(arg + len, "=");
        const char *slash = memrchr(arg + len, '/', end);
        const char *name = slash ? slash + 1 : arg + len;
        add_word(agents, name, (size_t)(arg + len + end - name));
    }
}

static void read_arguments(const struct target *t, struct words *debug, struct words *agents)
{
    char *arg = malloc(VM_START_TEXT);
    for (int list = VM_START_FLAGS; arg && list <= VM_START_ARGS; list++) {
        uint32_t count = vm_start_count(t, (enum vm_start_list)list);
        for (uint32_t i = 0; i < count && i < 10000; i++)
            if (vm_start_item(t, (enum vm_start_list)list, i, arg, VM_START_TEXT) > 0)
                take_argument(arg, debug, agents);
    }
    free(arg);
}

/* ---- flags */

static double flag_of(const struct target *t, const char *name, size_t size)
{
    uint64_t value = vm_flags_number(t, name, size, UINT64_MAX);
    return value == UINT64_MAX ? NAN : (double)value;
}

/* The value of a flag that is a text, where it was set; "": it was not. */
static void text_flag(const struct target *t, const char *name, char value[SMALL])
{
    struct vm_flags flags;
    struct vm_flag_row row;
    value[0] = '\0';
    if (vm_flags_begin(t, &flags) < 0)
        return;
    while (vm_flags_next(&flags, &row))
        if (row.origin != 0 && row.type == VM_FLAG_TEXT && strcmp(row.name, name) == 0 &&
            vm_flags_value(t, &row, value, SMALL) < 0)
            value[0] = '\0';
}

/* Whether the VM has not mapped an archive that the user named. */
static void read_archives(struct doctor_facts *f, const struct target *t, const char *maps,
                          bool is_first)
{
    static const char *const names[] = {"AOTCache", "SharedArchiveFile"};
    char value[SMALL];
    bool is_unused = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        text_flag(t, names[i], value);
        /* Two archives may be named, with a colon between. */
        char *file = strrchr(value, ':');
        file = file ? file + 1 : value;
        const char *slash = strrchr(file, '/');
        if (*file == '\0' || strstr(maps, slash ? slash : file))
            continue;
        is_unused = true;
        doctor_fact_say(f, DOCTOR_ARCHIVE_UNUSED, "%s=%s", names[i], value);
    }
    double shared = flag_of(t, "UseSharedSpaces", 1);
    doctor_fact_set(f, DOCTOR_ARCHIVE_UNUSED, is_unused, is_first);
    doctor_fact_set(f, DOCTOR_ARCHIVE_OFF, isnan(shared) ? NAN : shared == 0, is_first);
}

static void read_file(const char *path, char text[SMALL])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, SMALL - 1);
    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

/* Large pages that the flags want and the kernel does not give. */
static void read_huge_pages(struct doctor_facts *f, const struct target *t, bool is_first)
{
    char transparent[SMALL], reserved[SMALL];
    read_file("/sys/kernel/mm/transparent_hugepage/enabled", transparent);
    read_file("/proc/sys/vm/nr_hugepages", reserved);
    bool wants = flag_of(t, "UseTransparentHugePages", 1) > 0;
    bool wants_large = flag_of(t, "UseLargePages", 1) > 0 && !wants;
    bool is_off = (wants && strstr(transparent, "[never]")) ||
                  (wants_large && strtoull(reserved, NULL, 10) == 0 && reserved[0] != '\0');
    doctor_fact_set(f, DOCTOR_HUGE_PAGES_OFF, is_off, is_first);
    if (is_off)
        doctor_fact_say(f, DOCTOR_HUGE_PAGES_OFF, "%s",
                        wants ? "UseTransparentHugePages, and the kernel says never"
                              : "UseLargePages, and the kernel has reserved none");
}

/* Those that were loaded while the JVM ran are no arguments. */
static void read_agents(const char *maps, struct words *agents)
{
    static const char *const names[] = {"asyncProfiler", "hprof", "jdwp"};
    char library[SMALL];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(library, sizeof(library), "/lib%s.so", names[i]);
        if (strstr(maps, library) && !strstr(agents->text, names[i]))
            add_word(agents, library + 1, strlen(library) - 1);
    }
}

void doctor_setup_read(struct doctor_facts *f, pid_t pid, const char *version,
                       const struct target *t, bool is_first)
{
    struct words debug = {0}, agents = {0};
    char *maps = NULL;
    const char *wrong = version[0] != '\0' ? doctor_setup_old(version) : NULL;
    read_arguments(t, &debug, &agents);
    if (process_file(pid, "maps", MAPS_MAX, &maps) >= 0) {
        read_agents(maps, &agents);
        read_archives(f, t, maps, is_first);
    }
    free(maps);
    set_words(f, DOCTOR_DEBUG_FLAGS, &debug, is_first);
    set_words(f, DOCTOR_AGENTS, &agents, is_first);
    read_huge_pages(f, t, is_first);
    double container = flag_of(t, "UseContainerSupport", 1);
    if (!isnan(container))
        doctor_fact_set(f, DOCTOR_CONTAINER_OFF, container == 0, is_first);
    if (version[0] != '\0')
        doctor_fact_set(f, DOCTOR_OLD_JVM, wrong != NULL, is_first);
    if (wrong)
        doctor_fact_say(f, DOCTOR_OLD_JVM, "JDK %s %s", version, wrong);
}
