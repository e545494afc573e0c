"""The style sheet of a printed page: system fonts, light and dark by preference, A4 when printed."""

from __future__ import annotations

STYLE = """
:root{--bg:#fff;--panel:#f5f6f8;--text:#15181d;--muted:#5a6472;--tint:#eef0f3;--up:#0057a8;--down:#b83a00;
--warn:#8a5a00;--warn-tint:#fff4dc;--bad:#b3132b;--bad-tint:#fdecee;--sim:#7a2e9e;--sim-tint:#f6ecfb;
--s1:#0057a8;--s2:#c8703f;--s3:#0a9396;--rule:#d9dde3;--back:#f3efe4}
@media (prefers-color-scheme:dark){:root{--bg:#0f1318;--panel:#171c23;--text:#e8ebf0;--muted:#9aa5b3;
--tint:#222932;--up:#6cb4ff;--down:#ffa05c;--warn:#f0b429;--warn-tint:#33290f;--bad:#ff7b8a;--bad-tint:#3a171c;
--sim:#d29bf0;--sim-tint:#2c1b38;--s1:#6cb4ff;--s2:#ffb870;--s3:#0e9484;--rule:#313946;--back:#1f1d15}}
@media print{:root{--bg:#fff;--panel:#f5f6f8;--text:#15181d;--muted:#5a6472;--tint:#eef0f3;--up:#0057a8;
--down:#b83a00;--warn:#8a5a00;--warn-tint:#fff4dc;--bad:#b3132b;--bad-tint:#fdecee;--sim:#7a2e9e;
--sim-tint:#f6ecfb;--s1:#0057a8;--s2:#c8703f;--s3:#0a9396;--rule:#d9dde3;--back:#f3efe4}}
*{box-sizing:border-box}
html{color-scheme:light dark}
body{margin:0;background:var(--bg);color:var(--text);font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,
"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1000px;margin:0 auto;padding:24px 32px 48px}
header{display:flex;justify-content:space-between;gap:16px;color:var(--muted);font-size:12px;margin-bottom:8px}
header b{color:var(--text);letter-spacing:.02em}
.strip{display:flex;gap:12px;padding:5px 12px;border-radius:4px;margin:4px 0;font-size:13px;background:var(--warn-tint);
color:var(--text);border-left:4px solid var(--warn)}
.strip b{color:var(--warn);letter-spacing:.04em;flex:none;min-width:118px}
.strip.SIMULATED{background:var(--sim-tint);border-color:var(--sim)}.strip.SIMULATED b{color:var(--sim)}
h1{font-size:20px;font-weight:600;margin:16px 0 0;line-height:1.3}
h1 small{display:block;font-size:13px;font-weight:400;color:var(--muted)}
h2{font-size:14px;font-weight:600;margin:26px 0 4px}
h2 span{font-weight:400;color:var(--muted)}
.verdict{margin:16px 0 0;padding:16px 20px;background:var(--panel);border-radius:4px;border-left:4px solid var(--accent)}
.verdict .word{font-size:12px;font-weight:600;letter-spacing:.06em;color:var(--accent)}
.verdict p{margin:6px 0 0;max-width:100ch}
.verdict p.first{font-size:20px;line-height:1.35;font-weight:500;max-width:72ch}
.tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:8px;margin:8px 0 0}
.tile{background:var(--panel);border-radius:4px;padding:10px 12px;min-width:0}
.tile .what{font-size:12px;color:var(--muted)}
.tile .value{font-size:17px;font-weight:600;line-height:1.5;display:flex;flex-wrap:wrap;column-gap:6px}
.tile .value span{white-space:nowrap}.tile .value i{font-style:normal;color:var(--muted);font-weight:400}
.tile .value.none{color:var(--muted);font-weight:400}
.tile .under{font-size:12px;color:var(--muted);line-height:1.4}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:24px}
.pair>*{min-width:0}
figure{margin:0}
svg{display:block;width:100%;height:auto}
ul{margin:4px 0 0;padding-left:18px}li{margin:2px 0}
table{border-collapse:collapse;width:100%;font-size:13px;margin:4px 0 0}
th{font-weight:400;color:var(--muted);text-align:right;padding:4px 8px;border-bottom:1px solid var(--rule);
vertical-align:bottom}
td{text-align:right;padding:4px 8px;border-bottom:1px solid var(--tint);white-space:nowrap}
th:first-child,td:first-child{text-align:left;padding-left:0}
td.words,th.words{text-align:left;white-space:normal}
tr.chosen td{font-weight:600}
.scroll{overflow-x:auto}
.muted{color:var(--muted)}
.badge{font-size:10px;font-weight:600;letter-spacing:.05em;color:var(--warn);border:1px solid currentColor;border-radius:4px;
padding:0 5px;margin-right:4px;vertical-align:1px}.badge.SIMULATED{color:var(--sim)}
h2 span.badge{color:var(--warn);font-weight:600}h2 span.badge.SIMULATED{color:var(--sim)}
.bare{white-space:nowrap;color:var(--muted)}
.fine{font-size:12px;color:var(--muted)}
.mono{font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:6px 0 0;font-size:12px}
dl.facts dt{color:var(--muted)}dl.facts dd{margin:0;overflow-wrap:anywhere}
.page{border-top:1px solid var(--rule);margin-top:32px}
svg text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;fill:var(--text);
font-variant-numeric:tabular-nums}
svg .tick{fill:var(--muted)}svg .note{fill:var(--muted);font-size:10.5px}
svg .name{font-size:12.5px}svg .strong{font-weight:600}svg .figure{font-size:12.5px}
svg .grid{stroke:var(--tint)}svg .axis{stroke:var(--rule)}svg .zero,svg .mark{stroke:var(--muted);stroke-opacity:.7}
svg path{fill:none}
svg .dense{stroke-width:1.4}
svg .candidate{stroke-dasharray:4 5}
svg .gap{stroke:var(--bad);stroke-width:1}
svg .change,svg .edge{stroke:var(--muted);stroke-dasharray:3 3}
svg .backcast{fill:var(--back)}
svg .hover{fill:transparent}svg .hover:hover{fill:var(--muted);fill-opacity:.16}
svg .watermark{font-size:34px;font-weight:600;letter-spacing:.12em;fill:var(--sim);fill-opacity:.16}
@media screen and (max-width:760px){main{padding:16px}.tiles{grid-template-columns:1fr 1fr}.pair{grid-template-columns:1fr}}
@page{size:A4;margin:11mm 12mm}
@media print{main{max-width:none;padding:0}body{font-size:11.5px}.verdict p.first{font-size:15px}
.verdict{padding:10px 14px;margin-top:8px}.tile{padding:6px 10px}.tile .value{font-size:15px}h1{font-size:16px;margin-top:8px}
h2{margin:12px 0 2px;font-size:12px}h2 span{font-size:11px}.strip{padding:2px 10px;font-size:11px}.pair{gap:14px}
.page{break-before:page;border:0;margin:0}table{font-size:10.5px}tr,figure,.tile{break-inside:avoid}.scroll{overflow:visible}
td,th{padding:2px 5px}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""
"""What every page shares; a page adds the classes of its own lines after it."""
