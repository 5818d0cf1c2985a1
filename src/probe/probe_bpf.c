/*
 * probe_bpf.c - see probe_bpf.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_bpf.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void put(struct probe_bpf *b, int code, int to, int from, int offset, int32_t value)
{
    if (b->count < PROBE_BPF_WORDS)
        b->words[b->count] = (struct bpf_insn){.code = (uint8_t)code,
                                               .dst_reg = (uint8_t)to & 15,
                                               .src_reg = (uint8_t)from & 15,
                                               .off = (int16_t)offset,
                                               .imm = value};
    b->count++;
}

void probe_bpf_move(struct probe_bpf *b, int to, int from)
{
    put(b, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

void probe_bpf_low(struct probe_bpf *b, int to, int from)
{
    put(b, BPF_ALU | BPF_MOV | BPF_X, to, from, 0, 0);
}

void probe_bpf_set(struct probe_bpf *b, int to, int32_t value)
{
    put(b, BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value);
}

void probe_bpf_do(struct probe_bpf *b, int op, int to, int32_t value)
{
    put(b, BPF_ALU64 | op | BPF_K, to, 0, 0, value);
}

void probe_bpf_do_with(struct probe_bpf *b, int op, int to, int from)
{
    put(b, BPF_ALU64 | op | BPF_X, to, from, 0, 0);
}

void probe_bpf_load(struct probe_bpf *b, int size, int to, int base, int offset)
{
    put(b, BPF_LDX | size | BPF_MEM, to, base, offset, 0);
}

void probe_bpf_store(struct probe_bpf *b, int size, int base, int offset, int from)
{
    put(b, BPF_STX | size | BPF_MEM, base, from, offset, 0);
}

void probe_bpf_store_value(struct probe_bpf *b, int size, int base, int offset, int32_t value)
{
    put(b, BPF_ST | size | BPF_MEM, base, 0, offset, value);
}

void probe_bpf_count(struct probe_bpf *b, int base, int offset, int from)
{
    put(b, BPF_STX | BPF_DW | BPF_ATOMIC, base, from, offset, BPF_ADD);
}

void probe_bpf_map(struct probe_bpf *b, int to, int map)
{
    put(b, BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, map);
    put(b, 0, 0, 0, 0, 0); /* the upper half of the number */
}

void probe_bpf_call(struct probe_bpf *b, int helper)
{
    put(b, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

uint32_t probe_bpf_jump(struct probe_bpf *b, int op, int reg, int32_t value)
{
    put(b, BPF_JMP | op | BPF_K, reg, 0, 0, value);
    return b->count - 1;
}

uint32_t probe_bpf_jump_with(struct probe_bpf *b, int op, int reg, int other)
{
    put(b, BPF_JMP | op | BPF_X, reg, other, 0, 0);
    return b->count - 1;
}

void probe_bpf_land(struct probe_bpf *b, uint32_t jump)
{
    if (jump < PROBE_BPF_WORDS)
        b->words[jump].off = (int16_t)(b->count - jump - 1);
}

void probe_bpf_end(struct probe_bpf *b, int32_t value)
{
    probe_bpf_set(b, BPF_REG_0, value);
    put(b, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* ---- the kernel */

/* Source: linux/bpf.h of Linux 6.6; headers may be older. */
enum { TRACE_UPROBE_MULTI = 48, UPROBE_MULTI_RETURN = 1 };

/* What BPF_LINK_CREATE takes for uprobes. Source: the same, union bpf_attr, uprobe_multi. */
struct link_attr {
    uint32_t program, target, attach_type, link_flags;
    uint64_t path, offsets, semaphores, cookies;
    uint32_t count, flags;
    int32_t pid;
    uint32_t unused;
};

static int call_bpf_with(enum bpf_cmd what, void *attr, size_t len)
{
    long done = syscall(SYS_bpf, what, attr, len);
    return done < 0 ? -errno : (int)done;
}

static int call_bpf(enum bpf_cmd what, union bpf_attr *attr)
{
    return call_bpf_with(what, attr, sizeof(*attr));
}

static int new_map(uint32_t type, uint32_t key_bytes, uint32_t value_bytes, uint32_t most,
                   uint32_t flags)
{
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.map_type = type;
    attr.key_size = key_bytes;
    attr.value_size = value_bytes;
    attr.max_entries = most;
    attr.map_flags = flags;
    return call_bpf(BPF_MAP_CREATE, &attr);
}

int probe_bpf_new_map(uint32_t type, uint32_t key_bytes, uint32_t value_bytes, uint32_t most)
{
    return new_map(type, key_bytes, value_bytes, most, 0);
}

int probe_bpf_new_numbers(uint32_t most, uint64_t **ret_numbers, size_t *ret_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = most * sizeof(uint64_t);
    int map = new_map(BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(uint64_t), most, BPF_F_MMAPABLE);
    if (map < 0)
        return map;
    bytes = (bytes + page - 1) / page * page;
    void *numbers = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
    if (numbers == MAP_FAILED) {
        int error = -errno;
        close(map);
        return error;
    }
    *ret_numbers = numbers;
    *ret_bytes = bytes;
    return map;
}

int probe_bpf_put(int map, const void *key, const void *value)
{
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.map_fd = (uint32_t)map;
    attr.key = (uint64_t)(uintptr_t)key;
    attr.value = (uint64_t)(uintptr_t)value;
    return call_bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

/* The helper that writes a record is for programs that say that they may be used under the GPL;
 * those of this project may. */
static int load(const struct probe_bpf *b, enum bpf_prog_type type, uint32_t attach_type)
{
    static const char licence[] = "GPL";
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.prog_type = type;
    attr.expected_attach_type = attach_type;
    attr.insns = (uint64_t)(uintptr_t)b->words;
    attr.insn_cnt = b->count;
    attr.license = (uint64_t)(uintptr_t)licence;
    return b->count > PROBE_BPF_WORDS ? -E2BIG : call_bpf(BPF_PROG_LOAD, &attr);
}

/* A program that one processor's event has runs on all of them.
 * Source: Linux, kernel/trace/bpf_trace.c: perf_event_attach_bpf_prog(). */
int probe_bpf_attach(const struct probe_bpf *b, uint64_t tracepoint)
{
    struct perf_event_attr attr;
    int program = load(b, BPF_PROG_TYPE_TRACEPOINT, 0);
    if (program < 0)
        return program;
    memset(&attr, 0, sizeof(attr));
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.config = tracepoint;
    int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
    int error = fd < 0 ? -errno : 0;
    if (!error && ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) != 0)
        error = -errno;
    close(program); /* the event keeps it */
    if (error && fd >= 0)
        close(fd);
    return error ? error : fd;
}

int probe_bpf_load_uprobes(const struct probe_bpf *b)
{
    return load(b, BPF_PROG_TYPE_KPROBE, TRACE_UPROBE_MULTI);
}

int probe_bpf_link_uprobes(int program, pid_t pid, const struct probe_bpf_places *at)
{
    struct link_attr attr = {.program = (uint32_t)program,
                             .attach_type = TRACE_UPROBE_MULTI,
                             .path = (uint64_t)(uintptr_t)at->path,
                             .offsets = (uint64_t)(uintptr_t)at->offsets,
                             .semaphores = (uint64_t)(uintptr_t)at->semaphores,
                             .cookies = (uint64_t)(uintptr_t)at->cookies,
                             .count = at->count,
                             .flags = at->are_returns ? UPROBE_MULTI_RETURN : 0,
                             .pid = pid};
    return call_bpf_with(BPF_LINK_CREATE, &attr, sizeof(attr));
}

/* A kernel that looks at whole processes refuses the process -1 before it looks at the path; one
 * that has such links and looks at threads finds that the path is no file. One without such links
 * refuses both. Source: Linux, commit 46ba0e49b642; libbpf, features.c. */
bool probe_bpf_has_uprobes(int program)
{
    const uint64_t nothing = 0;
    const struct probe_bpf_places no_file = {
        .path = "/", .offsets = &nothing, .semaphores = &nothing, .cookies = &nothing, .count = 1};
    return probe_bpf_link_uprobes(program, 0, &no_file) == -EBADF &&
           probe_bpf_link_uprobes(program, -1, &no_file) == -EINVAL;
}
