"""Property tests: the same examples in every run, so that a failure is always somebody's change.

`pytest tests/engine --hypothesis-profile=long` looks for new ones.
"""

from hypothesis import HealthCheck, settings

# the first example of a game plays it through, and machines differ
_CALM = [HealthCheck.too_slow]

settings.register_profile("steady", derandomize=True, deadline=None, database=None, suppress_health_check=_CALM)
settings.register_profile("long", max_examples=1000, deadline=None, suppress_health_check=_CALM)
if settings.get_current_profile_name() != "long":
    settings.load_profile("steady")
