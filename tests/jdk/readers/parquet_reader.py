# SPDX-License-Identifier: Apache-2.0
"""Reads a folder of hprof export by pyarrow or DuckDB, whichever the Python has. Arguments: the folder, and queries of DuckDB. Prints as JSON
{table: [{column: value}]} by pyarrow, or a list of rows for each query by DuckDB."""
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
if sys.argv[2:]:
    import duckdb
    print(json.dumps([duckdb.sql(query).fetchall() for query in sys.argv[2:]]))
else:
    import pyarrow.parquet
    said = {}
    for path in sorted(folder.rglob("*.parquet")):
        parts = path.relative_to(folder).parts
        name = parts[-2][len("type="):] if parts[0] == "events" else parts[0]
        file = pyarrow.parquet.ParquetFile(path)
        rows = file.read().to_pylist()
        for number in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(number)
            for column in range(group.num_columns):
                chunk = group.column(column)
                values = [row[chunk.path_in_schema] for row in rows] if file.metadata.num_row_groups == 1 else None
                there = [value for value in values or () if value is not None]
                if chunk.is_stats_set and chunk.statistics.has_min_max and there:
                    assert (chunk.statistics.min, chunk.statistics.max) == (min(there), max(there)), (path, chunk.path_in_schema)
        said.setdefault(name, []).extend(rows)
    print(json.dumps(said))
