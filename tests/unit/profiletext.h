/*
 * profiletext.h - rows of a profile as text, to be compared with what a test expects.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/profile.h"

/** "" for 0. */
const char *profiletext_string(struct profile *p, string_id id);
/** "CLASS METHOD[ DESCRIPTOR] SOURCE LINE", until the next call; what is not known is empty. */
const char *profiletext_frame(struct profile *p, frame_id id);
