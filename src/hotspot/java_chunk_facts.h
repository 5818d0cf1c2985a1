/*
 * java_chunk_facts.h - the offsets in a StackChunk: struct hs_chunk_facts, for safe/hs_chunks.h.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct hotspot;
struct hs_chunk_facts;
struct oops;

/** Read the offsets of the class `klass` of chunks. Returns 1, or 0 if a field is missing. */
int java_chunk_facts_of(struct oops *o, uint64_t klass, struct hs_chunk_facts *ret_facts);

/** Fill vm->layout.chunks with what walks of this process's threads need. is_known stays false if
 * the VM has no virtual threads, or if a fact is missing. */
void java_chunk_facts_fill(struct hotspot *vm);
