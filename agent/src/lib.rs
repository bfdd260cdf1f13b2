//! The loop of a repair session: memory, drivers, budget.
