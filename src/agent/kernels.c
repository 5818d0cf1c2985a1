/*
 * kernels.c - see kernels.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/kernels.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "agent/log.h"
#include "agent/timer/timer.h"
#include "base/err.h"

long kernels_setting(const char *name)
{
    char path[64], text[32] = "";
    int fd;
    ssize_t n;
    snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    n = read(fd, text, sizeof(text) - 1);
    close(fd);
    return n > 0 ? strtol(text, NULL, 10) : -1;
}

/* Whether perf_event_open is refused before the kernel looks at what is asked for: it would say
 * that the address is bad. */
static bool is_filtered(void)
{
    return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) < 0 &&
           (errno == EPERM || errno == ENOSYS);
}

static void say_why(int error)
{
    static const char go_on[] = "going on without kernel frames";
    long paranoid = kernels_setting("perf_event_paranoid");
    if (error == -EDQUOT)
        log_note("kernel=y: the memory that perf may lock is used up (%ld KB a processor): raise "
                 "kernel.perf_event_mlock_kb or ulimit -l; %s",
                 kernels_setting("perf_event_mlock_kb"), go_on);
    else if ((error == -EACCES || error == -EPERM) && paranoid > 1 && !is_filtered())
        log_note("kernel=y: kernel.perf_event_paranoid is %ld, which hides the kernel from this "
                 "process: give it CAP_PERFMON, or set kernel.perf_event_paranoid to 1; %s",
                 paranoid, go_on);
    else if (error == -EACCES || error == -EPERM || error == -ENOSYS)
        log_note("kernel=y: perf_event_open is refused (%s), by a container's seccomp rules or a "
                 "security module: allow it there; %s",
                 err_text(error), go_on);
    else
        log_note("kernel=y: perf_event_open does not work here (%s); %s", err_text(error), go_on);
}

bool kernels_can(const struct timer_source *source)
{
    int error = -ENOSYS;

    /*
     * If perf does not work here, another source was chosen. Ask perf anyway, because its error is
     * the reason to print.
     */
    for (int i = 0; timer_all[i]; i++)
        if (timer_all[i]->probe_kernel)
            error = timer_all[i]->probe_kernel();
    if (error)
        say_why(error);
    return !error && source->probe_kernel;
}
