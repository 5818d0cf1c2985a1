/*
 * reads_context.c - another profiler, as OpenTelemetry's standards describe it: reads what the
 * threads of a process publish (OTEP 4947) and the process context (OTEP 4719), from outside.
 * Shares no code with hprof.
 *
 * Usage: reads_context PID LOOKS. A look stops one thread after the other by ptrace. Printed is
 * "keys" and their names, then for each thread "TID TRACE SPAN" and key=value for each attribute,
 * or "TID -"; all are parted by tabs. Where the variable lies is taken from the TLS descriptor that
 * the linker has filled in, as the OpenTelemetry eBPF profiler does, so it must be in the static
 * block. SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { TLS_DESCRIPTOR = 36 /* R_X86_64_TLSDESC */ };
#else
enum { TLS_DESCRIPTOR = 1031 /* R_AARCH64_TLSDESC */ };
#endif

enum { KEYS = 256, ATTRIBUTES = 612 };

struct record {
    unsigned char trace[16], span[8];
    uint8_t valid, flags;
    uint16_t attribute_bytes;
    unsigned char attributes[ATTRIBUTES];
};

_Static_assert(sizeof(struct record) == 640, "28 bytes in front of the attributes");

static pid_t pid;
static char keys[KEYS][256];
static int key_count;

static void fail(const char *why)
{
    printf("failed\t%s\t%s\n", why, strerror(errno));
    exit(1);
}

static int look(uint64_t at, void *into, size_t len)
{
    struct iovec here = {into, len}, there = {(void *)(uintptr_t)at, len};
    return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)len;
}

/* ---- the process context */

/* A varint. */
static uint64_t number(const unsigned char **at)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        value |= (uint64_t)(**at & 127) << shift;
        if (!(*(*at)++ & 128))
            return value;
    }
}

/* The next field of a message, all of which are texts or messages here. */
static int field(const unsigned char **at, const unsigned char *end, const unsigned char **ret,
                 size_t *ret_len)
{
    if (*at >= end)
        return 0;
    uint64_t tag = number(at);
    if ((tag & 7) != 2)
        fail("a field that is no text");
    *ret_len = number(at);
    *ret = *at;
    *at += *ret_len;
    if (*at > end)
        fail("a field that is too long");
    return (int)(tag >> 3);
}

static void read_names(const unsigned char *at, size_t len)
{
    const unsigned char *end = at + len, *value, *text;
    size_t value_len, text_len;
    while (field(&at, end, &value, &value_len) == 1) {
        const unsigned char *in = value;
        if (field(&in, value + value_len, &text, &text_len) != 1)
            fail("a name that is no text");
        snprintf(keys[key_count++], sizeof(keys[0]), "%.*s", (int)text_len, text);
    }
}

static void read_attribute(const unsigned char *at, size_t len, int *has_version)
{
    const unsigned char *end = at + len, *key, *any, *value;
    size_t key_len, any_len, value_len;
    if (field(&at, end, &key, &key_len) != 1 || field(&at, end, &any, &any_len) != 2)
        fail("no key and value");
    int kind = field(&any, any + any_len, &value, &value_len);
    if (key_len == 26 && memcmp(key, "threadlocal.schema_version", 26) == 0)
        *has_version = kind == 1 && value_len == 14 && memcmp(value, "tlsdesc_v1_dev", 14) == 0;
    if (key_len == 29 && memcmp(key, "threadlocal.attribute_key_map", 29) == 0 && kind == 5)
        read_names(value, value_len);
}

static void read_process(uint64_t at)
{
    struct {
        char signature[8];
        uint32_t version, bytes;
        uint64_t time, payload;
    } h;
    static unsigned char payload[4096];
    uint64_t again;
    const unsigned char *from = payload, *value;
    size_t len;
    int has_version = 0, number_of;
    if (!look(at, &h, sizeof(h)) || memcmp(h.signature, "OTEL_CTX", 8) != 0 || h.version != 2 ||
        h.time == 0 || h.bytes > sizeof(payload) || !look(h.payload, payload, h.bytes) ||
        !look(at + 16, &again, 8) || again != h.time)
        fail("no process context");
    while ((number_of = field(&from, payload + h.bytes, &value, &len)) != 0)
        if (number_of == 2)
            read_attribute(value, len, &has_version);
    if (!has_version)
        fail("no version of thread contexts");
}

/* ---- the variable */

static const void *load_file(const char *path, size_t *ret_len)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st) != 0)
        fail(path);
    void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    *ret_len = (size_t)st.st_size;
    return at;
}

/* The address of the descriptor in the file's terms; 0: the library has none for this variable. */
static uint64_t descriptor_in(const char *file)
{
    const Elf64_Ehdr *e = (const void *)file;
    const Elf64_Shdr *sections = (const void *)(file + e->e_shoff);
    for (int i = 0; i < e->e_shnum; i++) {
        if (sections[i].sh_type != SHT_RELA)
            continue;
        const Elf64_Shdr *symbols = &sections[sections[i].sh_link];
        const Elf64_Sym *symbol = (const void *)(file + symbols->sh_offset);
        const char *strings = file + sections[symbols->sh_link].sh_offset;
        const Elf64_Rela *r = (const void *)(file + sections[i].sh_offset);
        for (size_t at = 0; at < sections[i].sh_size / sizeof(*r); at++) {
            const Elf64_Sym *s = &symbol[ELF64_R_SYM(r[at].r_info)];
            if (ELF64_R_TYPE(r[at].r_info) == TLS_DESCRIPTOR &&
                strcmp(strings + s->st_name, "otel_thread_ctx_v1") == 0 &&
                ELF64_ST_TYPE(s->st_info) == STT_TLS && s->st_size == 8)
                return r[at].r_offset;
        }
    }
    return 0;
}

/* Read the list of mappings. Returns the offset of the variable from the thread pointer. */
static int64_t find(void)
{
    char path[64], line[4096], library[4096] = "";
    uint64_t begin = 0, start = 0, process = 0, descriptor, offset;
    size_t len;
    int contexts = 0;
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "r");
    if (!maps)
        fail(path);
    while (fgets(line, sizeof(line), maps)) {
        if (strstr(line, "[anon_shmem:OTEL_CTX]") || strstr(line, "[anon:OTEL_CTX]") ||
            strstr(line, "/memfd:OTEL_CTX")) {
            process = strtoull(line, NULL, 16);
            contexts++;
        } else if (strstr(line, "/libhprof") && strstr(line, " 00000000 ")) {
            begin = strtoull(line, NULL, 16); /* or the file alone, which somebody reads */
        } else if (strstr(line, "/libhprof") && strstr(line, " r-xp ")) {
            start = begin;
            snprintf(library, sizeof(library), "%s", strchr(line, '/'));
            library[strcspn(library, "\n")] = '\0';
        }
    }
    fclose(maps);
    if (contexts != 1 || !library[0]) {
        printf("contexts\t%d\n", contexts);
        exit(2);
    }
    read_process(process);
    descriptor = descriptor_in(load_file(library, &len));
    if (descriptor == 0 || !look(start + descriptor + 8, &offset, 8))
        fail("no descriptor");
    return (int64_t)offset;
}

/* ---- threads */

static uint64_t thread_pointer(pid_t tid)
{
#if defined(__x86_64__)
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) != 0)
        fail("registers");
    return regs.fs_base;
#else
    uint64_t at = 0;
    struct iovec into = {&at, sizeof(at)};
    if (ptrace(PTRACE_GETREGSET, tid, (void *)0x401 /* NT_ARM_TLS */, &into) != 0)
        fail("registers");
    return at;
#endif
}

static void put_hex(const unsigned char *bytes, int len)
{
    putchar('\t');
    for (int i = 0; i < len; i++)
        printf("%02x", bytes[i]);
}

static void put_attributes(const struct record *r)
{
    for (size_t at = 0; at + 2 <= r->attribute_bytes;) {
        int key = r->attributes[at], len = r->attributes[at + 1];
        if (at + 2 + (size_t)len > r->attribute_bytes)
            fail("an attribute that is cut");
        printf("\t%s=%.*s", key < key_count ? keys[key] : "?", len,
               (const char *)r->attributes + at + 2);
        at += 2 + (size_t)len;
    }
}

static void read_thread(pid_t tid, int64_t offset)
{
    struct record r;
    uint64_t at = 0;
    int status;
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
        return;
    if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0 && waitpid(tid, &status, __WALL) == tid &&
        WIFSTOPPED(status)) {
        int is_there = look(thread_pointer(tid) + (uint64_t)offset, &at, 8) && at != 0;
        if (is_there && at % 2 != 0)
            fail("a record at an odd address");
        if (is_there && !look(at, &r, sizeof(r)))
            fail("a record that cannot be read");
        int signal = status >> 16 ? 0 : WSTOPSIG(status);
        ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)signal);
        printf("%d", (int)tid);
        if (!is_there || r.valid != 1) {
            printf("\t-\n");
            return;
        }
        put_hex(r.trace, sizeof(r.trace));
        put_hex(r.span, sizeof(r.span));
        put_attributes(&r);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    char path[64];
    pid = argc > 2 ? (pid_t)atoi(argv[1]) : 0;
    int64_t offset = find();
    printf("keys");
    for (int i = 0; i < key_count; i++)
        printf("\t%s", keys[i]);
    printf("\n");
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    for (int i = atoi(argv[2]); i > 0; i--) {
        DIR *tasks = opendir(path);
        struct dirent *e;
        while (tasks && (e = readdir(tasks)) != NULL)
            if (e->d_name[0] != '.')
                read_thread((pid_t)atoi(e->d_name), offset);
        if (tasks)
            closedir(tasks);
        nanosleep(&(struct timespec){.tv_nsec = 1000000 + i % 7 * 131313}, NULL);
    }
    return 0;
}
