/* options_help.h - the text of `help`. SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include <stdio.h>

void options_help(FILE *out);
