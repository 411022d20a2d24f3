"""
Can I trust this sensor?
========================

A sensor rarely fails all at once. It drifts, a little every day, within the range
that it always had, and no alarm that looks at this sensor alone goes off. The other
sensors know better: if pressure disagrees with speed, flow and power, one of them is
wrong, and it is possible to say which.

The log is simulated: a water pump that runs at three speeds, read every hour, by
:func:`vicinal.data.simulated.make_pump_log`.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import vicinal
from vicinal.data.simulated import make_pump_log

good = pd.DataFrame(make_pump_log(1000))
week = pd.DataFrame(
    make_pump_log(168, drift=0.12, faulty="pressure", random_state=1)
)
good.describe().round(2)

# %%
# ``good`` is a time in which the pump and its sensors were known to be sound. In
# ``week``, the readings of the pressure sensor are off by more every hour, up to 12
# %. That is invisible in the sensor itself, whose readings change by a factor of
# five with the speed:

share = np.mean(
    (week["pressure"] < good["pressure"].min())
    | (week["pressure"] > good["pressure"].max())
)
print(f"{share:.1%} of the readings are outside the range that pressure had before")

# %%
# How well do the sensors know each other?
# ----------------------------------------
#
# A fit predicts every sensor from the others, leaving out each reading in turn. The
# residuals are the mean errors of these predictions, in the unit of each sensor:

model = vicinal.Model().fit(good)
pd.DataFrame({"residual": model.residuals_, "standard deviation": good.std()}).round(
    3
)

# %%
# Speed, flow, pressure and power determine each other to within a few percent. The
# weather is not known from a pump, so nothing below can tell whether that
# thermometer is right.
#
# Every reading against the others
# --------------------------------
#
# For each sensor, ``predict_interval`` gives the range in which its reading should
# be, given all others. 95 % of sound readings are within. Each sensor is a target
# of its own, which the model learns when it is first asked for: seconds for each,
# if you have thousands of rows. Columns with categories have no interval; take
# them as context only.


def outside(log):
    found = {}
    for sensor in log.columns:
        low, high = model.predict_interval(log, target=sensor, alpha=0.05)
        found[sensor] = (log[sensor] < low) | (log[sensor] > high)
    days = pd.Series(np.arange(len(log)) // 24 + 1, name="day")
    return pd.DataFrame(found).groupby(days).mean()


sound = outside(pd.DataFrame(make_pump_log(168, random_state=2)))
faulty = outside(week)
faulty.round(2)

# %%
# On the second day, pressure is outside its interval four times as often as it
# should be, and from the third day on most of the time. The other sensors are
# predicted from pressure, among others, so some of them are outside a little more
# often, too; but none of them nearly as often. A sound week for comparison:

figure, axes = plt.subplots(
    1, 2, figsize=(9, 3.2), layout="constrained", sharey=True
)
for ax, table, title in zip(
    axes, (sound, faulty), ("a sound week", "pressure drifts"), strict=True
):
    for sensor in table:
        width = 2.5 if sensor == "pressure" else 1
        ax.plot(table.index, table[sensor], linewidth=width, label=sensor)
    ax.axhline(0.05, color="gray", linestyle=":")
    ax.set(title=title, xlabel="day", ylim=(0, 1))
axes[0].set_ylabel("share of readings outside")
axes[0].legend(frameon=False, fontsize=8)
figure.show()

# %%
# The whole row at once
# ---------------------
#
# If you do not care which sensor it is, one number for each row is simpler: the
# conviction of the row. Of sound rows, at most 5 % have p ≤ 0.05.

p = model.conviction(week).p_value
for day in range(7):
    share = np.mean(p[24 * day : 24 * (day + 1)] <= 0.05)
    print(f"day {day + 1}: {share:.0%} of the rows")

# %%
# It notices later, since six sound sensors speak for a row. Asking for each sensor
# is what finds a small fault.
#
# A virtual sensor
# ----------------
#
# Until the sensor is replaced, the others can stand in for it. The readings of the
# last day, and what the others say they should have been:

last = week.tail(24)
others = [name for name in week if name != "pressure"]
estimate = model.predict(last, target="pressure", context=others)
true = last["pressure"] / (
    1 + 0.12 * last.index / 167
)  # known, because the fault is simulated
for name, values in {
    "the sensor": last["pressure"],
    "the virtual sensor": estimate,
}.items():
    print(f"error of {name:18}: {np.mean(np.abs(values - true)):.3f} bar")

# %%
# What this does not say
# ----------------------
#
# - If two sensors drift together as they would in a sound pump, they agree, and
#   nothing is noticed.
# - A worn pump looks like a wrong sensor: the relation between the readings has
#   changed, and the readings alone cannot tell which of the two it is.
# - A regime that is not in ``good`` is outside all intervals. Fit again when the
#   pump is run in a new way.
# - ``model.drift(week)`` tests whether new rows are of the same distribution. Its
#   p-values hold for rows that are independent; hourly readings are not, so here
#   even a sound week differs from the month before.
#
# To go on: :doc:`/guide/unusual`, :doc:`/theory/conformal`, :doc:`/guide/care`.
