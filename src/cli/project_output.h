/*
 * project_output.h - decides whether a project's file may name a certain output file.
 *
 * Another person may have written the project's file. So the name must lie below the working
 * directory, must not be hidden, and must have the suffix of a profile, and no link may lead to
 * another place. A link that is made after this check, as the last part of the name, does no harm,
 * because base/newfile.h does not follow it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Returns the reason for a refusal; NULL: the name is allowed. */
const char *project_output_refuse(const char *path);
