"""What the SDKs call things, and the words by which people name what they write themselves."""

import re
from typing import Final

from avow.audit.facts import Framework

# A file without any of these says nothing about negotiation.
MARKERS: Final = re.compile(
    r"modelcontextprotocol|\bmcp\b|fastmcp|McpServer|MCPServer|FastMCP"
    r"|tools/(?:list|call)|protocolVersion|protocol_version|notifications/initialized"
    r"|[cC]lient_?[cC]apabilit|clientInfo|client_info|client_params"
    r"|setRequestHandler|setNotificationHandler|register(?:Tool|Prompt|Resource)\b|\badd_?[tT]ool\b|\.tool\("
    r"|create_?[mM]essage\b|list_?[rR]oots\b|elicit|roots/list"
)

CONSTRUCTORS: Final = {
    "McpServer": Framework.TYPESCRIPT_HIGH,
    "MCPServer": Framework.PYTHON_HIGH,
    "FastMCP": Framework.FASTMCP,
}
# `Server` is a common word: it counts where it comes from one of these modules.
SDK_MODULES: Final = re.compile(r"^@modelcontextprotocol/|^mcp(?:$|[./])|^fastmcp(?:$|[./])")
# What makes a server in a package that is not the SDK: `createMcpServer` of `@example/mcp-utils`.
MAKES_SERVER: Final = re.compile(r"(?i)mcp_?server|^server$|(?:create|make|build|start|run)_?(?:mcp|server)")

_SCHEMAS: Final = {
    "Initialize": "initialize",
    "Ping": "ping",
    "ListTools": "tools/list",
    "CallTool": "tools/call",
    "ListPrompts": "prompts/list",
    "GetPrompt": "prompts/get",
    "ListResources": "resources/list",
    "ListResourceTemplates": "resources/templates/list",
    "ReadResource": "resources/read",
    "Subscribe": "resources/subscribe",
    "Unsubscribe": "resources/unsubscribe",
    "Complete": "completion/complete",
    "SetLevel": "logging/setLevel",
    "SetLevelLogging": "logging/setLevel",
}
# The types of requests, as a TypeScript schema and as a Python class.
REQUEST_TYPES: Final = {
    f"{name}Request{ending}": method for name, method in _SCHEMAS.items() for ending in ("Schema", "")
}
INITIALIZED_TYPES: Final = frozenset({"InitializedNotificationSchema", "InitializedNotification"})
INITIALIZED: Final = "notifications/initialized"

# Decorators of Python's low-level server, and the parameters `on_…` of its constructor.
LOW_LEVEL: Final = {
    "list_tools": "tools/list",
    "call_tool": "tools/call",
    "list_prompts": "prompts/list",
    "get_prompt": "prompts/get",
    "list_resources": "resources/list",
    "list_resource_templates": "resources/templates/list",
    "read_resource": "resources/read",
    "subscribe_resource": "resources/subscribe",
    "unsubscribe_resource": "resources/unsubscribe",
    "completion": "completion/complete",
    "set_logging_level": "logging/setLevel",
}
# What registers something for which the framework answers.
REGISTRATIONS: Final = {
    **dict.fromkeys(("tool", "registerTool", "addTool", "add_tool"), ("tools/list", "tools/call")),
    **dict.fromkeys(("prompt", "registerPrompt", "addPrompt", "add_prompt"), ("prompts/list", "prompts/get")),
    **dict.fromkeys(
        ("resource", "registerResource", "addResource", "addResourceTemplate", "add_resource"),
        ("resources/list", "resources/templates/list", "resources/read"),
    ),
}
METHODS: Final = frozenset({*_SCHEMAS.values(), INITIALIZED})

SENDERS: Final = {
    "sendToolListChanged": "notifications/tools/list_changed",
    "sendPromptListChanged": "notifications/prompts/list_changed",
    "sendResourceListChanged": "notifications/resources/list_changed",
    "send_tool_list_changed": "notifications/tools/list_changed",
    "send_prompt_list_changed": "notifications/prompts/list_changed",
    "send_resource_list_changed": "notifications/resources/list_changed",
    "notify_tools_changed": "notifications/tools/list_changed",
    "notify_prompts_changed": "notifications/prompts/list_changed",
    "notify_resources_changed": "notifications/resources/list_changed",
}

CLIENT_CALLS: Final = {
    "createMessage": "sampling",
    "create_message": "sampling",
    "sample": "sampling",
    "sample_step": "sampling",
    "requestSampling": "sampling",
    "listRoots": "roots",
    "list_roots": "roots",
    "elicitInput": "elicitation",
    "elicit": "elicitation",
    "elicit_form": "elicitation",
    "elicit_url": "elicitation",
}
CLIENT_METHODS: Final = {
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
    "elicitation/create": "elicitation",
}
# Who can be asked: `random.sample` and a library's `createMessage` are something else.
PEERS: Final = re.compile(r"(?i)^_?(?:mcp_?|client_?)?(?:server|ctx|context|session|client|peer|extra|mcp)$")

LOGS: Final = re.compile(r"(?i)^(?:log|logger|logging|audit|console|print|warn|structlog|telemetry)")
PHASE: Final = re.compile(
    r"(?i)phase|initiali[sz]ed|handshake|(?:require|assert|ensure|check|is|with|guard)_?(?:an_?)?"
    r"(?:active|ready|session)|session_?(?:active|ready|state)"
)
# What else can be ready, active or initialized than a session.
OTHERS: Final = re.compile(
    r"(?i)db|database|cache|redis|browser|page|pool|index|model|vector|engine|storage|store$|disk|queue|sdk"
    r"|plugin|schema|config|settings|logger|telemetry|auth|oauth|wallet|docker|kube|repo|sqlite|mongo|mysql"
)
# Whose phase it is, where it is a member of a variable.
SESSION_LIKE: Final = re.compile(
    r"(?i)session|state|server|conn|client|ctx|context|phase|handshake|lifecycle|protocol|peer|mcp|status"
    r"|transport|extra|req|message|msg|guard|^(?:self|this|cls|s|c)$"
)
SETTINGS: Final = re.compile(r"(?i)^_?(?:config|conf|cfg|settings?|opts|options|env|args|argv|flags)$")
# What is at a version of its own, which is not the protocol's.
NOT_PROTOCOL: Final = re.compile(
    r"(?i)client_?info|server_?info|^process$|^pkg$|package|^os$|^sys$|^node|^app$"
)
AUTHORITY: Final = re.compile(
    r"(?i)admin|role|permission|privileg|authori[sz]|tier|premium|scope|trusted|grant|allow|superuser"
)
SESSIONS: Final = re.compile(r"(?i)session|connection|client|phase")
# Mappings by session, and what tells a session: `clients` by region are something else.
SESSION_STATE: Final = re.compile(r"(?i)session|phase")
SESSION_ID: Final = re.compile(r"(?i)session_?id|^sid$|mcp-session")
ACTIVE: Final = re.compile(r"(?i)phase|active|ready|initiali[sz]ed|handshake")
CAPABILITY_CHECK: Final = re.compile(r"(?i)capabilit|supports")
# Mappings that let go of what is in them by themselves.
FORGETTING: Final = re.compile(r"Weak|TTL|LRU|lru|Cache")
SUPPORTED: Final = re.compile(r"(?i)support|known|allow|version|accept")
