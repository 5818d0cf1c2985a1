/*
 * stack_json.c - see stack_json.h.
 * Source: RFC 8259.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/stack_json.h"
#include <inttypes.h>
#include <stdlib.h>
#include "command/demangle.h"
#include "snapshot/snapshot.h"

/* The length of the next character; 0: it is not UTF-8 and becomes U+FFFD. Names of classes and
 * methods are in the VM's modified UTF-8. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = s[0] < 0x80   ? 1
               : s[0] < 0xc2 ? 0
               : s[0] < 0xe0 ? 2
               : s[0] < 0xf0 ? 3
               : s[0] < 0xf5 ? 4
                             : 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90))
        /* A form that is longer than needed. */
        return 0;
    if ((s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf4 && s[1] >= 0x90))
        /* A surrogate, or a number after the last character. */
        return 0;
    return n;
}

static void print_string(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)(text ? text : "");
    if (!text) {
        fputs("null", out);
        return;
    }
    putc('"', out);
    while (*s != 0) {
        size_t n = utf8_length(s);
        if (n == 0) {
            fputs("\\ufffd", out);
            s++;
            continue;
        }
        if (*s == '"' || *s == '\\')
            putc('\\', out);
        if (*s < 0x20)
            fprintf(out, "\\u%04x", *s);
        else
            fwrite(s, 1, n, out);
        s += n;
    }
    putc('"', out);
}

static void print_member(FILE *out, const char *name, const char *value)
{
    fprintf(out, ",\"%s\":", name);
    print_string(out, value);
}

static void print_address(FILE *out, const char *name, uint64_t addr)
{
    fprintf(out, ",\"%s\":\"0x%" PRIx64 "\"", name, addr);
}

static const char *const kinds[] = {
    [WALK_KIND_JAVA] = "java",       [WALK_KIND_INTERPRETED] = "interpreted",
    [WALK_KIND_C1] = "C1",           [WALK_KIND_C2] = "C2",
    [WALK_KIND_INLINED] = "inlined", [WALK_KIND_NATIVE] = "native",
    [WALK_KIND_STUB] = "stub",       [WALK_KIND_CPP] = "C",
    [WALK_KIND_KERNEL] = "kernel",
};

static void print_frame(FILE *out, const struct snapshot_frame *f)
{
    fprintf(out, "{\"kind\":\"%s\"", kinds[f->at.kind]);
    if (f->method) {
        print_member(out, "class", f->method->class_name);
        print_member(out, "method", f->method->name);
        print_member(out, "signature", f->method->signature);
        print_member(out, "file", f->method->source_file);
        if (f->line >= 0)
            fprintf(out, ",\"line\":%d", (int)f->line);
        if (f->at.bci >= 0)
            fprintf(out, ",\"bci\":%d", (int)f->at.bci);
    } else {
        print_address(out, "pc", f->at.pc);
        char *owned = NULL;
        print_member(out, "function", f->function ? demangle(f->function->name, &owned) : NULL);
        free(owned);
        print_member(out, "module", f->module ? f->module->map->path : NULL);
        if (f->module)
            print_address(out, "offset", f->at.pc - f->module->bias);
    }
    if (f->at.is_cut)
        fputs(",\"cut\":true", out);
    putc('}', out);
}

static const char *const lock_kinds[] = {
    [JAVA_LOCK_HELD] = "held",         [JAVA_LOCK_RELOCK] = "relock",
    [JAVA_LOCK_ENTERING] = "entering", [JAVA_LOCK_WAITING] = "waiting",
    [JAVA_LOCK_PARKED] = "parked",
};

static void print_lock(FILE *out, const struct snapshot *s, const struct java_lock *lock)
{
    fprintf(out, "{\"kind\":\"%s\"", lock_kinds[lock->kind]);
    print_address(out, "object", lock->object);
    print_member(out, "class", lock->class_name);
    if (lock->frame >= 0)
        fprintf(out, ",\"frame\":%d", (int)lock->frame);
    if (lock->holder >= 0)
        print_member(out, "holder", s->java.rows[lock->holder].name);
    putc('}', out);
}

static void print_locks(FILE *out, const struct snapshot *s, uint32_t thread)
{
    const char *comma = "";
    fputs(",\"locks\":[", out);
    for (int32_t i = java_locks_first(&s->locks, thread); i >= 0; i = s->locks.rows[i].next) {
        fputs(comma, out);
        print_lock(out, s, &s->locks.rows[i]);
        comma = ",";
    }
    putc(']', out);
}

static void print_java(FILE *out, const struct java_thread *java)
{
    print_string(out, java->name);
    if (java->addr == 0) {
        fprintf(out, ",\"id\":%" PRId64 ",\"unmounted\":true", java->id);
        print_member(out, "state", java_threads_state(java->status));
        return;
    }
    fprintf(out, ",\"id\":%" PRId64 ",\"daemon\":%s,\"priority\":%d", java->id,
            java->is_daemon ? "true" : "false", (int)java->priority);
    print_address(out, "tid", java->addr);
    fprintf(out, ",\"nid\":%d", (int)java->os_tid);
    print_member(out, "os_state", java_threads_os_state(java));
    if (java->object != 0)
        print_member(out, "state", java_threads_state(java->status));
    if (java->virtual_object != 0) {
        fprintf(out, ",\"virtual\":{\"id\":%" PRId64 ",\"name\":", java->virtual_id);
        print_string(out, java->virtual_name);
        putc('}', out);
    }
}

static void print_thread(FILE *out, const struct snapshot *s, const struct snapshot_thread *thread)
{
    fputs("{\"name\":", out);
    if (thread->java) {
        print_java(out, thread->java);
    } else {
        print_string(out, thread->os->name);
        fprintf(out, ",\"nid\":%d", (int)thread->os->inner_tid);
    }
    if (thread->os)
        fprintf(out, ",\"nice\":%d", thread->os->nice);
    if (thread->os && thread->os == s->crashed)
        fputs(",\"crashed\":true", out);
    fputs(",\"frames\":[", out);
    for (uint32_t i = 0; i < thread->frame_count; i++) {
        if (i > 0)
            putc(',', out);
        print_frame(out, &thread->frames[i]);
    }
    putc(']', out);
    if (thread->is_unread)
        fputs(",\"unread\":true", out);
    if (thread->is_truncated)
        fputs(",\"truncated\":true", out);
    if (thread->java) {
        if (thread->cause >= 0 && thread->cause != WALK_NO_JAVA_FRAME)
            print_member(out, "no_stack", walk_cause_text((enum walk_cause)thread->cause));
        print_locks(out, s, (uint32_t)(thread - s->threads));
    }
    putc('}', out);
}

static void print_deadlock(FILE *out, const struct snapshot *s, const struct java_deadlock *d)
{
    putc('[', out);
    for (uint32_t i = 0; i < d->count; i++) {
        const struct java_lock *lock = &s->locks.rows[d->locks[i]];
        fputs(i > 0 ? ",{\"thread\":" : "{\"thread\":", out);
        print_string(out, s->java.rows[lock->thread].name);
        print_address(out, "object", lock->object);
        print_member(out, "class", lock->class_name);
        print_member(out, "holder", s->java.rows[lock->holder].name);
        putc('}', out);
    }
    putc(']', out);
}

void stack_json_print(FILE *out, const struct snapshot *s)
{
    fprintf(out, "{\"source\":\"%s\",\"pid\":%d,\"jdk\":%u", s->is_core ? "core" : "process",
            (int)s->pid, s->target.layout->version);
    if (s->is_core && s->signal != 0) {
        fprintf(out, ",\"signal\":%d", s->signal);
        if (s->has_fault)
            print_address(out, "fault", s->fault_addr);
    }
    if (!s->is_core)
        fprintf(out, ",\"stopped_ms\":%.3f", (double)s->stopped_ns / 1e6);
    fputs(",\"threads\":[", out);
    for (uint32_t i = 0; i < s->thread_count; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        print_thread(out, s, &s->threads[snapshot_order(s, i)]);
    }
    fputs("],\n\"deadlocks\":[", out);
    for (uint32_t i = 0; i < s->locks.deadlock_count; i++) {
        if (i > 0)
            putc(',', out);
        print_deadlock(out, s, &s->locks.deadlocks[i]);
    }
    putc(']', out);
    if (s->wants_virtuals)
        fprintf(out,
                ",\n\"virtual_left_out\":%" PRIu32 ",\"virtual_unreadable\":%" PRIu32
                ",\"virtual_untracked\":%s",
                s->java.virtual_left_out, s->java.virtual_unreadable,
                s->java.is_untracked ? "true" : "false");
    fputs("}\n", out);
}
