from decimal import Decimal

import pytest

from billfold import CurrencyMismatch, Invoice, InvoiceFormatError, Item, Money, read_invoice
from billfold.__main__ import main

HEADER = ["invoice 7", "to Ana", "currency EUR"]


def test_amounts(studio, euro):
    assert studio.subtotal == Money(86490, euro)
    assert studio.discount == Money(4325, euro)
    assert studio.tax == Money(15611, euro)
    assert studio.total == Money(97776, euro)


def test_empty_invoice(euro):
    assert Invoice("1", "Ana", euro).total == Money.zero(euro)


def test_item_in_another_currency(studio, yen):
    with pytest.raises(CurrencyMismatch, match="'Tea' is in JPY"):
        studio.add(Item(1, Money(300, yen), "Tea"))


def test_quantity_is_positive(euro):
    with pytest.raises(ValueError):
        Item(0, Money(1, euro), "Nothing")


def test_instalments_add_up(studio):
    assert [part.minor for part in studio.instalments(5)] == [19556, 19555, 19555, 19555, 19555]


def test_read(euro):
    invoice = read_invoice(
        [
            "# for April",
            "invoice 2024-017",
            "to Lindqvist Books",
            "currency eur",
            "tax 7.5%",
            "",
            "2 x 420.00  Cover illustration",
            "1x EUR 1,024.90 Courier, insured",
        ]
    )
    assert (invoice.number, invoice.customer) == ("2024-017", "Lindqvist Books")
    assert (invoice.tax_rate, invoice.discount_rate) == (Decimal("7.5"), 0)
    assert invoice.items == [
        Item(2, Money(42000, euro), "Cover illustration"),
        Item(1, Money(102490, euro), "Courier, insured"),
    ]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        pytest.param(["invoice 7", "to Ana"], "line 2: .*'currency' is missing", id="missing"),
        pytest.param([*HEADER, "to Bo"], "line 4: a second 'to'", id="twice"),
        pytest.param([*HEADER, "hello"], "line 4: neither", id="unknown"),
        pytest.param([*HEADER, "tax much"], "line 4: not a percentage", id="tax"),
        pytest.param([*HEADER, "1 x 1.2.3 Tea"], "line 4: not an amount", id="amount"),
        pytest.param([*HEADER, "1 x $3 Tea"], "line 4: 'Tea' is in USD", id="currency"),
        pytest.param([*HEADER, "0 x 3 Tea"], "line 4: the quantity", id="quantity"),
    ],
)
def test_bad_lines(lines, reason):
    with pytest.raises(InvoiceFormatError, match=reason):
        read_invoice(lines)


def test_command(tmp_path, capsys):
    path = tmp_path / "invoice.txt"
    path.write_text("\n".join([*HEADER, "3 x 1.50 Tea"]), encoding="utf-8")
    assert main([str(path), "--instalments", "2"]) == 0
    output = capsys.readouterr().out
    assert output.splitlines()[-2].split() == ["Payment", "1", "of", "2", "€2.25"]


def test_command_with_a_bad_file(tmp_path, capsys):
    path = tmp_path / "invoice.txt"
    path.write_text("invoice 7\n", encoding="utf-8")
    assert main([str(path)]) == 2
    assert "'to' is missing" in capsys.readouterr().err
