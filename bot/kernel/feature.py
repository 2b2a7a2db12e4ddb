"""The presses of all forms."""

from typing import Final

from bot.kernel.features import PRIVATE, Feature, PressRule
from bot.kernel.form_presses import press_form
from bot.kernel.permissions import Right
from bot.kernel.presses import FORM_PRESS

FEATURE: Final = Feature(presses={FORM_PRESS: PressRule(press_form, PRIVATE, right=Right.DEPENDS)})
