"""In which order things have to be made."""

from .order import build_order, outdated
from .plan import Plan, PlanError
from .stages import critical_path, stages

__all__ = ["Plan", "PlanError", "build_order", "critical_path", "outdated", "stages"]
