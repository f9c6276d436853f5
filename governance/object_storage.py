"""Files in object storage that speaks S3: the same names as on a disk, and errors that say what an operator can do.

Nothing here ever makes an address of a file: whoever may have it gets it from the site, which asks the store itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from typing import Any, NoReturn

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files import File
from django.core.files.base import ContentFile
from storages.backends.s3 import S3Storage

#: Bytes that are read at once of what is passed on.
PIECE = 256 * 1024


class ObjectStoreAway(OSError):
    """The object storage refused or did not answer; ``strerror`` says which, and names neither keys nor addresses."""


class ObjectBody:
    """An object's bytes as they arrive; ``size`` of them if nothing breaks off.

    Raises, from reading:
        ObjectStoreAway: the storage broke off.
    """

    def __init__(self, answer: dict[str, Any]) -> None:
        self.size = int(answer["ContentLength"])
        self._body = answer["Body"]

    def read(self, size: int = -1) -> bytes:
        try:
            return bytes(self._body.read(None if size < 0 else size))
        except (BotoCoreError, OSError) as error:
            raise ObjectStoreAway(None, "the object storage broke off in the middle of a file") from error

    def close(self) -> None:
        self._body.close()


class ObjectStore(S3Storage):  # type: ignore[misc]
    """One object a file. An object appears whole or not at all, which is what S3 promises of a single PUT.

    Credentials are those of the usual ``AWS_*`` variables and are not kept here.

    Args:
        bucket_name: exists already, and is not readable by strangers.
        location: what the names of all objects begin with, or nothing.
        endpoint_url: of the server; None for Amazon's.
        region_name: where the bucket is.

    Raises, from everything that asks the server:
        FileNotFoundError: there is no such object in a bucket that is there.
        ObjectStoreAway: anything else.
    """

    #: Twice these at most, with a pause in between: a race waits for its pictures, and so does whoever looks at one.
    connect_seconds, read_seconds, tries = 2, 5, 2
    #: Names in one answer to the question for all of them; no server gives more.
    page = 1000

    def __init__(self, **options: Any) -> None:
        config = Config(
            connect_timeout=self.connect_seconds,
            read_timeout=self.read_seconds,
            retries={"total_max_attempts": self.tries, "mode": "standard"},
        )
        super().__init__(client_config=config, **options)

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """The name itself: whoever keeps files here gives the same name to the same file only."""
        return name

    def url(self, *_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError("A file has no address of its own: the site serves it to whoever may have it.")

    def exists(self, name: str) -> bool:
        try:
            self.size(name)
        except FileNotFoundError:
            return False
        return True

    def size(self, name: str) -> int:
        return int(self._ask("head_object", Key=self._key(name))["ContentLength"])

    def get_modified_time(self, name: str) -> datetime:
        at: datetime = self._ask("head_object", Key=self._key(name))["LastModified"]
        return at

    def delete(self, name: str) -> None:
        """Remove an object; one that is gone already is no error."""
        self._ask("delete_object", Key=self._key(name))

    def files(self, under: str = "") -> Iterator[tuple[str, datetime]]:
        """Name and time of every object whose name begins so: no folders are walked, since there are none."""
        prefix = f"{self.location}/" if self.location else ""
        more: dict[str, str] = {}
        while True:
            page = self._ask("list_objects_v2", Prefix=prefix + under, MaxKeys=self.page, **more)
            for entry in page.get("Contents", ()):
                yield entry["Key"].removeprefix(prefix), entry["LastModified"]
            if not page.get("IsTruncated"):
                return
            more = {"ContinuationToken": page["NextContinuationToken"]}

    def probe(self) -> None:
        """Find out whether the bucket is there and may be used, by one short question."""
        self._ask("list_objects_v2", Prefix=self.location, MaxKeys=1)

    def body(self, name: str) -> ObjectBody:
        """An object to be passed on as it arrives, however large it is. Whoever asks closes it."""
        # GET, not HEAD: only its answer tells a missing object from a missing bucket.
        return ObjectBody(self._ask("get_object", Key=self._key(name)))

    def _open(self, name: str, mode: str = "rb") -> File[Any]:
        if mode != "rb":
            raise ValueError("An object is read, or saved whole.")
        with closing(self.body(name)) as body:
            return ContentFile(body.read(), name=name)

    def _save(self, name: str, content: File[Any]) -> str:
        content.seek(0)
        parameters = self._get_write_parameters(name, content)
        self._ask("put_object", Key=self._key(name), Body=content.file, **parameters)
        return name

    def _key(self, name: str) -> str:
        key: str = self._normalize_name(name)
        return key

    def _ask(self, question: str, **parameters: Any) -> dict[str, Any]:
        client = self.connection.meta.client
        try:
            answer: dict[str, Any] = getattr(client, question)(Bucket=self.bucket_name, **parameters)
        except ClientError as error:
            raise _of_answer(error, question) from error
        except BotoCoreError as error:
            # Its words have the address in them; what it is called says enough.
            raise ObjectStoreAway(None, f"the object storage does not answer ({type(error).__name__})") from error
        return answer


def _of_answer(error: ClientError, question: str) -> OSError:
    code = str(error.response.get("Error", {}).get("Code", ""))
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code == "NoSuchKey" or (question == "head_object" and status == 404):
        return FileNotFoundError(None, "there is no such object in the object storage")
    if code == "NoSuchBucket":
        return ObjectStoreAway(None, "the bucket of the object storage does not exist")
    if status in {401, 403}:
        return ObjectStoreAway(None, "the object storage denies access: see AWS_ACCESS_KEY_ID and the bucket's rules")
    return ObjectStoreAway(None, f"the object storage refused it (status {status})")
