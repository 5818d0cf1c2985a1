/*
 * commit.c - see commit.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/commit/commit.h"
#include "agent/commit/commit_type.h"
#include "base/lock.h"

enum { CLOSE_MS = 2000 };

_Atomic int64_t commit_words[CUSTOM_TYPES];

static struct {
    struct lock lock; /* guards the words */
    struct commit_user *_Atomic user;
} commits = {.lock = LOCK_INIT(COMMIT_WORDS)};

/* Needs the lock. */
static void set_words(void)
{
    const struct custom_list *all = commit_type_all();
    const struct commit_user *u = commits.user;
    for (uint32_t i = 0; i < all->count; i++)
        atomic_store(&commit_words[i], (u ? u->least_ns(all->of[i]) : COMMIT_OFF) + 1);
}

void commit_begin(struct commit_user *u)
{
    lock_take(&commits.lock);
    gate_open(&u->gate);
    atomic_store(&commits.user, u);
    set_words();
    lock_give(&commits.lock);
}

void commit_end(void)
{
    lock_take(&commits.lock);
    atomic_store(&commits.user, NULL);
    set_words();
    lock_give(&commits.lock);
}

bool commit_settle(struct commit_user *u)
{
    return gate_close(&u->gate, CLOSE_MS);
}

void commit_note_types(void)
{
    lock_take(&commits.lock);
    set_words();
    lock_give(&commits.lock);
}

void commit_hand_over(JNIEnv *env, const struct commit *c)
{
    struct commit_user *u = commits.user;
    _Atomic uint32_t *inside = u ? gate_enter(&u->gate) : NULL;
    if (!inside)
        return;
    u->take(env, c);
    gate_leave(inside);
}
