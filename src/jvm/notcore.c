/*
 * notcore.c - see notcore.h.
 *
 * The first bytes tell the kind of a file: the ELF header of core(5), the magic numbers of programs
 * that pack cores, and the beginnings of other files that a JVM leaves behind.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/notcore.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "command/say.h"

#define BYTES(text) (text), sizeof(text) - 1

static const struct beginning {
    const char *bytes;
    size_t len;
    const char *text;
} beginnings[] = {
    {BYTES("\x1f\x8b"), "packed with gzip; unpack it first (gzip -d)"},
    {BYTES("\x28\xb5\x2f\xfd"), "packed with zstd; unpack it first (zstd -d)"},
    {BYTES("\x04\x22\x4d\x18"), "packed with lz4; unpack it first (lz4 -d)"},
    {BYTES("\xfd\x37zXZ"), "packed with xz; unpack it first (xz -d)"},
    {BYTES("BZh"), "packed with bzip2; unpack it first (bzip2 -d)"},
    {BYTES("PK\x03\x04"), "a zip or jar file, not a core file"},
    {BYTES("JAVA PROFILE 1.0"), "a profile or heap dump, not a core file; see 'hprof help report'"},
    {BYTES("#\n# A fatal error has been detected by the Java"),
     "the JVM's error log, not a core file; the log says where the core is"},
};

static const char *kind_of_bytes(const unsigned char *bytes, size_t len)
{
    for (unsigned i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
        const struct beginning *b = &beginnings[i];
        if (len >= b->len && memcmp(bytes, b->bytes, b->len) == 0)
            return b->text;
    }
    if (len < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return "not a core file";
    if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB)
        return "an ELF file that is not 64-bit little-endian: not supported";
    return len < sizeof(Elf64_Ehdr) ? "not a core file: it ends within the header"
                                    : "a program or library, not a core file";
}

/* Reads the first bytes. Never waits: a pipe without a writer gives no bytes. Returns the number of
 * bytes; negative: see errno. */
static ssize_t read_head(const char *path, unsigned char *bytes, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, size);
    if (fd >= 0)
        close(fd);
    return n;
}

static const char *kind_of(const char *path)
{
    unsigned char bytes[sizeof(Elf64_Ehdr)];
    struct stat st;
    if (stat(path, &st) != 0)
        return strerror(errno);
    if (S_ISDIR(st.st_mode))
        return "a folder; name the core file in it";
    if (!S_ISREG(st.st_mode))
        return "not a file with bytes of its own (a device, pipe or socket)";
    if (st.st_size == 0)
        return "an empty file";
    ssize_t n = read_head(path, bytes, sizeof(bytes));
    return n < 0 ? strerror(errno) : kind_of_bytes(bytes, (size_t)n);
}

bool notcore_is_core(const char *path)
{
    Elf64_Ehdr head;
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           read_head(path, (unsigned char *)&head, sizeof(head)) == (ssize_t)sizeof(head) &&
           memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_type == ET_CORE;
}

void notcore_say(const char *path)
{
    say("%s: %s", path, kind_of(path));
}
