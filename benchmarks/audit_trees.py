"""Source trees for the benchmark of the audit: many servers with tools, helpers and looks at the client."""

from pathlib import Path
from typing import Final

_PARTS: Final = 15

_PYTHON: Final = '''\
"""Tools number {n}."""
import json
from mcp.server.fastmcp import FastMCP, Context

mcp = FastMCP("part-{n}")
CACHE = {{}}

def _fetch_{i}(name: str, limit: int = 10) -> dict[str, object]:
    rows = [{{"name": name, "index": index, "ok": index % 2 == 0}} for index in range(limit)]
    if not rows:
        raise ValueError(f"nothing for {{name}}")
    total = sum(int(row["index"]) for row in rows if row["ok"])
    return {{"rows": rows, "total": total, "more": total > 100}}


@mcp.tool()
async def lookup_{i}(name: str, ctx: Context, limit: int = 10) -> str:
    """Look something up."""
    try:
        found = _fetch_{i}(name, limit)
    except ValueError as error:
        await ctx.info(str(error))
        return json.dumps({{"error": str(error)}})
    if ctx.session.client_params and ctx.session.client_params.capabilities.sampling:
        answer = await ctx.session.create_message(messages=[], max_tokens=100)
        found["summary"] = answer
    CACHE[name] = found
    return json.dumps(found, indent=2)


'''

_TYPESCRIPT: Final = """\
// Tools number {n}.
import {{ McpServer }} from "@modelcontextprotocol/sdk/server/mcp.js";
import {{ z }} from "zod";

const info{i} = {{ name: "part-{n}", version: "1.0.0" }};
const server{i} = new McpServer(info{i}, {{ capabilities: {{ tools: {{}} }} }});
const cache{i} = new Map<string, unknown>();

function fetch{i}(name: string, limit = 10): Record<string, unknown> {{
  const rows = Array.from({{ length: limit }}, (_, index) => ({{ name, index, ok: index % 2 === 0 }}));
  if (rows.length === 0) {{
    throw new Error(`nothing for ${{name}}`);
  }}
  const total = rows.filter((row) => row.ok).reduce((sum, row) => sum + row.index, 0);
  return {{ rows, total, more: total > 100 }};
}}

server{i}.tool(
  "lookup_{i}",
  {{ name: z.string(), limit: z.number().optional() }},
  async ({{ name, limit }}) => {{
    const found = fetch{i}(name, limit ?? 10);
    if (server{i}.server.getClientCapabilities()?.sampling) {{
      const answer = await server{i}.server.createMessage({{ messages: [], maxTokens: 100 }});
      found.summary = answer.content;
    }}
    cache{i}.set(name, found);
    return {{ content: [{{ type: "text", text: JSON.stringify(found, null, 2) }}] }};
  }},
);

"""

LANGUAGES: Final = {"Python": ("py", _PYTHON), "TypeScript": ("ts", _TYPESCRIPT)}


def write_tree(root: Path, language: str, lines: int) -> int:
    """Write files until there are so many lines; says how many there are."""
    ending, template = LANGUAGES[language]
    root.mkdir(parents=True)
    written = number = 0
    while written < lines:
        text = "".join(template.format(n=number, i=part) for part in range(_PARTS))
        (root / f"part{number}.{ending}").write_text(text)
        written += text.count("\n")
        number += 1
    return written
