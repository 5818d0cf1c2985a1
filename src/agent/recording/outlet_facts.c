/*
 * outlet_facts.c - see outlet_facts.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/recording/outlet_facts.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "agent/agent.h"
#include "base/secret.h"
#include "format/jfr_out.h"
#include "options/options_redact.h"
#include "safe/clock.h"

enum {
    ROOM = 2 << 20, /* for all texts */
    FILE_MAX = 64 << 10,
    MS_PER_S = 1000,
};

static const char *keep(struct outlet_facts *f, const char *text, size_t len)
{
    char *copy = arena_alloc(&f->arena, len + 1);
    if (copy)
        memcpy(copy, text, len);
    return copy;
}

/*
 * Read the beginning of a file; NULL: it cannot be read. *ret_len does not count the NUL at the
 * end.
 */
static char *read_file(struct outlet_facts *f, const char *path, size_t *ret_len)
{
    char *bytes = arena_alloc(&f->arena, FILE_MAX + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t part = bytes && fd >= 0 ? 1 : 0;
    while (part > 0 && n < FILE_MAX) {
        part = read(fd, bytes + n, FILE_MAX - n);
        n += part > 0 ? (size_t)part : 0;
    }
    if (fd >= 0)
        close(fd);
    *ret_len = n;
    return fd >= 0 ? bytes : NULL;
}

/* ---- the VM */

static const char *property(const struct outlet_facts *f, const char *key)
{
    for (uint32_t i = 0; i < f->property_count; i++)
        if (strcmp(f->properties[i].key, key) == 0)
            return f->properties[i].value;
    return "";
}

static void add_property(struct outlet_facts *f, struct agent *a, const struct secret *secret,
                         const char *key)
{
    char *value;
    struct outlet_facts_property *p = &f->properties[f->property_count];
    if ((*a->vm.main)->GetSystemProperty(a->vm.main, key, &value) != JVMTI_ERROR_NONE)
        return;
    p->key = keep(f, key, strlen(key));
    p->value = secret_has_key(secret, key) ? SECRET_INSTEAD : keep(f, value, strlen(value));
    if (p->key && p->value)
        f->property_count++;
    (*a->vm.main)->Deallocate(a->vm.main, (unsigned char *)value);
}

static void collect_properties(struct outlet_facts *f, struct agent *a, const struct secret *secret)
{
    jint count;
    char **keys;
    if ((*a->vm.main)->GetSystemProperties(a->vm.main, &count, &keys) != JVMTI_ERROR_NONE)
        return;
    f->properties = arena_alloc(&f->arena, (size_t)count * sizeof(*f->properties) + 1);
    for (jint i = 0; i < count; i++) {
        if (f->properties)
            add_property(f, a, secret, keys[i]);
        (*a->vm.main)->Deallocate(a->vm.main, (unsigned char *)keys[i]);
    }
    (*a->vm.main)->Deallocate(a->vm.main, (unsigned char *)keys);
}

/*
 * Join `words` with blanks and replace what is secret; `words` has `len` bytes, with a NUL after
 * each word.
 */
static const char *join(struct outlet_facts *f, const struct secret *secret, const char *words,
                        size_t len)
{
    char *joined = arena_alloc(&f->arena, secret_room(words, len));
    if (joined)
        (void)secret_join(secret, words, len, joined);
    return joined;
}

/*
 * Find the place in the process's command line at which the program's own words begin. `command`
 * has the words joined with blanks by the VM. NULL: the command line does not end with these words,
 * for example if an
 * @argfile names the main class.
 */
static const char *words_of(const char *command, const char *line, size_t len)
{
    size_t n = strlen(command) + 1;
    const char *words = line + len - n;
    if (n == 1 || n >= len || words[-1] != '\0')
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (words[i] != command[i] && !(words[i] == '\0' && command[i] == ' '))
            return NULL;
    return words;
}

/* Collect the words of the program: its main class or jar, and its arguments. */
static void collect_command(struct outlet_facts *f, const struct secret *secret, const char *line,
                            size_t len)
{
    const char *command = property(f, "sun.java.command");
    size_t n = strlen(command);
    const char *words = line ? words_of(command, line, len) : NULL;
    char *text = words ? NULL : arena_alloc(&f->arena, n + 1);
    if (words)
        f->java_arguments = join(f, secret, words, n + 1);
    if (text) {
        memcpy(text, command, n + 1);
        f->java_arguments = join(f, secret, text, secret_split(text));
    }
    for (uint32_t i = 0; i < f->property_count; i++)
        if (strcmp(f->properties[i].key, "sun.java.command") == 0)
            f->properties[i].value = f->java_arguments ? f->java_arguments : SECRET_INSTEAD;
}

/* Collect the VM's arguments: the command line up to the main class or -jar. */
static void collect_arguments(struct outlet_facts *f, const struct secret *secret)
{
    const char *command = property(f, "sun.java.command");
    size_t len, name_len = strcspn(command, " "), at;
    char *line = read_file(f, "/proc/self/cmdline", &len);
    f->vm_arguments = "";
    if (line && len > 0) {
        line[len] = '\0';
        for (at = strlen(line) + 1; at < len; at += strlen(line + at) + 1) {
            const char *one = line + at;
            if (strcmp(one, "-jar") == 0 ||
                (strlen(one) == name_len && strncmp(one, command, name_len) == 0))
                break;
        }
        size_t from = strlen(line) + 1;
        f->vm_arguments = at > from ? join(f, secret, line + from, at - from) : "";
    }
    collect_command(f, secret, line, len);
}

/*
 * The start time of the process, from the clock ticks between the start of the system and of the
 * process. Source: proc(5), stat.
 */
static uint64_t vm_start_ms(struct outlet_facts *f)
{
    /* fields between the name, which ends with a bracket, and starttime */
    enum { FIELDS_BEFORE = 20 };
    size_t len;
    const char *at = read_file(f, "/proc/self/stat", &len);
    uint64_t start_ms, age_ms;
    at = at ? strrchr(at, ')') : NULL;
    for (int i = 0; at && i < FIELDS_BEFORE; i++)
        at = strchr(at + 1, ' ');
    if (!at)
        return 0;
    start_ms = strtoull(at, NULL, 10) * MS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    age_ms = clock_ns(CLOCK_BOOTTIME) / NS_PER_MS - start_ms;
    return clock_ns(CLOCK_REALTIME) / NS_PER_MS - age_ms;
}

/*
 * Collect the description of the VM. Properties that the VM does not have before it is fully
 * started are left out.
 */
static void collect_vm(struct outlet_facts *f)
{
    const char *runtime = property(f, "java.runtime.version");
    struct utsname u;
    char text[1024];
    int n = snprintf(text, sizeof(text), "%s (%s) for linux-%s%s%s%s, built by %s",
                     property(f, "java.vm.name"), property(f, "java.vm.version"),
                     uname(&u) == 0 ? u.machine : "", runtime[0] ? " JRE (" : "", runtime,
                     runtime[0] ? ")" : "", property(f, "java.vm.vendor"));
    f->vm_name = property(f, "java.vm.name");
    f->vm_version = keep(f, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
    f->vm_start_ms = vm_start_ms(f);
}

/* ---- the system */

static void collect_os(struct outlet_facts *f)
{
    static const char key[] = "\nPRETTY_NAME=\"";
    struct utsname u;
    char text[1024];
    size_t len;
    const char *release = read_file(f, "/etc/os-release", &len);
    const char *name = release ? strstr(release, key) : NULL;
    int n;
    if (name)
        name += strlen(key);
    else if (release && strstr(release, key + 1) == release) /* the key is on the first line */
        name = release + strlen(key + 1);
    else
        name = "";
    if (uname(&u) != 0)
        return;
    n = snprintf(text, sizeof(text), "%.*s%suname: %s %s %s %s", (int)strcspn(name, "\"\n"), name,
                 name[0] ? ", " : "", u.sysname, u.release, u.version, u.machine);
    f->os = keep(f, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/*
 * The value of the first line "key : value" from `text` on, with its length in *ret_len; NULL:
 * there is no such line.
 */
static const char *cpu_value(const char *text, const char *key, size_t *ret_len)
{
    const char *at = text ? strstr(text, key) : NULL;
    at = at ? strchr(at, ':') : NULL;
    if (!at)
        return NULL;
    at += strspn(at, ": ");
    *ret_len = strcspn(at, "\n");
    return at;
}

/* Count the processor packages, whose ids begin at 0. */
static uint32_t count_sockets(const char *text)
{
    uint32_t most = 0;
    size_t len;
    for (const char *at = text; (at = cpu_value(at, "physical id", &len)) != NULL;) {
        uint32_t id = (uint32_t)strtoul(at, NULL, 10);
        most = id > most ? id : most;
    }
    return most + 1;
}

static void collect_cpu(struct outlet_facts *f)
{
    size_t len;
    const char *text = read_file(f, "/proc/cpuinfo", &len);
    const char *name = cpu_value(text, "model name", &len);
    f->threads = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
    f->cpu = name ? keep(f, name, len) : "";
    f->sockets = count_sockets(text);
    name = cpu_value(text, "cpu cores", &len);
    f->cores = name ? (uint32_t)strtoul(name, NULL, 10) * f->sockets : f->threads;
}

void outlet_facts_collect(struct outlet_facts *f, struct agent *a, const struct options *o)
{
    const struct secret secret = options_redact_of(o);
    *f = (struct outlet_facts){.vm_arguments = "", .java_arguments = ""};
    arena_init(&f->arena, ROOM);
    collect_properties(f, a, &secret);
    collect_arguments(f, &secret);
    collect_vm(f);
    collect_os(f);
    collect_cpu(f);
}

void outlet_facts_done(struct outlet_facts *f)
{
    arena_done(&f->arena);
}

void outlet_facts_put(const struct outlet_facts *f, struct jfr_out *o, uint64_t time_ns)
{
    const union jfr_schema_value vm[] = {
        {.number = time_ns},
        {.text = f->vm_name},
        {.text = f->vm_version},
        {.text = f->vm_arguments},
        {.text = NULL},
        {.text = f->java_arguments},
        {.number = f->vm_start_ms},
        {.number = (uint64_t)getpid()},
    };
    const union jfr_schema_value os[] = {{.number = time_ns}, {.text = f->os}};
    const union jfr_schema_value cpu[] = {{.number = time_ns},  {.text = f->cpu},
                                          {.text = f->cpu},     {.number = f->sockets},
                                          {.number = f->cores}, {.number = f->threads}};

    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE),
                   pages = (uint64_t)sysconf(_SC_PHYS_PAGES),
                   unused = (uint64_t)sysconf(_SC_AVPHYS_PAGES);
    const union jfr_schema_value memory[] = {
        {.number = time_ns}, {.number = pages * page}, {.number = (pages - unused) * page}};

    jfr_out_put(o, JFR_SCHEMA_TYPE_JVM_INFORMATION, vm);
    jfr_out_put(o, JFR_SCHEMA_TYPE_OS_INFORMATION, os);
    jfr_out_put(o, JFR_SCHEMA_TYPE_CPU_INFORMATION, cpu);
    jfr_out_put(o, JFR_SCHEMA_TYPE_PHYSICAL_MEMORY, memory);
    for (uint32_t i = 0; i < f->property_count; i++) {
        const union jfr_schema_value one[] = {
            {.number = time_ns}, {.text = f->properties[i].key}, {.text = f->properties[i].value}};
        jfr_out_put(o, JFR_SCHEMA_TYPE_INITIAL_SYSTEM_PROPERTY, one);
    }
}
