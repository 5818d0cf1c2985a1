/*
 * kernels.c - see kernels.h.
 *
 * A line of /proc/kallsyms: address, a letter, name, and for a module's a tab and [module]. To whom
 * the kernel does not show addresses it shows zeros.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/kernels.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/names.h"
#include "agent/timer/timer.h"
#include "base/err.h"
#include "safe/search.h"

enum {
    KEY_BCI = INT32_MIN,  /* as in natives.c: addresses of the kernel are never the process's */
    NAME_MAX_BYTES = 512, /* the kernel's own limit. Source: linux/kallsyms.h, KSYM_NAME_LEN */
    TEXT_BYTES_MAX = 64 << 20,
    SYMBOLS_MAX = 1 << 20,
};

struct symbol {
    uint64_t start;
    const char *name, *module; /* "" where it is no function; module NULL: the kernel itself */
};

static struct {
    pthread_once_t once;
    struct symbol *list; /* by start; of several names for one place the last one counts */
    uint32_t count;
    frame_id unknown;
} kernels = {.once = PTHREAD_ONCE_INIT};

/* ---- may we */

static long setting(const char *name)
{
    char path[64], text[32] = "";
    int fd;
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    n = read(fd, text, sizeof(text) - 1);
    close(fd);
    return n > 0 ? strtol(text, NULL, 10) : -1;
}

static void say_why(int error)
{
    static const char go_on[] = "going on without kernel frames";
    long paranoid = setting("perf_event_paranoid");

    if (error == -EDQUOT)
        log_note("kernel=y: the memory that perf may lock is used up (%ld KB a processor): raise "
                 "kernel.perf_event_mlock_kb or ulimit -l; %s",
                 setting("perf_event_mlock_kb"), go_on);
    else if ((error == -EACCES || error == -EPERM) && paranoid > 1)
        log_note("kernel=y: kernel.perf_event_paranoid is %ld, which hides the kernel from this "
                 "process: give it CAP_PERFMON, or set kernel.perf_event_paranoid to 1; %s",
                 paranoid, go_on);
    else if (error == -EACCES || error == -EPERM || error == -ENOSYS)
        log_note("kernel=y: perf_event_open is refused (%s), by a container's seccomp rules or a "
                 "security module: allow it there; %s",
                 err_text(error), go_on);
    else
        log_note("kernel=y: perf_event_open does not work here (%s); %s", err_text(error), go_on);
}

int kernels_can(const struct timer_source *source)
{
    int error = -ENOSYS;

    /* Where perf works for nobody another source was taken: ask perf why all the same. */
    for (int i = 0; timer_all[i]; i++)
        if (timer_all[i]->probe_kernel)
            error = timer_all[i]->probe_kernel();
    if (error)
        say_why(error);
    return !error && source->probe_kernel;
}

/* ---- names */

/* All that the file has, NUL-terminated; malloc'ed. NULL: it cannot be read. */
static char *read_text(void)
{
    size_t room = (size_t)1 << 20, len = 0;
    char *text = malloc(room);
    int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;

    while (fd >= 0 && text && (n = read(fd, text + len, room - len - 1)) > 0) {
        len += (size_t)n;
        if (room - len < 4096 && room < TEXT_BYTES_MAX) {
            char *more = realloc(text, room *= 2);

            if (!more)
                break;
            text = more;
        }
    }
    if (fd >= 0)
        close(fd);
    if (!text || n != 0) {
        free(text);
        return NULL;
    }
    text[len] = '\0';
    return text;
}

/* What ends the functions, and has a function's letter. */
static int is_mark(const char *name)
{
    return strcmp(name, "_etext") == 0 || strcmp(name, "_einittext") == 0;
}

/* One line becomes a symbol; its name stays where it is. 0: that is no symbol. */
static int parse_line(char *line, struct symbol *ret)
{
    char *at, *name, *module, letter;

    ret->start = strtoull(line, &at, 16);
    if (ret->start == 0 || at[0] != ' ' || !at[1] || at[2] != ' ')
        return 0;
    letter = at[1];
    name = at + 3;
    module = strstr(name, "\t[");
    ret->module = NULL;
    if (module) {
        *module = '\0';
        module += 2;
        module[strcspn(module, "]")] = '\0';
        ret->module = module;
    }
    ret->name = strchr("tTwW", letter) && !is_mark(name) ? name : "";
    return 1;
}

static int by_start(const void *left, const void *right)
{
    const struct symbol *l = left, *r = right;
    size_t l_len = strlen(l->name), r_len = strlen(r->name);

    if (l->start != r->start)
        return l->start < r->start ? -1 : 1;
    if (!l_len || !r_len)
        return !l_len && r_len ? -1 : l_len && !r_len;
    return l_len != r_len ? (l_len > r_len ? -1 : 1) : strcmp(r->name, l->name);
}

static void load(void)
{
    char *text = read_text();
    struct symbol *list = NULL;
    uint32_t count = 0, room = 0;

    for (char *line = text, *next; line && *line && count < SYMBOLS_MAX; line = next) {
        next = strchrnul(line, '\n');
        if (*next)
            *next++ = '\0';
        if (count == room) {
            struct symbol *more = reallocarray(list, room = room ? room * 2 : 65536, sizeof(*list));

            if (!more)
                break;
            list = more;
        }
        count += (uint32_t)parse_line(line, &list[count]);
    }
    if (count == 0) {
        free(list);
        free(text);
        log_note("kernel=y: /proc/kallsyms shows no addresses to this process "
                 "(kernel.kptr_restrict is %ld): kernel functions have no names; give it "
                 "CAP_SYSLOG, or set kernel.kptr_restrict to 0 and kernel.perf_event_paranoid to 1",
                 setting("kptr_restrict"));
        return;
    }
    qsort(list, count, sizeof(*list), by_start);
    kernels.list = list;
    kernels.count = count;
}

void kernels_load(void)
{
    pthread_once(&kernels.once, load);
}

static const struct symbol *symbol_at(uint64_t address)
{
    uint32_t upto = SEARCH_UPTO(kernels.list, kernels.count, start, address);

    return upto > 0 && kernels.list[upto - 1].name[0] ? &kernels.list[upto - 1] : NULL;
}

static frame_id make_frame(struct agent *a, const char *function, size_t len, const char *module)
{
    char text[NAME_MAX_BYTES + 8];
    string_id name;
    class_id klass;
    method_id method;

    if (len > NAME_MAX_BYTES)
        len = NAME_MAX_BYTES;
    snprintf(text, sizeof(text), "%.*s_[k]", (int)len, function);
    name = profile_cstring(a->profile, module ? module : "kernel");
    klass = names_class_named(a, name);
    if (!klass)
        return 0;
    method = profile_method(a->profile, klass, profile_cstring(a->profile, text),
                            profile_cstring(a->profile, "()V"), name);
    return method ? profile_frame(a->profile, method, -1, PROFILE_LINE_NONE) : 0;
}

frame_id kernels_frame(struct agent *a, uint64_t address)
{
    frame_id frame = frame_cache_find(&a->names->frames, address, KEY_BCI);
    const struct symbol *symbol;

    if (frame)
        return frame;
    kernels_load();
    symbol = symbol_at(address);
    if (symbol) /* up to the first dot, as in natives.c */
        frame = make_frame(a, symbol->name, strcspn(symbol->name, "."), symbol->module);
    else
        frame = kernels.unknown = make_frame(a, "[unknown]", strlen("[unknown]"), NULL);
    return frame_cache_add(&a->names->frames, address, KEY_BCI, frame);
}

int kernels_is_unknown(frame_id frame)
{
    return frame && frame == kernels.unknown;
}

void kernels_forget(void)
{
    kernels.unknown = 0;
}
