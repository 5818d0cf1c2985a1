/*
 * life.h - begins and ends recordings, as often as the agent is told to.
 *
 * Up to AGENT_RECORDINGS recordings run at one time. One begins or ends at a time, no matter
 * whether a load, a command, the end of a duration or the VM causes it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct agent;

/** The only agent of this library. */
extern struct agent life_agent;

/** How a recording begins. */
struct life_start {
    const char *line, *environment; /* option strings; `environment` may be NULL */
    const char *name;               /* NULL: the number becomes the name */
    uint64_t lease_ns;              /* 0: no lease */
    bool is_held;                   /* the command holds the file of the recording: output_held.h */
    bool is_command;                /* by the command start: other recordings may run already */
    bool is_begun;                  /* begin now, even if the options name a trigger to wait for */
    /* the number of the recording that it follows; 0: a new number */
    uint32_t number;
    uint32_t turn; /* how many files of loop= came before this one */
};

/**
 * Begin a recording in a running VM.
 *
 * Errors: 0; E_VM_STATE: it cannot run beside the running recordings; another negative value. After
 * an error a message was printed, and the state is as before. Context: java.
 */
int life_begin(struct agent *a, JavaVM *vm, JNIEnv *env, const struct life_start *how,
               uint32_t *ret_number);
/**
 * End the recording with that number: write its last tables, close its file, and release what no
 * other recording uses. Errors: 0; E_VM_STATE after a message: there is no such recording. Context:
 * java.
 */
int life_stop(struct agent *a, JNIEnv *env, uint32_t number);
/**
 * From now on tell the engines of the end of virtual threads that the agent knows, until the last
 * recording has ended. Context: java.
 */
void life_run_hear_virtual_ends(struct agent *a);
