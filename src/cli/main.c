/*
 * main.c - `hprof`: finds the command and runs it.
 *
 * This file does what is the same for every command: the three standard descriptors are open, a
 * file that becomes shorter while it is read ends the program with a message, and if output could
 * not be written, the exit status is 1.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/project_file.h"
#include "command/cmd.h"
#include "command/help.h"
#include "command/say.h"

enum { LINE_MAX_BYTES = 16384 };

/* ---- files that become shorter while this command reads them
 *
 * Profiles, cores and libraries are mapped. Reading a page that the file has lost raises SIGBUS.
 * The signal handler reads /proc/self/maps to find the name of the file. It uses only system calls,
 * because the program ends right after it. */

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

/* Installs the handler: such a read ends the program with status 1 and names the file. */
static void watch_for_shrunk_files(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

/* ---- the command */

/*
 * If a standard descriptor is closed, the first file that we open gets its number, and messages
 * would go into that file. So /dev/null is opened there, but in the wrong direction: using the
 * descriptor stays an error.
 */
static void keep_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct project_file p;
    int status = CMD_USAGE;
    if (project_file_open(&p, cmd, argc, argv) == 0)
        status = cmd->run(cmd, p.argc, p.argv);
    project_file_done(&p);
    return status;
}

static int dispatch(int argc, char **argv)
{
    static const struct {
        const char *word, *command;
    } flags[] = {
        {"--help", "help"},
        {"-h", "help"},
        {"--version", "version"},
        {"-V", "version"},
    };
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        help_all(stderr);
        return CMD_USAGE;
    }
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if (strcmp(name, flags[i].word) == 0)
            name = flags[i].command;
    if (name[0] == '-') {
        say("unknown option %s; a command comes first, as in 'hprof record -d 30s -o x.html PID'; "
            "hprof itself knows --help and --version only",
            name);
        return CMD_USAGE;
    }
    const struct cmd *cmd = help_find(name);
    return cmd ? run(cmd, argc - 1, argv + 1) : CMD_USAGE;
}

int main(int argc, char **argv)
{
    static char line[LINE_MAX_BYTES];
    keep_standard_descriptors();
    /* stderr is written in complete lines and not byte by byte, because the program under test and
     * its JVMs write to the same place. */
    (void)setvbuf(stderr, line, _IOLBF, sizeof(line));
    watch_for_shrunk_files();
    int status = dispatch(argc, argv);

    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == CMD_OK) {
        /* The error of an earlier write is lost: another one, behind what is broken anyway, fails
         * for the same reason. */
        if (errno == 0 && write(STDOUT_FILENO, "\n", 1) == 1)
            errno = EIO;
        say("cannot write to standard output: %s", strerror(errno));
        status = CMD_FAILED;
    }
    return status;
}
