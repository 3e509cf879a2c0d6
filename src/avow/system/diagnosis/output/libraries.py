"""What widely used libraries say when their own configuration is missing, and the variables that they read.

These messages name no variable, or not the one that most people set; the libraries' documentation does.
"""

import re
from typing import Final

from avow.system.diagnosis.output.demands import Demand, Strength
from avow.system.diagnosis.output.names import Form, Name, Ways
from avow.system.diagnosis.output.text import Statement


def _ways(*ways: str) -> Ways:
    return tuple(tuple(Name(name, Form.VARIABLE) for name in way.split()) for way in ways)


_KNOWN: Final[tuple[tuple[re.Pattern[str], Ways], ...]] = (
    # botocore and the AWS SDKs for JavaScript
    (re.compile(r"The config profile \([^)]{1,100}\) could not be found"), _ways("AWS_PROFILE")),
    (
        re.compile(
            r"Unable to locate credentials|Could not load credentials from any providers"
            r"|CredentialsProviderError|"
            r"NoCredentialsError|Partial credentials found"
        ),
        _ways("AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"),
    ),
    (re.compile(r"You must specify a region|Region is missing|NoRegionError"), _ways("AWS_REGION")),
    # google-auth and its relatives
    (
        re.compile(
            r"Your default credentials were not found|Could not automatically determine credentials"
            r"|Could not load the default credentials"
        ),
        _ways("GOOGLE_APPLICATION_CREDENTIALS"),
    ),
    # our own words about an HTTP server that turns everybody away who has no token
    (re.compile(r"answers HTTP 40[13](?![0-9])"), ((Name("Authorization", Form.HEADER),),)),
    # the Kubernetes clients
    (
        re.compile(r"Invalid kube-config file\. No configuration found|No active cluster!"),
        _ways("KUBECONFIG"),
    ),
    # the Azure identity library
    (
        re.compile(r"EnvironmentCredential is unavailable|DefaultAzureCredential failed to retrieve a token"),
        _ways("AZURE_CLIENT_ID AZURE_TENANT_ID AZURE_CLIENT_SECRET"),
    ),
)


# Variables that libraries read for every program that uses them.
LIBRARY_VARIABLES: Final = frozenset(
    name.text for _, ways in _KNOWN for way in ways for name in way if name.form is Form.VARIABLE
)


def library_demands(statement: Statement) -> tuple[Demand, ...]:
    """What a library in the server asks for in this statement."""
    return tuple(
        Demand(statement.text.strip()[:400], Strength.REQUIRED, ways)
        for pattern, ways in _KNOWN
        if pattern.search(statement.text) or pattern.search(statement.exception)
    )
