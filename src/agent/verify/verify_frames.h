/*
 * verify_frames.h - brings frames of three sources into one form that can be compared.
 *
 * A walk gives a method by its address, AsyncGetCallTrace and GetStackTrace give a jmethodID, and
 * the shadow stack gives a hash of the method's names. This code reads the same memory of the VM as
 * safe/hs_names.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "agent/verify/verify_compare.h"
#include "safe/hs_names.h"
#include "safe/walk.h"

/** Set both; they must stay valid for ever. Context: any, before the first signal. */
void verify_frames_prepare(const struct hs_layout *layout, struct hs_names *names);

/** The jmethodID that the class of a Method* has given out for it; 0: none yet. Context: signal. */
uint64_t verify_frames_id_of(struct mem_view *v, const struct hs_layout *l, uint64_t method);

/** Convert frames of a walk, which have Method* addresses. Context: signal. */
void verify_frames_of_walk(const struct walk_frame *walked, uint32_t count,
                           struct verify_frame *ret_frames);
/**
 * Convert a frame with a jmethodID; bci -1 of GetStackTrace is a native method. Context: signal.
 */
struct verify_frame verify_frames_of_id(uint64_t id, int32_t bci);

/**
 * Whether the method belongs to this class and its name begins with `name_start`. Context: signal.
 */
bool verify_frames_is(const struct verify_frame *f, const char *class_name, const char *name_start);

/**
 * A hash of the class (java/lang/String), name and signature of a frame's method; 0 unknown.
 * Context: signal.
 */
uint64_t verify_frames_hash(const struct verify_frame *f);
/** The same hash as that of verify_frames_hash(), computed from texts. Context: signal. */
uint64_t verify_frames_hash_texts(const char *class_name, size_t class_len, const char *name,
                                  size_t name_len, const char *signature, size_t signature_len);
