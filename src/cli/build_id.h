/*
 * build_id.h - the build id of this program: the linker makes it from the program's contents, and
 * debuggers find the symbols by it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum { BUILD_ID_TEXT = 129 }; /* bytes for the digits with their final 0 */

/** Write the build id as hexadecimal digits; "": the program has none. */
void build_id_put(char text[BUILD_ID_TEXT]);
