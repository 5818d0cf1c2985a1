/*
 * ref_facts.h - how this VM writes references and which collector moves objects, from its tables.
 *
 * The facts for hs_refs_load() are filled for JDK 21 and later, where references are followed while
 * a collector works. For other JDKs `mover` stays HS_REFS_UNKNOWN.
 * Source: HotSpot compressedOops.hpp, zAddress.hpp, zGeneration.hpp, zGranuleMap.hpp,
 * zForwarding.hpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct hs_refs;
struct target;

void ref_facts_fill(const struct target *t, struct hs_refs *ret_refs);
