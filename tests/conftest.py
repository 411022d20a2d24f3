"""Settings for all tests."""

import os

from hypothesis import HealthCheck, settings

# A busy machine, or one with sanitizers, is slow for reasons that are no fault of the code.
settings.register_profile("vicinal", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The same examples every time: continuous integration judges a change, not its luck.
settings.register_profile("ci", settings.get_profile("vicinal"), derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "vicinal"))
