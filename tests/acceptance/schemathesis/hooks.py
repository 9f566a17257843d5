"""Adapts schemathesis to Corbel: existing path values, and refusals that no schema describes."""

import json
import os

import schemathesis
from hypothesis import strategies
from schemathesis.core.parameters import ParameterLocation

# The parts of an upload are arbitrary bytes.
schemathesis.openapi.media_type("application/offset+octet-stream", strategies.binary(max_size=64))

# Existing values by operation and parameter, or by parameter alone. They are used in turn, because
# a request may delete the record.
STOCK = json.loads(os.environ["CORBEL_STOCK"])
used = {}


def operation_of(case):
    return case.operation.definition.raw["operationId"]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Replaces path parameters by existing values, unless the path is meant to be invalid."""
    if case.meta is None or case.meta.is_negative_at(ParameterLocation.PATH):
        return
    operation = operation_of(case)
    for name in case.path_parameters or {}:
        values = STOCK.get(f"{operation} {name}", STOCK.get(name))
        if values:
            at = used.get((operation, name), 0)
            used[operation, name] = at + 1
            case.path_parameters[name] = values[at % len(values)]


# Queries depend on the collection's definition, and some of their parameters exclude each other.
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

# Refusals for reasons that no schema can describe, by code: for all operations (None), or by
# operation with a part of the message.
UNSAYABLE = {
    # Texts that the server issued.
    "INVALID_CURSOR": None,
    "INVALID_STATE": None,
    "EXCHANGE_CODE_INVALID": None,
    # A mailed code, and a password.
    "INVALID_CODE": None,
    "WRONG_PASSWORD": None,
    # Stored data: a project's name, plan, storage and providers, an earlier request, a file.
    "PROJECT_NAME_MISMATCH": None,
    "PICTURE_UNUSABLE": None,
    "FILE_TOO_LARGE": None,
    "PROVIDER_NOT_CONFIGURED": None,
    "SITE_URL_MISSING": None,
    "IDEMPOTENCY_KEY_REUSED": None,
    # Rules of a collection's definition for documents and queries, and rules for nested names.
    "SEARCH_NOT_DECLARED": None,
    "INVALID_DOCUMENT": None,
    "FIELD_READ_ONLY": None,
    "INVALID_QUERY": QUERIES,
    "UNKNOWN_OPERATOR": QUERIES,
    # Rules between the parts of a definition.
    "INVALID_DEFINITION": None,
    # A list of common passwords.
    "INVALID_PASSWORD": None,
    # Addresses as browsers parse them, normalized e-mails, and names of time zones.
    "INVALID_RETURN_TO": None,
    "INVALID_BODY": {
        # Includes the user fields of a project.
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
        # The current owner.
        "offerOwnership": "already",
        # Addresses, mail servers, languages, and bodies that require one of two texts.
        "sendMail": "",
        "setProjectMail": "",
        "setMailTemplate": 'Send "html" or "text"',
        "previewMailTemplate": "",
    },
    # The pattern of a header, which the tool's edge cases ignore.
    "INVALID_UPLOAD": {"resumeUpload": "Upload-Checksum must be"},
    # Addresses, and settings that require each other or stored ones.
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
        # A file without rows.
        "importDocuments": "no rows",
        # Includes the existing collections.
        "createWebhook": "",
        "updateWebhook": "",
    },
}


@schemathesis.check
def allowed_data_is_taken(context, response, case):
    """Replaces positive_data_acceptance, which considers only the status and not the code."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return None
    if response.status_code not in (400, 413, 415, 422):
        return None
    refusal = response.json()
    operations = UNSAYABLE.get(refusal["code"], {})
    if operations is not None:
        reason = operations.get(operation_of(case))
        if reason is None or reason not in refusal["message"]:
            raise AssertionError(f"The document allows a refused request: {refusal['message']}")
    return None
