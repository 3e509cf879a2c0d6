"""Laws of comparing schemas, with another validator as the judge of what a schema accepts."""

import copy
from random import Random
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for as judge_for
from jsonschema_rs import ReferencingError, ValidationError, validator_for

from avow.core.canonical import JsonValue
from avow.core.schema.compare import Comparison, compare
from avow.core.schema.differences import Direction

MOST = 200
SAMPLES = 30
ADDRESS = "https://a.example/s"
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"

WORDS = ["", "a", "b", "ab", "abc", "ba"]
NUMBERS = [-3, -1, 0, 1, 2, 3, 6, 0.5, 1.5, 2.0]
KINDS = ["null", "boolean", "integer", "number", "string", "array", "object"]

FLAT = (
    "type type type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength "
    "maxLength pattern minItems maxItems uniqueItems minProperties maxProperties required required "
    "description dependentRequired"
)
DEEP = (
    "properties properties additionalProperties patternProperties propertyNames items prefixItems "
    "contains anyOf anyOf oneOf allOf not if then else unevaluatedProperties dependentSchemas"
)


class Maker:
    """Makes schemas and values; a member is called after its place, so that its name tells where it is."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def plain(self) -> JsonValue:
        return self.random.choice([None, True, False, *NUMBERS, *WORDS])

    def instance(self, prefix: str, depth: int) -> JsonValue:
        match self.random.randrange(4) if depth else 0:
            case 0:
                return self.plain()
            case 1:
                return [self.instance(f"{prefix}_", depth - 1) for _ in range(self.random.randrange(4))]
            case _:
                return self.object(prefix, depth)

    def object(self, prefix: str, depth: int) -> dict[str, JsonValue]:
        names = [prefix + letter for letter in "xyz" if self.random.random() < 0.5]
        return {name: self.instance(name, depth - 1) for name in names}

    def schema(self, prefix: str, depth: int) -> JsonValue:
        if self.random.randrange(16) == 0:
            return self.random.random() < 0.7
        words = [self.keyword(depth) for _ in range(self.random.randrange(1, 5))]
        return {word: self.value(word, prefix, depth) for word in dict.fromkeys(words)}

    def root(self) -> dict[str, Any]:
        words = ["properties", *(self.keyword(3) for _ in range(self.random.randrange(4)))]
        return {**{word: self.value(word, "", 3) for word in words}, "type": "object"}

    def keyword(self, depth: int) -> str:
        return self.random.choice((f"{FLAT} {DEEP}" if depth else FLAT).split())

    def value(self, word: str, prefix: str, depth: int) -> JsonValue:
        random, deeper = self.random, depth - 1
        match word:
            case "type":
                few = random.sample(KINDS, random.randrange(1, 4))
                return few if random.random() < 0.5 else few[0]
            case "enum":
                return [self.plain() for _ in range(random.randrange(1, 4))]
            case "const" | "default":
                return self.plain()
            case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
                return random.choice(NUMBERS)
            case "multipleOf":
                return random.choice([1, 2, 3, 0.5])
            case "pattern":
                return random.choice(["^a", "b$", "^[ab]*$"])
            case "uniqueItems" | "unevaluatedProperties":
                return random.random() < 0.5
            case "required":
                return random.sample([prefix + "x", prefix + "y"], random.randrange(3))
            case "description":
                return random.choice(WORDS)
            case "dependentRequired":
                return {prefix + "x": [prefix + "y"]}
            case "properties":
                return {
                    n: self.schema(n, deeper) for n in (prefix + "x", prefix + "y") if random.random() < 0.7
                }
            case "additionalProperties":
                return random.choice([True, False, False, {}, self.schema(prefix + "z", deeper)])
            case "patternProperties":
                return {"x$": self.schema(prefix + "x", deeper)}
            case "propertyNames":
                return random.choice([{"type": "string"}, {"maxLength": 2}, {"pattern": "x$"}])
            case "dependentSchemas":
                return {prefix + "x": self.schema(prefix, deeper)}
            case "items" | "contains":
                return self.schema(prefix + "_", deeper)
            case "prefixItems":
                return [self.schema(prefix + "_", deeper) for _ in range(random.randrange(1, 3))]
            case "anyOf" | "oneOf" | "allOf":
                return [self.schema(prefix, deeper) for _ in range(random.randrange(1, 4))]
            case "not" | "if" | "then" | "else":
                return self.schema(prefix, deeper)
            case _:
                return random.randrange(4)

    def edited(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema after one or two edits, which is how schemas change."""
        after = copy.deepcopy(schema)
        for _ in range(self.random.randrange(1, 3)):
            prefix, place = self.random.choice([("", after), *_places("", after)])
            words = [word for word in place if not word.startswith("$")]
            word = self.random.choice([self.keyword(1), *words, *words])
            if word in place and self.random.random() < 0.4:
                del place[word]
            else:
                place[word] = self.value(word, prefix, 1)
        return {**after, "type": "object"}

    def referring(self, schema: dict[str, Any], document: str = "") -> dict[str, Any]:
        """The same schema with some of its parts written elsewhere and referred to."""
        result = copy.deepcopy(schema)
        moved: dict[str, Any] = {}
        for prefix, place in _places("", result):
            if self.random.random() < 0.4:
                name = f"part{len(moved)}-{prefix}"
                moved[name] = dict(place)
                place.clear()
                place["$ref"] = f"{document}#/$defs/{name}"
        return {**result, "$defs": moved}

    def in_dialects(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The same words, some of them below the name of a dialect."""
        result = copy.deepcopy(schema)
        places = [place for _, place in _places("", result)]
        for place in self.random.sample(places, min(len(places), 2)):
            place["$schema"] = self.random.choice([DRAFT_4, DRAFT_7, DRAFT_2020])
        return result

    def speaking(self, name: str, depth: int = 2) -> dict[str, Any]:
        """A schema that speaks of a member in one way or another."""
        known = "x"
        plain: list[dict[str, Any]] = [
            {"properties": {name: self.schema(name, 1)}},
            {"required": [name]},
            {"patternProperties": {f"^{name}$": {}}},
            {"propertyNames": {"enum": [known, name]}},
            {"dependentRequired": {known: [name]}},
            {"dependentRequired": {name: [known]}},
            {"const": {name: 1}},
            {"$ref": "#/$defs/hidden"},
        ]
        if not depth or self.random.random() < 0.4:
            return self.random.choice(plain)
        inner = self.speaking(name, depth - 1)
        return self.random.choice(
            [{"allOf": [inner]}, {"anyOf": [{}, inner]}, {"not": inner}, *self.conditions(inner)]
        )

    def conditions(self, schema: dict[str, Any]) -> list[dict[str, Any]]:
        """Conditions that a schema may stand in."""
        return [
            {"not": schema},
            {"if": schema, "then": {}},
            {"if": True, "then": schema},
            {"if": {"required": ["x"]}, "then": {}, "else": schema},
            {"dependentSchemas": {"x": schema}},
        ]


def _places(prefix: str, schema: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for word, value in schema.items():
        match word:
            case "properties":
                inside = list(value.items())
            case "$defs":
                inside = [(name.partition("-")[2], inner) for name, inner in value.items()]
            case "dependentSchemas":
                inside = [(prefix, inner) for inner in value.values()]
            case "anyOf" | "oneOf" | "allOf":
                inside = [(prefix, inner) for inner in value]
            case "prefixItems":
                inside = [(prefix + "_", inner) for inner in value]
            case "items" | "contains":
                inside = [(prefix + "_", value)]
            case "additionalProperties":
                inside = [(prefix + "z", value)]
            case "not" | "if" | "then" | "else":
                inside = [(prefix, value)]
            case _:
                inside = []
        for name, inner in inside:
            if isinstance(inner, dict):
                found += [(name, inner), *_places(name, inner)]
    return found


def _declared(*schemas: dict[str, Any]) -> set[str]:
    """The members that schemas declare anywhere inside."""
    places = [*schemas, *(place for schema in schemas for _, place in _places("", schema))]
    return {name for place in places for name in place.get("properties", {})}


def _conditions(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas inside a schema that are part of a condition."""
    words = ("contains", "not", "if", "then", "else")
    places = [schema, *(place for _, place in _places("", schema))]
    found = [place[word] for place in places for word in words if isinstance(place.get(word), dict)]
    dependent = [inner for place in places for inner in place.get("dependentSchemas", {}).values()]
    return [*found, *(inner for inner in dependent if isinstance(inner, dict))]


def _without(schema: dict[str, Any], gone: set[str]) -> dict[str, Any]:
    """The schema that does not require what is gone."""
    result = copy.deepcopy(schema)
    for place in (result, *(place for _, place in _places("", result))):
        if "required" in place:
            place["required"] = [name for name in place["required"] if name not in gone]
    return result


def _used(value: JsonValue) -> set[str]:
    if isinstance(value, list):
        return {name for inner in value for name in _used(inner)}
    if isinstance(value, dict):
        return {*value, *(name for inner in value.values() for name in _used(inner))}
    return set()


def _impossible(schema: dict[str, Any]) -> set[str]:
    """Arguments that take no value at all any more, which is as good as gone."""
    values: tuple[Any, ...] = (
        None,
        True,
        False,
        -1,
        0,
        1,
        2,
        3,
        0.5,
        "",
        "a",
        "ab",
        "aaaa",
        "b",
        [],
        [1],
        [1, 2, "a"],
        {},
        {"xx": 1},
    )
    found = set()
    for name, inner in schema.get("properties", {}).items():
        judge = judge_for(schema, default=Draft202012Validator)(inner)
        # A reference leads out of the part, so that it cannot be judged alone.
        if "$ref" not in str(inner) and not any(judge.is_valid(value) for value in values):
            found.add(name)
    return found


def _engine(schema: dict[str, Any]) -> Any:
    """The engine of the gate, None when it does not compile this."""
    try:
        return validator_for(schema, validate_formats=False, offline=True)
    except (ReferencingError, ValidationError, ValueError):
        return None


def _judges(*schemas: dict[str, Any]) -> list[list[Any]]:
    """The same schemas as each validator reads them."""
    found = [[judge_for(schema, default=Draft202012Validator)(schema) for schema in schemas]]
    engines = [_engine(schema) for schema in schemas]
    return [*found, engines] if all(engines) else found


def _check(before: dict[str, Any], after: dict[str, Any], maker: Maker) -> None:
    found = compare(before, after).differences
    directions = {difference.direction for difference in found}
    if Direction.WIDENS in directions:
        return
    gone = {one.path.rpartition("/")[2] for one in found if one.change == "removed"}
    gone = (gone | _declared(before) - _declared(after)) - _declared(*_conditions(after))
    gone |= _impossible(after)
    is_narrower = Direction.NARROWS in directions
    samples = [maker.object("", 3) for _ in range(SAMPLES)]
    for new, *olds in _judges(after, *(before, _without(before, gone))[: 1 + is_narrower]):
        for sample in samples:
            was, is_now = any(old.is_valid(sample) for old in olds), new.is_valid(sample)
            if not is_narrower:
                assert was == is_now, f"{before} {after} {sample}: {was}, {is_now}, nothing is said to differ"
            elif not _used(sample) & gone:
                # A member that is declared no longer is gone, whatever is said about undeclared ones.
                assert was or not is_now, f"{before} {after} {sample}: accepted now, and said to accept less"


@settings(max_examples=MOST, deadline=None)
@given(st.integers(0, 2**32))
def test_what_is_not_said_to_widen_does_not(seed: int) -> None:
    """An edit that lets something in is never called narrower or notation."""
    maker = Maker(seed)
    before = maker.root()
    _check(before, maker.edited(before), maker)


@settings(max_examples=MOST, deadline=None)
@given(st.integers(0, 2**32))
def test_unrelated_schemas_are_judged_as_carefully(seed: int) -> None:
    maker = Maker(seed)
    _check(maker.root(), maker.root(), maker)


@settings(max_examples=MOST, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([DRAFT_2019, DRAFT_7]))
def test_another_dialect_reads_another_schema(seed: int, dialect: str) -> None:
    """A keyword that a dialect does not know judges nothing there."""
    maker = Maker(seed)
    before = maker.root()
    after = maker.edited(before) if seed % 2 else before
    # The judge reads `unevaluatedProperties` beside `additionalProperties` differently in its two dialects.
    assume("unevaluatedProperties" not in f"{before}{after}")
    _check({**before, "$schema": dialect}, after, maker)
    _check(before, {**after, "$schema": dialect}, maker)


@settings(max_examples=MOST, deadline=None)
@given(st.integers(0, 2**32))
def test_a_part_behind_a_reference_is_the_same_part(seed: int) -> None:
    """Where it is written is notation; and behind a reference no edit is judged less carefully."""
    maker = Maker(seed)
    before = maker.root()
    referring = maker.referring(before)

    assert {one.direction for one in compare(before, referring).differences} <= {Direction.NOTATION}
    assert {one.direction for one in compare(referring, before).differences} <= {Direction.NOTATION}
    _check(referring, maker.edited(before), maker)
    _check(before, maker.referring(maker.edited(before)), maker)


@settings(max_examples=MOST, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([ADDRESS, "s", "/s", "//a.example/s"]))
def test_a_part_behind_the_own_address_is_judged_as_carefully(seed: int, document: str) -> None:
    """The address of a document is one more way to refer to its parts."""
    maker = Maker(seed)
    before = {"$id": ADDRESS, **maker.referring(maker.root(), document)}
    _check(before, maker.edited(before), maker)


@settings(max_examples=MOST, deadline=None)
@given(st.integers(0, 2**32))
def test_another_dialect_inside_is_judged_as_carefully(seed: int) -> None:
    """Validators change to it in the middle of a schema, without a word."""
    maker = Maker(seed)
    before = maker.root()
    assume("unevaluatedProperties" not in f"{before}")
    _check(before, maker.in_dialects(before), maker)
    _check(maker.in_dialects(before), before, maker)
    _check(maker.in_dialects(before), maker.in_dialects(before), maker)


@settings(max_examples=MOST, deadline=None)
@given(st.integers(0, 2**32))
def test_an_argument_that_comes_up_in_a_condition_is_new(seed: int) -> None:
    """However it is spoken of there: a model reads the name and fills it in."""
    maker = Maker(seed)
    words = ("properties", "description", "required")
    before = {"type": "object", **{word: maker.value(word, "", 2) for word in words}}
    before["$defs"] = {"hidden": {"properties": {"command": {}}}}
    after = {**before, **maker.random.choice(maker.conditions(maker.speaking("command")))}

    assert Direction.WIDENS in {one.direction for one in compare(before, after).differences}


@settings(max_examples=MOST, deadline=None)
@given(st.integers(0, 2**32))
def test_a_schema_never_differs_from_itself(seed: int) -> None:
    schema = Maker(seed).root()

    assert compare(schema, copy.deepcopy(schema)) == Comparison((), (), ())
