"""The registry of what the searches know about each game: one line each."""

from engine.search.policies.annuvin import AnnuvinPolicy
from engine.search.policies.fagocitare import FagocitarePolicy
from engine.search.policies.real_queen import RealQueenPolicy
from engine.search.policies.uomo_nero import UomoNeroPolicy
from engine.search.policies.vedova_nera import VedovaNeraPolicy
from engine.search.policy import Policy

POLICIES: tuple[Policy, ...] = (
    AnnuvinPolicy(),
    RealQueenPolicy(),
    FagocitarePolicy(),
    VedovaNeraPolicy(),
    UomoNeroPolicy(),
)
