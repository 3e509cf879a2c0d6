"""What the published attacks are made of: orders to the model, secrecy, data carried out, tools steered.

Servers do tell the model how to use their tools ("you MUST call resolve-library-id first"); such
sentences are ordinary and are left alone. All patterns see lower case, one space between words and
straight apostrophes. Nothing is repeated inside a repetition and every gap is short, so that the time
is linear in the length of a text.
"""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Rule:
    """A phrase that begins with one of some words, and what the same sentence must go on to say."""

    anchors: frozenset[str]
    begins: re.Pattern[str]
    goes_on: tuple[re.Pattern[str], ...] = ()


def _rule(anchors: str, begins: str, *goes_on: str) -> Rule:
    pattern = rf"(?:{'|'.join(anchors.split())})\b{begins}"
    return Rule(frozenset(anchors.split()), re.compile(pattern), tuple(map(re.compile, goes_on)))


_ORDERS: Final = (
    r"(?:instruction|prompt|rule|guideline|direction|command|constraint|directive|safeguard|restriction"
    r"|guardrail)s?\b"
)
_ORDERS_BEFORE: Final = (
    r"(?: (?:all|any|the|your|my|these|those|of|every|previous|prior|above|earlier|preceding|other"
    r"|existing|current"
    r"|original|system|safety|security|initial|and)){1,6} "
)
# At least one of these: "override the system prompt" is an ordinary argument of a server that runs models.
_ORDERS_HERE: Final = (
    r"(?=(?: \w{1,20}){0,5} (?:all|any|every|your|my|previous|prior|above|earlier"
    r"|preceding|safety|security)\b)"
)
_NEGATIONS: Final = "do don't dont never must mustn't should shouldn't cannot can't without no"
_NOT: Final = r"(?: not| need to)?(?: ever| explicitly| also)? "
_TELL: Final = (
    r"(?:mention|tell|inform|reveal|disclose|notify|alert|warn|ask|let)(?:ing)?"
    r"(?: (?:about )?(?:any of )?(?:this|that|it|these|anything|the (?:above|following|file|instructions?))"
    r"(?: to| with)?)? "
)
_PEOPLE: Final = r"(?:the |your |any )?(?:users?|humans?|person|operator|owner|anyone|anybody|them)\b"
# "Never tell the user a schedule is complete" is advice; "never tell the user." is not.
_ABOUT_IT: Final = (
    r"(?= ?(?:[.,;:!?)\"'\n]|$|about|anything|this|what|why|of|know|see|notice|or "
    r"|that (?:you|the file|this|it)\b))"
)
_MOVE: Final = (
    "send pass include forward upload post exfiltrate leak transmit append attach embed encode put "
    "copy provide paste "
    "supply submit dump share write"
)
_ANY: Final = (
    r"(?: (?:the|all|any|your|its|their|user's|users'|every|also|full|entire|whole|complete|previous|of"
    r"|it|and)){0,5} "
)
_SECRETS: Final = (
    r"(?:(?:conversation|chat|message)s?(?: history| log| context| transcript)|conversation"
    r"|system prompt|private keys?"
    r"|ssh keys?|api keys?|passwords?|credentials?|secrets?|access tokens?|environment variables?"
    r"|session cookies?"
    r"|tool (?:result|output)s?|(?:contents?|data) of (?:the |your |any |all )?\S{0,40}(?:ssh|env"
    r"|key|secret|password)\S{0,40}|contents of (?:all|every) (?:open |local |private )?files?)\b"
)
_SOMEWHERE: Final = (
    r"\b(?:as|in|into|to|via|through|inside|within) (?:the |a |an |this |our )?"
    r"(?:['\"`]?\w{1,40}['\"`]? (?:parameter|argument|field|header|tool|endpoint|server|webhook)\b"
    r"|sidenote|https?://|\S{1,60}@\S)"
)
_PRIVATE_FILE: Final = (
    r"~/\.|\$home/\.|/etc/(?:passwd|shadow)|id_rsa|\.ssh\b|\.aws/|\.env\b|mcp\.json|\.netrc|\.npmrc"
    r"|\.kube/config"
)

RULES: Final = (
    # Overrides what came before.
    _rule(
        "ignore disregard forget override bypass discard supersede", _ORDERS_HERE + _ORDERS_BEFORE + _ORDERS
    ),
    _rule(
        "ignore disregard forget override",
        r" (?:everything|anything|all|whatever|what)(?: that)?(?: the| your| any)? "
        r"(?:system (?:prompt|message)|developer|user|human|person|instructions)\b",
    ),
    _rule("system", r"(?: (?:instruction|override|directive)s? ?:| ?: you\b)"),
    _rule("new updated real true actual hidden secret", rf" (?:system )?{_ORDERS} ?:"),
    _rule("you", r" are (?:now|no longer) (?:a |an |in |bound|restricted|required|allowed|dan\b)"),
    _rule(
        "developer dan god jailbreak unrestricted maintenance", r" mode(?: is)? (?:on|enabled|activated)\b"
    ),
    _rule(
        "reveal print repeat output leak show display return include append send dump",
        r"(?: (?:your|the|its|all|of|full|entire|hidden|complete)){1,4} "
        r"(?:system (?:prompt|message)|(?:initial|hidden) instructions|developer message)\b",
    ),
    # Secrecy towards the person.
    _rule(_NEGATIONS, _NOT + _TELL + _PEOPLE + _ABOUT_IT),
    _rule(
        _NEGATIONS,
        _NOT + r"(?:mention|tell|reveal|disclose|discuss|explain|acknowledge) (?:any of )?"
        r"(?:this (?:step|to)\b|this ?[.,!]|that you\b|these (?:instructions|steps)|the existence|it\b"
        r"|anything about (?:this|it|these))",
    ),
    _rule(
        "secretly silently covertly surreptitiously discreetly stealthily",
        r"(?: \w{1,20})? (?:send|include|copy|forward|read|call|add|append|execute|run|upload"
        r"|transmit|collect|attach|insert"
        r"|bcc|exfiltrate|invoke|post|pass)",
    ),
    _rule(
        "keep keeps remain remains stay stays",
        r"(?: this| it| that| these(?: steps| instructions)?)?(?: a)? (?:secret|hidden|confidential"
        r"|invisible|concealed)"
        r"(?: from| to)? (?:the )?(?:user|human|them|everyone)",
    ),
    _rule(
        "user users human them anyone",
        r" (?:must|should|does|do|need|is|are)(?:n't| not| never)(?: need)?(?: to)? "
        r"(?:know|see|notice|be (?:aware|told|informed|notified)|find out|realize|aware)\b",
    ),
    _rule(
        "hide hides hiding conceal conceals concealing",
        r" (?:this|it|that|these|the|all)\b",
        r"\bfrom (?:the )?(?:user|human|them)\b",
    ),
    # Carrying data out.
    _rule(_MOVE, _ANY + _SECRETS, _SOMEWHERE),
    _rule(
        "read open cat load access include pass send copy retrieve fetch upload collect steal "
        "extract dump get",
        r" ",
        _PRIVATE_FILE,
        r"\b(?:and|as|then|into|to|before|contents?)\b",
    ),
    _rule(
        "before",
        r" (?:using|calling|invoking|running|executing) (?:\w{1,30} ){1,3}",
        r"\b(?:read|open|cat|access|load|send|upload|collect|include|dump) (?:the |your |all "
        r"|any )?(?:\w{1,20} )?"
        r"(?:contents? of|files? |~|/|ssh|env\b|secret|credential|password|key|conversation|chat)",
    ),
    _rule(
        "pass send forward upload log submit call",
        r" ",
        r"\b(?:entire|full|whole|complete) (?:conversation|chat|prompt|message) ?(?:history|so far"
        r"|context|log|\b)",
    ),
    _rule(
        _MOVE,
        r"(?: (?:the|this|their))? (?:user|person|human|owner|customer)'s " + _SECRETS,
        # Where a secret of the person ordinarily goes.
        r"\b(?:in|into|as|to|within) (?!(?:\w{1,20} ){0,3}(?:header|authorization|environment|config))",
    ),
    _rule(
        "append attach copy include insert paste put",
        r" ",
        r"\b(?:chat|conversation|discussion|messages?|session) (?:so far|until now|up to now|to date)\b"
        r"|\b(?:all|every)(?: the| of)* (?:earlier|previous|prior|preceding) (?:message|turn|prompt)s? "
        r"(?:here|in this|into this|in the|into the)\b",
    ),
    _rule(
        "attach include insert paste",
        r"(?: (?:the|your|all|contents?|of|file)){0,4} \S{0,40}"
        r"(?:\.env\b(?![.-])|id_rsa\b|\.ssh\b|\.aws\b|\.netrc\b)",
        r"\b(?:here|in|into)\b",
    ),
    _rule(
        "e email forward mail post send upload",
        r"(?: mail)?(?: (?:the|all|these|those|your|its|any|every))? "
        r"(?:results?|outputs?|responses?|answers?|contents?|data|it|them|everything|notes?|findings)\b",
        r"\bto (?:\S{1,60}@\S{1,60}\.\w|https?://)",
    ),
    _rule("curl wget iwr", r" [^\n|]{0,150}\| ?(?:sudo )?(?:ba|z|da)?sh\b"),
    # Steering other tools.
    _rule(
        "always must also secretly automatically",
        r"(?: also| always)? (?:bcc|cc) (?!recipients?|fields?|address|list|and|or|is|are)",
    ),
    _rule(
        "all any every each",
        r"(?: (?:outgoing|future|subsequent|other))? "
        r"(?:e[- ]?mails?|messages?|payments?|transactions?|transfers?|files?|requests?|data|outputs?"
        r"|responses?) "
        r"(?:must|should|needs? to|ha(?:ve|s) to|shall|will) (?:always |also "
        r"|first )?(?:be )?(?:always |also |first )?"
        r"(?:sent|forwarded|copied|redirected|routed|bcc'?d|cc'?d|mirrored|uploaded"
        r"|addressed) (?:to|through|via)\b",
    ),
    _rule(
        "when whenever if once every each",
        r" ",
        r"\b(?:send_\w{1,30}|\w{1,30}_email|\w{1,30}_message|e?mail|payment|transfer|transaction"
        r"|whatsapp|slack|(?:an)?other (?:tool|server)s?)\b",
        r"\b(?:tools?|servers?|available|called|used|invoked|sends?)\b",
        r"\b(?:(?:always|must|also) (?:be )?bcc|redirect|change the recipient"
        r"|replace the (?:recipient|phone)|secretly|attacker)\b",
    ),
    _rule("must should", r" always be (?:the )?['\"`]?(?:\+\d{6}|0x[0-9a-f]{8}|\S{1,60}@\S|https?://)"),
    _rule(
        "change replace redirect substitute rewrite modify alter switch set",
        r" (?:the |all |any |every )?(?:recipient|destination|payee|phone number|wallet"
        r"|bank account|iban|receiver)s?\b",
        r"@\S|\+\d{5}|0x[0-9a-f]{8}|\battacker|\binstead\b",
    ),
    _rule(
        "overrides supersedes replaces takes has",
        r"(?: precedence| priority)?(?: over)? (?:all |any |every )(?:other|official"
        r"|trusted) (?:tool|server|file|instruction)",
    ),
    _rule(
        "never do don't",
        r"(?: not)? (?:use|call|trust|invoke) (?:the |any )?(?:original|official|trusted|legitimate|real) ",
        r"\b(?:tool|server|version)",
    ),
    # Pretended consent.
    _rule(
        "user",
        # Not "if the user has approved the plan".
        r"(?<!if the user)(?<!when the user)(?<!once the user)(?<!after the user)(?<!until the user)"
        r"(?<!unless the user)(?<!whether the user) (?:ha(?:s|ve|d) )?(?:already |previously |explicitly )?"
        r"(?:approved|authori[sz]ed|consented|pre[- ]?approved|agreed to|given (?:you )?(?:permission"
        r"|consent|approval))\b",
    ),
    _rule(
        "always must please you",
        r" (?:skip|disable|suppress|omit)(?: (?:the|any|all|user)){0,3} "
        r"(?:confirmations?|approvals?|consent|permission|(?:safety|security) checks?)\b",
    ),
    _rule(
        "bypass circumvent",
        r"(?: (?:the|any|all|user)){0,3} "
        r"(?:confirmations?|approvals?|consent|permission (?:check|prompt|dialog)s?|(?:safety"
        r"|security) checks?)\b",
    ),
    _rule("never do don't", r"(?: not)? (?:refuse|decline|question) (?:to|this|these|the|any)\b"),
    _rule(
        "never do don't",
        r"(?: not)? (?:ask|prompt|wait)(?: the user)? for (?:any )?(?:confirmation|permission"
        r"|approval|consent)\b",
    ),
    _rule(
        "without",
        r" (?:asking|requesting|waiting for|seeking|prompting)(?: for)? (?:the |any )?"
        r"(?:users?|permission|confirmation|consent|approval)\b",
    ),
    _rule(
        "mandatory required critical authorized official",
        r" (?:security |system |compliance |internal )?(?:step|requirement|directive|override"
        r"|instruction|procedure) (?:from|by|issued|mandated)\b",
    ),
)

# What does not begin with a word: markup that pretends to be somebody else, pictures that carry data away.
MARKUP: Final = tuple(
    map(
        re.compile,
        (
            r"< ?/? ?(?:important|system|secret|hidden|admin|critical|sys|assistant"
            r"|system[-_]reminder|override|urgent"
            r"|(?:ai|hidden|system)[-_](?:instruction|prompt)s?) ?>",
            r"<\|(?:im_start|im_end|system|user|assistant|endoftext|begin_of_text|start_header_id)\|>",
            r"\[/?inst\]|\[(?:system|system override|admin|hidden)\]",
            r"<</?sys>>",
            r"#{1,6} ?(?:system|hidden|secret) (?:prompt|message|instructions?|override)\b",
            r"!\[[^\]\n]{0,80}\]\(https?://[^)\s{$<]{0,200}(?:\{|\$|<)",
            r"(?:webhook\.site|requestbin\.|burpcollaborator\.|interact\.sh|oastify\.|pipedream\.net)\S",
        ),
    )
)

CREDENTIAL_PATHS: Final = tuple(
    map(
        re.compile,
        (
            r"\.ssh\b",
            r"(?<![a-z0-9])id_(?:rsa|dsa|ecdsa|ed25519)\b",
            r"\bauthorized_keys\b",
            r"(?:~|\$home)/\S{0,60}credential",
            r"\.aws/(?:credentials|config)\b",
            r"\.config/(?:gcloud|gh/hosts)\b",
            r"/etc/(?:passwd|shadow|sudoers)\b",
            r"/proc/(?:self|\d{1,9})/environ\b",
            r"\.(?:npmrc|pypirc|netrc|pgpass|git-credentials|vault-token|bash_history|zsh_history|gnupg)\b",
            r"\.kube/config\b",
            r"\.docker/config\.json\b",
            r"\.(?:cursor|vscode|claude)/mcp\.json\b",
            r"\bclaude_desktop_config\.json\b",
            r"\b(?:login\.keychain|keychain-db|cookies\.sqlite|logins\.json|wallet\.dat|key4\.db)\b",
            r"\b(?:browser|chrome|firefox|safari)(?:'s)? (?:cookies|saved passwords|login data)\b",
            # Many servers say where their own settings go; only its contents are of interest to a thief.
            r"\b(?:reads?|cat|opens?|contents? of|sends?|uploads?|loads?|dumps?|cop(?:y"
            r"|ies)) [^.\n]{0,40}[ `'\"/(]\.env\b",
        ),
    )
)

# These need the capitals that the others do without.
ENCODED: Final = tuple(
    map(
        re.compile,
        (
            # Pictures come as base64 too.
            r"(?<![A-Za-z0-9+/=])(?<!png;base64,)(?<!jpeg;base64,)(?<!gif;base64,)(?<!webp;base64,)(?<!svg\+xml;base64,)"
            r"[A-Za-z0-9+/]{80,}={0,2}",
            r"\\x[0-9A-Fa-f]{2}(?:\\x[0-9A-Fa-f]{2}){7,}",
            r"\\u[0-9A-Fa-f]{4}(?:\\u[0-9A-Fa-f]{4}){7,}",
            r"%[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2}){11,}",
            r"&#x?[0-9A-Fa-f]{2,6};(?:&#x?[0-9A-Fa-f]{2,6};){7,}",
        ),
    )
)
