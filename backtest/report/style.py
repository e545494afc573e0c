"""The hedge report's style sheet: what every page shares, and the lines of its own plots."""

from __future__ import annotations

from ...drawing.style import STYLE as SHARED

STYLE = (
    SHARED
    + """
.verdict.covers,.verdict.partly{--accent:var(--up)}
.verdict.not-shown,.verdict.too-short,.verdict.nothing-to-hedge{--accent:var(--warn)}
.verdict.made-it-worse{--accent:var(--bad)}
svg .rent-name{fill:var(--s1);font-weight:600;font-size:12px}
svg .reference-name{fill:var(--s2);font-weight:600;font-size:12px}
svg .gap-name{fill:var(--s3);font-weight:600;font-size:12px}
svg .rent{stroke:var(--s1);stroke-width:2.4;stroke-linecap:square}
svg .reference{stroke:var(--s2);stroke-width:1.7;stroke-linecap:square}
svg .carried{stroke:var(--s2);stroke-width:1.7;stroke-dasharray:1 3}
svg .gap-line{stroke:var(--s3);stroke-width:2;stroke-linecap:square}
svg .mean{stroke:var(--muted);stroke-dasharray:6 4}
svg .modelled{stroke:var(--s2);stroke-width:2;stroke-dasharray:1.5 2.5}
svg .aside{stroke:var(--muted);stroke-width:1.4}
svg .band{fill:var(--s2);fill-opacity:.16}
svg .thin{fill:var(--bg);stroke:var(--s2);stroke-width:1.2}
svg .break{stroke:var(--text);stroke-dasharray:7 3;stroke-opacity:.75}
svg .better{fill:var(--up);fill-opacity:.8}svg .worse{fill:var(--down);fill-opacity:.8}
main>ul.risks{columns:2;column-gap:24px}ul.risks li{break-inside:avoid}
svg .total{fill:var(--muted);fill-opacity:.8}
svg .whisker{stroke:var(--text);stroke-width:1.4}svg .arrow{fill:var(--text)}
svg .in-sample{fill:var(--bg);stroke:var(--text);stroke-width:1.6}
@media print{.verdict{padding:7px 12px;margin-top:6px}.tiles{margin-top:5px}.verdict p{margin:2px 0 0}.verdict p.first{font-size:14px;max-width:none}.verdict p{max-width:none}
.tile .what,.tile .under{font-size:10px;line-height:1.3}.tile .value{font-size:14px;line-height:1.35}
.risks,.risks+*,dl.facts,dl.facts .mono{font-size:10px;line-height:1.35}dl.facts{margin:3px 0 0;gap:0 12px}
h2{margin:7px 0 1px}h2 span{font-size:10px}h1 small{font-size:11px}header{margin-bottom:3px}.strip{margin:2px 0}
main>figure svg{max-height:104px}}
"""
)
