"""Orders to the model in other languages: to ignore what it was told, to say nothing to the person.

The patterns see lower case and one space between words; every gap is short.
"""

import re
from typing import Final

# These can be written in ASCII alone.
PLAIN_LETTERS: Final = tuple(
    map(
        re.compile,
        (
            r"\bignorieren? (?:sie )?(?:alle |die |sämtliche ){0,2}(?:vorherigen|bisherigen|obigen|früheren) "
            r"(?:anweisungen|befehle|regeln)",
            r"\b(?:sage?|sagen sie|verraten? sie|verrate|erzähle?) (?:dem|der|den) (?:be)?nutzer\w{0,4}"
            r" (?:nichts|nicht|kein)",
            r"\bignor[eé]ra? (?:alle |alla |samtlige ){0,2}(?:tidligere|forrige|tidigare|foregående) "
            r"(?:instru|anvisning)",
            r"\bnegeer (?:alle |de ){0,2}(?:eerdere|vorige|bovenstaande) (?:instructies|opdrachten|regels)",
            r"\b(?:ignora|ignorar|olvida) (?:todas |tutte |as |las |le ){0,3}"
            r"(?:instrucciones|istruzioni|instruções)",
            r"\b(?:no|nunca|jamás) (?:le |les |se lo ){0,2}"
            r"(?:digas?|cuentes?|informes?|menciones?|reveles?)\b[^.\n]{0,30}\busuari[oa]",
            r"\bnon (?:dire|dirlo|rivelare|informare|mostrare|menzionare)\b[^.\n]{0,30}\butent[ei]",
            r"\bne (?:le |lui |leur )?(?:dis|dites|dire|révèle[sz]?|montre[sz]?|mentionne[sz]?)\b"
            r"[^.\n]{0,30}\butilisateur",
            r"\bn'informe[sz]? (?:pas|jamais)\b[^.\n]{0,20}\butilisateur",
            r"\bzignoruj (?:wszystkie )?(?:poprzednie|wcześniejsze) (?:instrukcje|polecenia)",
            r"\bignorez? (?:toutes )?les (?:instructions|consignes) (?:précédentes|ci[- ]dessus)",
        ),
    )
)

# These cannot.
OTHER_LETTERS: Final = tuple(
    map(
        re.compile,
        (
            r"忽略(?:之前|以上|先前|上述|所有|前面)[^。\n]{0,8}(?:指令|指示|提示|说明)|不要(?:告诉|告知|通知|让)用户",
            r"(?:以前|これまで|今まで|上記|前|すべて|全て)の[^。\n]{0,10}(?:指示|命令|プロンプト|ルール)[^。\n]{0,6}無視",
            r"ユーザーに[^。\n]{0,12}(?:言わない|伝えない|知らせない|教えない|見せない|言うな|教えるな|伝えるな)",
            r"(?:이전|위의|앞의|앞선|모든|기존)[^.\n]{0,10}(?:지시|명령|지침|프롬프트)[^.\n]{0,8}무시",
            r"사용자에게[^.\n]{0,15}(?:말하지|알리지|보여주지|언급하지) ?(?:마|말)",
            r"\b(?:não|nunca) (?:diga|conte|informe|mencione|revele|mostre)\b[^.\n]{0,30}\busuári[oa]",
            r"\bигнорируй(?:те)? (?:все )?(?:предыдущие|прежние) (?:инструкции|указания)",
            r"\bне (?:говори|сообщай|рассказывай|показывай)(?:те)?\b[^.\n]{0,20}\bпользовател",
        ),
    )
)
