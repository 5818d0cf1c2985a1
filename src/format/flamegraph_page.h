/*
 * flamegraph_page.h - the page flamegraph.html as bytes: the part in front of its data and the part
 * behind it. tools/embed makes them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

extern const unsigned char flamegraph_page_head[], flamegraph_page_tail[];
extern const size_t flamegraph_page_head_len, flamegraph_page_tail_len;
