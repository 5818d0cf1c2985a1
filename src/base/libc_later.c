/*
 * libc_later.c - functions that glibc got after 2.28, under the names that a compiler on a later
 * glibc asks for.
 *
 * A program that is linked with these functions runs on glibc 2.28 too; the other half of that work
 * is tools/libc-oldest. The names are those of the C library and are hidden, so code outside of our
 * library does not see them. Each function is one system call, or calls the same function by its
 * older name, so it keeps the C library's promises about signals and errno.
 *
 * All functions are weak. A static C library of 2.38 or later has its own definitions of some of
 * them; a program that is linked with such a library uses the library's.
 *
 * On x86-64 and aarch64 the C library's struct stat is the kernel's struct stat.
 *
 * Context: signal; arc4random() and the functions whose names begin with __isoc23_: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WEAK __attribute__((weak))

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "is struct stat the kernel's on this CPU?"
#endif

/* Before glibc 2.33 the header defined stat and its siblings inline, with the help of other
 * functions. */
WEAK int fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}

WEAK int fstatat(int folder, const char *restrict path, struct stat *restrict st, int flags)
{
    return (int)syscall(SYS_newfstatat, folder, path, st, flags);
}

WEAK int stat(const char *restrict path, struct stat *restrict st)
{
    return fstatat(AT_FDCWD, path, st, 0);
}

WEAK int lstat(const char *restrict path, struct stat *restrict st)
{
    return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

/* The same under the names of files of 64 bits, for libraries of others that are linked in. */
int later_stat64(const char *restrict, struct stat *restrict) __asm__("stat64");
int later_lstat64(const char *restrict, struct stat *restrict) __asm__("lstat64");
int later_fstat64(int, struct stat *) __asm__("fstat64");

WEAK int later_stat64(const char *restrict path, struct stat *restrict st)
{
    return fstatat(AT_FDCWD, path, st, 0);
}

WEAK int later_lstat64(const char *restrict path, struct stat *restrict st)
{
    return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

WEAK int later_fstat64(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}

/* glibc has gettid() since 2.30. */
WEAK pid_t gettid(void)
{
    return (pid_t)syscall(SYS_gettid);
}

/* glibc has arc4random() since 2.36. A json-c that was built there takes the seed of its hash
 * tables from it. */
uint32_t later_arc4random(void) __asm__("arc4random");

WEAK uint32_t later_arc4random(void)
{
    struct timespec now;
    uint32_t number;
    if (syscall(SYS_getrandom, &number, sizeof(number), 0) == sizeof(number))
        return number;
    /* The kernel refuses: what is left differs from process to process. */
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)now.tv_nsec ^ (uint32_t)getpid() << 16;
}

/* Since glibc 2.38 <stdlib.h> and <stdio.h> call these functions, which also read binary numbers
 * like "0b1". The functions under their old names do not read binary numbers, so this project reads
 * none on any glibc. */
long plain_strtol(const char *, char **, int) __asm__("strtol");
unsigned long plain_strtoul(const char *, char **, int) __asm__("strtoul");
long long plain_strtoll(const char *, char **, int) __asm__("strtoll");
unsigned long long plain_strtoull(const char *, char **, int) __asm__("strtoull");
int plain_vsscanf(const char *, const char *, va_list) __asm__("vsscanf");

long __isoc23_strtol(const char *, char **, int);
unsigned long __isoc23_strtoul(const char *, char **, int);
long long __isoc23_strtoll(const char *, char **, int);
unsigned long long __isoc23_strtoull(const char *, char **, int);
int __isoc23_sscanf(const char *, const char *, ...);

WEAK long __isoc23_strtol(const char *text, char **ret_end, int base)
{
    return plain_strtol(text, ret_end, base);
}

WEAK unsigned long __isoc23_strtoul(const char *text, char **ret_end, int base)
{
    return plain_strtoul(text, ret_end, base);
}

WEAK long long __isoc23_strtoll(const char *text, char **ret_end, int base)
{
    return plain_strtoll(text, ret_end, base);
}

WEAK unsigned long long __isoc23_strtoull(const char *text, char **ret_end, int base)
{
    return plain_strtoull(text, ret_end, base);
}

WEAK int __isoc23_sscanf(const char *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int count = plain_vsscanf(text, format, values);
    va_end(values);
    return count;
}
