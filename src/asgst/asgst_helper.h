/*
 * asgst_helper.h - the one thread of this library.
 *
 * The thread waits for the VM, keeps the map of loaded libraries fresh, and does the works that
 * others give it: to run handlers of queues, to watch for unloaded classes. What a work is about,
 * this file does not know. The thread takes no signals and is not attached to the VM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** Start the thread if it does not run. 0, -errno. Context: any, not signal. */
int asgst_helper_start(void);

/** A work has something to do. Context: signal. */
void asgst_helper_wake(void);

/** Something that the thread does again and again once the VM is ready. It may call user code. */
struct asgst_helper_work {
    /** Returns after how many ms at the latest it wants to run again; 0: when it is woken. */
    uint32_t (*run)(void);
    struct asgst_helper_work *next; /* the helper's */
    bool is_added;                  /* likewise */
};

/** The thread does this work from now on; a work that it does already is added once. At exit() the
 * thread stops first, while the code that its works call is still there. Owner: the work must stay.
 * Context: any, not signal. */
void asgst_helper_add(struct asgst_helper_work *work);

/** Whether the caller is the thread itself. Context: signal. */
bool asgst_helper_is_self(void);
