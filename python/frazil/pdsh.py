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


def minimum_cost_supplier(folder: Path) -> pl.LazyFrame:
    """Q2: the hundred European suppliers that sell brass parts of size 15 at the lowest price in their region."""
    offers = (
        table(folder, "region")
        .filter(col("r_name") == "EUROPE")
        .join(table(folder, "nation"), left_on="r_regionkey", right_on="n_regionkey")
        .join(table(folder, "supplier"), left_on="n_nationkey", right_on="s_nationkey")
        .join(table(folder, "partsupp"), left_on="s_suppkey", right_on="ps_suppkey")
    )
    parts = table(folder, "part").filter(col("p_size") == 15, col("p_type").str.ends_with("BRASS"))
    wanted = parts.join(offers, left_on="p_partkey", right_on="ps_partkey")
    lowest = wanted.group_by("p_partkey").agg(ps_supplycost=col("ps_supplycost").min())
    return (
        wanted.join(lowest, on=["p_partkey", "ps_supplycost"])
        .select("s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment")
        .sort("s_acctbal", "n_name", "s_name", "p_partkey", descending=[True, False, False, False])
        .head(100)
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


def order_priority(folder: Path) -> pl.LazyFrame:
    """Q4: how many orders of the third quarter of 1993 had a line that came later than promised, by priority."""
    late = table(folder, "lineitem").filter(col("l_commitdate") < col("l_receiptdate"))
    return (
        table(folder, "orders")
        .filter(col("o_orderdate") >= date(1993, 7, 1), col("o_orderdate") < date(1993, 10, 1))
        .join(late, left_on="o_orderkey", right_on="l_orderkey", how="semi")
        .group_by("o_orderpriority")
        .agg(order_count=pl.len())
        .sort("o_orderpriority")
    )


def local_supplier_volume(folder: Path) -> pl.LazyFrame:
    """Q5: the revenue of 1994 in Asia from customers and suppliers of the same nation, by nation."""
    return (
        table(folder, "region")
        .filter(col("r_name") == "ASIA")
        .join(table(folder, "nation"), left_on="r_regionkey", right_on="n_regionkey")
        .join(table(folder, "customer"), left_on="n_nationkey", right_on="c_nationkey")
        .join(
            table(folder, "orders").filter(
                col("o_orderdate") >= date(1994, 1, 1), col("o_orderdate") < date(1995, 1, 1)
            ),
            left_on="c_custkey",
            right_on="o_custkey",
        )
        .join(table(folder, "lineitem"), left_on="o_orderkey", right_on="l_orderkey")
        .join(table(folder, "supplier"), left_on=["l_suppkey", "n_nationkey"], right_on=["s_suppkey", "s_nationkey"])
        .group_by("n_name")
        .agg(revenue=(col("l_extendedprice") * (1 - col("l_discount"))).sum())
        .sort("revenue", descending=True)
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


def volume_shipping(folder: Path) -> pl.LazyFrame:
    """Q7: the value of goods shipped between France and Germany in 1995 and 1996, by direction and year."""
    france, germany = "FRANCE", "GERMANY"
    nation = table(folder, "nation").filter(col("n_name").is_in([france, germany]))
    shipped = table(folder, "lineitem").filter(col("l_shipdate").is_between(date(1995, 1, 1), date(1996, 12, 31)))
    return (
        table(folder, "supplier")
        .join(nation.select("n_nationkey", supp_nation="n_name"), left_on="s_nationkey", right_on="n_nationkey")
        .join(shipped, left_on="s_suppkey", right_on="l_suppkey")
        .join(table(folder, "orders"), left_on="l_orderkey", right_on="o_orderkey")
        .join(table(folder, "customer"), left_on="o_custkey", right_on="c_custkey")
        .join(nation.select("n_nationkey", cust_nation="n_name"), left_on="c_nationkey", right_on="n_nationkey")
        .filter(
            ((col("supp_nation") == france) & (col("cust_nation") == germany))
            | ((col("supp_nation") == germany) & (col("cust_nation") == france))
        )
        .group_by("supp_nation", "cust_nation", l_year=col("l_shipdate").dt.year())
        .agg(revenue=(col("l_extendedprice") * (1 - col("l_discount"))).sum())
        .sort("supp_nation", "cust_nation", "l_year")
    )


def national_market_share(folder: Path) -> pl.LazyFrame:
    """Q8: Brazil's share of the American market for one type of steel, in 1995 and 1996."""
    volume = col("l_extendedprice") * (1 - col("l_discount"))
    return (
        table(folder, "part")
        .filter(col("p_type") == "ECONOMY ANODIZED STEEL")
        .join(table(folder, "lineitem"), left_on="p_partkey", right_on="l_partkey")
        .join(
            table(folder, "orders").filter(col("o_orderdate").is_between(date(1995, 1, 1), date(1996, 12, 31))),
            left_on="l_orderkey",
            right_on="o_orderkey",
        )
        .join(table(folder, "customer"), left_on="o_custkey", right_on="c_custkey")
        .join(
            table(folder, "nation").select("n_nationkey", "n_regionkey"), left_on="c_nationkey", right_on="n_nationkey"
        )
        .join(table(folder, "region").filter(col("r_name") == "AMERICA"), left_on="n_regionkey", right_on="r_regionkey")
        .join(table(folder, "supplier"), left_on="l_suppkey", right_on="s_suppkey")
        .join(table(folder, "nation").select("n_nationkey", "n_name"), left_on="s_nationkey", right_on="n_nationkey")
        .select(o_year=col("o_orderdate").dt.year(), nation="n_name", volume=volume)
        .group_by("o_year")
        .agg(mkt_share=pl.when(col("nation") == "BRAZIL").then(col("volume")).otherwise(0).sum() / col("volume").sum())
        .sort("o_year")
    )


def product_type_profit(folder: Path) -> pl.LazyFrame:
    """Q9: the profit on parts with "green" in their names, by nation of the supplier and year."""
    amount = col("l_extendedprice") * (1 - col("l_discount")) - col("ps_supplycost") * col("l_quantity")
    return (
        table(folder, "part")
        .filter(col("p_name").str.contains("green", literal=True))
        .join(table(folder, "lineitem"), left_on="p_partkey", right_on="l_partkey")
        .join(table(folder, "supplier"), left_on="l_suppkey", right_on="s_suppkey")
        .join(table(folder, "partsupp"), left_on=["l_suppkey", "p_partkey"], right_on=["ps_suppkey", "ps_partkey"])
        .join(table(folder, "orders"), left_on="l_orderkey", right_on="o_orderkey")
        .join(table(folder, "nation"), left_on="s_nationkey", right_on="n_nationkey")
        .select(nation="n_name", o_year=col("o_orderdate").dt.year(), amount=amount)
        .group_by("nation", "o_year")
        .agg(sum_profit=col("amount").sum())
        .sort("nation", "o_year", descending=[False, True])
    )


def returned_items(folder: Path) -> pl.LazyFrame:
    """Q10: the twenty customers who sent back most of what they ordered in the last quarter of 1993."""
    orders = table(folder, "orders").filter(
        col("o_orderdate") >= date(1993, 10, 1), col("o_orderdate") < date(1994, 1, 1)
    )
    returned = table(folder, "lineitem").filter(col("l_returnflag") == "R")
    return (
        table(folder, "customer")
        .join(orders, left_on="c_custkey", right_on="o_custkey")
        .join(returned, left_on="o_orderkey", right_on="l_orderkey")
        .join(table(folder, "nation"), left_on="c_nationkey", right_on="n_nationkey")
        .group_by("c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment")
        .agg(revenue=(col("l_extendedprice") * (1 - col("l_discount"))).sum())
        .select("c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment")
        .sort("revenue", descending=True)
        .head(20)
    )


def important_stock(folder: Path) -> pl.LazyFrame:
    """Q11: the parts that hold more than a ten thousandth of the value of all stock in Germany."""
    stock = (
        table(folder, "partsupp")
        .join(table(folder, "supplier"), left_on="ps_suppkey", right_on="s_suppkey")
        .join(table(folder, "nation").filter(col("n_name") == "GERMANY"), left_on="s_nationkey", right_on="n_nationkey")
        .select("ps_partkey", value=col("ps_supplycost") * col("ps_availqty"))
    )
    least = stock.select(least=col("value").sum().cast(pl.Float64) * 0.0001)
    return (
        stock.group_by("ps_partkey")
        .agg(value=col("value").sum())
        .join(least, how="cross")
        .filter(col("value").cast(pl.Float64) > col("least"))
        .select("ps_partkey", "value")
        .sort("value", descending=True)
    )


def shipping_modes(folder: Path) -> pl.LazyFrame:
    """Q12: how many urgent and other orders of 1994 came late by mail and by ship."""
    urgent = col("o_orderpriority").is_in(["1-URGENT", "2-HIGH"])
    return (
        table(folder, "orders")
        .join(table(folder, "lineitem"), left_on="o_orderkey", right_on="l_orderkey")
        .filter(
            col("l_shipmode").is_in(["MAIL", "SHIP"]),
            col("l_commitdate") < col("l_receiptdate"),
            col("l_shipdate") < col("l_commitdate"),
            col("l_receiptdate") >= date(1994, 1, 1),
            col("l_receiptdate") < date(1995, 1, 1),
        )
        .group_by("l_shipmode")
        .agg(high_line_count=urgent.sum(), low_line_count=(~urgent).sum())
        .sort("l_shipmode")
    )


def customer_distribution(folder: Path) -> pl.LazyFrame:
    """Q13: how many customers have how many orders, but for those with special requests."""
    orders = table(folder, "orders").filter(~col("o_comment").str.contains("special.*requests"))
    return (
        table(folder, "customer")
        .join(orders, left_on="c_custkey", right_on="o_custkey", how="left")
        .group_by("c_custkey")
        .agg(c_count=col("o_orderkey").count())
        .group_by("c_count")
        .agg(custdist=pl.len())
        .sort("custdist", "c_count", descending=True)
    )


def promotion_effect(folder: Path) -> pl.LazyFrame:
    """Q14: the share of promotions in the revenue of September 1995, in percent."""
    revenue = col("l_extendedprice") * (1 - col("l_discount"))
    promoted = pl.when(col("p_type").str.starts_with("PROMO")).then(revenue).otherwise(0)
    return (
        table(folder, "lineitem")
        .filter(col("l_shipdate") >= date(1995, 9, 1), col("l_shipdate") < date(1995, 10, 1))
        .join(table(folder, "part"), left_on="l_partkey", right_on="p_partkey")
        .select(promo_revenue=100.0 * promoted.sum().cast(pl.Float64) / revenue.sum().cast(pl.Float64))
    )


def top_supplier(folder: Path) -> pl.LazyFrame:
    """Q15: the suppliers with the largest revenue of the first quarter of 1996."""
    revenue = (
        table(folder, "lineitem")
        .filter(col("l_shipdate") >= date(1996, 1, 1), col("l_shipdate") < date(1996, 4, 1))
        .group_by(supplier_no="l_suppkey")
        .agg(total_revenue=(col("l_extendedprice") * (1 - col("l_discount"))).sum())
    )
    return (
        table(folder, "supplier")
        .join(revenue, left_on="s_suppkey", right_on="supplier_no")
        .filter(col("total_revenue") == col("total_revenue").max())
        .select("s_suppkey", "s_name", "s_address", "s_phone", "total_revenue")
        .sort("s_suppkey")
    )


def part_suppliers(folder: Path) -> pl.LazyFrame:
    """Q16: how many suppliers without complaints offer parts, by brand, type and size."""
    sizes = [49, 14, 23, 45, 19, 3, 36, 9]
    complaints = table(folder, "supplier").filter(col("s_comment").str.contains("Customer.*Complaints"))
    return (
        table(folder, "part")
        .filter(
            col("p_brand") != "Brand#45", ~col("p_type").str.starts_with("MEDIUM POLISHED"), col("p_size").is_in(sizes)
        )
        .join(table(folder, "partsupp"), left_on="p_partkey", right_on="ps_partkey")
        .join(complaints, left_on="ps_suppkey", right_on="s_suppkey", how="anti")
        .group_by("p_brand", "p_type", "p_size")
        .agg(supplier_cnt=col("ps_suppkey").n_unique())
        .sort("supplier_cnt", "p_brand", "p_type", "p_size", descending=[True, False, False, False])
    )


def small_quantity_revenue(folder: Path) -> pl.LazyFrame:
    """Q17: the yearly revenue that would be lost without small orders of one brand in medium boxes."""
    parts = table(folder, "part").filter(col("p_brand") == "Brand#23", col("p_container") == "MED BOX")
    lines = parts.join(table(folder, "lineitem"), left_on="p_partkey", right_on="l_partkey")
    small = lines.group_by("p_partkey").agg(small=0.2 * col("l_quantity").mean())
    return (
        lines.join(small, on="p_partkey")
        .filter(col("l_quantity").cast(pl.Float64) < col("small"))
        .select(avg_yearly=col("l_extendedprice").sum().cast(pl.Float64) / 7.0)
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


def potential_promotion(folder: Path) -> pl.LazyFrame:
    """Q20: the Canadian suppliers with more of a forest part in stock than half of what was shipped of it in 1994."""
    shipped = (
        table(folder, "lineitem")
        .filter(col("l_shipdate") >= date(1994, 1, 1), col("l_shipdate") < date(1995, 1, 1))
        .group_by("l_partkey", "l_suppkey")
        .agg(half=col("l_quantity").sum().cast(pl.Float64) * 0.5)
    )
    surplus = (
        table(folder, "partsupp")
        .join(
            table(folder, "part").filter(col("p_name").str.starts_with("forest")),
            left_on="ps_partkey",
            right_on="p_partkey",
            how="semi",
        )
        .join(shipped, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
        .filter(col("ps_availqty").cast(pl.Float64) > col("half"))
    )
    return (
        table(folder, "supplier")
        .join(table(folder, "nation").filter(col("n_name") == "CANADA"), left_on="s_nationkey", right_on="n_nationkey")
        .join(surplus, left_on="s_suppkey", right_on="ps_suppkey", how="semi")
        .select("s_name", "s_address")
        .sort("s_name")
    )


def waiting_suppliers(folder: Path) -> pl.LazyFrame:
    """Q21: the hundred Saudi suppliers that most often were the only ones late in an order of several suppliers."""
    lineitem = table(folder, "lineitem")
    late = lineitem.filter(col("l_receiptdate") > col("l_commitdate"))
    several = lineitem.group_by("l_orderkey").agg(suppliers=col("l_suppkey").n_unique()).filter(col("suppliers") > 1)
    one_late = late.group_by("l_orderkey").agg(suppliers=col("l_suppkey").n_unique()).filter(col("suppliers") == 1)
    return (
        table(folder, "nation")
        .filter(col("n_name") == "SAUDI ARABIA")
        .join(table(folder, "supplier"), left_on="n_nationkey", right_on="s_nationkey")
        .join(late, left_on="s_suppkey", right_on="l_suppkey")
        .join(several, on="l_orderkey", how="semi")
        .join(one_late, on="l_orderkey", how="semi")
        .join(
            table(folder, "orders").filter(col("o_orderstatus") == "F"),
            left_on="l_orderkey",
            right_on="o_orderkey",
            how="semi",
        )
        .group_by("s_name")
        .agg(numwait=pl.len())
        .sort("numwait", "s_name", descending=[True, False])
        .head(100)
    )


def sales_opportunity(folder: Path) -> pl.LazyFrame:
    """Q22: customers of seven country codes with more than the usual balance and no orders, by code."""
    codes = ["13", "31", "23", "29", "30", "18", "17"]
    customers = table(folder, "customer").with_columns(cntrycode=col("c_phone").str.slice(0, 2))
    customers = customers.filter(col("cntrycode").is_in(codes))
    usual = customers.filter(col("c_acctbal") > 0).select(usual=col("c_acctbal").mean())
    return (
        customers.join(table(folder, "orders"), left_on="c_custkey", right_on="o_custkey", how="anti")
        .join(usual, how="cross")
        .filter(col("c_acctbal").cast(pl.Float64) > col("usual"))
        .group_by("cntrycode")
        .agg(numcust=pl.len(), totacctbal=col("c_acctbal").sum())
        .sort("cntrycode")
    )


QUERIES: dict[int, Query] = dict(
    enumerate(
        [
            pricing_summary,
            minimum_cost_supplier,
            shipping_priority,
            order_priority,
            local_supplier_volume,
            forecast_revenue,
            volume_shipping,
            national_market_share,
            product_type_profit,
            returned_items,
            important_stock,
            shipping_modes,
            customer_distribution,
            promotion_effect,
            top_supplier,
            part_suppliers,
            small_quantity_revenue,
            large_volume_customer,
            discounted_revenue,
            potential_promotion,
            waiting_suppliers,
            sales_opportunity,
        ],
        start=1,
    )
)
