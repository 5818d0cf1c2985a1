/*
 * frame_kernel.c - see frame_kernel.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/frame_kernel.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/names/frame_room.h"
#include "agent/names/names.h"
#include "elf/kallsyms.h"

static struct {
    pthread_once_t once;
    struct kallsyms symbols;
} kernel = {.once = PTHREAD_ONCE_INIT};

long frame_kernel_setting(const char *name)
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

static void load(void)
{
    kallsyms_read("/proc/kallsyms", &kernel.symbols);
    if (kernel.symbols.count == 0)
        log_note("kernel=y: /proc/kallsyms shows no addresses to this process "
                 "(kernel.kptr_restrict is %ld): kernel functions have no names; give it "
                 "CAP_SYSLOG, or set kernel.kptr_restrict to 0 and kernel.perf_event_paranoid to 1",
                 frame_kernel_setting("kptr_restrict"));
}

void frame_kernel_load(void)
{
    pthread_once(&kernel.once, load);
}

static frame_id make_frame(struct agent *a, const char *function, size_t len, const char *module)
{
    char text[KALLSYMS_NAME_MAX + 8];
    string_id name;
    class_id klass;
    method_id method;
    if (len > KALLSYMS_NAME_MAX)
        len = KALLSYMS_NAME_MAX;
    snprintf(text, sizeof(text), "%.*s_[k]", (int)len, function);
    name = profile_cstring(a->profile, module ? module : "kernel");
    klass = names_class_named(a, name);
    if (!klass)
        return 0;
    method = profile_method(a->profile, klass, profile_cstring(a->profile, text),
                            profile_cstring(a->profile, "()V"), name);
    return method ? profile_frame(a->profile, method, -1, PROFILE_LINE_NONE) : 0;
}

static frame_id name(struct agent *a, const struct walk_frame *f)
{
    frame_kernel_load();
    const struct kallsyms_symbol *symbol = kallsyms_at(&kernel.symbols, f->method);

    if (symbol) /* the name ends at the first dot, as in frame_native.c */
        return make_frame(a, symbol->name, strcspn(symbol->name, "."), symbol->module);
    return make_frame(a, "[unknown]", strlen("[unknown]"), NULL);
}

static bool is_blank(const struct walk_frame *f)
{
    return !kallsyms_at(&kernel.symbols, f->method);
}

const struct frame_namer frame_kernel = {
    .names = WALK_NAMES_KERNEL, .name = name, .is_blank = is_blank};
