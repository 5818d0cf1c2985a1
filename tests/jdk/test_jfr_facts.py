"""The stored facts of `hprof jfr events` are those of the JDKs.

SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess

import pytest
from conftest import JDKS, ROOT

FACTS = ROOT / "src/jfrtool/jfr_facts.def"


@pytest.mark.everyday(21)
@pytest.mark.jdks(21)
def test_facts_are_what_the_tool_makes_of_the_jdks(jdk, hprof):
    """One pass over all JDKs, whichever `jdk` is; it stands for where the test is listed."""
    stored = FACTS.read_text()
    wanted = [int(number) for number in re.findall(r"^RELEASE\((\d+)\)$", stored, re.M)]
    missing = [number for number in wanted if number not in JDKS]
    if missing:
        pytest.skip("JDKs %s are not here: the table is made from all of them" % missing)
    assert jdk.number in wanted
    made = subprocess.run([str(ROOT / "tools/jfr-facts"), str(hprof)] + ["%d=%s" % (number, JDKS[number].home) for number in wanted],
                          stdout=subprocess.PIPE, text=True, check=True, timeout=300).stdout
    assert made == stored, "make it anew with tools/jfr-facts"
