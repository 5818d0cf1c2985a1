/*
 * process_ids.h - root acts as the user whose process it looks at.
 *
 * A JVM trusts its own user (JDK 8 trusts nobody else, root included), and what lies in folders
 * that this user can write is touched with his rights alone: a link or file that he put there leads
 * to nothing that he may not have. Who is not root is who he is. One thread; the ids are those of
 * the whole program. Context: any. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct process;

enum { PROCESS_IDS_GROUPS = 64 };

/** Who we were. */
struct process_ids {
    uid_t uid;
    gid_t gid;
    gid_t groups[PROCESS_IDS_GROUPS];
    int group_count;
    bool is_changed;
};

/** Take on the effective ids of `p`, with no other groups. Errors: 0; -errno, and nothing changed.
 */
int process_ids_take(const struct process *p, struct process_ids *ret_before);
/** Be again who one was. Errors: 0, -errno. */
int process_ids_back(struct process_ids *before);
