from decimal import Decimal

from billfold import Invoice, Item, Money, read_invoice, render_invoice
from billfold.render import WIDTH, render_instalments


def columns(text):
    """Label and amount of each line that has an amount."""
    rows = [line.rsplit(maxsplit=1) for line in text.splitlines()[3:]]
    return [(row[0].strip(), row[1]) for row in rows if len(row) == 2]


def test_invoice_in_euros(studio):
    assert render_invoice(studio).splitlines() == [
        "INVOICE 2024-017",
        "To: Lindqvist Books",
        "",
        "  2 x Cover illustration                     €840.00",
        "  1 x Courier                                 €24.90",
        "                                          ----------",
        "Subtotal                                     €864.90",
        "Discount 5%                                  -€43.25",
        "Tax 19%                                      €156.11",
        "                                          ----------",
        "Total                                        €977.76",
    ]


def test_invoice_in_yen():
    invoice = read_invoice(
        [
            "invoice 2024-018",
            "to Kobayashi Trading",
            "currency JPY",
            "discount 5%",
            "tax 8%",
            "3 x 4,160 Ceramic bowl",
        ]
    )
    assert columns(render_invoice(invoice)) == [
        ("3 x Ceramic bowl", "¥12,480"),
        ("Subtotal", "¥12,480"),
        ("Discount 5%", "-¥624"),
        ("Tax 8%", "¥948"),
        ("Total", "¥12,804"),
    ]


def test_no_lines_for_no_discount_and_no_tax(euro):
    invoice = Invoice("1", "Ana", euro)
    invoice.add(Item(1, Money(100, euro), "Tea"))
    assert columns(render_invoice(invoice)) == [
        ("1 x Tea", "€1.00"),
        ("Subtotal", "€1.00"),
        ("Total", "€1.00"),
    ]


def test_long_titles_are_cut(euro):
    invoice = Invoice("1", "Ana", euro, tax_rate=Decimal("7.5"))
    invoice.add(Item(1, Money(123456789, euro), "A very long title " * 4))
    lines = render_invoice(invoice).splitlines()
    assert "…" in lines[3]
    assert {len(line) for line in lines[3:]} == {WIDTH}


def test_payment_plan(studio):
    assert [line.split() for line in render_instalments(studio, 2).splitlines()] == [
        ["Payment", "1", "of", "2", "€488.88"],
        ["Payment", "2", "of", "2", "€488.88"],
    ]
