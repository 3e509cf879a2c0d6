"""What is required, from several sources at once: who is believed about what."""

from avow.core.configuration.model import (
    Binding,
    Configuration,
    Group,
    GroupRule,
    Origin,
    Parameter,
    Source,
    Style,
    Where,
)
from avow.system.diagnosis.code import CodeFact, CodeFacts, CodeGroup, Need
from avow.system.diagnosis.diagnosing import diagnose
from avow.system.diagnosis.evidence import Evidence, Outcome
from avow.system.diagnosis.model import Diagnosis


def variable(name: str, default: str | None = None) -> Parameter:
    return Parameter(name, Binding(Where.ENV, name), default=default, source=Source(Origin.CODE))


def flag(name: str, default: str | None = None) -> Parameter:
    binding = Binding(Where.ARGUMENT, name, Style.NAMED)
    return Parameter(name, binding, default=default, source=Source(Origin.CODE))


def fact(parameter: Parameter, need: Need = Need.START, confidence: float = 0.9) -> CodeFact:
    return CodeFact(parameter, need, confidence)


def failed(words: str, *facts: CodeFact, groups: tuple[CodeGroup, ...] = ()) -> Diagnosis:
    """A server that ended with these words, and whose code says this."""
    return diagnose(Evidence(Outcome.EXITED, stderr=words, exit_code=1), "demo", CodeFacts(facts, groups))


def named(found: Diagnosis) -> list[str]:
    return [one.binding.name for one in found.required]


def test_code_adds_what_the_output_has_not_come_to_yet() -> None:
    """The first missing variable ends the program; the code knows the second."""
    found = failed(
        "A_KEY is required",
        fact(variable("A_KEY")),
        fact(variable("A_HOST")),
        fact(variable("A_MODE", "x"), Need.OPTIONAL),
    )

    assert named(found) == ["A_KEY", "A_HOST"]
    assert [one.binding.name for one in found.parameters] == ["A_KEY", "A_HOST", "A_MODE"]


def test_code_that_was_followed_another_way_is_not_believed() -> None:
    """The server asks for something that its code, as read, never reaches."""
    found = failed("A_KEY is required", fact(variable("OTHER_GROUPS")), fact(variable("A_KEY"), Need.CALL))

    assert named(found) == ["A_KEY"]


def test_an_identifier_stands_for_the_flag_or_variable_of_its_name() -> None:
    """`service_config_file cannot be None` is about `--service-config-file`."""
    found = failed(
        "ValueError: service_config_file cannot be None", fact(flag("--service-config-file"), Need.OPTIONAL)
    )

    assert named(found) == ["--service-config-file"]


def test_prose_is_about_what_the_code_calls_so() -> None:
    """`Project is required` names nothing; the code has a flag of that name."""
    found = failed(
        "ValueError: Project is required",
        fact(flag("--project"), Need.OPTIONAL),
        fact(flag("--limit"), Need.OPTIONAL),
    )

    assert named(found) == ["--project"]


def test_a_missing_file_points_at_the_variable_that_says_where_it_is() -> None:
    """The default of a variable is the file that was not found."""
    found = failed(
        "Error: keys.json not found", fact(variable("KEYS_PATH", "~/.thing/keys.json"), Need.OPTIONAL)
    )

    assert named(found) == ["KEYS_PATH"]
    assert found.groups


def test_alternatives_are_a_group_of_which_one_way_is_proposed() -> None:
    """A secret goes into a variable rather than onto a command line."""
    found = failed("Error: pass --api-key or set API_KEY, one is required")

    assert named(found) == ["API_KEY"]
    assert [one.required for one in found.parameters] == [False, False]
    assert found.groups == (Group(GroupRule.ANY_OF, (("--api-key",), ("API_KEY",))),)


def test_what_the_server_named_is_proposed_before_what_only_its_code_knows() -> None:
    """Of the ways that the code knows, the one in the message."""
    ways = (("--db-path",), ("MCP_DB_PATH",), ("--read-write",))
    group = CodeGroup(Group(GroupRule.ANY_OF, ways), Need.START, 0.9)
    facts = [fact(flag("--db-path")), fact(variable("MCP_DB_PATH")), fact(flag("--read-write"))]

    assert named(failed("Error: this requires the --read-write flag", *facts, groups=(group,))) == [
        "--read-write"
    ]


def test_a_start_refutes_what_the_code_claims() -> None:
    """A server that works without it does not need it to start."""
    facts = CodeFacts((fact(variable("A_KEY")),))

    assert diagnose(Evidence(Outcome.OK), "demo", facts).status == "ok"


def test_a_working_server_needs_the_credentials_of_its_service_at_a_call() -> None:
    """Its own, with what belongs to them; not those of some model that it may use as well."""
    credentials = ("ACME_CLIENT_SECRET", "OPENAI_API_KEY", "OTHER_TOKEN", "MORE_TOKEN")
    others = (fact(variable(name), Need.OPTIONAL) for name in ("ACME_CLIENT_ID", "ACME_REGION"))
    facts = CodeFacts((*(fact(variable(name), Need.CALL, 0.6) for name in credentials), *others))

    found = diagnose(Evidence(Outcome.OK, names=("mcp-acme",)), "acme", facts)

    assert found.status == "needs_configuration"
    assert named(found) == ["ACME_CLIENT_ID", "ACME_CLIENT_SECRET"]


def test_what_is_given_is_not_missing() -> None:
    """Required still, and present: nothing to do."""
    facts = CodeFacts((fact(variable("ACME_TOKEN"), Need.CALL, 0.6),))

    found = diagnose(Evidence(Outcome.OK, given=frozenset({"ACME_TOKEN"}), names=("acme",)), "acme", facts)

    assert (found.status, named(found)) == ("ok", ["ACME_TOKEN"])


def test_one_way_of_a_group_satisfies_all_of_it() -> None:
    """Whoever gave a password is not asked for a token."""
    declared = Configuration.of(
        [variable("TOKEN_A"), variable("USER_A"), variable("PASSWORD_A")],
        [Group(GroupRule.ANY_OF, (("TOKEN_A",), ("USER_A", "PASSWORD_A")))],
    )
    given = frozenset({"USER_A", "PASSWORD_A"})

    assert diagnose(Evidence(Outcome.NOT_TRIED, declared=declared), "x").status == "needs_configuration"
    assert diagnose(Evidence(Outcome.NOT_TRIED, declared=declared, given=given), "x").status == "ok"


def test_no_more_parameters_than_anybody_reads() -> None:
    """What is required comes first, and the rest is cut."""
    many = [fact(variable(f"OPTION_{number}", "x"), Need.OPTIONAL) for number in range(200)]

    found = failed("A_KEY is required", *many)

    assert (len(found.parameters), named(found)) == (64, ["A_KEY"])
