from dataclasses import replace

import numpy as np

from tests.report.reading import text_of
from vicinal import Model
from vicinal.report.parts import Anomaly, Findings, Report
from vicinal.report.sections.findings import anomalies_section, findings_section, sampled_share


def report(*anomalies, count=0, found=(), n_audited=None):
    return Report("t", 200, 3, 0.0, (), anomalies, count, found, "by hand", n_audited=n_audited)


def test_anomalies_stand_beside_ordinary_cases():
    reason = ("height", "9", 1.234, ("1.1", "1.2"))
    text = text_of(anomalies_section(report(Anomaly(4, 0.31, 0.02, (reason,), (1, 3)), count=5)))
    assert "5 of 200 cases (2.5\u00a0%) are farther from other cases than expected" in text
    assert "Conviction 0.31, p\u00a0=\u00a00.02. Nearest ordinary cases: #1, #3." in text
    for part in ("height", "+1.23", "1.1, 1.2", "… and 4 less surprising cases."):
        assert part in text


def test_an_anomaly_may_have_no_feature_responsible_and_no_ordinary_case_near_it():
    text = text_of(anomalies_section(report(Anomaly(4, 0.31, 0.02, (), ()), count=1)))
    assert "No single feature is responsible." in text
    assert "Nearest ordinary cases: none." in text


def test_a_table_without_anomalies_says_so():
    assert "No anomalies: every case" in anomalies_section(report(count=0))


def test_findings_have_their_evidence_and_kinds_without_any_are_named():
    rows = (("case #3", "equal to case 1"),)
    found = (Findings("duplicates", 12, rows), Findings("uninformative features", 0, ()))
    text = text_of(findings_section(report(found=found)))
    assert "Duplicates: 12" in text
    assert "equal to case 1" in text
    assert "… and 11 more." in text
    assert "Uninformative features: none." in text


def test_the_share_of_cases_that_were_checked_is_told():
    assert "All 200 cases were checked." in findings_section(report())
    assert "All 200 cases were checked." in findings_section(report(n_audited=200))
    text = text_of(findings_section(report(n_audited=50)))
    assert "50 of 200 cases (25.0\u00a0%), chosen at random, were checked" in text


def test_shares_of_a_sample_are_within_two_standard_errors_for_nineteen_of_twenty():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(900, 2))
    table = {"x": x[:, 0], "y": x[:, 1] ** 3}
    whole = Model(n_jobs=1).fit(table)
    every = len(whole.anomalies(threshold=0.7)) / 900
    fitted, within = whole._ready(), []
    for seed in range(100):
        chosen, _ = fitted.index.sample(300, random_state=seed)
        found = len(whole.anomalies(case=chosen.tolist(), threshold=0.7))
        share, error = sampled_share(found, 300, 900)
        within.append(abs(share - every) <= 2 * error)
    assert 0.02 < every < 0.3
    assert np.mean(within) >= 0.9  # 95 of 100, give or take two


def test_a_report_on_a_sample_gives_the_standard_error_of_the_share():
    one = Anomaly(4, 0.31, 0.02, (), ())
    text = text_of(anomalies_section(replace(report(one, count=5), n_judged=100)))
    assert "5 of 100 cases, a sample of 200, (5.0\u00a0% ± 2, one standard error) are" in text
    assert "standard error" not in text_of(anomalies_section(report(one, count=5)))
