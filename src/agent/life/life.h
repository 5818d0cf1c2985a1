/*
 * life.h - the agent begins and ends, as often as it is told to.
 *
 * Up to AGENT_RECORDINGS run at one time; one begins or ends at a time, whoever asks: a load,
 * a command, the end of a duration, the VM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct agent;

/** How a recording begins. */
struct life_start {
    const char *line, *environment; /* options; the second may be NULL */
    const char *name;               /* NULL: its number */
    uint64_t lease_ns;              /* 0: none */
    bool is_held;                   /* its file, by who has asked: output_held.h */
    bool is_command;                /* the command start: others may run already */
    bool is_begun;                  /* no trigger is waited for that begins it */
    uint32_t number;                /* of the one that it follows; 0: its own */
    uint32_t turn;                  /* files of loop= before this one */
};

/**
 * Begin a recording in a running VM.
 *
 * Errors: 0; E_VM_STATE it cannot be beside what runs; another negative one. All after a message,
 * and then all is as before. Context: java.
 */
int life_begin(struct agent *a, JavaVM *vm, JNIEnv *env, const struct life_start *how,
               uint32_t *ret_number);
/**
 * Write what the recording of that number has, close its file, and give everything back that no
 * other one has. Errors: 0; E_VM_STATE after a message: there is none. Context: java.
 */
int life_stop(struct agent *a, JNIEnv *env, uint32_t number);
