/*
 * stop_now.c - see stop_now.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/stop_now.h"

void stop_now_open(struct stop_now *s, pid_t pid)
{
    const char *missing;
    *s = (struct stop_now){.live = {.mem_fd = -1}};
    if (pid == 0)
        return;
    s->is_open =
        mem_live_open(pid, &s->live) == 0 && target_open(&s->live.image, &s->target, &missing) == 0;
    if (s->is_open)
        vm_stop_init(&s->stop, &s->target);
}

double stop_now_s(struct stop_now *s, uint64_t count)
{
    if (!s->is_open)
        return 0;
    vm_stop_read(&s->stop, &s->live, count);
    return s->stop.uncounted_s;
}

void stop_now_close(struct stop_now *s)
{
    target_close(&s->target);
    mem_live_close(&s->live);
}
