/*
 * java_chunk_facts.h - where a StackChunk keeps what: struct hs_chunk_facts, for safe/hs_chunks.h.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct hotspot;
struct hs_chunk_facts;
struct oops;

/** The form of chunks, which are of the class `klass`. 1, or 0: a field is missing. */
int java_chunk_facts_of(struct oops *o, uint64_t klass, struct hs_chunk_facts *ret_facts);

/** Fill vm->layout.chunks with what walks of this process's threads need; is_known stays 0 where
 * the VM has no virtual threads, or a fact is missing. */
void java_chunk_facts_fill(struct hotspot *vm);
