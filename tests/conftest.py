"""Settings for all tests."""

from hypothesis import settings

# A busy machine, or one with sanitizers, is slow for reasons that are no fault of the code.
settings.register_profile("vicinal", deadline=None)
settings.load_profile("vicinal")
