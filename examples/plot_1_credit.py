"""
Would this applicant repay, and what would change it?
=====================================================

A bank has to decide on an application, and to tell the applicant why. It needs a
probability that it can rely on, the reasons behind it, the earlier loans that it
rests on, and an answer to the question that applicants ask next: what would have to
be different?

The loans are simulated, so nobody's data are in them, and the rule behind them is
known: :func:`vicinal.data.simulated.make_loans` states it.
"""

import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import vicinal
from vicinal.data.simulated import make_loans

loans = pd.DataFrame(make_loans())
train, test = train_test_split(loans, test_size=300, random_state=0)
train.head()

# %%
# Fit
# ---
#
# The table goes in as it is, with strings and missing incomes. Only the order of the
# savings cannot be read from the data, so we declare it. The fit decides what each
# column is; look at this first.

model = vicinal.Model(
    ordinal_features={"savings": ["none", "some", "good", "ample"]}
).fit(train)
model.schema_

# %%
# Is it any good?
# ---------------
#
# ``fit`` needed no target: any column can be predicted from any others. Here the
# target is ``repaid``, and the bank may not use the age of an applicant, so we name
# the columns to predict from.
#
# The columns of ``predict_proba`` are in the order of ``class_order``.

context = [name for name in loans.columns if name not in ("repaid", "age")]
classes = model.schema_["repaid"].class_order
probabilities = model.predict_proba(test, target="repaid", context=context)
repaid = pd.Series(probabilities[:, classes.index("yes")], index=test.index)
print(
    f"Vicinal              AUC {roc_auc_score(test['repaid'] == 'yes', repaid):.3f}"
)

# %%
# Two models of scikit-learn for comparison. They need the table in another form:
# dummy columns for categories, no missing values, and for the linear model equal
# scales.


def as_numbers(table):
    return pd.get_dummies(table[context]).fillna(
        {"income": train["income"].median()}
    )


for name, peer in {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "gradient boosting": HistGradientBoostingClassifier(random_state=0),
}.items():
    peer.fit(as_numbers(train), train["repaid"])
    score = peer.predict_proba(as_numbers(test))[:, 1]
    print(f"{name:20} AUC {roc_auc_score(test['repaid'] == 'yes', score):.3f}")

# %%
# The rule behind these loans is close to linear, which suits logistic regression.
# With 300 test rows, differences below about 0.03 mean nothing.
#
# Do the probabilities mean what they say? Of the test loans with about the same
# probability, this share was repaid:

bins = pd.cut(repaid, [0, 0.4, 0.6, 0.8, 0.95, 1])
pd.DataFrame({"predicted": repaid, "repaid": test["repaid"] == "yes"}).groupby(
    bins, observed=True
).agg(
    loans=("repaid", "size"),
    predicted=("predicted", "mean"),
    repaid=("repaid", "mean"),
).round(2)

# %%
# One applicant
# -------------
#
# A loan that is lost costs the bank about three times what a good one earns. So it
# decides by weights: a probability of repayment below 75 % means no. The rule
# changes the decision, not the probabilities.

rule = {"class_weight": {"no": 3, "yes": 1}}
applicant = {
    "employment": "salaried",
    "years_employed": 7,
    "income": 1400,
    "savings": "none",
    "late_payments": 0,
    "other_installments": 60,
    "purpose": "car",
    "amount": 7900,
    "months": 12,
}
explanation = model.explain(applicant, target="repaid", **rule)[0]
print(explanation)

# %%
# The first explanation takes the longest, because every loan is predicted from the
# others to know the usual errors; the next applicants take a fraction of a second.
# For a row of your own table, ``test.iloc[0]``, give ``context=context`` as above.
#
# Columns that a row does not have are not used, so the age is left out here, too.
# The prediction *is* the sum over the training cases listed under "Cases". These are
# real rows of the table, named by its index: ``loans.loc[736]`` is one of them. The
# contributions under "Features" are Shapley values of the same model. They add up to
# the difference between the share of all loans and this probability. With more than
# ten columns they are sampled, and come with a standard error (±). Under "Unusual?",
# ``p`` is the share of known loans that are at least as unlike the others.

figure = vicinal.ContributionDisplay.from_explanation(explanation).figure_

# %%
# The prediction set contains both outcomes. It is made to contain the true one for
# 90 % of the loans of either kind, so it says: from what we know about this
# applicant, either is possible.
#
# What would change it?
# ---------------------
#
# The applicant cannot change past payments, income or the job by tomorrow. A smaller
# loan over a longer time would be possible. A counterfactual never violates such
# constraints.

constraints = {
    "immutable": [
        "employment",
        "years_employed",
        "late_payments",
        "purpose",
        "income",
        "savings",
    ],
    "directions": {"amount": "decrease", "other_installments": "decrease"},
    "ranges": {"months": (12, 48)},
}
model.counterfactual(
    applicant, target="repaid", wanted="yes", n=3, **constraints, **rule
)

# %%
# A star marks what changes. Every line is a changed application that the bank would
# accept. If the bank would have accepted it anyway, the message says that the
# prediction already meets the goal. ``conviction`` says
# whether such an application would be ordinary (near 1), and ``like case`` is the
# real loan toward which the application was moved.
#
# If nothing within the constraints helps, the message says so, and which constraint
# to relax:

fixed = [name for name in applicant if name != "other_installments"]
print(
    model.counterfactual(
        applicant, "repaid", wanted="yes", immutable=fixed, **rule
    ).message
)

# %%
# What this does not say
# ----------------------
#
# - A counterfactual changes the *prediction*. Whether the change would make this
#   person repay is a question of cause and effect, which no table of past loans
#   answers by itself.
# - The loans are those that were granted. Applicants who were always turned down are
#   not among them; :doc:`plot_2_medicine` shows how to notice rows unlike all known
#   cases.
# - Leaving out the age does not make the model fair: other columns may stand in for
#   it. The explorer compares groups (:doc:`/guide/explorer`).
#
# To go on with your own table: :doc:`/guide/why`, :doc:`/guide/change`.
