"""What a section of a page is made of, and the markup that prints sections."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True, slots=True)
class Row:
    """One table row; the chosen one stands out."""

    cells: tuple[str, ...]
    chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with a plot or a table or both. ``words`` are the columns that hold text.

    ``marks`` are what every figure in it carries: SIMULATED, BACKCAST and the like.
    """

    title: str
    under: str = ""
    plot: Markup | str = ""
    head: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    words: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()


SECTIONS = """{% for section in sections %}<h2>{{ section.title }} {% for mark in section.marks %}<span class="badge {{ mark }}">{{ mark }}</span>{% endfor %}<span>{{ section.under }}</span></h2>
{% if section.plot %}<figure>{{ section.plot }}</figure>{% endif %}
{% if section.rows %}<div class="scroll"><table><thead><tr>{% for cell in section.head %}<th{% if loop.index0 in section.words %} class="words"{% endif %}>{{ cell }}</th>{% endfor %}</tr></thead>
<tbody>{% for row in section.rows %}<tr{% if row.chosen %} class="chosen"{% endif %}>{% for cell in row.cells %}<td{% if loop.index0 in section.words %} class="words"{% endif %}>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}</tbody></table></div>{% endif %}
{% for note in section.notes %}<p class="fine">{{ note }}</p>{% endfor %}
{% endfor %}
"""
"""Jinja markup that prints ``sections``; every cell passes through autoescape, plots are our own SVG."""
