/*
 * frame_vm.h - frames whose number is an index of the names that handlers have copied
 * (safe/hs_names.h). This file owns these names and gives their memory back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct agent;
struct recording;
struct hs_layout;
struct hs_names;
struct ring;

/** Make the names ready for handlers. Returns NULL if there is no memory. Context: any, before the
 * first signal. */
struct hs_names *frame_vm_open(const struct hs_layout *layout, uint64_t mem_bytes);
/** Call hs_names_turn() with the rings into which samples go, after one of them has been read.
 * Context: any, the agent's lock held. */
void frame_vm_turn(const struct ring *const *rings, uint32_t count);
/** Set the recording's quality counts about names. Context: java, the agent's lock held. */
void frame_vm_count(struct recording *r);
/** Give the memory back. No handler may walk any more. Context: any. */
void frame_vm_close(void);
