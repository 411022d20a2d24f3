"""Settings for all tests."""

import os

import pytest
from hypothesis import HealthCheck, settings

# A busy machine, or one with sanitizers, is slow for reasons that are no fault of the code.
settings.register_profile("vicinal", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The same examples every time: continuous integration judges a change, not its luck.
settings.register_profile("ci", settings.get_profile("vicinal"), derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "vicinal"))


@pytest.fixture(scope="session")
def dask_client():
    """A Dask cluster of two workers in processes of their own."""
    distributed, dask = pytest.importorskip("distributed"), pytest.importorskip("dask")
    # A local cluster gives up workers that are away this long after they were killed the first
    # time, also if they have come back and were killed again.
    patient = {"distributed.deploy.lost-worker-timeout": "1h"}
    with (
        dask.config.set(patient),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",  # any port that is free
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
