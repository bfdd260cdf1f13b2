"""Expenses, balances, and how to settle them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, NamedTuple

from .amounts import format_amount
from .sharing import allocate


@dataclass(frozen=True)
class Expense:
    """An amount that one has paid for several; `weights` has a weight for each of them."""

    title: str
    amount: int
    payer: str
    weights: Dict[str, int]

    def shares(self) -> Dict[str, int]:
        """What each of them has to bear."""
        people = list(self.weights)
        shares = allocate(self.amount, [self.weights[person] for person in people])
        return dict(zip(people, shares))


class Transfer(NamedTuple):
    """What one has to pay another."""

    debtor: str
    creditor: str
    amount: int

    def __str__(self) -> str:
        return f"{self.debtor} pays {self.creditor} {format_amount(self.amount)}"


class Tab:
    """The expenses of a group."""

    def __init__(self) -> None:
        self.expenses: List[Expense] = []
        self._paid: List[Transfer] = []

    def add(self, expense: Expense) -> None:
        if expense.amount <= 0:
            raise ValueError("an expense must be positive")
        self.expenses.append(expense)

    def pay(self, transfer: Transfer) -> None:
        """Notes that one has paid another."""
        self._paid.append(transfer)

    def total(self) -> int:
        return sum(expense.amount for expense in self.expenses)

    def balances(self) -> Dict[str, int]:
        """What everybody gets (positive) or owes (negative), by name."""
        found: Dict[str, int] = {}
        for expense in self.expenses:
            found[expense.payer] = found.get(expense.payer, 0) + expense.amount
            for person, share in expense.shares().items():
                found[person] = found.get(person, 0) - share
        for debtor, creditor, amount in self._paid:
            found[debtor] = found.get(debtor, 0) + amount
            found[creditor] = found.get(creditor, 0) - amount
        return {person: found[person] for person in sorted(found)}

    def settle(self) -> List[Transfer]:
        """Payments after which nobody owes anything.

        Whoever owes the most pays first, to whoever gets the most.
        """
        balances = self.balances()
        transfers = []
        while True:
            debtor = min(balances, key=lambda person: (balances[person], person), default="")
            creditor = min(balances, key=lambda person: (-balances[person], person), default="")
            if not balances or balances[debtor] >= 0 or balances[creditor] <= 0:
                return transfers
            amount = min(-balances[debtor], balances[creditor])
            balances[debtor] += amount
            balances[creditor] -= amount
            transfers.append(Transfer(debtor, creditor, amount))
