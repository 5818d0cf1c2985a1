/*
 * shrunk.c - see shrunk.h.
 *
 * The signal handler reads /proc/self/maps to find the name of the file. It uses only system calls,
 * because the program ends right after it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/shrunk.h"
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "command/cmd.h"

static void write_text(const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(STDERR_FILENO, text, len);
        if (n <= 0)
            return;
        text += n;
        len -= (size_t)n;
    }
}

static uint64_t hex_at(const char **text)
{
    uint64_t value = 0;
    for (;; (*text)++) {
        char c = **text;
        if (c >= '0' && c <= '9')
            value = value * 16 + (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value * 16 + (uint64_t)(c - 'a') + 10;
        else
            return value;
    }
}

/* The path in a line of /proc/self/maps whose range holds `addr`, or NULL. */
static const char *path_of_line(const char *line, uint64_t addr)
{
    uint64_t low = hex_at(&line);
    uint64_t high = *line == '-' ? (line++, hex_at(&line)) : 0;
    return addr >= low && addr < high ? strchr(line, '/') : NULL;
}

/* Writes a name as say() does: control characters become '?'. */
static void write_clean(const char *name)
{
    for (; *name != 0; name++) {
        char c = (unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name;
        write_text(&c, 1);
    }
}

/* Writes the name of the file that is mapped at `addr`. A line is shorter than the buffer. */
static void write_name(uint64_t addr)
{
    char buffer[8192];
    size_t len = 0;
    ssize_t n = 0;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (n = read(fd, buffer + len, sizeof(buffer) - 1 - len)) > 0) {
        char *line = buffer, *end;
        len += (size_t)n;
        buffer[len] = 0;
        for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = 0;
            const char *path = path_of_line(line, addr);
            if (path) {
                write_clean(path);
                return;
            }
        }
        len -= (size_t)(line - buffer);
        memmove(buffer, line, len);
    }
    write_clean("a file");
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    static const char who[] = "hprof: ";
    static const char what[] =
        ": it became shorter while it was read; wait until whoever writes it "
        "has finished, then try again\n";
    (void)context;
    if (info->si_code != BUS_ADRERR) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    write_text(who, sizeof(who) - 1);
    write_name((uintptr_t)info->si_addr);
    write_text(what, sizeof(what) - 1);
    _exit(CMD_FAILED);
}

void shrunk_watch(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
