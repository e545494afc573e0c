"""A year of a collector's days with faults: what ``proof/soak.py`` and its short form in the tests are made of.

``commanding`` runs ``rentmark`` commands as processes on a clock that is set here; ``market`` is the simulated
source and what becomes of it; ``faults`` is the plan of what goes wrong; ``reference`` is the same year with
nobody in the way; ``checks`` is what must be true; ``year`` lives the days; ``page`` writes the report.
"""
