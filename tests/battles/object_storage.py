"""A server that speaks S3, over HTTP on the loopback or a bridge of namespaces, for tests of files in object storage.

It is moto's: it keeps objects in memory, checks no signatures unless told to count requests, and is stricter about
nothing. What it cannot show is a real store's throttling, eventual listings, and rules of buckets.
"""

from __future__ import annotations

import socket
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from moto.server import ThreadedMotoServer

BUCKET = "arena"
#: boto3 asks for keys before it asks the server for anything.
KEYS = {"AWS_ACCESS_KEY_ID": "the-key-of-the-tests", "AWS_SECRET_ACCESS_KEY": "the-secret-of-the-tests"}


class ObjectServer:
    """One server, and the storage settings that point at it."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self._server = ThreadedMotoServer(ip_address=address, port=0, verbose=False)
        self._server.start()
        self.endpoint = "http://{}:{}".format(*self._server.get_host_and_port())
        self.client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
        )
        self.client.create_bucket(Bucket=BUCKET)

    @property
    def url(self) -> str:
        """As ``ARENA_FRAMES_URL`` has it."""
        return f"s3://{BUCKET}/of/this-arena?endpoint={self.endpoint}"

    def storage(self, **other: Any) -> dict[str, Any]:
        """An entry of ``STORAGES``."""
        options = {
            "bucket_name": BUCKET,
            "location": "of/this-arena",
            "endpoint_url": self.endpoint,
            "region_name": "us-east-1",
        }
        return {"BACKEND": "governance.object_storage.ObjectStore", "OPTIONS": options | other}

    def keys(self) -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
        return [entry["Key"] for page in pages for entry in page.get("Contents", ())]

    def deny(self) -> None:
        """Check keys from here on; nobody has any."""
        self._post("/moto-api/reset-auth", b"0")

    def allow(self) -> None:
        self._post("/moto-api/reset-auth", b"inf")

    def empty(self) -> None:
        for key in self.keys():
            self.client.delete_object(Bucket=BUCKET, Key=key)

    def stop(self) -> None:
        self._server.stop()

    def _post(self, path: str, body: bytes) -> None:
        asked = urllib.request.Request(self.endpoint + path, data=body, headers={"Content-Type": "text/plain"})
        with urllib.request.urlopen(asked) as answer:
            answer.read()


@contextmanager
def object_server(address: str = "127.0.0.1") -> Iterator[ObjectServer]:
    server = ObjectServer(address)
    try:
        yield server
    finally:
        server.stop()


def refusing_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def missing(use: Callable[..., object], server: ObjectServer) -> None:
    use(bucket_name="nobody-made-this")


def denied(use: Callable[..., object], server: ObjectServer) -> None:
    server.deny()


def away(use: Callable[..., object], server: ObjectServer) -> None:
    use(endpoint_url=f"http://127.0.0.1:{refusing_port()}")


#: What can be wrong with a storage, by what an error says of it. ``use`` points the settings at another one.
FAULTS = {missing: "does not exist", denied: "denies access", away: "does not answer"}
