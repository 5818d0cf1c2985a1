/*
 * probe_offcpu.c - see probe_offcpu.h. The programs in this file may also be used under the terms
 * of the GNU General Public License, version 2, as the kernel asks of those that write records.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_offcpu.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/perf_attr.h"
#include "command/amount.h"
#include "elf/kallsyms.h"
#include "probe/probe_bpf.h"
#include "probe/probe_ring.h"
#include "snapshot/copied_stack.h"

enum {
    LEAST_NS = 1000000,
    THREADS_MOST = 32768,
    BUCKETS = 1024,
    WAKER_FRAMES = 5,
    COMM = 16,
    SECOND_SHIFT = 30, /* of nanoseconds: about a second */
    FIRST_NAMESPACE = 0xeffffffc,
    /* states of threads. Source: linux/sched.h, TASK_INTERRUPTIBLE and TASK_UNINTERRUPTIBLE. */
    STATE_SLEEPS = 1,
    STATE_CANNOT_BE_WOKEN = 2,
    STATE_STOPPED = 4 | 8, /* by a signal, or a debugger */
    STATE_ENDED = 16 | 32,
};

/* What the programs know of a thread. */
struct known {
    uint64_t left_ns; /* 0: it runs, or nothing is known */
    uint64_t state;
    uint64_t woken_ns; /* 0: not yet */
    /* of the waits within this system call; sum_ns 0: there was none */
    uint64_t first_ns, sum_ns, queued_ns;
};

/* How many stacks were copied in this second, by use. */
enum { BUDGET_WAITS, BUDGET_WAKERS, BUDGETS };
struct budget {
    uint64_t second, count;
};

enum { STATE, QUEUED, WAKER, FRAMES }; /* the fields of a row */

/* A record of a program. */
enum { TOLD_LEAVES = 1, TOLD_WAKES, TOLD_OVER, TOLD_BACK };
struct told {
    uint64_t what;
    uint64_t tid; /* that waits, or is woken */
    uint64_t begin_ns, ns, queued_ns, state;
    char comm[COMM]; /* of the thread that ran */
};

/* Where they lie on the stack of a program. */
enum {
    AT_KEY = -8,
    AT_TOLD = AT_KEY - (int)sizeof(struct told),
    AT_KNOWN = AT_TOLD - (int)sizeof(struct known),
};

/* Fields of tracepoints that the programs read. Where they lie is said by the kernel. */
enum { FIELD_STATE, FIELD_NEXT, FIELD_WOKEN, FIELDS };
static const struct {
    const char *tracepoint, *name;
    uint32_t bytes;
} fields[FIELDS] = {
    [FIELD_STATE] = {"sched:sched_switch", "prev_state", 8},
    [FIELD_NEXT] = {"sched:sched_switch", "next_pid", 4},
    [FIELD_WOKEN] = {"sched:sched_waking", "pid", 4},
};

/* What is known here of a thread that waits. */
struct thread {
    struct thread *next; /* in the bucket */
    pid_t tid;
    struct probe_hit_value waker, waker_frames;
    struct probe_frames frames;
    bool has_frames;
};

enum { MAP_KNOWN, MAP_BUDGET, MAP_STACKS, MAP_RECORDS, MAPS };
enum { PROGRAM_SWITCH, PROGRAM_WAKING, PROGRAM_EXIT, PROGRAMS };

struct probe_offcpu {
    struct probe_offcpu_how how;
    int maps[MAPS], programs[PROGRAMS]; /* descriptors; -1: none */
    int at[FIELDS];
    struct kallsyms kernel;
    struct thread *buckets[BUCKETS];
};

/* ---- the name */

static const char word[] = "offcpu";

bool probe_offcpu_is(const char *name)
{
    const size_t len = sizeof(word) - 1;
    return strncmp(name, word, len) == 0 && (name[len] == '\0' || name[len] == ':');
}

bool probe_offcpu_check(const char *name, uint64_t *ret_least_ns, const char **ret_why)
{
    const char *least = name + sizeof(word) - 1;
    double number = LEAST_NS;
    if (*least != '\0' && (strncmp(least, ":>", 2) != 0 ||
                           amount_parse(AMOUNT_SPAN, false, least + 2, &number) != 0 ||
                           number < 0 || number >= INT32_MAX)) {
        *ret_why = "wanted is offcpu, or offcpu:>TIME with a time below 2 s, as in 'offcpu:>10ms'";
        return false;
    }
    *ret_least_ns = (uint64_t)number;
    return true;
}

void probe_offcpu_form(struct probe_hit_form *ret, bool has_stacks)
{
    static const char *const names[PROBE_OFFCPU_FIELDS] = {"state", "queued_ns", "waker",
                                                           "waker_frames"};
    *ret = (struct probe_hit_form){
        .provider = "kernel", .name = "offcpu", .count = PROBE_OFFCPU_FIELDS - !has_stacks};
    for (unsigned i = 0; i < ret->count; i++) {
        ret->fields[i].known.is_text = i != QUEUED;
        snprintf(ret->fields[i].known.name, sizeof(ret->fields[i].known.name), "%s", names[i]);
    }
}

/* ---- the programs. Register 6 is the record of the tracepoint. */

enum {
    R0 = BPF_REG_0,
    R1 = BPF_REG_1,
    R2 = BPF_REG_2,
    R3 = BPF_REG_3,
    R4 = BPF_REG_4,
    R5 = BPF_REG_5,
    R6 = BPF_REG_6,
    R7 = BPF_REG_7,
    R8 = BPF_REG_8,
    R9 = BPF_REG_9,
    R10 = PROBE_BPF_STACK,
    ZERO, /* for fill(): no register, but 0 */
};

#define KNOWN(field) ((int)offsetof(struct known, field))
#define TOLD(field) (AT_TOLD + (int)offsetof(struct told, field))
#define BUDGET(field) ((int)offsetof(struct budget, field))

static void point(struct probe_bpf *b, int to, int at)
{
    probe_bpf_move(b, to, R10);
    probe_bpf_do(b, BPF_ADD, to, at);
}

/* R0 = what the map has for the key. */
static void look_up(struct probe_bpf *b, int map)
{
    probe_bpf_map(b, R1, map);
    point(b, R2, AT_KEY);
    probe_bpf_call(b, BPF_FUNC_map_lookup_elem);
}

/* All of a record but `what` and `comm`, from registers. */
static void fill(struct probe_bpf *b, int tid, int begin, int ns, int queued, int state)
{
    const struct {
        int at, from;
    } parts[] = {{TOLD(tid), tid},
                 {TOLD(begin_ns), begin},
                 {TOLD(ns), ns},
                 {TOLD(queued_ns), queued},
                 {TOLD(state), state}};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (parts[i].from == ZERO)
            probe_bpf_store_value(b, BPF_DW, R10, parts[i].at, 0);
        else
            probe_bpf_store(b, BPF_DW, R10, parts[i].at, parts[i].from);
}

/* Write the record, which was filled. */
static void tell(struct probe_bpf *b, int map, int32_t what)
{
    probe_bpf_store_value(b, BPF_DW, R10, TOLD(what), what);
    point(b, R1, TOLD(comm));
    probe_bpf_set(b, R2, COMM);
    probe_bpf_call(b, BPF_FUNC_get_current_comm);
    probe_bpf_move(b, R1, R6);
    probe_bpf_map(b, R2, map);
    probe_bpf_set(b, R3, -1);
    probe_bpf_low(b, R3, R3); /* BPF_F_CURRENT_CPU */
    point(b, R4, AT_TOLD);
    probe_bpf_set(b, R5, sizeof(struct told));
    probe_bpf_call(b, BPF_FUNC_perf_event_output);
}

/* Count one more copied stack. Returns the jump that is taken if there were too many already.
 * Processors may count at the same time, and lose some counts by that. Spoils the key, R8 and R9.
 */
static uint32_t spend(const struct probe_offcpu *o, struct probe_bpf *b, int32_t which)
{
    probe_bpf_call(b, BPF_FUNC_ktime_get_ns);
    probe_bpf_move(b, R9, R0);
    probe_bpf_do(b, BPF_RSH, R9, SECOND_SHIFT);
    probe_bpf_store_value(b, BPF_W, R10, AT_KEY, which);
    look_up(b, o->maps[MAP_BUDGET]);
    uint32_t none = probe_bpf_jump(b, BPF_JEQ, R0, 0);
    probe_bpf_load(b, BPF_DW, R1, R0, BUDGET(second));
    uint32_t same = probe_bpf_jump_with(b, BPF_JEQ, R1, R9);
    probe_bpf_store(b, BPF_DW, R0, BUDGET(second), R9);
    probe_bpf_store_value(b, BPF_DW, R0, BUDGET(count), 0);
    probe_bpf_land(b, same);
    probe_bpf_load(b, BPF_DW, R8, R0, BUDGET(count));
    probe_bpf_do(b, BPF_ADD, R8, 1);
    probe_bpf_store(b, BPF_DW, R0, BUDGET(count), R8);
    uint32_t granted = probe_bpf_jump(b, BPF_JLE, R8, (int32_t)o->how.rate);
    probe_bpf_set(b, R8, -1);
    probe_bpf_land(b, granted);
    probe_bpf_land(b, none);
    return probe_bpf_jump(b, BPF_JEQ, R8, -1);
}

/* The thread that runs: the jump is taken if it is of another process. R8 = its id. */
static uint32_t is_other(const struct probe_offcpu *o, struct probe_bpf *b)
{
    probe_bpf_call(b, BPF_FUNC_get_current_pid_tgid);
    probe_bpf_low(b, R8, R0);
    probe_bpf_move(b, R1, R0);
    probe_bpf_do(b, BPF_RSH, R1, 32);
    return probe_bpf_jump(b, BPF_JNE, R1, (int32_t)o->how.pid);
}

/* The thread that runs leaves the processor now. */
static void leave(const struct probe_offcpu *o, struct probe_bpf *b)
{
    uint32_t other = is_other(o, b);
    probe_bpf_store(b, BPF_W, R10, AT_KEY, R8);
    probe_bpf_load(b, BPF_DW, R9, R6, o->at[FIELD_STATE]);
    probe_bpf_move(b, R1, R9);
    probe_bpf_do(b, BPF_AND, R1, STATE_ENDED);
    uint32_t lives = probe_bpf_jump(b, BPF_JEQ, R1, 0);
    probe_bpf_map(b, R1, o->maps[MAP_KNOWN]);
    point(b, R2, AT_KEY);
    probe_bpf_call(b, BPF_FUNC_map_delete_elem);
    uint32_t has_ended = probe_bpf_jump(b, BPF_JA, 0, 0);
    probe_bpf_land(b, lives);
    probe_bpf_call(b, BPF_FUNC_ktime_get_ns);
    probe_bpf_move(b, R7, R0);
    look_up(b, o->maps[MAP_KNOWN]);
    uint32_t is_known = probe_bpf_jump(b, BPF_JNE, R0, 0);
    probe_bpf_store(b, BPF_DW, R10, AT_KNOWN + KNOWN(left_ns), R7);
    probe_bpf_store(b, BPF_DW, R10, AT_KNOWN + KNOWN(state), R9);
    probe_bpf_store_value(b, BPF_DW, R10, AT_KNOWN + KNOWN(woken_ns), 0);
    probe_bpf_store_value(b, BPF_DW, R10, AT_KNOWN + KNOWN(first_ns), 0);
    probe_bpf_store_value(b, BPF_DW, R10, AT_KNOWN + KNOWN(sum_ns), 0);
    probe_bpf_store_value(b, BPF_DW, R10, AT_KNOWN + KNOWN(queued_ns), 0);
    probe_bpf_map(b, R1, o->maps[MAP_KNOWN]);
    point(b, R2, AT_KEY);
    point(b, R3, AT_KNOWN);
    probe_bpf_set(b, R4, BPF_ANY);
    probe_bpf_call(b, BPF_FUNC_map_update_elem);
    uint32_t is_new = probe_bpf_jump(b, BPF_JA, 0, 0);
    probe_bpf_land(b, is_known);
    probe_bpf_store(b, BPF_DW, R0, KNOWN(left_ns), R7);
    probe_bpf_store(b, BPF_DW, R0, KNOWN(state), R9);
    probe_bpf_store_value(b, BPF_DW, R0, KNOWN(woken_ns), 0);
    probe_bpf_land(b, is_new);
    if (o->how.has_stacks) {
        probe_bpf_do(b, BPF_AND, R9, STATE_CANNOT_BE_WOKEN);
        uint32_t no_copy = probe_bpf_jump(b, BPF_JEQ, R9, 0);
        fill(b, R8, R7, ZERO, ZERO, R9);
        uint32_t over = spend(o, b, BUDGET_WAITS);
        tell(b, o->maps[MAP_STACKS], TOLD_LEAVES);
        probe_bpf_land(b, over);
        probe_bpf_land(b, no_copy);
    }
    probe_bpf_land(b, has_ended);
    probe_bpf_land(b, other);
}

/* Another thread gets the processor. */
static void come_back(const struct probe_offcpu *o, struct probe_bpf *b)
{
    uint32_t is_later = 0;
    probe_bpf_load(b, BPF_W, R8, R6, o->at[FIELD_NEXT]);
    probe_bpf_store(b, BPF_W, R10, AT_KEY, R8);
    look_up(b, o->maps[MAP_KNOWN]);
    uint32_t unknown = probe_bpf_jump(b, BPF_JEQ, R0, 0);
    probe_bpf_load(b, BPF_DW, R9, R0, KNOWN(left_ns));
    uint32_t runs = probe_bpf_jump(b, BPF_JEQ, R9, 0);
    probe_bpf_move(b, R7, R0);
    probe_bpf_store_value(b, BPF_DW, R7, KNOWN(left_ns), 0);
    probe_bpf_call(b, BPF_FUNC_ktime_get_ns);
    probe_bpf_move(b, R2, R0); /* how long it was away */
    probe_bpf_do_with(b, BPF_SUB, R2, R9);
    uint32_t is_short = probe_bpf_jump(b, BPF_JLT, R2, (int32_t)o->how.least_ns);
    probe_bpf_load(b, BPF_DW, R1, R7, KNOWN(state));
    /* R3 = how long it was awake and had no processor: all the time, or since it was woken */
    probe_bpf_move(b, R3, R2);
    probe_bpf_move(b, R5, R1);
    probe_bpf_do(b, BPF_AND, R5, STATE_SLEEPS | STATE_CANNOT_BE_WOKEN | STATE_STOPPED);
    uint32_t is_runnable = probe_bpf_jump(b, BPF_JEQ, R5, 0);
    probe_bpf_set(b, R3, 0);
    probe_bpf_load(b, BPF_DW, R4, R7, KNOWN(woken_ns));
    uint32_t is_not_woken = probe_bpf_jump(b, BPF_JEQ, R4, 0);
    probe_bpf_move(b, R3, R0);
    probe_bpf_do_with(b, BPF_SUB, R3, R4);
    probe_bpf_land(b, is_runnable);
    probe_bpf_land(b, is_not_woken);
    if (o->how.has_stacks) {
        probe_bpf_move(b, R5, R1);
        probe_bpf_do(b, BPF_AND, R5, STATE_SLEEPS);
        uint32_t is_now = probe_bpf_jump(b, BPF_JEQ, R5, 0);
        probe_bpf_load(b, BPF_DW, R5, R7, KNOWN(sum_ns));
        uint32_t is_next = probe_bpf_jump(b, BPF_JNE, R5, 0);
        probe_bpf_store(b, BPF_DW, R7, KNOWN(first_ns), R9);
        probe_bpf_land(b, is_next);
        probe_bpf_do_with(b, BPF_ADD, R5, R2);
        probe_bpf_store(b, BPF_DW, R7, KNOWN(sum_ns), R5);
        probe_bpf_load(b, BPF_DW, R5, R7, KNOWN(queued_ns));
        probe_bpf_do_with(b, BPF_ADD, R5, R3);
        probe_bpf_store(b, BPF_DW, R7, KNOWN(queued_ns), R5);
        is_later = probe_bpf_jump(b, BPF_JA, 0, 0);
        probe_bpf_land(b, is_now);
    }
    fill(b, R8, R9, R2, R3, R1);
    tell(b, o->maps[MAP_RECORDS], TOLD_BACK);
    if (o->how.has_stacks)
        probe_bpf_land(b, is_later);
    probe_bpf_land(b, is_short);
    probe_bpf_land(b, runs);
    probe_bpf_land(b, unknown);
}

static void write_switch(const struct probe_offcpu *o, struct probe_bpf *b)
{
    probe_bpf_move(b, R6, R1);
    leave(o, b);
    come_back(o, b);
    probe_bpf_end(b, 1);
}

/* Stacks of other processes are not copied. */
static void write_waking(const struct probe_offcpu *o, struct probe_bpf *b)
{
    uint32_t is_told = 0;
    probe_bpf_move(b, R6, R1);
    probe_bpf_load(b, BPF_W, R8, R6, o->at[FIELD_WOKEN]);
    probe_bpf_store(b, BPF_W, R10, AT_KEY, R8);
    look_up(b, o->maps[MAP_KNOWN]);
    uint32_t unknown = probe_bpf_jump(b, BPF_JEQ, R0, 0);
    probe_bpf_load(b, BPF_DW, R7, R0, KNOWN(left_ns));
    uint32_t runs = probe_bpf_jump(b, BPF_JEQ, R7, 0);
    probe_bpf_move(b, R9, R0);
    probe_bpf_call(b, BPF_FUNC_ktime_get_ns);
    probe_bpf_store(b, BPF_DW, R9, KNOWN(woken_ns), R0);
    probe_bpf_do_with(b, BPF_SUB, R0, R7);
    uint32_t is_short = probe_bpf_jump(b, BPF_JLT, R0, (int32_t)o->how.least_ns);
    fill(b, R8, R7, R0, ZERO, ZERO);
    if (o->how.has_stacks) {
        uint32_t other = is_other(o, b), over = spend(o, b, BUDGET_WAKERS);
        tell(b, o->maps[MAP_STACKS], TOLD_WAKES);
        is_told = probe_bpf_jump(b, BPF_JA, 0, 0);
        probe_bpf_land(b, other);
        probe_bpf_land(b, over);
    }
    tell(b, o->maps[MAP_RECORDS], TOLD_WAKES);
    if (o->how.has_stacks)
        probe_bpf_land(b, is_told);
    probe_bpf_land(b, is_short);
    probe_bpf_land(b, runs);
    probe_bpf_land(b, unknown);
    probe_bpf_end(b, 1);
}

static void write_exit(const struct probe_offcpu *o, struct probe_bpf *b)
{
    probe_bpf_move(b, R6, R1);
    uint32_t other = is_other(o, b);
    probe_bpf_store(b, BPF_W, R10, AT_KEY, R8);
    look_up(b, o->maps[MAP_KNOWN]);
    uint32_t unknown = probe_bpf_jump(b, BPF_JEQ, R0, 0);
    probe_bpf_load(b, BPF_DW, R3, R0, KNOWN(sum_ns));
    uint32_t none = probe_bpf_jump(b, BPF_JEQ, R3, 0);
    probe_bpf_load(b, BPF_DW, R2, R0, KNOWN(first_ns));
    probe_bpf_load(b, BPF_DW, R4, R0, KNOWN(queued_ns));
    probe_bpf_set(b, R5, STATE_SLEEPS);
    probe_bpf_store_value(b, BPF_DW, R0, KNOWN(sum_ns), 0);
    probe_bpf_store_value(b, BPF_DW, R0, KNOWN(queued_ns), 0);
    fill(b, R8, R2, R3, R4, R5);
    uint32_t over = spend(o, b, BUDGET_WAITS);
    tell(b, o->maps[MAP_STACKS], TOLD_OVER);
    uint32_t is_told = probe_bpf_jump(b, BPF_JA, 0, 0);
    probe_bpf_land(b, over);
    tell(b, o->maps[MAP_RECORDS], TOLD_BACK); /* without its stack */
    probe_bpf_land(b, is_told);
    probe_bpf_land(b, none);
    probe_bpf_land(b, unknown);
    probe_bpf_land(b, other);
    probe_bpf_end(b, 1);
}

/* ---- their place in the kernel */

static const struct {
    const char *tracepoint;
    void (*write)(const struct probe_offcpu *o, struct probe_bpf *b);
} programs[PROGRAMS] = {
    [PROGRAM_SWITCH] = {"sched:sched_switch", write_switch},
    [PROGRAM_WAKING] = {"sched:sched_waking", write_waking},
    [PROGRAM_EXIT] = {"raw_syscalls:sys_exit", write_exit},
};

/* Where a field lies in the record of its tracepoint. Errors: E_NOT_FOUND. */
static int find_field(int field, int *ret)
{
    char line[256], name[32];
    int found = E_NOT_FOUND, fd = perf_attr_tracepoint_file(fields[field].tracepoint, "format");
    FILE *format = fd < 0 ? NULL : fdopen(fd, "r");
    snprintf(name, sizeof(name), " %s;", fields[field].name);
    while (format && found && fgets(line, sizeof(line), format)) {
        const char *at = strstr(line, "offset:"), *size = strstr(line, "size:");
        if (!strstr(line, name) || !at || !size)
            continue;
        *ret = (int)strtol(at + strlen("offset:"), NULL, 10);
        if (strtoul(size + strlen("size:"), NULL, 10) == fields[field].bytes)
            found = 0;
    }
    if (format)
        fclose(format);
    else if (fd >= 0)
        close(fd);
    return found;
}

static int make_maps(struct probe_offcpu *o, struct probe_ring *ring)
{
    o->maps[MAP_KNOWN] =
        probe_bpf_new_map(BPF_MAP_TYPE_HASH, sizeof(uint32_t), sizeof(struct known), THREADS_MOST);
    if (o->maps[MAP_KNOWN] < 0)
        return o->maps[MAP_KNOWN];
    o->maps[MAP_BUDGET] =
        probe_bpf_new_map(BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(struct budget), BUDGETS);
    if (o->maps[MAP_BUDGET] < 0)
        return o->maps[MAP_BUDGET];
    int error = probe_ring_add_output(ring, o->how.site, false, &o->maps[MAP_RECORDS]);
    if (!error && o->how.has_stacks)
        error = probe_ring_add_output(ring, o->how.site, true, &o->maps[MAP_STACKS]);
    return error;
}

static int put_program(struct probe_offcpu *o, int which, char why[PROBE_OFFCPU_WHY])
{
    struct probe_bpf code = {.count = 0};
    struct perf_attr point;
    int error = perf_attr_named(programs[which].tracepoint, &point);
    if (error) {
        snprintf(why, PROBE_OFFCPU_WHY, "no tracepoint %s", programs[which].tracepoint);
        return error;
    }
    programs[which].write(o, &code);
    o->programs[which] = probe_bpf_attach(&code, point.config);
    return o->programs[which] < 0 ? o->programs[which] : 0;
}

/* The programs see the numbers that the kernel itself gives to processes. */
static bool is_first_namespace(void)
{
    struct stat own;
    return stat("/proc/self/ns/pid", &own) == 0 && own.st_ino == FIRST_NAMESPACE;
}

int probe_offcpu_open(const struct probe_offcpu_how *how, struct probe_ring *ring,
                      struct probe_offcpu **ret, char why[PROBE_OFFCPU_WHY])
{
    struct probe_offcpu *o = *ret = calloc(1, sizeof(*o));
    why[0] = '\0';
    if (!o)
        return -ENOMEM;
    o->how = *how;
    for (int i = 0; i < MAPS; i++)
        o->maps[i] = -1;
    for (int i = 0; i < PROGRAMS; i++)
        o->programs[i] = -1;
    if (!is_first_namespace()) {
        snprintf(why, PROBE_OFFCPU_WHY,
                 "process ids are those of a container here: run it on the "
                 "host");
        return E_UNSUPPORTED;
    }
    kallsyms_read("/proc/kallsyms", &o->kernel);
    int error = 0;
    for (int i = 0; i < FIELDS && !error; i++)
        error = find_field(i, &o->at[i]);
    if (error)
        snprintf(why, PROBE_OFFCPU_WHY,
                 "no tracepoints: mount tracefs, as with 'mount -t tracefs none "
                 "/sys/kernel/tracing'");
    if (!error)
        error = make_maps(o, ring);
    for (int i = 0; i < PROGRAMS && !error; i++)
        if (i != PROGRAM_EXIT || how->has_stacks)
            error = put_program(o, i, why);
    return error;
}

static void close_all(int *fds, int count)
{
    for (int i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

void probe_offcpu_close(struct probe_offcpu *o)
{
    if (!o)
        return;
    close_all(o->programs, PROGRAMS);
    close_all(o->maps, MAPS);
    probe_offcpu_forget(o);
    free(o->kernel.list);
    free(o);
}

/* ---- threads that wait */

static struct thread **find(struct probe_offcpu *o, pid_t tid)
{
    struct thread **link = &o->buckets[(uint32_t)tid % BUCKETS];
    while (*link && (*link)->tid != tid)
        link = &(*link)->next;
    return link;
}

static struct thread *thread_of(struct probe_offcpu *o, pid_t tid)
{
    struct thread **link = find(o, tid);
    if (!*link) {
        *link = calloc(1, sizeof(**link));
        if (*link)
            (*link)->tid = tid;
    }
    return *link;
}

static void drop(struct thread **link)
{
    struct thread *t = *link;
    *link = t->next;
    if (t->has_frames)
        probe_frames_done(&t->frames);
    free(t);
}

void probe_offcpu_exit(struct probe_offcpu *o, pid_t tid)
{
    struct thread **link = find(o, tid);
    if (*link)
        drop(link);
}

void probe_offcpu_forget(struct probe_offcpu *o)
{
    for (int i = 0; i < BUCKETS; i++)
        while (o->buckets[i])
            drop(&o->buckets[i]);
}

void probe_offcpu_keep(struct probe_offcpu *o, pid_t tid, struct probe_frames *frames)
{
    struct thread *t = thread_of(o, tid);
    if (!t) {
        probe_frames_done(frames);
        return;
    }
    if (t->has_frames)
        probe_frames_done(&t->frames);
    t->frames = *frames;
    t->has_frames = true;
}

/* ---- who wakes */

static void put_text(struct probe_hit_value *to, const char *text)
{
    size_t len = strlen(text), room = PROBE_HIT_TEXT - to->len;
    if (len > room)
        len = room;
    memcpy(to->text + to->len, text, len);
    to->len += (uint32_t)len;
    to->text[to->len] = '\0';
    to->is = PROBE_HIT_TEXT_VALUE;
}

/* Names of the functions of the kernel through which an interrupt comes, or what it left to do.
 * Source: Linux, arch/x86/entry/entry_64.S, arch/arm64/kernel/entry.S, kernel/softirq.c. */
static bool is_interrupt_name(const char *name)
{
    static const char *const beginnings[] = {
        "asm_sysvec_",     "asm_common_interrupt", "common_interrupt", "apic_timer_interrupt",
        "el0t_64_irq",     "el1h_64_irq",          "el1_irq",          "el0_irq",
        "handle_softirqs", "__do_softirq",         "__softirqentry_",  "gic_handle_irq"};
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

/* Whether the processor was interrupted, so that the thread that ran has nothing to do with it. */
static bool is_interrupt(const struct probe_offcpu *o, const struct probe_ring_hit *hit)
{
    for (uint64_t i = 0; i < hit->chain_count; i++) {
        uint64_t address;
        memcpy(&address, hit->chain + i * sizeof(address), sizeof(address));
        const struct kallsyms_symbol *s = kallsyms_at(&o->kernel, address);
        if (s && is_interrupt_name(s->name))
            return true;
    }
    return hit->tid == 0;
}

static void put_frames(struct probe_hit_value *to, const struct copied_stack_result *stack)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < stack->count && count < WAKER_FRAMES; i++) {
        const struct java_method *m = stack->frames[i].method;
        if (!m)
            continue;
        put_text(to, count++ ? " < " : "");
        put_text(to, m->class_name);
        put_text(to, ".");
        put_text(to, m->name);
    }
}

void probe_offcpu_waker(struct probe_offcpu *o, const struct probe_ring_hit *hit,
                        const struct copied_stack_result *stack)
{
    struct told told;
    char number[32];
    if (hit->raw_bytes < sizeof(told))
        return;
    memcpy(&told, hit->raw, sizeof(told));
    struct thread *t = thread_of(o, (pid_t)told.tid);
    if (!t)
        return;
    t->waker = t->waker_frames = (struct probe_hit_value){.is = PROBE_HIT_NONE};
    if (is_interrupt(o, hit)) {
        put_text(&t->waker, "interrupt");
        return;
    }
    told.comm[COMM - 1] = '\0';
    put_text(&t->waker, stack && stack->thread_name ? stack->thread_name : told.comm);
    snprintf(number, sizeof(number), "[%d]", (int)hit->tid);
    put_text(&t->waker, number);
    if (stack)
        put_frames(&t->waker_frames, stack);
}

/* ---- waits */

static const char *name_of(uint64_t state)
{
    return state & STATE_SLEEPS            ? "sleeping"
           : state & STATE_CANNOT_BE_WOKEN ? "uninterruptible"
           : state & STATE_STOPPED         ? "stopped"
                                           : "runnable";
}

static void end_wait(struct probe_offcpu *o, const struct told *told, bool is_kept,
                     struct probe_offcpu_wait *ret)
{
    struct thread **link = find(o, (pid_t)told->tid);
    *ret = (struct probe_offcpu_wait){
        .tid = (pid_t)told->tid, .begin_ns = told->begin_ns, .ns = told->ns};
    put_text(&ret->values[STATE], name_of(told->state));
    ret->values[QUEUED] =
        (struct probe_hit_value){.is = PROBE_HIT_NUMBER, .number = told->queued_ns};
    ret->is_bare =
        o->how.has_stacks && is_kept && (told->state & (STATE_SLEEPS | STATE_CANNOT_BE_WOKEN));
    if (!*link)
        return;
    if (told->state & (STATE_SLEEPS | STATE_CANNOT_BE_WOKEN)) {
        ret->values[WAKER] = (*link)->waker;
        ret->values[FRAMES] = (*link)->waker_frames;
    }
    if (is_kept && (told->state & STATE_CANNOT_BE_WOKEN) && (*link)->has_frames) {
        ret->frames = (*link)->frames;
        ret->has_frames = true;
        ret->is_bare = false;
        (*link)->has_frames = false;
    }
    drop(link);
}

enum probe_offcpu_hit probe_offcpu_look(struct probe_offcpu *o, const struct probe_ring_hit *hit,
                                        struct probe_offcpu_wait *ret)
{
    struct told told;
    if (hit->raw_bytes < sizeof(told))
        return PROBE_OFFCPU_NONE;
    memcpy(&told, hit->raw, sizeof(told));
    switch (told.what) {
    case TOLD_LEAVES:
        return PROBE_OFFCPU_LEAVES;
    case TOLD_WAKES:
        return PROBE_OFFCPU_WAKES;
    case TOLD_OVER:
        end_wait(o, &told, false, ret);
        return PROBE_OFFCPU_IS_OVER;
    case TOLD_BACK:
        end_wait(o, &told, true, ret);
        return PROBE_OFFCPU_IS_BACK;
    default:
        return PROBE_OFFCPU_NONE;
    }
}
