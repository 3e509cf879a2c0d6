"""Endpoints of what people keep a list of: shown, added to and taken from, always in the same way."""

from dataclasses import dataclass

from avow.registry.api import schemas
from avow.registry.api.endpoints import Body, Endpoint, Handler, Parameter
from avow.registry.model import Role


@dataclass(frozen=True, slots=True)
class Deed:
    """One of the three things that can be done, and how the description calls it."""

    summary: str
    handler: Handler


@dataclass(frozen=True, slots=True)
class Kept:
    """A list at `/api/v1/NAME`, of documents that the schema `one` describes; `role` may do all of it."""

    name: str
    one: str
    role: Role
    shows: Deed
    adds: Deed
    takes: Deed
    body: Body
    identifier: Parameter

    @property
    def path(self) -> str:
        """Where the list is."""
        return f"/api/v1/{self.name}"

    @property
    def endpoints(self) -> tuple[Endpoint, Endpoint, Endpoint]:
        """One for each deed."""
        document = schemas.reference(self.one)
        listed = schemas.objects({self.name: schemas.lists(document)})
        return (
            Endpoint("GET", self.path, self.shows.summary, self.shows.handler, listed, role=self.role),
            Endpoint(
                "POST",
                self.path,
                self.adds.summary,
                self.adds.handler,
                document,
                role=self.role,
                body=self.body,
                statuses=(201,),
            ),
            Endpoint(
                "DELETE",
                f"{self.path}/{{{self.identifier.name}}}",
                self.takes.summary,
                self.takes.handler,
                schemas.objects({}),
                role=self.role,
                parameters=(self.identifier,),
            ),
        )
