#!/usr/bin/env python3
"""exports_asgst - libasgst.so shows what its headers in include/ declare, and nothing else; see interface.py.

SPDX-License-Identifier: Apache-2.0
"""
import interface

HEADERS = ("include/asgst.h", "include/asgst_classic.h", "include/asgct.h", "include/asgst_ready.h")

interface.main(interface.Interface("src/asgst/libasgst.so.1", "src/asgst/asgst.map", HEADERS, "docs/man/libasgst.3", "ASGST_|AsyncGet", 30,
                                   stays=True))
