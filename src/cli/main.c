/*
 * main.c - `hprof`: finds the command and runs it.
 *
 * This file does what is the same for every command: the three standard descriptors are open, and
 * if output could not be written, the exit status is 1.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "command/cmd.h"
#include "command/help.h"
#include "cli/project_file.h"
#include "command/say.h"
#include "cli/shrunk.h"

enum { LINE_MAX_BYTES = 16384 };

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
        say("unknown option %s; hprof itself knows --help and --version only, a command comes "
            "first",
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
    shrunk_watch();
    int status = dispatch(argc, argv);

    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == CMD_OK) {
        say("cannot write to standard output: %s", strerror(errno != 0 ? errno : EIO));
        status = CMD_FAILED;
    }
    return status;
}
