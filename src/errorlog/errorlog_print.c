/*
 * errorlog_print.c - see errorlog_print.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "errorlog/errorlog_print.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/sink.h"
#include "command/textbuf.h"
#include "errorlog/errorlog.h"
#include "errorlog/errorlog_cause.h"
#include "format/json_out.h"

enum { SENTENCES = 3, EVIDENCE = 24, FRAMES_SHOWN = 6, COLUMNS = 100, KB = 1024 };

struct words {
    const struct errorlog *log;
    const struct errorlog_cause_row *cause;
    struct textbuf sentences[SENTENCES];
    const struct errorlog_text *evidence[EVIDENCE];
    uint32_t evidence_count;
};

/* ---- the sentences */

/* What codes of signals mean. Source: sigaction(2). */
static const struct {
    const char *code, *meaning;
} codes[] = {
    {"SEGV_MAPERR", "nothing is mapped there"},
    {"SEGV_ACCERR", "the page there forbids the access"},
    {"BUS_ADRALN", "the address is not aligned"},
    {"BUS_ADRERR", "the page there has nothing behind it"},
    {"BUS_OBJERR", "the hardware reported an error of the object"},
    {"BUS_MCEERR_AR", "the hardware reported a memory error"},
    {"BUS_MCEERR_AO", "the hardware reported a memory error"},
    {"FPE_INTDIV", "a division of an integer by zero"},
    {"ILL_ILLOPN", "an instruction that the CPU does not have"},
    {"ILL_ILLOPC", "an instruction that the CPU does not have"},
    {"SI_USER", "it was sent by kill"},
    {"SI_TKILL", "it was sent to the thread by tgkill"},
    {"SI_QUEUE", "it was sent by sigqueue"},
};

static const char *meaning_of(const char *code)
{
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
        if (strcmp(codes[i].code, code) == 0)
            return codes[i].meaning;
    return NULL;
}

static void put_size(struct textbuf *t, uint64_t bytes)
{
    if (bytes >= (uint64_t)10 * KB * KB * KB)
        textbuf_printf(t, "%" PRIu64 " GB", bytes / KB / KB / KB);
    else if (bytes >= (uint64_t)10 * KB * KB)
        textbuf_printf(t, "%" PRIu64 " MB", bytes / KB / KB);
    else if (bytes >= (uint64_t)10 * KB)
        textbuf_printf(t, "%" PRIu64 " KB", bytes / KB);
    else
        textbuf_printf(t, "%" PRIu64 " bytes", bytes);
}

static void say_what(struct words *w, struct textbuf *t)
{
    const struct errorlog *log = w->log;
    const struct errorlog_signal *s = &log->signal;
    const char *meaning = meaning_of(s->code);
    switch (log->kind) {
    case ERRORLOG_SIGNAL:
        textbuf_printf(t, "%s ended the JVM", s->name);
        if (s->has_address && strncmp(s->code, "SI_", 3) != 0)
            textbuf_printf(t, ", at address 0x%" PRIx64, s->address);
        if (meaning)
            textbuf_printf(t, ": %s", meaning);
        break;
    case ERRORLOG_MEMORY:
        textbuf_text(t, "The JVM ended itself because the system gave it no memory");
        if (log->wanted.line != 0) {
            textbuf_text(t, ": it wanted ");
            put_size(t, log->wanted.value);
        }
        break;
    case ERRORLOG_INTERNAL:
        textbuf_text(t, "The JVM ended itself because a check failed");
        if (log->at.message.line != 0)
            textbuf_printf(t, ": %s", log->at.message.text);
        break;
    case ERRORLOG_EXIT:
        textbuf_printf(t, "The JVM ended itself at an OutOfMemoryError: %s", log->at.message.text);
        break;
    case ERRORLOG_NONE:
        break;
    }
    textbuf_char(t, '.');
}

static const char *kind_of_frame(char type)
{
    switch (type) {
    case 'C':
        return "native code";
    case 'V':
        return "the VM";
    case 'v':
        return "code that the VM made";
    case 'j':
        return "interpreted Java code";
    case 'J':
    case 'A':
        return "compiled Java code";
    default:
        return "unknown code";
    }
}

/* The name of the method of a Java frame, without what stands around it. Returns its length. */
static size_t method_of(const struct errorlog_text *frame, const char **ret_name)
{
    const char *at = frame->text + 1 + strspn(frame->text + 1, " ");
    /* "J 123 c2 java.lang.String.length()I (11 bytes) @ ..." */
    if (frame->text[0] != 'j' && *at >= '0' && *at <= '9') {
        at += strcspn(at, " ");
        at += strspn(at, " %");
        if (strncasecmp(at, "c1 ", 3) == 0 || strncasecmp(at, "c2 ", 3) == 0)
            at += 3;
    }
    *ret_name = at;
    return strcspn(at, "( +");
}

static bool is_of_jdk(const char *method)
{
    static const char *const jdk[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
    for (size_t i = 0; i < sizeof(jdk) / sizeof(*jdk); i++)
        if (strncmp(method, jdk[i], strlen(jdk[i])) == 0)
            return true;
    return false;
}

/* The innermost frame of Java code that is not the JDK's; NULL: there is none. */
static const struct errorlog_text *own_frame(const struct errorlog *log)
{
    for (uint32_t i = 0; i < log->frame_count; i++) {
        const char *name;
        if (strchr("jJA", log->frames[i].text[0]) && method_of(&log->frames[i], &name) > 0 &&
            !is_of_jdk(name))
            return &log->frames[i];
    }
    return NULL;
}

/* Says which Java code called the code that failed. */
static void say_caller(const struct errorlog *log, struct textbuf *t)
{
    const struct errorlog_text *java = log->at.java.line != 0 ? &log->at.java : NULL;
    const struct errorlog_text *own = own_frame(log);
    const char *name, *own_name;
    size_t len = java ? method_of(java, &name) : 0;
    size_t own_len = own ? method_of(own, &own_name) : 0;
    bool is_java = log->frame.type == 'j' || log->frame.type == 'J';
    if (len > 0 && !is_java)
        textbuf_printf(t, ", called by %.*s", (int)len, name);
    /* A method that the JDK's code is called by; the caller itself may be the program's. */
    if (own_len > 0 && len > 0 && is_of_jdk(name))
        textbuf_printf(t, ", for %.*s", (int)own_len, own_name);
}

static void say_who(struct words *w, struct textbuf *t)
{
    const struct errorlog *log = w->log;
    const struct errorlog_frame *f = &log->frame;
    if (log->thread.name[0] != '\0')
        textbuf_printf(t, "It was the thread \"%s\"", log->thread.name);
    else if (log->at.thread_line.line != 0 && log->thread.type[0] != '\0')
        textbuf_printf(t, "It was a %s of the VM", log->thread.type);
    else
        textbuf_text(t, f->type != '\0' ? "It was a thread that the log does not name"
                                        : "The log does not say which thread it was, and where");
    if (f->type != '\0') {
        textbuf_printf(t, ", in %s", kind_of_frame(f->type));
        if (f->module[0] != '\0' && f->type == 'C')
            textbuf_printf(t, " of %s", f->module);
        if (f->name[0] != '\0')
            textbuf_printf(t, " (%.*s)", (int)strcspn(f->name, " "), f->name);
    }
    say_caller(log, t);
    if (log->main[0] != '\0')
        textbuf_printf(t, "; the program is %s", log->main);
    textbuf_char(t, '.');
}

/* Says a limit, if the log has it. Returns what stands in front of the next words. */
static const char *say_limit(struct textbuf *t, const char *before, const char *limit,
                             const struct errorlog_number *number)
{
    if (number->line == 0)
        return before;
    textbuf_printf(t, "%s%s %s is ", before, *before ? "the" : "The", limit);
    put_size(t, number->value);
    return ", ";
}

static void say_memory(struct words *w, struct textbuf *t)
{
    const struct errorlog_memory *m = &w->log->memory;
    const char *before = "";
    if (m->heap_size.line != 0) {
        textbuf_text(t, "The heap had ");
        put_size(t, m->heap_used.value);
        textbuf_text(t, " of ");
        put_size(t, m->heap_size.value);
        textbuf_text(t, " in use");
        before = ", ";
    }
    if (m->metaspace_used.line != 0) {
        textbuf_printf(t, "%s%s ", before, *before ? "metaspace" : "Metaspace had");
        put_size(t, m->metaspace_used.value);
        before = "; ";
    }
    before = say_limit(t, before, "container's limit", &m->group_limit);
    if (m->physical.line != 0) {
        textbuf_printf(t, "%s%s machine has ", before, *before ? "the" : "The");
        put_size(t, m->physical.value);
        textbuf_text(t, ", ");
        put_size(t, m->physical_free.value);
        textbuf_text(t, " of them free");
        before = ", ";
    }
    before = say_limit(t, before, "limit of the address space", &m->space_limit);
    textbuf_text(t, *before ? "." : "The log says nothing about memory.");
}

/* ---- evidence */

/* A line may be the source of two facts, and a frame be in two lists; they are shown once. */
static void show(struct words *w, const struct errorlog_text *text)
{
    for (uint32_t i = 0; i < w->evidence_count; i++)
        if (w->evidence[i]->line == text->line || strcmp(w->evidence[i]->text, text->text) == 0)
            return;
    if (text->line != 0 && w->evidence_count < EVIDENCE)
        w->evidence[w->evidence_count++] = text;
}

static int by_line(const struct errorlog_text *x, const struct errorlog_text *y)
{
    return (x->line > y->line) - (x->line < y->line);
}

static void collect(struct words *w)
{
    const struct errorlog *log = w->log;
    enum { TEXTS = 13 };
    const struct errorlog_text *const texts[TEXTS] = {
        &log->at.overflow,   &log->at.head,         &log->at.message,     &log->at.version,
        &log->at.frame_line, &log->at.core,         &log->at.thread_line, &log->at.task,
        &log->at.operation,  &log->at.siginfo_line, &log->at.mapping,     &log->at.stack,
        &log->at.elapsed};
    for (int i = 0; i < TEXTS; i++)
        show(w, texts[i]);
    for (uint32_t i = 0; i < log->frame_count && i < FRAMES_SHOWN; i++)
        show(w, &log->frames[i]);
    show(w, &log->at.java);
    for (uint32_t i = 1; i < w->evidence_count; i++) {
        const struct errorlog_text *moved = w->evidence[i];
        uint32_t at = i;
        for (; at > 0 && by_line(w->evidence[at - 1], moved) > 0; at--)
            w->evidence[at] = w->evidence[at - 1];
        w->evidence[at] = moved;
    }
}

static void make(struct words *w, const struct errorlog *log)
{
    *w = (struct words){.log = log, .cause = &errorlog_cause_all[errorlog_cause_of(log)]};
    say_what(w, &w->sentences[0]);
    say_who(w, &w->sentences[1]);
    say_memory(w, &w->sentences[2]);
    collect(w);
}

static void done(struct words *w)
{
    for (int i = 0; i < SENTENCES; i++)
        textbuf_done(&w->sentences[i]);
}

/* ---- text */

static void put_core(struct sink *out, const struct errorlog_core *core)
{
    if (!core->path)
        return;
    sink_printf(out, "\nCore: %s, of process %" PRIu64 ", ended by signal %d%s\n", core->path,
                core->pid, core->signal,
                core->is_same ? "" : "; the log is of another process, or does not say of which");
    if (core->has_thread)
        sink_printf(out,
                    "  thread %" PRIu64 " \"%s\" at its end: pc=0x%" PRIx64 " sp=0x%" PRIx64
                    " fp=0x%" PRIx64 "\n  its stack, and those of all others: hprof stack %s\n",
                    core->tid, core->name, core->pc, core->sp, core->fp, core->path);
}

void errorlog_print_text(struct sink *out, const char *path, const struct errorlog *log,
                         const struct errorlog_core *core)
{
    struct words w;
    struct textbuf line = {0};
    make(&w, log);
    for (int i = 0; i < SENTENCES; i++) {
        textbuf_bytes(&line, w.sentences[i].bytes ? w.sentences[i].bytes : "", w.sentences[i].len);
        textbuf_text(&line, i + 1 < SENTENCES ? " " : "");
    }
    textbuf_wrap(&line, 0, COLUMNS);
    textbuf_flush(&line, out);
    textbuf_done(&line);
    sink_printf(out, "\n\nCause: %s\n\nEvidence, lines of %s\n", w.cause->title, path);
    for (uint32_t i = 0; i < w.evidence_count; i++)
        sink_printf(out, "%6u  %s\n", w.evidence[i]->line, w.evidence[i]->text);
    if (!log->is_whole)
        sink_printf(out, "%6u  (the log ends here, before its last line)\n", log->lines);
    put_core(out, core);
    sink_text(out, "\nWhat to do\n");
    for (int i = 0; i < ERRORLOG_CAUSE_ADVICE && w.cause->advice[i]; i++)
        sink_printf(out, "- %s\n", w.cause->advice[i]);
    done(&w);
}

/* ---- JSON */

static void put_member(struct sink *out, const char *before, const char *name, const char *text)
{
    sink_printf(out, "%s\"%s\":", before, name);
    if (text && *text != '\0')
        json_out_text(out, text, strlen(text));
    else
        sink_text(out, "null");
}

static void put_number(struct sink *out, const char *before, const char *name,
                       const struct errorlog_number *number)
{
    sink_printf(out, "%s\"%s\":", before, name);
    if (number->line != 0)
        sink_printf(out, "%" PRIu64, number->value);
    else
        sink_text(out, "null");
}

static void put_json_core(struct sink *out, const struct errorlog_core *core)
{
    sink_text(out, ",\n\"core\":");
    if (!core->path) {
        sink_text(out, "null");
        return;
    }
    put_member(out, "{", "file", core->path);
    sink_printf(out, ",\"pid\":%" PRIu64 ",\"signal\":%d,\"same_process\":%s", core->pid,
                core->signal, core->is_same ? "true" : "false");
    if (core->has_thread)
        sink_printf(out,
                    ",\"tid\":%" PRIu64 ",\"pc\":\"0x%" PRIx64 "\",\"sp\":\"0x%" PRIx64
                    "\",\"fp\":\"0x%" PRIx64 "\"",
                    core->tid, core->pc, core->sp, core->fp);
    sink_u1(out, '}');
}

static void put_json_memory(struct sink *out, const struct errorlog *log)
{
    const struct errorlog_memory *m = &log->memory;
    put_number(out, ",\n\"memory\":{", "wanted", &log->wanted);
    put_number(out, ",", "heap_used", &m->heap_used);
    put_number(out, ",", "heap_size", &m->heap_size);
    put_number(out, ",", "metaspace_used", &m->metaspace_used);
    put_number(out, ",", "physical", &m->physical);
    put_number(out, ",", "physical_free", &m->physical_free);
    put_number(out, ",", "swap_free", &m->swap_free);
    put_number(out, ",", "group_limit", &m->group_limit);
    put_number(out, ",", "address_space_limit", &m->space_limit);
    sink_u1(out, '}');
}

void errorlog_print_json(struct sink *out, const char *path, const struct errorlog *log,
                         const struct errorlog_core *core)
{
    static const char *const kinds[] = {"none", "signal", "memory", "internal", "exit"};
    const struct errorlog_signal *s = &log->signal;
    struct words w;
    make(&w, log);
    put_member(out, "{", "file", path);
    sink_printf(out, ",\"complete\":%s", log->is_whole ? "true" : "false");
    put_member(out, ",", "kind", kinds[log->kind]);
    put_member(out, ",\n", "cause", w.cause->word);
    put_member(out, ",", "title", w.cause->title);
    sink_text(out, ",\n\"sentences\":[");
    for (int i = 0; i < SENTENCES; i++) {
        sink_text(out, i > 0 ? ",\n" : "\n");
        json_out_text(out, w.sentences[i].bytes ? w.sentences[i].bytes : "", w.sentences[i].len);
    }
    sink_text(out, "]");
    put_member(out, ",\n\"signal\":{", "name", s->name);
    put_member(out, ",", "code", s->code);
    sink_printf(out, ",\"pc\":\"0x%" PRIx64 "\",\"address\":", s->pc);
    if (s->has_address)
        sink_printf(out, "\"0x%" PRIx64 "\"}", s->address);
    else
        sink_text(out, "null}");
    put_member(out, ",\n\"thread\":{", "name", log->thread.name);
    put_member(out, ",", "type", log->thread.type);
    sink_printf(out, ",\"tid\":%" PRIu64 "}", log->thread.tid);
    char type[2] = {log->frame.type, '\0'};
    put_member(out, ",\n\"frame\":{", "type", type);
    put_member(out, ",", "module", log->frame.module);
    put_member(out, ",", "name", log->frame.name);
    sink_u1(out, '}');
    put_json_memory(out, log);
    put_member(out, ",\n", "main", log->main);
    sink_printf(out, ",\"pid\":%" PRIu64, log->pid);
    sink_text(out, ",\n\"evidence\":[");
    for (uint32_t i = 0; i < w.evidence_count; i++) {
        sink_printf(out, "%s\n{\"line\":%u", i > 0 ? "," : "", w.evidence[i]->line);
        put_member(out, ",", "text", w.evidence[i]->text);
        sink_u1(out, '}');
    }
    sink_text(out, "],\n\"advice\":[");
    for (int i = 0; i < ERRORLOG_CAUSE_ADVICE && w.cause->advice[i]; i++) {
        sink_text(out, i > 0 ? ",\n" : "\n");
        json_out_text(out, w.cause->advice[i], strlen(w.cause->advice[i]));
    }
    sink_u1(out, ']');
    put_json_core(out, core);
    sink_text(out, "}\n");
    done(&w);
}
