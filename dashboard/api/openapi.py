"""The OpenAPI document of the interface, and the page that shows it; both made from the table of endpoints."""

from __future__ import annotations

from html import escape
from typing import Any, Final

from .endpoints import ENDPOINTS, Endpoint
from .parameters import Parameter

PREFIX: Final = "/api/v1"
VERSION: Final = "1.0.0"
ABOUT: Final = (
    "Read-only. Names and answers are those of the command line with --json (docs/json.md). Prices are strings "
    "with six decimals, null has its reason beside it. What is simulated, backcast, reconstructed or modelled "
    "says so in the row."
)
_ERROR_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["error", "id"],
    "properties": {
        "error": {"type": "string", "minLength": 1, "description": "One sentence with the remedy."},
        "id": {"type": ["string", "null"], "description": "The id under which the log has more, or null."},
    },
    "additionalProperties": False,
}
_ERRORS: Final = {
    "400": "A parameter is wrong.",
    "404": "There is no such thing, or nothing to show yet.",
    "409": "The parameters do not go together, or ask for what can not be.",
    "421": "The Host of the request is not one this server answers to.",
    "503": "The database can't be read now.",
}


def document(*, guarded: bool = False) -> dict[str, Any]:
    """The OpenAPI 3.1 document. ``guarded`` says that a token is asked for."""
    paths = {PREFIX + endpoint.path: {"get": _operation(endpoint, guarded=guarded)} for endpoint in ENDPOINTS}
    made: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Rentmark", "version": VERSION, "description": ABOUT},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": {"Error": _ERROR_SCHEMA}},
    }
    if guarded:
        made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return made


def _operation(endpoint: Endpoint, *, guarded: bool) -> dict[str, Any]:
    properties: dict[str, Any] = {key: {} for key in endpoint.keys}
    if endpoint.rows is not None:
        properties[endpoint.rows] = {"type": "array", "items": {"type": "object"}}
    schema = {"type": "object", "required": list(endpoint.keys), "properties": properties}
    content: dict[str, Any] = {"application/json": {"schema": schema}}
    if endpoint.rows is not None:
        content["text/csv"] = {"schema": {"type": "string"}}
    etag = {"ETag": {"schema": {"type": "string"}, "description": "Send it back in If-None-Match."}}
    responses: dict[str, Any] = {
        "200": {"description": endpoint.summary, "content": content, "headers": etag},
        "304": {"description": "Nothing changed since the ETag of If-None-Match."},
    }
    errors = {**_ERRORS, **({"401": "The token is missing or wrong."} if guarded else {})}
    for status, description in errors.items():
        responses[status] = {
            "description": description,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "parameters": [_parameter(parameter) for parameter in endpoint.asked],
        "responses": responses,
    }
    if guarded:
        operation["security"] = [{"token": []}]
    return operation


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": parameter.place,
        "required": parameter.required or parameter.place == "path",
        "description": parameter.summary,
        "schema": parameter.schema(),
    }


def page() -> str:
    """The interface as a page a person reads, without a script."""
    blocks = "".join(_block(endpoint) for endpoint in ENDPOINTS)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Rentmark API</title>'
        f"<style>{_STYLE}</style></head><body><main><h1>Rentmark API</h1><p>{escape(ABOUT)}</p>"
        f'<p>The same for programs: <a href="{PREFIX}/openapi.json">OpenAPI 3.1</a>. An answer carries an ETag; '
        "errors are one sentence. <code>/healthz</code> says whether the data can be read, <code>/metrics</code> "
        'serves Prometheus. <a href="/">Back to the market</a>.</p>'
        f"{blocks}</main></body></html>"
    )


def _block(endpoint: Endpoint) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(p.name)}</code></td><td>{'required' if p.required or p.place == 'path' else ''}"
        f"</td><td>{escape(p.summary)}{escape(_choices(p))}</td></tr>"
        for p in endpoint.asked
    )
    return (
        f"<section><h2><code>GET {PREFIX}{escape(endpoint.path)}</code></h2><p>{escape(endpoint.summary)}</p>"
        f'<div class="wide"><table><tbody>{rows}</tbody></table></div></section>'
    )


def _choices(parameter: Parameter) -> str:
    return "" if not parameter.choices else f" One of {', '.join(parameter.choices)}."


_STYLE: Final = (
    ":root{color-scheme:light dark}"
    "body{margin:0;font:14px/1.5 system-ui,sans-serif;color:#15181D;background:#FFFFFF}"
    "main{max-width:880px;margin:0 auto;padding:24px 16px}h1{font-size:20px}"
    "h2{font-size:14px;margin:24px 0 4px;overflow-wrap:anywhere}p{margin:4px 0 8px}"
    "code{font-family:ui-monospace,monospace;font-size:13px}.wide{overflow-x:auto}"
    "table{border-collapse:collapse;width:100%}td{padding:4px 12px 4px 0;border-top:1px solid #D5D9DF;"
    "vertical-align:top}a{color:#0057A8}"
    "@media(prefers-color-scheme:dark){body{color:#E8EBF0;background:#0F1318}td{border-color:#2A323C}"
    "a{color:#6CB4FF}}"
)
