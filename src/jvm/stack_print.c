/*
 * stack_print.c - see stack_print.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/stack_print.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/plural.h"
#include "command/demangle.h"
#include "command/say.h"
#include "snapshot/snapshot.h"

/* ---- text
 *
 * Source: HotSpot thread.cpp (print_on), javaClasses.cpp (print_stack_element). */

static void print_native(FILE *out, const struct snapshot_frame *f)
{
    fputs("\tat ", out);
    if (f->function) {
        char *owned;
        say_clean(out, demangle(f->function->name, &owned));
        free(owned);
    } else {
        fprintf(out, "0x%016" PRIx64, f->at.pc);
    }
    if (f->module) {
        fputs(" (", out);
        say_clean(out, f->module->name);
        fprintf(out, "+0x%" PRIx64 ")", f->at.pc - f->module->bias);
    }
    fputs(f->at.is_cut ? "\n\t... (native frames are missing)\n" : "\n", out);
}

void stack_print_frame(FILE *out, const struct snapshot_frame *f)
{
    if (!f->method) {
        print_native(out, f);
        return;
    }
    fputs("\tat ", out);
    say_clean(out, f->method->class_name);
    putc('.', out);
    say_clean(out, f->method->name);
    if (f->method->is_native) {
        fputs("(Native Method)\n", out);
    } else if (!f->method->source_file) {
        fputs("(Unknown Source)\n", out);
    } else {
        putc('(', out);
        say_clean(out, f->method->source_file);
        if (f->line >= 0)
            fprintf(out, ":%d", (int)f->line);
        fputs(")\n", out);
    }
    if (f->at.is_cut)
        fputs("\t... (frames in the heap are missing)\n", out);
}

static void print_other_head(FILE *out, const struct snapshot_thread *thread)
{
    putc('"', out);
    say_clean(out, thread->os->name[0] != 0 ? thread->os->name : "<no name>");
    fprintf(out, "\" os_prio=%d nid=0x%x\n", thread->os->nice, (unsigned)thread->os->inner_tid);
}

static void print_head(FILE *out, const struct snapshot_thread *thread)
{
    const struct java_thread *java = thread->java;
    putc('"', out);
    say_clean(out, java->name ? java->name : "<no name>");
    putc('"', out);
    if (java->id != 0)
        fprintf(out, " #%" PRId64, java->id);
    if (java->is_daemon)
        fputs(" daemon", out);
    if (java->addr == 0) {
        fprintf(out, " virtual\n   java.lang.Thread.State: %s\n", java_threads_state(java->status));
        return;
    }
    if (java->object != 0)
        fprintf(out, " prio=%d", (int)java->priority);
    if (thread->os)
        fprintf(out, " os_prio=%d", thread->os->nice);
    fprintf(out, " tid=0x%016" PRIx64 " nid=0x%x %s ", java->addr, (unsigned)java->os_tid,
            java_threads_os_state(java));
    fprintf(out, " [0x%016" PRIx64 "]\n", java->last_sp & ~(uint64_t)4095);
    if (java->object != 0 && java->virtual_object == 0)
        fprintf(out, "   java.lang.Thread.State: %s\n", java_threads_state(java->status));
}

static const char *const lock_texts[] = {
    [JAVA_LOCK_HELD] = "locked",
    [JAVA_LOCK_RELOCK] = "waiting to re-lock in wait()",
    [JAVA_LOCK_ENTERING] = "waiting to lock",
    [JAVA_LOCK_WAITING] = "waiting on",
    [JAVA_LOCK_PARKED] = "parking to wait for ",
};

/* Prints the name of a thread; for a carrier, the name of the virtual thread that it carries. Many
 * virtual threads have no name and are shown by number. */
static void print_name(FILE *out, const struct snapshot *s, uint32_t thread)
{
    const struct java_thread *row = &s->java.rows[thread];
    bool is_carrier = row->virtual_object != 0;
    const char *name = is_carrier ? row->virtual_name : row->name;
    putc('"', out);
    say_clean(out, name ? name : "<no name>");
    putc('"', out);
    if (name && *name == '\0')
        fprintf(out, " #%" PRId64, is_carrier ? row->virtual_id : row->id);
}

static void print_lock(FILE *out, const struct snapshot *s, const struct java_lock *lock)
{
    fprintf(out, "\t- %s <0x%016" PRIx64 "> (a ", lock_texts[lock->kind], lock->object);
    say_clean(out, lock->class_name ? lock->class_name : "?");
    putc(')', out);
    if (lock->holder >= 0 && lock->holder != (int32_t)lock->thread) {
        fputs(", held by ", out);
        print_name(out, s, (uint32_t)lock->holder);
    }
    putc('\n', out);
}

/* A lock that a thread waits for is printed under the thread's first Java frame. A lock that it
 * holds is printed under the frame that took it. */
static void print_locks(FILE *out, const struct snapshot *s, uint32_t thread, int32_t frame,
                        bool is_first)
{
    for (int32_t i = java_locks_first(&s->locks, thread); i >= 0; i = s->locks.rows[i].next) {
        const struct java_lock *lock = &s->locks.rows[i];
        if (lock->kind >= JAVA_LOCK_ENTERING ? is_first : lock->frame == frame)
            print_lock(out, s, lock);
    }
}

/* Prints the frames [from, to) of a thread. */
static void print_frames(FILE *out, const struct snapshot *s, const struct snapshot_thread *thread,
                         uint32_t from, uint32_t to)
{
    uint32_t index = (uint32_t)(thread - s->threads);
    bool is_first = true;
    for (uint32_t i = 0; i < to; i++) {
        const struct snapshot_frame *f = &thread->frames[i];
        if (i >= from)
            stack_print_frame(out, f);
        if (f->method) {
            if (i >= from)
                print_locks(out, s, index, (int32_t)i, is_first);
            is_first = false;
        }
    }
}

/* The first frame of the carrier itself: the frame that entered the continuation. */
static uint32_t carrier_start(const struct snapshot_thread *thread)
{
    for (uint32_t i = 0; thread->java->virtual_object != 0 && i < thread->frame_count; i++) {
        const struct java_method *m = thread->frames[i].method;
        if (m && strcmp(m->class_name, "jdk.internal.vm.Continuation") == 0 &&
            strcmp(m->name, "run") == 0)
            return i;
    }
    return 0;
}

/* The end of the virtual thread's frames. Continuation.enterSpecial() is left out, as in the
 * JDK. */
static uint32_t mounted_end(const struct snapshot_thread *thread, uint32_t carrier)
{
    const struct java_method *m = carrier > 0 ? thread->frames[carrier - 1].method : NULL;
    return m && strcmp(m->name, "enterSpecial") == 0 ? carrier - 1 : carrier;
}

static void print_virtual_name(FILE *out, const char *what, const struct java_thread *java)
{
    fprintf(out, "   %s virtual thread #%" PRId64, what, java->virtual_id);
    if (java->virtual_name && java->virtual_name[0] != 0) {
        fputs(" \"", out);
        say_clean(out, java->virtual_name);
        putc('"', out);
    }
    putc('\n', out);
}

static void print_thread(FILE *out, const struct snapshot *s, const struct snapshot_thread *thread)
{
    if (thread->java) {
        uint32_t carrier = carrier_start(thread);
        print_head(out, thread);
        if (thread->java->virtual_object != 0)
            print_virtual_name(out, "Carrying", thread->java);
        print_frames(out, s, thread, carrier, thread->frame_count);
        if (carrier > 0) {
            print_virtual_name(out, "Mounted", thread->java);
            print_frames(out, s, thread, 0, mounted_end(thread, carrier));
        }
        /* Locks whose frame is not known. */
        print_locks(out, s, (uint32_t)(thread - s->threads), -1, 0);
    } else {
        print_other_head(out, thread);
        print_frames(out, s, thread, 0, thread->frame_count);
    }
    if (thread->is_truncated)
        fputs("\t... (deeper frames are left out)\n", out);
    if (thread->is_unread)
        fputs("\t... (not read: --max-stop)\n", out);
    else if (thread->java && thread->cause >= 0 && thread->cause != WALK_NO_JAVA_FRAME)
        fprintf(out, "\t(no Java frames: %s)\n", walk_cause_text((enum walk_cause)thread->cause));
    putc('\n', out);
}

static void print_deadlock(FILE *out, const struct snapshot *s, const struct java_deadlock *d)
{
    fputs("\nFound one Java-level deadlock:\n=============================\n", out);
    for (uint32_t i = 0; i < d->count; i++) {
        const struct java_lock *lock = &s->locks.rows[d->locks[i]];
        print_name(out, s, lock->thread);
        fprintf(out, ":\n  waiting %s 0x%016" PRIx64 " (a ",
                lock->kind == JAVA_LOCK_PARKED ? "for ownable synchronizer" : "to lock monitor of",
                lock->object);
        say_clean(out, lock->class_name ? lock->class_name : "?");
        fputs("),\n  which is held by ", out);
        print_name(out, s, (uint32_t)lock->holder);
        putc('\n', out);
    }
}

/* The first line says that the process crashed. */
static void print_what(FILE *out, const struct snapshot *s)
{
    if (!s->is_core || s->signal == 0)
        return;
    fprintf(out, "Process %d ended by signal %d (%s)", (int)s->pid, s->signal,
            strsignal(s->signal));
    if (s->has_fault)
        fprintf(out, " at address 0x%016" PRIx64, s->fault_addr);
    fputs(s->crashed ? "; its thread is the first below\n\n" : "\n\n", out);
}

void stack_print_text(FILE *out, const struct snapshot *s)
{
    print_what(out, s);
    for (uint32_t i = 0; i < s->thread_count; i++)
        print_thread(out, s, &s->threads[snapshot_order(s, i)]);
    if (s->java.virtual_left_out > 0)
        fprintf(out, "... and %" PRIu32 " more virtual thread%s\n\n", s->java.virtual_left_out,
                plural_s(s->java.virtual_left_out));
    stack_print_deadlocks(out, s);
}

void stack_print_virtuals(FILE *out, const struct snapshot *s)
{
    for (uint32_t i = s->java.platform_count; i < s->java.count; i++)
        print_thread(out, s, &s->threads[i]);
    if (s->java.virtual_left_out > 0)
        fprintf(out, "... and %" PRIu32 " more virtual thread%s\n\n", s->java.virtual_left_out,
                plural_s(s->java.virtual_left_out));
}

void stack_print_deadlocks(FILE *out, const struct snapshot *s)
{
    for (uint32_t i = 0; i < s->locks.deadlock_count; i++)
        print_deadlock(out, s, &s->locks.deadlocks[i]);
    if (s->locks.deadlock_count > 0)
        fprintf(out, "\nFound %u deadlock%s.\n", s->locks.deadlock_count,
                plural_s(s->locks.deadlock_count));
}

/* ---- JSON
 *
 * Source: RFC 8259. */

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

static void put_string(FILE *out, const char *text)
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

static void put_member(FILE *out, const char *name, const char *value)
{
    fprintf(out, ",\"%s\":", name);
    put_string(out, value);
}

static void put_address(FILE *out, const char *name, uint64_t addr)
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

void stack_print_frame_json(FILE *out, const struct snapshot_frame *f)
{
    fprintf(out, "{\"kind\":\"%s\"", kinds[f->at.kind]);
    if (f->method) {
        put_member(out, "class", f->method->class_name);
        put_member(out, "method", f->method->name);
        put_member(out, "signature", f->method->signature);
        put_member(out, "file", f->method->source_file);
        if (f->line >= 0)
            fprintf(out, ",\"line\":%d", (int)f->line);
        if (f->at.bci >= 0)
            fprintf(out, ",\"bci\":%d", (int)f->at.bci);
    } else {
        put_address(out, "pc", f->at.pc);
        char *owned = NULL;
        put_member(out, "function", f->function ? demangle(f->function->name, &owned) : NULL);
        free(owned);
        put_member(out, "module", f->module ? f->module->map->path : NULL);
        if (f->module)
            put_address(out, "offset", f->at.pc - f->module->bias);
    }
    if (f->at.is_cut)
        fputs(",\"cut\":true", out);
    putc('}', out);
}

static void put_lock(FILE *out, const struct snapshot *s, const struct java_lock *lock)
{
    fprintf(out, "{\"kind\":\"%s\"", java_locks_word(lock->kind));
    put_address(out, "object", lock->object);
    put_member(out, "class", lock->class_name);
    if (lock->frame >= 0)
        fprintf(out, ",\"frame\":%d", (int)lock->frame);
    if (lock->holder >= 0)
        put_member(out, "holder", s->java.rows[lock->holder].name);
    putc('}', out);
}

static void put_locks(FILE *out, const struct snapshot *s, uint32_t thread)
{
    const char *comma = "";
    fputs(",\"locks\":[", out);
    for (int32_t i = java_locks_first(&s->locks, thread); i >= 0; i = s->locks.rows[i].next) {
        fputs(comma, out);
        put_lock(out, s, &s->locks.rows[i]);
        comma = ",";
    }
    putc(']', out);
}

static void put_java(FILE *out, const struct java_thread *java)
{
    put_string(out, java->name);
    if (java->addr == 0) {
        fprintf(out, ",\"id\":%" PRId64 ",\"unmounted\":true", java->id);
        put_member(out, "state", java_threads_state(java->status));
        return;
    }
    fprintf(out, ",\"id\":%" PRId64 ",\"daemon\":%s,\"priority\":%d", java->id,
            java->is_daemon ? "true" : "false", (int)java->priority);
    put_address(out, "tid", java->addr);
    fprintf(out, ",\"nid\":%d", (int)java->os_tid);
    put_member(out, "os_state", java_threads_os_state(java));
    if (java->object != 0)
        put_member(out, "state", java_threads_state(java->status));
    if (java->virtual_object != 0) {
        fprintf(out, ",\"virtual\":{\"id\":%" PRId64 ",\"name\":", java->virtual_id);
        put_string(out, java->virtual_name);
        putc('}', out);
    }
}

static void put_thread(FILE *out, const struct snapshot *s, const struct snapshot_thread *thread)
{
    fputs("{\"name\":", out);
    if (thread->java) {
        put_java(out, thread->java);
    } else {
        put_string(out, thread->os->name);
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
        stack_print_frame_json(out, &thread->frames[i]);
    }
    putc(']', out);
    if (thread->is_unread)
        fputs(",\"unread\":true", out);
    if (thread->is_truncated)
        fputs(",\"truncated\":true", out);
    if (thread->java) {
        if (thread->cause >= 0 && thread->cause != WALK_NO_JAVA_FRAME)
            put_member(out, "no_stack", walk_cause_text((enum walk_cause)thread->cause));
        put_locks(out, s, (uint32_t)(thread - s->threads));
    }
    putc('}', out);
}

static void put_deadlock(FILE *out, const struct snapshot *s, const struct java_deadlock *d)
{
    putc('[', out);
    for (uint32_t i = 0; i < d->count; i++) {
        const struct java_lock *lock = &s->locks.rows[d->locks[i]];
        fputs(i > 0 ? ",{\"thread\":" : "{\"thread\":", out);
        put_string(out, s->java.rows[lock->thread].name);
        put_address(out, "object", lock->object);
        put_member(out, "class", lock->class_name);
        put_member(out, "holder", s->java.rows[lock->holder].name);
        putc('}', out);
    }
    putc(']', out);
}

void stack_print_json(FILE *out, const struct snapshot *s)
{
    fprintf(out, "{\"source\":\"%s\",\"pid\":%d,\"jdk\":%u", s->is_core ? "core" : "process",
            (int)s->pid, s->target.layout->version);
    if (s->is_core && s->signal != 0) {
        fprintf(out, ",\"signal\":%d", s->signal);
        if (s->has_fault)
            put_address(out, "fault", s->fault_addr);
    }
    if (!s->is_core)
        fprintf(out, ",\"stopped_ms\":%.3f", (double)s->stopped_ns / 1e6);
    fputs(",\"threads\":[", out);
    for (uint32_t i = 0; i < s->thread_count; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        put_thread(out, s, &s->threads[snapshot_order(s, i)]);
    }
    fputs("],\n\"deadlocks\":[", out);
    for (uint32_t i = 0; i < s->locks.deadlock_count; i++) {
        if (i > 0)
            putc(',', out);
        put_deadlock(out, s, &s->locks.deadlocks[i]);
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
