/*
 * frame_vm.h - frames whose number is an index of the names that handlers copied
 * (safe/hs_names.h): who has those names, and gives their room back.
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

/** The names, ready for handlers. NULL: no memory. Context: any, before the first signal. */
struct hs_names *frame_vm_open(const struct hs_layout *layout, uint64_t mem_bytes);
/** The ring has been read as far as it could be; NULL: there is none (hs_names.h). Context: any,
 * the agent's lock held. */
void frame_vm_turn(const struct ring *ring);
/** The quality counts of the names. Context: java, the agent's lock held. */
void frame_vm_count(struct recording *r);
/** Give the memory back: no handler walks any more. Context: any. */
void frame_vm_close(void);
