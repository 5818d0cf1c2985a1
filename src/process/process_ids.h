/*
 * process_ids.h - root acts as the user whose process it looks at.
 *
 * A JVM trusts its own user; JDK 8 trusts no other user, not even root. Files in folders that this
 * user can write are touched only with the user's rights: so a link or file that the user has put
 * there cannot lead to a file that the user may not touch. A caller that is not root keeps its ids.
 * One thread; the ids are those of the whole program. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct process;

enum { PROCESS_IDS_GROUPS = 64 };

/** The ids before the change. */
struct process_ids {
    uid_t uid;
    gid_t gid;
    gid_t groups[PROCESS_IDS_GROUPS];
    int group_count;
    bool is_changed;
};

/** Take on the effective ids of `p`, without other groups. Errors: 0; -errno, and nothing has
 * changed. */
int process_ids_take(const struct process *p, struct process_ids *ret_before);
/** Take the former ids again. Errors: 0, -errno. */
int process_ids_back(struct process_ids *before);
