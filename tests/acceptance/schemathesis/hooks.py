"""What schemathesis is told of the server that it asks."""

import json
import os

import schemathesis
from hypothesis import strategies
from schemathesis.core.parameters import ParameterLocation

# Pieces of an upload are any bytes.
schemathesis.openapi.media_type("application/offset+octet-stream", strategies.binary(max_size=64))

# By operation and parameter, and by parameter alone: values that exist. Each is used once in turn,
# so that what is deleted by one request is not missed by the next.
STOCK = json.loads(os.environ["CORBEL_STOCK"])
used = {}


def operation_of(case):
    return case.operation.definition.raw["operationId"]


@schemathesis.hook
def before_call(context, case, kwargs):
    """A path that the document allows leads to what there is; one that it forbids stays."""
    if case.meta is None or case.meta.is_negative_at(ParameterLocation.PATH):
        return
    operation = operation_of(case)
    for name in case.path_parameters or {}:
        values = STOCK.get(f"{operation} {name}", STOCK.get(name))
        if values:
            at = used.get((operation, name), 0)
            used[operation, name] = at + 1
            case.path_parameters[name] = values[at % len(values)]


# A language of its own, in words of the collection's definition, and parameters that exclude each
# other.
QUERIES = {
    "listDocuments": "",
    "getDocument": "",
    "listProjectDocuments": "",
    "getProjectDocument": "",
    "aggregateDocuments": "",
    "aggregateProjectDocuments": "",
    "createDocument": '"upsert" names',
    "createProjectDocument": '"upsert" names',
    "createLiveTicket": "",
    "exportDocumentsAsCsv": "",
    "exportDocumentsAsJson": "",
    "saveView": "",
}

# What no schema can say, and why: by code, for all operations or for some, with what the refusal
# then tells of.
UNSAYABLE = {
    # Texts that the server signed or gave out.
    "INVALID_CURSOR": None,
    "INVALID_STATE": None,
    "EXCHANGE_CODE_INVALID": None,
    # A code that was sent, and a password.
    "INVALID_CODE": None,
    "WRONG_PASSWORD": None,
    # What is stored: a project's name, its plan, its storage, its providers, a request of before, a
    # file.
    "PROJECT_NAME_MISMATCH": None,
    "PICTURE_UNUSABLE": None,
    "FILE_TOO_LARGE": None,
    "PROVIDER_NOT_CONFIGURED": None,
    "SITE_URL_MISSING": None,
    "IDEMPOTENCY_KEY_REUSED": None,
    # What a collection's definition asks of documents and questions, and what is asked of names at
    # any depth.
    "SEARCH_NOT_DECLARED": None,
    "INVALID_DOCUMENT": None,
    "FIELD_READ_ONLY": None,
    "INVALID_QUERY": QUERIES,
    "UNKNOWN_OPERATOR": QUERIES,
    # What parts of a definition ask of each other.
    "INVALID_DEFINITION": None,
    # A list of words.
    "INVALID_PASSWORD": None,
    # Addresses as browsers read them, e-mails in their normal form, and names of time zones.
    "INVALID_RETURN_TO": None,
    "INVALID_BODY": {
        # Fields that a project declares for its users, too.
        "patchMe": "",
        "registerAccount": '"email"',
        "inviteMember": '"email"',
        "signUp": "",
        "createUser": "",
        "createProjectUser": "",
        "patchUser": "",
        "patchProjectUser": "",
        "resendVerification": "one plain address",
        "requestPasswordReset": "one plain address",
        "requestCode": "one plain address",
        "changeEmail": "one plain address",
        "resendAccountVerification": "one plain address",
        "requestAccountPasswordReset": "one plain address",
        "changeAccountEmail": "one plain address",
        "updateProfile": "",
        "buildQuery": '"timeZone"',
        # Who owns it.
        "offerOwnership": "already",
        # Addresses too, of mail servers and of languages, and texts of which there must be one.
        "sendMail": "",
        "setProjectMail": "",
        "setMailTemplate": 'Send "html" or "text"',
        "previewMailTemplate": "",
    },
    # A header's pattern, which the tool's own edge cases do not hold to.
    "INVALID_UPLOAD": {"resumeUpload": "Upload-Checksum must be"},
    # Addresses too, and settings that need each other or stored ones.
    "INVALID_INPUT": {
        "createProject": "must be https",
        "patchProject": "must be https",
        "setProjectStorage": "",
        "checkProjectStorage": "",
        "setProvider": "",
        "setProjectMail": "",
        "checkProjectMail": "",
        "setMailTemplate": "must be named",
        "deleteMailTemplate": "must be named",
        # A file without a row.
        "importDocuments": "no rows",
        # Collections that there are, too.
        "createWebhook": "",
        "updateWebhook": "",
    },
}


@schemathesis.check
def allowed_data_is_taken(context, response, case):
    """In the place of positive_data_acceptance, which knows statuses only, and not their codes."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return None
    if response.status_code not in (400, 413, 415, 422):
        return None
    refusal = response.json()
    operations = UNSAYABLE.get(refusal["code"], {})
    if operations is not None:
        told = operations.get(operation_of(case))
        if told is None or told not in refusal["message"]:
            raise AssertionError(f"The document allows what is refused: {refusal['message']}")
    return None
