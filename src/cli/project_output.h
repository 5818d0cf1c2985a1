/*
 * project_output.h - whether a file of profiles may be where a project's file says.
 *
 * That file came with what somebody else wrote, so the name stays below the working directory, is
 * no hidden one, is that of a profile, and no link leads away from there. The last part of a name
 * is no matter: base/newfile.h follows no link there. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Why it may not, in words; NULL: it may. */
const char *project_output_refuse(const char *path);
