# SPDX-License-Identifier: Apache-2.0
"""Reads a folder of hprof export by pyarrow, DuckDB or ClickHouse (chdb), whichever the Python has. Arguments: the folder, and queries. Prints
as JSON {table: [{column: value}]} by pyarrow, or a list of rows for each query by the others; a day is a text."""
import importlib.util
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
if sys.argv[2:]:
    if importlib.util.find_spec("duckdb"):
        import duckdb
        print(json.dumps([duckdb.sql(query).fetchall() for query in sys.argv[2:]], default=str))
    else:
        import chdb
        settings = " settings output_format_json_quote_64bit_integers = 0"
        print(json.dumps([json.loads(str(chdb.query(query + settings, "JSONCompact")))["data"] for query in sys.argv[2:]]))
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
