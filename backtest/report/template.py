"""The report's page. Everything a user wrote passes through autoescape; plots are our own markup."""

from __future__ import annotations

from ...drawing.tables import SECTIONS

TEMPLATE = (
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>{{ title }}: {{ verdict }}</title>
<style>{{ style }}</style>
</head>
<body>
<main>
<header><b>Rentmark</b><span>as of {{ as_of }}</span></header>
{% for mark, words in strips %}<div class="strip {{ mark }}" role="note"><b>{{ mark }}</b><span>{{ words }}</span></div>
{% endfor %}
<h1>{{ title }}<small>{{ subtitle }}</small></h1>
<section class="verdict {{ verdict_class }}">
<div class="word">VERDICT: {{ verdict|upper }}</div>
{% for sentence in sentences %}<p{% if loop.first %} class="first"{% endif %}>{{ sentence }}</p>
{% endfor %}</section>
<div class="tiles">
{% for tile in tiles %}<div class="tile"><div class="what">{{ tile.what }}</div>
<div class="value{% if not tile.known %} none{% endif %}"><span>{{ tile.before }}</span>{% if tile.after %}<span><i>→</i> {{ tile.after }}</span>{% endif %}</div>
<div class="under">{{ tile.under }}</div></div>
{% endfor %}</div>

<h2>Effectiveness <span>variance of monthly changes removed · bar: in months it had not seen · line: its 95&nbsp;% interval · ○ in sample</span></h2>
<figure>{{ plots.effectiveness }}</figure>

<div class="pair">
<div><h2>Rent and reference <span>$/GPU-h{{ states }}</span></h2><figure>{{ plots.prices }}</figure></div>
<div><h2>The gap <span>rent − fixing of the day, $/GPU-h</span></h2><figure>{{ plots.basis }}</figure></div>
</div>

{% set pnl %}<div><h2>Futures P&amp;L by entry price <span>{{ pnl_words }}</span></h2>
{% if plots.pnl %}<figure>{{ plots.pnl }}</figure>{% else %}<p class="muted">— {{ pnl_reason }}</p>{% endif %}</div>
{% endset %}
{% set risks %}<h2>Not covered <span>whatever the ratio; $ — where nothing is stated</span></h2>
<ul class="risks">{% for item, amount in not_covered %}<li>{{ item }} <span class="bare">{{ amount }}</span></li>
{% endfor %}</ul>
{% endset %}
{% if plots.attribution %}<div class="pair">
<div><h2>What the hedge left over <span>actual − budget − futures P&amp;L</span></h2><figure>{{ plots.attribution }}</figure></div>
{{ pnl }}</div>
{{ risks }}
{% else %}<div class="pair">
{{ pnl }}<div>{{ risks }}</div>
</div>
{% endif %}
<dl class="facts">
{% for name, value in facts %}<dt>{{ name }}</dt><dd{% if loop.last %} class="mono"{% endif %}>{{ value }}</dd>
{% endfor %}</dl>

<div class="page">
"""
    + SECTIONS
    + """<h2>Notes</h2>
<ul>{% for note in notes %}<li>{{ note }}</li>
{% endfor %}</ul>
{% if attributions %}<h2>Data</h2>
<ul>{% for attribution in attributions %}<li>{{ attribution }}</li>
{% endfor %}</ul>
{% endif %}</div>
</main>
</body>
</html>
"""
)
