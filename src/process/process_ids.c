/*
 * process_ids.c - see process_ids.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/process_ids.h"
#include <errno.h>
#include <grp.h>
#include <unistd.h>
#include "process/process.h"

int process_ids_take(const struct process *p, struct process_ids *ret_before)
{
    struct process_ids b = {.uid = geteuid(), .gid = getegid()};
    if (b.uid == 0 && (p->uid != 0 || p->gid != b.gid)) {
        b.group_count = getgroups(PROCESS_IDS_GROUPS, b.groups);
        if (b.group_count < 0)
            return -errno;
        b.is_changed = true;
        /* The groups are changed first, because after the change of the user id the right to do so
         * is lost. */
        if (setgroups(0, NULL) != 0 || setegid(p->gid) != 0 || seteuid(p->uid) != 0) {
            int error = -errno;
            (void)process_ids_back(&b);
            return error;
        }
    }
    *ret_before = b;
    return 0;
}

int process_ids_back(struct process_ids *before)
{
    if (!before->is_changed)
        return 0;
    before->is_changed = false;
    if (seteuid(before->uid) != 0 || setegid(before->gid) != 0 ||
        setgroups((size_t)before->group_count, before->groups) != 0)
        return -errno;
    return 0;
}
