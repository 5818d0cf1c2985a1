/*
 * errorlog.c - see errorlog.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "errorlog/errorlog.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"

enum { LINE = 16 << 10, KB = 1024 };

/* The state of a parse: one line, without its end, and where in the log it stands. */
struct parser {
    struct errorlog *log;
    uint32_t number;
    char line[LINE];
    bool is_in_stack; /* lines are frames */
    bool is_in_java;  /* they are those of Java code alone */
    bool wants_frame; /* the line behind "Problematic frame:" comes next */
    bool wants_task;  /* the line behind "Current CompileTask:" comes next */
};

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Copies the part of a text in front of any of the bytes in `ends`. */
static void copy_until(char *to, size_t room, const char *from, const char *ends)
{
    size_t len = strcspn(from, ends);
    if (len >= room)
        len = room - 1;
    memcpy(to, from, len);
    to[len] = '\0';
}

static void keep(const struct parser *p, struct errorlog_text *to, const char *text)
{
    if (to->line != 0)
        return;
    to->line = p->number;
    copy_until(to->text, sizeof(to->text), text, "");
}

static void keep_number(const struct parser *p, struct errorlog_number *to, uint64_t value)
{
    if (to->line == 0)
        *to = (struct errorlog_number){p->number, value};
}

/* The number behind `word` in a text; false if there is none. */
static bool number_behind(const char *text, const char *word, int base, uint64_t *ret)
{
    char *end;
    const char *at = strstr(text, word);
    if (!at)
        return false;
    at += strlen(word);
    uint64_t value = strtoull(at, &end, base);
    if (end == at)
        return false;
    *ret = value;
    return true;
}

/* A size like 123K, 123kB, 12M or 123; false if there is none. */
static bool size_at(const char *text, uint64_t *ret)
{
    char *end;
    text += strspn(text, " ");
    uint64_t value = strtoull(text, &end, 10);
    if (end == text || value > (uint64_t)1 << 53)
        return false;
    end += *end == ' ' && (end[1] == 'k' || end[1] == 'K');
    *ret = *end == 'k' || *end == 'K' ? value * KB
           : *end == 'M'              ? value * KB * KB
           : *end == 'G'              ? value * KB * KB * KB
                                      : value;
    return true;
}

static void keep_size(const struct parser *p, struct errorlog_number *to, const char *text,
                      const char *word)
{
    uint64_t value;
    const char *at = strstr(text, word);
    if (at && size_at(at + strlen(word), &value))
        keep_number(p, to, value);
}

/* ---- the head: lines that begin with # */

static void take_signal(struct parser *p, const char *text)
{
    struct errorlog_signal *s = &p->log->signal;
    uint64_t number = 0;
    p->log->kind = ERRORLOG_SIGNAL;
    copy_until(s->name, sizeof(s->name), text, " ");
    if (number_behind(text, "(0x", 16, &number) && number < 128)
        s->number = (int)number;
    number_behind(text, "at pc=0x", 16, &s->pc);
}

static void take_ids(struct parser *p, const char *text)
{
    number_behind(text, "pid=", 10, &p->log->pid);
    /* JDK 8 writes the address of the thread; later ones its number. */
    if (!strstr(text, "tid=0x"))
        number_behind(text, "tid=", 10, &p->log->thread.tid);
}

static void take_head(struct parser *p, const char *text)
{
    struct errorlog *log = p->log;
    if (p->wants_frame) {
        p->wants_frame = false;
        if (errorlog_parse_frame(text, &log->frame))
            keep(p, &log->at.frame_line, text);
    } else if (begins(text, "SIG") && strstr(text, " at pc=")) {
        keep(p, &log->at.head, text);
        take_signal(p, text);
        take_ids(p, text);
    } else if (begins(text, "Internal Error (")) {
        keep(p, &log->at.head, text);
        log->kind = ERRORLOG_INTERNAL;
        take_ids(p, text);
    } else if (begins(text, "Out of Memory Error (")) {
        keep(p, &log->at.head, text);
        log->kind = ERRORLOG_MEMORY;
        take_ids(p, text);
    } else if (begins(text, "Native memory allocation (")) {
        keep(p, &log->at.message, text);
        log->kind = ERRORLOG_MEMORY;
        keep_size(p, &log->wanted, text, "failed to allocate ");
        keep_size(p, &log->wanted, text, "failed to map ");
    } else if (log->kind == ERRORLOG_INTERNAL && log->at.message.line == 0 &&
               p->number == log->at.head.line + 1 && *text != '\0') {
        keep(p, &log->at.message, text);
    } else if (begins(text, "JRE version:")) {
        keep(p, &log->at.version, text);
    } else if (begins(text, "Problematic frame:")) {
        p->wants_frame = true;
    } else if (strstr(text, "ore dump")) {
        keep(p, &log->at.core, text);
    }
}

/* ---- frames */

bool errorlog_parse_frame(const char *line, struct errorlog_frame *ret)
{
    struct errorlog_frame f = {.type = line[0]};
    if (!strchr("CVvjJA", line[0]) || line[0] == '\0' || line[1] != ' ')
        return false;
    const char *at = line + 1 + strspn(line + 1, " ");
    if (*at == '[') {
        copy_until(f.module, sizeof(f.module), at + 1, "+]");
        at += strcspn(at, "]");
        at += *at == ']';
        at += strspn(at, " ");
    }
    copy_until(f.name, sizeof(f.name), at, "");
    if (f.module[0] == '\0' && f.name[0] == '\0')
        return false;
    *ret = f;
    return true;
}

/* The list of Java frames follows that of native frames, and has the native method that Java code
 * called, which the other list may lack. */
static void take_frame(struct parser *p)
{
    struct errorlog *log = p->log;
    struct errorlog_frame unused;
    if (p->line[0] == '\0') {
        p->is_in_stack = false;
        return;
    }
    /* In newer JDKs no empty line stands in front of it. */
    p->is_in_java |= begins(p->line, "Java frames:");
    if (!errorlog_parse_frame(p->line, &unused))
        return;
    if (strchr("jJA", p->line[0]) && (p->is_in_java || log->at.java.line == 0)) {
        log->at.java.line = 0;
        keep(p, &log->at.java, p->line);
        /* The first one of each list counts. */
        p->is_in_java = false;
    }
    if (log->frame_count < ERRORLOG_FRAMES)
        keep(p, &log->frames[log->frame_count++], p->line);
}

/* ---- the thread */

/* Current thread (0x..):  JavaThread "main" [_thread_in_vm, id=7, stack(0x1,0x2)]
 * Since JDK 21 the end is: id=7, stack(0x1,0x2) (1024K)] */
static void take_thread(struct parser *p, const char *text)
{
    struct errorlog_thread *t = &p->log->thread;
    uint64_t tid;
    text += strspn(text, " ");
    copy_until(t->type, sizeof(t->type), text, " \"[");
    const char *quote = strchr(text, '"'), *last = strrchr(text, '"');
    if (quote && last > quote) {
        size_t len = (size_t)(last - quote - 1);
        len = len < sizeof(t->name) ? len : sizeof(t->name) - 1;
        memcpy(t->name, quote + 1, len);
        t->name[len] = '\0';
        text = last + 1;
    }
    const char *state = strstr(text, "[_thread");
    if (state)
        copy_until(t->state, sizeof(t->state), state + 1, ",]");
    if (number_behind(text, "id=", 10, &tid))
        t->tid = tid;
    const char *stack = strstr(text, "stack(0x");
    if (stack && number_behind(stack, "stack(0x", 16, &t->stack_low))
        number_behind(stack, ",0x", 16, &t->stack_high);
}

/* siginfo: si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x0000000000000008 */
static void take_siginfo(struct parser *p, const char *text)
{
    struct errorlog_signal *s = &p->log->signal;
    const char *code = strstr(text, "si_code");
    const char *word = code ? strchr(code, '(') : NULL;
    if (word)
        copy_until(s->code, sizeof(s->code), word + 1, ")");
    s->has_address = number_behind(text, "si_addr: 0x", 16, &s->address) ||
                     number_behind(text, "si_addr=0x", 16, &s->address);
}

/* ---- what ran, and with which memory */

/* jvm_args: the names of agents; their options may have secrets. */
static void take_agents(struct parser *p, const char *text)
{
    static const char *const words[] = {"-agentpath:", "-agentlib:", "-javaagent:"};
    struct errorlog *log = p->log;
    for (const char *at = text; (at = strchr(at, '-')) != NULL; at++) {
        if (at > text && at[-1] != ' ')
            continue;
        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
            if (!begins(at, words[i]) || log->agent_count == ERRORLOG_AGENTS)
                continue;
            char name[ERRORLOG_TEXT];
            copy_until(name, sizeof(name), at + strlen(words[i]), "= ");
            const char *slash = strrchr(name, '/');
            keep(p, &log->agents[log->agent_count++], slash ? slash + 1 : name);
        }
    }
}

static void take_main(struct parser *p, const char *text)
{
    char name[ERRORLOG_TEXT];
    copy_until(name, sizeof(name), text + strspn(text, " "), " ");
    const char *slash = strrchr(name, '/');
    copy_until(p->log->main, sizeof(p->log->main), slash ? slash + 1 : name, "");
}

/* Lines of the heap: " garbage-first heap   total 258048K, used 1024K [..." Serial and Parallel
 * have a line for each generation; ZGC and Shenandoah have words of their own. */
static void take_heap(struct parser *p)
{
    static const char *const generations[] = {" def new generation ",
                                              " tenured generation ",
                                              " PSYoungGen ",
                                              " ParOldGen ",
                                              " garbage-first heap ",
                                              " DefNew ",
                                              " Tenured ",
                                              " par new generation ",
                                              " concurrent mark-sweep generation "};
    struct errorlog_memory *m = &p->log->memory;
    const char *line = p->line;
    uint64_t used, size;
    if (begins(line, " ZHeap ")) {
        keep_size(p, &m->heap_used, line, "used ");
        keep_size(p, &m->heap_size, line, "capacity ");
        return;
    }
    for (size_t i = 0; i < sizeof(generations) / sizeof(*generations); i++) {
        /* "total 1K, used 1K"; G1 of newer JDKs: "total reserved 1K, committed 1K, used 1K" */
        const char *word = strstr(line, "committed ") ? "committed " : "total ";
        const char *at = strstr(line, word), *at_used = strstr(line, "used ");
        if (!begins(line, generations[i]) || !at || !at_used ||
            !size_at(at + strlen(word), &size) || !size_at(at_used + strlen("used "), &used))
            continue;
        m->heap_used = (struct errorlog_number){p->number, m->heap_used.value + used};
        m->heap_size = (struct errorlog_number){p->number, m->heap_size.value + size};
        return;
    }
}

/* Memory: 4k page, physical 24689712k(1234k free), swap 0k(0k free) */
static void take_machine(struct parser *p)
{
    struct errorlog_memory *m = &p->log->memory;
    const char *physical = strstr(p->line, "physical "), *swap = strstr(p->line, "swap ");
    const char *open = physical ? strchr(physical, '(') : NULL;
    keep_size(p, &m->physical, p->line, "physical ");
    if (open)
        keep_size(p, &m->physical_free, open, "(");
    open = swap ? strchr(swap, '(') : NULL;
    if (open)
        keep_size(p, &m->swap_free, open, "(");
}

/* rlimit (soft/hard): STACK 8192k/infinity , ..., AS 4194304k/infinity , ...
 * JDK 8 and 11: rlimit: STACK 8192k, ..., AS 4194304k */
static void take_limits(struct parser *p)
{
    const char *at = strstr(p->line, " AS ");
    uint64_t value;
    if (at && size_at(at + strlen(" AS "), &value))
        keep_number(p, &p->log->memory.space_limit, value);
}

static void take_memory(struct parser *p)
{
    struct errorlog_memory *m = &p->log->memory;
    const char *line = p->line;
    take_heap(p);
    if (begins(line + (*line == ' '), "Metaspace "))
        keep_size(p, &m->metaspace_used, line, "used ");
    else if (begins(line, "Memory: "))
        take_machine(p);
    else if (begins(line, "rlimit"))
        take_limits(p);
    else if (begins(line, "memory_limit_in_bytes: "))
        keep_size(p, &m->group_limit, line, ": ");
    else if (begins(line, "memory_usage_in_bytes: "))
        keep_size(p, &m->group_usage, line, ": ");
    else if (begins(line, "Resident Set Size: "))
        keep_size(p, &m->resident, line, ": ");
}

/* A line of the list of maps: "7f00-7f10 r--s 00000000 00:1b 12  /dev/shm/x". */
static void take_map(struct parser *p)
{
    char *end;
    const char *line = p->line;
    const struct errorlog_signal *s = &p->log->signal;
    uint64_t low = strtoull(line, &end, 16);
    if (end == line || *end != '-' || !s->has_address)
        return;
    const char *at = end + 1;
    uint64_t high = strtoull(at, &end, 16);
    if (end > at && *end == ' ' && low <= s->address && s->address < high)
        keep(p, &p->log->at.mapping, line);
}

/* ---- all lines */

static void take_body(struct parser *p)
{
    static const char thread[] = "Current thread ";
    struct errorlog *log = p->log;
    const char *line = p->line, *colon;
    if (begins(line, thread) && (colon = strchr(line, ':')) != NULL &&
        log->at.thread_line.line == 0) {
        keep(p, &log->at.thread_line, line);
        take_thread(p, colon + 1);
    } else if (begins(line, "siginfo:") && log->at.siginfo_line.line == 0) {
        keep(p, &log->at.siginfo_line, line);
        take_siginfo(p, line);
    } else if (begins(line, "Current CompileTask:")) {
        p->wants_task = true;
    } else if (p->wants_task) {
        p->wants_task = false;
        if (*line != '\0')
            keep(p, &log->at.task, line);
    } else if (begins(line, "VM_Operation (")) {
        keep(p, &log->at.operation, line);
    } else if (begins(line, "Stack: [")) {
        keep(p, &log->at.stack, line);
    } else if (begins(line, "Native frames:") || begins(line, "Java frames:")) {
        p->is_in_stack = true;
        p->is_in_java = line[0] == 'J';
    } else if (begins(line, "jvm_args:")) {
        take_agents(p, line);
    } else if (begins(line, "java_command:")) {
        take_main(p, line + strlen("java_command:"));
    } else if (begins(line, "Time:") || begins(line, "time:") || begins(line, "elapsed time:")) {
        if (strstr(line, "elapsed time:"))
            keep(p, &log->at.elapsed, strstr(line, "elapsed time:"));
        /* The last line of JDK 8; later ones have it in front, and END. at the end. */
        log->is_whole = begins(line, "elapsed time:");
    } else if (begins(line, "END.")) {
        log->is_whole = true;
    } else {
        take_memory(p);
        take_map(p);
    }
}

/* Lines that stand in the output of a program, in front of a log or without one. */
static void take_outside(struct parser *p)
{
    static const char ended[] = "Terminating due to java.lang.OutOfMemoryError: ";
    struct errorlog *log = p->log;
    if (begins(p->line, ended)) {
        log->kind = ERRORLOG_EXIT;
        log->is_whole = true;
        keep(p, &log->at.head, p->line);
        keep(p, &log->at.message, p->line + sizeof(ended) - 1);
    } else if (begins(p->line, "An irrecoverable stack overflow has occurred")) {
        keep(p, &log->at.overflow, p->line);
    }
}

static bool is_begin(const char *line)
{
    return begins(line, "# A fatal error has been detected by the Java") ||
           begins(line, "# There is insufficient memory for the Java");
}

void errorlog_parse(const char *text, size_t len, struct errorlog *ret)
{
    struct parser *p = calloc(1, sizeof(*p));
    bool has_begun = false;
    memset(ret, 0, sizeof(*ret));
    if (!p)
        return;
    p->log = ret;
    for (const char *end = text + len; text < end && !ret->is_whole;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t size = (size_t)((stop ? stop : end) - text);
        size_t kept = size < LINE ? size : LINE - 1;
        memcpy(p->line, text, kept);
        p->line[kept] = '\0';
        if (kept > 0 && p->line[kept - 1] == '\r')
            p->line[kept - 1] = '\0';
        p->number++;
        has_begun |= is_begin(p->line);
        if (!has_begun)
            take_outside(p);
        else if (p->is_in_stack)
            take_frame(p);
        else if (p->line[0] == '#')
            take_head(p, p->line + 1 + strspn(p->line + 1, " "));
        else
            take_body(p);
        text += size + (stop != NULL);
    }
    ret->lines = p->number;
    free(p);
}

int errorlog_read(const char *path, struct errorlog *ret)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    memset(ret, 0, sizeof(*ret));
    if (fd < 0)
        return -errno;
    int error = fstat(fd, &st) < 0 ? -errno : !S_ISREG(st.st_mode) ? -EINVAL : 0;
    if (error == 0 && st.st_size > ERRORLOG_BYTES)
        error = E_LIMIT;
    char *text = error == 0 ? malloc((size_t)st.st_size + 1) : NULL;
    size_t len = 0;
    if (error == 0 && !text)
        error = -ENOMEM;
    while (error == 0 && len < (size_t)st.st_size) {
        ssize_t n = read(fd, text + len, (size_t)st.st_size - len);
        if (n <= 0) {
            error = n < 0 && errno != EINTR ? -errno : 0;
            if (n == 0)
                break;
            continue;
        }
        len += (size_t)n;
    }
    if (error == 0)
        errorlog_parse(text, len, ret);
    free(text);
    close(fd);
    return error;
}
