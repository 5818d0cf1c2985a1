"""The queries that docs/export.md writes out for DuckDB.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/export.md"


def questions(folder):
    """(question, SQL) of each, asked of an export in `folder`."""
    text = PAGE.read_text().split("## Questions", 1)[1].split("```")[1]
    found = []
    for part in text.strip().split(";\n"):
        title, sql = part.strip().split("\n", 1)
        assert title.startswith("-- "), title
        found.append((title[3:], sql.rstrip(";").replace("'p/", "'%s/" % folder)))
    return found
