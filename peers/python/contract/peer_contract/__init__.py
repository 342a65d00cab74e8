"""Shared parts of the adapters of Python SDKs: the peer contract, and nothing of any SDK.

::

    __main__ of a peer ── roles.run ─┬─ client         client.serve              jobs in, answers out
                                     ├─ server         script.from_environment   one session
                                     └─ server --http  host.serve                scripts in, paths served

A peer gives :mod:`~peer_contract.roles` a client made with its SDK's public API, and servers that make an
:class:`~peer_contract.offer.Offer` of SDK types. The loops, the deadlines and the JSON lines are here, so that every
version of every SDK is asked in exactly the same way.

Besides the standard library only what each of these SDKs brings itself is used: ``anyio``, and ``uvicorn`` over HTTP.
Nothing is imported before it is needed: a stdio server is started for every session.
"""
