"""The country of a region as written, where it is certain.

Marketplaces write ``Texas, US`` or ``, US``: a place and an ISO 3166-1 code. Elsewhere the two
letters can be a state or a province (``San Francisco, CA`` is not in Canada), so that such a
code counts only behind the name of its own country.
"""

from __future__ import annotations

import re

_CODES = frozenset(
    """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW
    BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI
    FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN
    IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME
    MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF
    PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV
    SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE
    YT ZA ZM ZW
    """.split()  # noqa: SIM905 - a list of 249 codes reads better as text
)
"""ISO 3166-1 alpha-2."""

_NAME_OF_AMBIGUOUS = {
    "AL": "albania", "AR": "argentina", "AZ": "azerbaijan", "CA": "canada", "CO": "colombia", "DE": "germany",
    "GA": "gabon", "ID": "indonesia", "IL": "israel", "IN": "india", "KY": "cayman islands", "LA": "laos",
    "MA": "morocco", "MD": "moldova", "ME": "montenegro", "MN": "mongolia", "MO": "macao", "MS": "montserrat",
    "MT": "malta", "NC": "new caledonia", "NE": "niger", "NL": "netherlands", "PA": "panama", "PE": "peru",
    "SA": "saudi arabia", "SC": "seychelles", "SD": "sudan", "SK": "slovakia", "TN": "tunisia",
    "VA": "vatican city", "NU": "niue", "YT": "mayotte",
}  # fmt: skip
"""Codes that are also a state or province of the United States, Canada or Australia."""

_PLACE_AND_CODE = re.compile(r"(?P<place>.*?),\s*(?P<code>[A-Z]{2})")


def country_of(region: str | None, *, geolocation: bool) -> str | None:
    """The ISO 3166-1 code of a region, or None where it is not certain.

    ``geolocation`` says that the text is a marketplace's ``Place, CC``, whose code is a country.

    >>> country_of("Texas, US", geolocation=False), country_of("us-central1", geolocation=False)
    ('US', None)
    >>> country_of("Oakland, CA", geolocation=False), country_of("Quebec, CA", geolocation=True)
    (None, 'CA')
    """
    match = None if region is None else _PLACE_AND_CODE.fullmatch(region)
    if match is None or match["code"] not in _CODES:
        return None
    code = match["code"]
    name = _NAME_OF_AMBIGUOUS.get(code)
    if geolocation or name is None or match["place"].strip().lower().removeprefix("the ") == name:
        return code
    return None
