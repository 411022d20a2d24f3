"""Where the service listens, and to whom it answers."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field

from vicinal.exceptions import ParameterError
from vicinal.explorer.limits import Limits

_LOOPBACK_NAMES = ("localhost",)
_SHORTEST_TOKEN = 16


@dataclass(frozen=True)
class ServiceSettings:
    """Where the service listens, and to whom it answers.

    Parameters
    ----------
    host : str
        Address to listen on; by default only this machine can connect.
    port : int
        Port; 0 for any that is free.
    token : str, optional
        What requests have to bring along. It is required unless the host is a loopback address.
    hosts : tuple of str
        Names by which the service may be called, besides those of the loopback.
    pages : bool
        Whether to serve the pages of the explorer.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    token: str | None = field(default=None, repr=False)
    hosts: tuple[str, ...] = ()
    pages: bool = True
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.token is not None and len(self.token) < _SHORTEST_TOKEN:
            raise ParameterError(
                f"The token has {len(self.token)} characters; expected at least "
                f"{_SHORTEST_TOKEN}, such as {secrets.token_urlsafe(24)}."
            )
        if self.token is not None and not (self.token.isascii() and self.token.isprintable()):
            raise ParameterError("The token has characters that headers cannot hold; use ASCII.")
        if not self.loopback and self.token is None:
            raise ParameterError(
                f"Listening on {self.host} lets other machines connect, which needs a token: set "
                "VICINAL_TOKEN, or use --token-file. Without one, listen on 127.0.0.1."
            )

    @property
    def loopback(self) -> bool:
        """Whether only this machine can connect."""
        return is_loopback(self.host)

    def answers_to(self, host: str) -> bool:
        """Tell whether a request may call the service by this name (without the port).

        A page of another site can make its own name mean 127.0.0.1, and its requests would then
        count as its own; but it cannot change the name that they bring along.
        """
        if host.lower() in (one.lower() for one in self.hosts):
            return True
        return is_loopback(host) if self.loopback else not self.hosts


def is_loopback(host: str) -> bool:
    """Tell whether an address or name is that of this machine alone.

    Examples
    --------
    >>> from vicinal.explorer.http.settings import is_loopback
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host.lower() in _LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
