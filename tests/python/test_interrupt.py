"""Ctrl-C ends a query soon, and leaves an engine that works and holds nothing."""

from __future__ import annotations

import pytest
from ctrl_c import press_ctrl_c

SCRIPT = """
import gc, threading, time
import polars as pl
from polars import col
import frazil

rows = 3_000_000
table = pl.select(k=pl.int_range(rows) % 1000, v=pl.int_range(rows) * 7919 % rows).lazy()
few = pl.LazyFrame({{"k": [1] * 60_000, "w": range(60_000)}})
many = few.join(few, on="k").filter(col("w") + col("w_right") < 0).select(pl.len())
text = pl.concat_str(col("v").cast(pl.String), col("k").cast(pl.String))
engine = frazil.Engine(device={device!r}, strict=True, threads=2)
parts = frazil.Engine(device={device!r}, threads=2)  # that Polars finishes

def again(query, engine=engine):
    while True:
        query.collect(engine=engine)

def both(a, b):
    return a.map_batches(lambda rows: rows).join(b.map_batches(lambda rows: rows), on="len")

def written(query):
    while True:
        query.sink_csv("/dev/null", engine=engine)

def behind():
    threading.Thread(target=many.collect, kwargs={{"engine": engine}}, daemon=True).start()
    time.sleep(0.2)
    again(table.sort("v"))

print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print(time.time(), flush=True)
if {alone}:
    gc.collect()
    assert engine.bytes_in_use == parts.bytes_in_use == 0, (engine.bytes_in_use, parts.bytes_in_use)
    assert few.select(col("w").sum()).collect(engine=engine).item() == 60_000 * 59_999 // 2
    gc.collect()
    assert engine.bytes_in_use == 0, engine.bytes_in_use
print("fine", flush=True)
if not {alone}:
    import os
    os._exit(0)
"""

WORK = {
    "a join that gives rows many times": "again(many)",
    "the table of a join": "again(few.join(table, left_on='w', right_on='v').select(pl.len()))",
    "ranks of wide keys": "again(table.select(a=col('v') * col('v'), b=col('v') * 3, c=col('k')).sort('a', 'b', 'c'))",
    "the first rows of a sort": "again(table.sort('k', 'v').head(1_000_000))",
    "a sort": "again(table.sort('v', 'k'))",
    "a group-by": "again(table.group_by(col('v') * 3).agg(pl.len(), col('k').n_unique()).select(pl.len()))",
    "functions": "again(table.select(x=text).filter(col('x') == ''))",
    "parts on threads of Polars": "again(both(many, many.filter(col('len') > 1)), parts)",
    "rows on their way to a file": "written(few.join(few, on='k').filter(col('w') + col('w_right') < 9))",
    "a query that waits for another": "behind()",
}


@pytest.mark.parametrize("what", WORK)
def test_ctrl_c(device: str, what: str) -> None:
    script = SCRIPT.format(device=device, work=WORK[what], alone=what != "a query that waits for another")
    sent, (raised, *rest) = press_ctrl_c(script, after=1)  # long enough for the query to be under way
    assert float(raised) - sent < 5  # benchmarks/engine/interrupt.py measures it
    assert rest == ["fine"]
