/*
 * errorlog_cause.c - see errorlog_cause.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "errorlog/errorlog_cause.h"
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "errorlog/errorlog.h"

enum {
    /* The guard pages of a stack lie above its low end; a frame may also jump beyond them. */
    GUARD_BYTES = 512 << 10,
    BEYOND_BYTES = 64 << 10,
    NEAR_BYTES = 64 << 20, /* memory that is nearly used up */
};

const struct errorlog_cause_row errorlog_cause_all[ERRORLOG_CAUSES] = {
#define CAUSE(id, word, title, ...) {word, title, {__VA_ARGS__}},
#include "errorlog/errorlog_cause.def"
#undef CAUSE
};

static bool has(const struct errorlog_text *text, const char *word)
{
    return text->line != 0 && strstr(text->text, word);
}

static bool is_signal(const struct errorlog *log, int number)
{
    return log->kind == ERRORLOG_SIGNAL && log->signal.number == number;
}

static bool is_sent(const struct errorlog *log)
{
    const char *code = log->signal.code;
    return log->kind == ERRORLOG_SIGNAL &&
           (strcmp(code, "SI_USER") == 0 || strcmp(code, "SI_TKILL") == 0 ||
            strcmp(code, "SI_QUEUE") == 0);
}

static bool names_metaspace(const struct errorlog *log)
{
    return has(&log->at.message, "etaspace") || has(&log->at.message, "class space");
}

static bool is_heap_exit(const struct errorlog *log)
{
    return (log->kind == ERRORLOG_EXIT ||
            (log->kind == ERRORLOG_INTERNAL && has(&log->at.message, "OutOfMemory encountered"))) &&
           !names_metaspace(log);
}

static bool is_metaspace(const struct errorlog *log)
{
    return (log->kind == ERRORLOG_MEMORY || log->kind == ERRORLOG_INTERNAL ||
            log->kind == ERRORLOG_EXIT) &&
           names_metaspace(log);
}

static bool is_group_limit(const struct errorlog *log)
{
    const struct errorlog_memory *m = &log->memory;
    uint64_t used = m->group_usage.line != 0 ? m->group_usage.value : m->resident.value;
    return log->kind == ERRORLOG_MEMORY && m->group_limit.line != 0 &&
           used + log->wanted.value + NEAR_BYTES >= m->group_limit.value;
}

static bool is_space_limit(const struct errorlog *log)
{
    return log->kind == ERRORLOG_MEMORY && log->memory.space_limit.line != 0;
}

static bool is_native_memory(const struct errorlog *log)
{
    return log->kind == ERRORLOG_MEMORY;
}

/* The address lies at the low end of the stack. */
static bool is_stack(const struct errorlog *log)
{
    const struct errorlog_thread *t = &log->thread;
    const struct errorlog_signal *s = &log->signal;
    if (log->at.overflow.line != 0)
        return true;
    return is_signal(log, SIGSEGV) && s->has_address && t->stack_low != 0 &&
           t->stack_high > t->stack_low && s->address + BEYOND_BYTES >= t->stack_low &&
           s->address < t->stack_low + GUARD_BYTES && s->address < t->stack_high;
}

static bool is_shm(const struct errorlog *log)
{
    return is_signal(log, SIGBUS) &&
           (has(&log->at.mapping, "/dev/shm/") || has(&log->at.mapping, "/memfd:") ||
            has(&log->at.mapping, "/dev/zero"));
}

static bool is_mapped_file(const struct errorlog *log)
{
    return is_signal(log, SIGBUS);
}

static bool is_compiler(const struct errorlog *log)
{
    return log->at.task.line != 0 || strstr(log->thread.name, "CompilerThread") ||
           strstr(log->thread.name, "Compiler Thread");
}

/* Libraries of the C library and of the loader: a crash in them belongs to the caller. */
static bool is_of_c(const char *module)
{
    static const char *const names[] = {"libc.",   "libc-",      "libpthread", "ld-linux",
                                        "libm.",   "libdl.",     "libstdc++",  "libgcc_s",
                                        "ld-musl", "linux-vdso", "ld-2",       "librt."};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strncmp(module, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The library to which the crash belongs: of the problematic frame, or of the first frame below
 * that is not of the C library; "": none. */
static void library_of(const struct errorlog *log, char *room, size_t size)
{
    struct errorlog_frame f = log->frame;
    room[0] = '\0';
    for (uint32_t i = 0; i < log->frame_count && (f.module[0] == '\0' || is_of_c(f.module)); i++) {
        struct errorlog_frame below;
        if (errorlog_parse_frame(log->frames[i].text, &below) && below.module[0] != '\0' &&
            below.type == 'C')
            f = below;
    }
    if (f.type == 'C')
        snprintf(room, size, "%s", f.module);
}

static bool is_agent(const struct errorlog *log)
{
    char library[64];
    library_of(log, library, sizeof(library));
    for (uint32_t i = 0; i < log->agent_count && library[0] != '\0'; i++) {
        const char *agent = log->agents[i].text;
        /* -agentlib:NAME is the library libNAME.so. */
        bool is_name = strncmp(library, "lib", 3) == 0 &&
                       strncmp(library + 3, agent, strlen(agent)) == 0 &&
                       strcmp(library + 3 + strlen(agent), ".so") == 0;
        if (*agent != '\0' && (is_name || strcmp(library, agent) == 0))
            return true;
    }
    return false;
}

static bool is_unsafe_name(const char *name)
{
    return strstr(name, "Unsafe_") || strstr(name, "misc.Unsafe.") || strstr(name, "misc/Unsafe.");
}

/* A stub that copies memory is called by the VM's Unsafe, too. */
static bool is_unsafe(const struct errorlog *log)
{
    enum { NEAR = 4 };
    bool is_found = is_unsafe_name(log->frame.name);
    if (log->frame.type == 'C')
        return false;
    for (uint32_t i = 0; i < log->frame_count && i < NEAR && !is_found; i++)
        is_found = is_unsafe_name(log->frames[i].text);
    return log->kind == ERRORLOG_SIGNAL && is_found;
}

static bool is_library(const struct errorlog *log)
{
    return log->kind == ERRORLOG_SIGNAL && log->frame.type == 'C';
}

static bool is_collector(const struct errorlog *log)
{
    static const char *const names[] = {"GC Thread",      "G1 ",        "ParGC",
                                        "ZWorker",        "Shenandoah", "XWorker",
                                        "GC task thread", "CMS ",       "Concurrent"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strncmp(log->thread.name, names[i], strlen(names[i])) == 0)
            return true;
    return strncmp(log->thread.type, "GCTaskThread", strlen("GCTaskThread")) == 0 ||
           (has(&log->at.operation, "Collect") && strcmp(log->thread.type, "VMThread") == 0);
}

static bool is_compiled(const struct errorlog *log)
{
    return log->kind == ERRORLOG_SIGNAL && log->frame.type == 'J';
}

static bool is_check(const struct errorlog *log)
{
    return log->kind == ERRORLOG_INTERNAL;
}

static bool is_vm(const struct errorlog *log)
{
    return log->kind == ERRORLOG_SIGNAL && log->frame.type != '\0';
}

static bool is_unknown(const struct errorlog *log)
{
    (void)log;
    return true;
}

static bool (*const conditions[ERRORLOG_CAUSES])(const struct errorlog *log) = {
    [ERRORLOG_CAUSE_SENT] = is_sent,
    [ERRORLOG_CAUSE_HEAP_EXIT] = is_heap_exit,
    [ERRORLOG_CAUSE_METASPACE] = is_metaspace,
    [ERRORLOG_CAUSE_GROUP_LIMIT] = is_group_limit,
    [ERRORLOG_CAUSE_SPACE_LIMIT] = is_space_limit,
    [ERRORLOG_CAUSE_NATIVE_MEMORY] = is_native_memory,
    [ERRORLOG_CAUSE_STACK] = is_stack,
    [ERRORLOG_CAUSE_SHM] = is_shm,
    [ERRORLOG_CAUSE_MAPPED_FILE] = is_mapped_file,
    [ERRORLOG_CAUSE_COMPILER] = is_compiler,
    [ERRORLOG_CAUSE_AGENT] = is_agent,
    [ERRORLOG_CAUSE_UNSAFE] = is_unsafe,
    [ERRORLOG_CAUSE_LIBRARY] = is_library,
    [ERRORLOG_CAUSE_COLLECTOR] = is_collector,
    [ERRORLOG_CAUSE_COMPILED] = is_compiled,
    [ERRORLOG_CAUSE_CHECK] = is_check,
    [ERRORLOG_CAUSE_VM] = is_vm,
    [ERRORLOG_CAUSE_UNKNOWN] = is_unknown,
};

enum errorlog_cause errorlog_cause_of(const struct errorlog *log)
{
    int cause = 0;
    while (cause < ERRORLOG_CAUSE_UNKNOWN && !conditions[cause](log))
        cause++;
    return (enum errorlog_cause)cause;
}
