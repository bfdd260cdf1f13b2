"""What is in stock, and what should be ordered."""

from .articles import Article, Supplier
from .reordering import Order, orders_by_supplier, reorder_list
from .report import stock_report
from .stock import Stock, StockError

__all__ = [
    "Article",
    "Order",
    "Stock",
    "StockError",
    "Supplier",
    "orders_by_supplier",
    "reorder_list",
    "stock_report",
]
