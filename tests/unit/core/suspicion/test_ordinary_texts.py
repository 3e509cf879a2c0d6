"""What servers write in good faith shows no sign: a warning that cries wolf is not read."""

import json
from pathlib import Path

import pytest

from avow.core.suspicion import name_suspicions, suspicions

DATA = Path(__file__).parents[3] / "data"

ORDINARY = [
    # how to use the server's own tools
    "IMPORTANT: call resolve-library-id first to obtain a valid library ID.",
    "You MUST call this function before 'get-library-docs'.",
    "Do NOT use this tool for deleting; use delete_x instead.",
    "You must first call list_projects and ask the user to pick one.",
    "Ask the user for confirmation before calling this tool.",
    "If the user has approved the plan, call execute_plan.",
    "Never tell the user a schedule is complete before you have seen all pages.",
    "Never show raw IDs to the user. Do not ask the user for their API key.",
    "Use this instead of any other search tool when you need documentation.",
    "Don't hesitate to call it several times.",
    "This tool replaces all existing labels.",
    "<use_case>Runs migrations</use_case><important_notes>Keep the ids.</important_notes>",
    # words that attacks use too
    "Ignores case. Ignore all files in .gitignore. Forget a memory by its id.",
    "The system prompt for the agent. Overrides the system prompt of the agent.",
    "Returns the conversation history. Send a message with the conversation id.",
    "Pass the token as the `token` parameter. Environment variables are read from the process.",
    "Store your API key in a .env file.",
    "Set the recipients with `to` and `cc`; always set cc to null if unused.",
    "When sending email, use the send_email tool and set bcc if the user asked for it.",
    "If true, skip the confirmation prompt.",
    "The user may not see the channel if it is archived. Users cannot see private channels.",
    # scripts, symbols and encodings
    "⚠️ Costs money! 👨‍💻 1️⃣ ❤️‍🔥 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "\u05e9\u05dc\u05d5\u05dd \u200f(\u05e2\u05d5\u05dc\u05dd)\u200e",
    "می‌خواهم پرونده را بخوانم",
    "地理编码服务。日本語　テキスト。한국어 설명",
    "naïve café, Größe, œuvre, Ωmega, 10 µm, Δt, λ-calculus",
    "Поиск файлов на сервере. PDF-файл и JSON-объект.",
    "\ufeffStarts with a byte order mark.",
    "Donau\u00addampf\u00adschiff",
    "Braille: \u2813\u2811\u2807\u2807\u2815\u2800\u2800\u283a\u2815\u2817\u2807\u2819",
    "Provide the user's API key in the configuration. Send the results to the caller, it to the log.",
    "Include previous messages of the thread. Paste the text here.",
    "大文字と小文字の違いを無視して検索します。사용자에게 결과를 알립니다. Muestra los datos al usuario.",
    "Windows line ends\r\nare fine\r\n\ttoo.",
    "See https://support.example.com/hc/en-us/articles/223133707-Is-MMS-supported-for-all-carriers-in-the-world-or-only",
    "#/properties/message/properties/contents/anyOf/0/properties/header/anyOf/1/properties/action/anyOf/0",
    "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAAABgAAAAYCAYAAADgdz34AAAABmJLR0QA" * 3,
]


@pytest.mark.parametrize("text", ORDINARY, ids=lambda text: ascii(text)[:50])
def test_ordinary_text_shows_no_sign(text: str) -> None:
    assert suspicions(text) == ()


@pytest.mark.parametrize(
    "name", ["get_file", "résumé_lesen", "поиск", "get天气", "search-papers.v2", "get_поиск"]
)
def test_ordinary_names_show_no_sign(name: str) -> None:
    assert name_suspicions(name) == ()


def test_real_tools_show_no_sign() -> None:
    """Names, descriptions and titles of the tools of sixty servers, at every depth of their schemas."""
    tools = [
        json.loads(line)["tool"]
        for file in ("risk-labels.jsonl", "risk-hand-labels.jsonl")
        for line in (DATA / file).read_text(encoding="utf-8").splitlines()
    ]
    texts = set(strings(tools))

    assert len(texts) > 1000
    assert {text: found for text in texts if (found := suspicions(text))} == {}
    assert [tool["name"] for tool in tools if name_suspicions(tool["name"])] == []


def strings(value: object) -> list[str]:
    """Every string in a JSON value, keys aside."""
    match value:
        case str():
            return [value]
        case list():
            return [text for item in value for text in strings(item)]
        case dict():
            return strings(list(value.values()))
        case _:
            return []
