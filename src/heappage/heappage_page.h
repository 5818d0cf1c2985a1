/*
 * heappage_page.h - the page heappage.html as bytes: the part in front of its data and the part
 * behind it. tools/embed makes them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

extern const unsigned char heappage_page_head[], heappage_page_tail[];
extern const size_t heappage_page_head_len, heappage_page_tail_len;
