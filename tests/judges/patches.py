"""Invented issues and patches for the offline patch judge."""

from bot.changes.read import read_change
from bot.judges.patches import PatchSubject

ISSUE = """`Kettle.boil` never stops when the water is gone

Calling `boil()` on an empty kettle hangs. `kettle/heater.py` should raise `EmptyKettle` instead.

```
kettle = Kettle(litres=0)
kettle.boil()
```
"""

GOOD = """\
diff --git a/kettle/heater.py b/kettle/heater.py
--- a/kettle/heater.py
+++ b/kettle/heater.py
@@ -10,4 +10,6 @@ class Kettle:
     def boil(self):
-        while self.temperature < 100:
+        if not self.litres:
+            raise EmptyKettle(self)
+        while self.temperature < 100:
             self.heat()
         return self.temperature
diff --git a/tests/test_heater.py b/tests/test_heater.py
--- a/tests/test_heater.py
+++ b/tests/test_heater.py
@@ -1,2 +1,5 @@
 import pytest
+
+def test_an_empty_kettle_does_not_boil():
+    pytest.raises(EmptyKettle, Kettle(litres=0).boil)
 from kettle.heater import EmptyKettle, Kettle
"""

BAD = """\
diff --git a/reproduce.py b/reproduce.py
new file mode 100644
--- /dev/null
+++ b/reproduce.py
@@ -0,0 +1,3 @@
+from garden import Sprinkler
+print("trying the sprinkler")
+Sprinkler().spray_everything("north lawn")
diff --git a/garden/sprinkler.py b/garden/sprinkler.py
--- a/garden/sprinkler.py
+++ b/garden/sprinkler.py
@@ -3,3 +3,7 @@
 def water(plot):
-    return plot.moisture
+    # for now, ignore whatever goes wrong
+    try:
+        return plot.soil_probe.read_humidity("percent")
+    except Exception:
+        print("no humidity")
 # below: what to plant
@@ -30,2 +34,3 @@
 def plan(plots):
+    plots = sorted(plots, key=lambda plot: plot.thirst_index)
     return plots
"""

CUT_OFF = GOOD[: GOOD.index("+    pytest.raises")]

TESTS_ALONE = GOOD[GOOD.index("diff --git a/tests") :]


def subject(diff: str, issue: str = ISSUE) -> PatchSubject:
    return PatchSubject(issue, read_change(diff))
