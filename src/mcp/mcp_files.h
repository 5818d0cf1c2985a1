/*
 * mcp_files.h - lists the files below the root folder.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "command/textbuf.h"

/**
 * Adds a line for each regular file: bytes, when it was written (UTC), path. Links are not
 * followed. At most 1,000 files are listed, and folders eight levels deep are looked at; what is
 * left out is said.
 */
void mcp_files_list(int root, struct textbuf *to);
