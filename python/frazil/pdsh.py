"""Queries of the PDS-H benchmark, derived from TPC-H, as LazyFrames over the Parquet files of tpchgen-cli.

Each query is a function of the folder that holds `lineitem.parquet`, `orders.parquet`, ... and carries the default
parameters of the TPC-H specification. Money is Decimal(15, 2) and days are Date, as the files have them; products of
decimals are rounded to two digits in each row, as Polars does it. `QUERIES` maps the number of a query to its function.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
from polars import col

Query = Callable[[Path], pl.LazyFrame]


def table(folder: Path, name: str) -> pl.LazyFrame:
    """The table `name` of the folder: one file, or a folder of parts."""
    parts = folder / name
    return pl.scan_parquet(parts / "*.parquet" if parts.is_dir() else folder / f"{name}.parquet")


def pricing_summary(folder: Path) -> pl.LazyFrame:
    """Q1: sums and means of all lines shipped up to 1998-09-02, by return flag and line status."""
    discounted = col("l_extendedprice") * (1 - col("l_discount"))
    return (
        table(folder, "lineitem")
        .filter(col("l_shipdate") <= date(1998, 9, 2))
        .group_by("l_returnflag", "l_linestatus")
        .agg(
            sum_qty=col("l_quantity").sum(),
            sum_base_price=col("l_extendedprice").sum(),
            sum_disc_price=discounted.sum(),
            sum_charge=(discounted * (1 + col("l_tax"))).sum(),
            avg_qty=col("l_quantity").mean(),
            avg_price=col("l_extendedprice").mean(),
            avg_disc=col("l_discount").mean(),
            count_order=pl.len(),
        )
        .sort("l_returnflag", "l_linestatus")
    )


def shipping_priority(folder: Path) -> pl.LazyFrame:
    """Q3: the ten unshipped orders of the segment BUILDING with the largest revenue on 1995-03-15."""
    day = date(1995, 3, 15)
    customer = table(folder, "customer").filter(col("c_mktsegment") == "BUILDING")
    orders = table(folder, "orders").filter(col("o_orderdate") < day)
    lineitem = table(folder, "lineitem").filter(col("l_shipdate") > day)
    return (
        customer.join(orders, left_on="c_custkey", right_on="o_custkey")
        .join(lineitem, left_on="o_orderkey", right_on="l_orderkey")
        .group_by(l_orderkey="o_orderkey", o_orderdate="o_orderdate", o_shippriority="o_shippriority")
        .agg(revenue=(col("l_extendedprice") * (1 - col("l_discount"))).sum())
        .select("l_orderkey", "revenue", "o_orderdate", "o_shippriority")
        .sort("revenue", "o_orderdate", descending=[True, False])
        .head(10)
    )


def forecast_revenue(folder: Path) -> pl.LazyFrame:
    """Q6: the revenue of 1994 that discounts of 5 to 7 percent on small quantities have cost."""
    return (
        table(folder, "lineitem")
        .filter(
            col("l_shipdate") >= date(1994, 1, 1),
            col("l_shipdate") < date(1995, 1, 1),
            col("l_discount").is_between(Decimal("0.05"), Decimal("0.07")),
            col("l_quantity") < 24,
        )
        .select(revenue=(col("l_extendedprice") * col("l_discount")).sum())
    )


def large_volume_customer(folder: Path) -> pl.LazyFrame:
    """Q18: the hundred orders with the largest totals among those of more than 300 pieces."""
    lineitem = table(folder, "lineitem")
    large = lineitem.group_by("l_orderkey").agg(pieces=col("l_quantity").sum()).filter(col("pieces") > 300)
    return (
        table(folder, "customer")
        .join(table(folder, "orders"), left_on="c_custkey", right_on="o_custkey")
        .join(large, left_on="o_orderkey", right_on="l_orderkey", how="semi")
        .join(lineitem, left_on="o_orderkey", right_on="l_orderkey")
        .group_by("c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice")
        .agg(sum_quantity=col("l_quantity").sum())
        .sort("o_totalprice", "o_orderdate", descending=[True, False])
        .head(100)
    )


def discounted_revenue(folder: Path) -> pl.LazyFrame:
    """Q19: the revenue of parts of three brands, each with its own containers, quantities and sizes, sent by air."""

    def bought(brand: str, containers: str, pieces: int, size: int) -> pl.Expr:
        return (
            (col("p_brand") == brand)
            & col("p_container").is_in(containers.split(","))
            & col("l_quantity").is_between(pieces, pieces + 10)
            & col("p_size").is_between(1, size)
        )

    return (
        table(folder, "part")
        .join(table(folder, "lineitem"), left_on="p_partkey", right_on="l_partkey")
        .filter(
            col("l_shipmode").is_in(["AIR", "AIR REG"]),
            col("l_shipinstruct") == "DELIVER IN PERSON",
            bought("Brand#12", "SM CASE,SM BOX,SM PACK,SM PKG", 1, 5)
            | bought("Brand#23", "MED BAG,MED BOX,MED PKG,MED PACK", 10, 10)
            | bought("Brand#34", "LG CASE,LG BOX,LG PACK,LG PKG", 20, 15),
        )
        .select(revenue=(col("l_extendedprice") * (1 - col("l_discount"))).sum())
    )


QUERIES: dict[int, Query] = {
    1: pricing_summary,
    3: shipping_priority,
    6: forecast_revenue,
    18: large_volume_customer,
    19: discounted_revenue,
}
