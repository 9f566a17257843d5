"""What an application does by the client that openapi-python-client makes of the document."""

import json
import os

from corbel import AuthenticatedClient
from corbel.api.documents import create_document, list_documents
from corbel.models import (
    CreateDocumentAnswer,
    DocumentInput,
    ListDocumentsAnswer,
    ListDocumentsResponse404,
)
from corbel.types import UNSET

client = AuthenticatedClient(
    base_url=os.environ["CORBEL_URL"],
    token=os.environ["CORBEL_KEY"],
    prefix="",
    auth_header_name="x-api-key",
)


def page(cursor, limit):
    answer = list_documents.sync(
        "posts", client=client, sort="views", limit=limit, cursor=cursor
    )
    assert isinstance(answer, ListDocumentsAnswer), answer
    return answer.data


def titles(documents):
    return [document["title"] for document in documents]


first = page(UNSET, 100)

made = create_document.sync(
    "posts", client=client, body=DocumentInput.from_dict({"title": "Six", "views": 6})
)
assert isinstance(made, CreateDocumentAnswer), made

pages = []
cursor = UNSET
while cursor is not None:
    data = page(cursor, 4)
    pages.append(titles(data.items))
    cursor = data.next_cursor

refused = list_documents.sync_detailed("nothing", client=client)
assert isinstance(refused.parsed, ListDocumentsResponse404), refused

print(
    json.dumps(
        {
            "listed": titles(first.items),
            "total": first.total,
            "created": made.data["title"],
            "createdIn": made.data.created_at.year,
            "pages": pages,
            "refused": [refused.status_code, refused.parsed.code],
        }
    )
)
