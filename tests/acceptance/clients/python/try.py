"""Calls every public method of `urbackend` like a server of an application does.

Where a response differs from the client's documentation, the script asserts the difference, and
docs/clients.md describes it. Prints the methods that were not called.
"""

import inspect
import io
import json
import os
import pathlib
import tempfile
import warnings

import requests

from urbackend import (
    AuthError,
    NotFoundError,
    StorageError,
    UrBackendClient,
    UrBackendError,
    ValidationError,
)
from urbackend.auth import AuthModule
from urbackend.db import CollectionRef, DatabaseModule
from urbackend.mail import MailModule
from urbackend.storage import StorageModule

BASE = os.environ["CORBEL_URL"]
PUBLISHABLE_KEY = os.environ["CORBEL_PUBLISHABLE_KEY"]
SECRET_KEY = os.environ["CORBEL_SECRET_KEY"]
KEY_WITH_TEMPLATE = os.environ["CORBEL_KEY_WITH_TEMPLATE"]
# Server that controls mailboxes, a sign-in provider, and the project.
OUTSIDE = os.environ["OUTSIDE_URL"]

EMAIL = "ada@example.com"
PASSWORD = "a difference engine"
NEXT_PASSWORD = "an analytical engine"
LAST_PASSWORD = "a jacquard loom"

MODULES = [AuthModule, DatabaseModule, CollectionRef, StorageModule, MailModule, UrBackendClient]
called = set()


def record(module):
    for name, method in inspect.getmembers(module, inspect.isfunction):
        if name.startswith("_"):
            continue

        def recorded(*args, _method=method, _name=f"{module.__name__}.{name}", **options):
            called.add(_name)
            return _method(*args, **options)

        setattr(module, name, recorded)
        yield f"{module.__name__}.{name}"


PUBLIC = [name for module in MODULES for name in record(module)]


def outside(what, **query):
    return requests.get(f"{OUTSIDE}/{what}", params=query, timeout=20).json()


def connect(key):
    with warnings.catch_warnings():
        # A client warns about a secret key.
        warnings.simplefilter("ignore")
        return UrBackendClient(api_key=key, base=BASE)


def refused(kind, status, call, *args, **options):
    try:
        call(*args, **options)
    except UrBackendError as error:
        assert type(error) is kind, repr(error)
        assert error.status_code == status, repr(error)
        assert error.message != "An unexpected error occurred", repr(error)
    else:
        raise AssertionError(f"{call} was not refused")


def try_auth():
    client, stranger = connect(PUBLISHABLE_KEY), connect(PUBLISHABLE_KEY)
    auth = client.auth

    # A session with a user that matches the documentation.
    session = auth.sign_up(email=EMAIL, password=PASSWORD, username="ada", name="Ada")
    assert set(session) == {"accessToken", "token", "expiresIn", "userId", "user"}, session
    user = session["user"]
    assert (user["_id"], user["email"]) == (session["userId"], EMAIL), user
    assert (user["username"], user["name"]) == ("ada", "Ada"), user
    refused(UrBackendError, 409, stranger.auth.sign_up, EMAIL, PASSWORD)

    otp = outside("code", to=EMAIL)
    assert stranger.auth.verify_email(EMAIL, otp) == {"message": "E-mail verified"}
    refused(ValidationError, 400, stranger.auth.verify_email, EMAIL, otp)

    refused(AuthError, 401, auth.me)
    refused(AuthError, 401, auth.login, EMAIL, "not this one")
    session = auth.login(EMAIL, PASSWORD)
    assert session["token"] == session["accessToken"] == auth.get_token()
    assert session["expiresIn"] == 900
    assert auth.me()["emailVerified"] is True

    assert auth.update_profile({"name": "Ada Lovelace"})["message"] == "User changed"
    # Changing an e-mail requires a code, and this client does not have that operation.
    refused(ValidationError, 400, auth.update_profile, {"email": "countess@example.com"})
    assert (auth.me()["name"], auth.me()["email"]) == ("Ada Lovelace", EMAIL)
    profile = stranger.auth.public_profile("ada")
    assert (profile["name"], "email" in profile) == ("Ada Lovelace", False), profile
    refused(NotFoundError, 404, stranger.auth.public_profile, "nobody")

    refused(ValidationError, 400, auth.change_password, "not this one", NEXT_PASSWORD)
    assert auth.change_password(PASSWORD, NEXT_PASSWORD) == {"message": "Password changed"}
    assert auth.me()["email"] == EMAIL

    # The client's session stores the refresh token as a cookie.
    auth.set_token("expired")
    assert auth.refresh_token()["accessToken"] == auth.get_token() != "expired"
    assert auth.me()["email"] == EMAIL
    refused(AuthError, 401, stranger.auth.refresh_token)
    refused(AuthError, 401, stranger.auth.refresh_token, "no.token")

    said = stranger.auth.request_password_reset(EMAIL)
    # The response does not reveal unknown addresses by a NotFoundError.
    assert stranger.auth.request_password_reset("nobody@example.com") == said
    otp = outside("code", to=EMAIL)
    assert stranger.auth.reset_password(EMAIL, otp, LAST_PASSWORD) == {"message": "Password reset"}
    refused(AuthError, 401, auth.me)
    auth.login(EMAIL, LAST_PASSWORD)

    token = auth.get_token()
    assert auth.logout() == {"success": True, "message": "Signed out"}
    assert auth.get_token() is None
    refused(AuthError, 401, stranger.auth.me, token)
    refused(AuthError, 401, auth.refresh_token)

    outside("unverified", email="bob@example.com", password=PASSWORD)
    stranger.auth.resend_verification_otp("bob@example.com")
    otp = outside("code", to="bob@example.com")
    assert stranger.auth.verify_email("bob@example.com", otp) == {"message": "E-mail verified"}

    address = auth.social_start_url("github")
    started = requests.get(address, allow_redirects=False, timeout=20)
    assert started.status_code == 302, started.text
    back = outside("return")
    exchanged = auth.social_exchange(back["rtCode"], back["token"])
    refused(ValidationError, 400, auth.social_exchange, back["rtCode"], back["token"])
    renewed = auth.refresh_token(exchanged["refreshToken"])
    assert renewed["refreshToken"] != exchanged["refreshToken"]
    assert auth.me()["emailVerified"] is True
    client.close()


def try_database():
    client, stranger, server = connect(PUBLISHABLE_KEY), connect(PUBLISHABLE_KEY), connect(SECRET_KEY)
    db = client.db
    token = client.auth.sign_up("writer@example.com", PASSWORD)["accessToken"]
    author = server.db.insert("authors", {"name": "Mary"})

    data = {"title": "One", "views": 1, "tags": ["a"], "author": author["_id"]}
    post = db.insert("posts", data, token=token)
    assert {name: post[name] for name in data} == data, post
    assert stranger.db.get_one("posts", post["_id"]) == post
    for shown in (
        stranger.db.get_one("posts", post["_id"], populate="author"),
        stranger.db.get_one("posts", post["_id"], expand=["author"]),
    ):
        assert shown["author"]["name"] == "Mary", shown
    patched = db.patch("posts", post["_id"], {"views": 2}, token=token)
    assert (patched["title"], patched["views"]) == ("One", 2), patched
    replaced = db.update("posts", post["_id"], {"title": "First"}, token=token)
    assert replaced["title"] == "First" and "views" not in replaced, replaced
    refused(AuthError, 401, db.patch, "posts", post["_id"], {"views": 3})
    refused(ValidationError, 400, db.insert, "posts", {"views": 3}, token=token)
    assert db.delete("posts", post["_id"], token=token) == {"deleted": True}
    refused(NotFoundError, 404, db.get_one, "posts", post["_id"])
    refused(NotFoundError, 404, db.delete, "posts", post["_id"], token=token)

    posts = db.collection("posts")
    for views, title in enumerate(["One", "Two", "Three"], 1):
        posts.insert(
            {"title": title, "views": views, "published": views > 1, "tags": [title]}, token=token
        )

    def titles(**options):
        return [post["title"] for post in db.get_all("posts", **options)]

    assert titles(sort="createdAt:desc") == ["Three", "Two", "One"]
    assert titles(sort="-views", limit=1, page=2) == ["Two"]
    assert titles(sort="-views", limit=2, skip=1) == ["Two", "One"]
    assert titles(filter={"views_gte": 2}, sort="views") == ["Two", "Three"]
    # Python's constants for booleans and null.
    assert titles(filter={"published": False}) == ["One"]
    assert titles(filter={"title_in": ["One", "Two"]}, sort="views") == ["One", "Two"]
    assert titles(populate=["author"], sort="views") == ["One", "Two", "Three"]
    assert [post["title"] for post in posts.find({"published": True}, sort="views")] == [
        "Two",
        "Three",
    ]
    assert db.count("posts") == 3
    assert db.count("posts", filter={"views_gt": 1}) == 2
    # A list never omits rows silently.
    refused(ValidationError, 400, db.get_all, "posts", limit=1001)
    # The client converts a 404.
    assert (db.get_all("nothing"), db.count("nothing")) == ([], 0)

    note = db.insert("notes", {"text": "Mine"}, token=token)
    assert [one["_id"] for one in db.get_all("notes", token=token)] == [note["_id"]]
    refused(AuthError, 401, db.get_all, "notes")


def try_storage():
    storage, page = connect(SECRET_KEY).storage, connect(PUBLISHABLE_KEY).storage
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "hello.txt"
        path.write_bytes(b"Hello")
        with path.open("rb") as file:
            for given in (b"Hello", io.BytesIO(b"Hello"), file, path, str(path)):
                stored = storage.upload(given, filename="hello.txt")
                assert stored["provider"] == "internal", stored
                assert requests.get(stored["url"], timeout=20).content == b"Hello"
                assert storage.delete_file(stored["path"]) == {"deleted": True}
                refused(StorageError, 404, storage.delete_file, stored["path"])
    refused(StorageError, 403, page.upload, b"Hello")


def try_mail():
    mail = connect(SECRET_KEY).mail
    sent = mail.send("one@example.com", subject="Hello", text="There")
    assert (sent["provider"], type(sent["monthlyLimit"])) == ("default", int), sent
    assert outside("mail", to="one@example.com")["text"].strip() == "There"
    to = ["two@example.com", "three@example.com"]
    both = mail.send(to, subject="Hello", html="<p>There</p>")
    assert both["monthlyUsage"] == sent["monthlyUsage"] + 2, both
    templated = {"template_name": "welcome", "variables": {"name": "Ada", "projectName": "Acme"}}
    connect(KEY_WITH_TEMPLATE).mail.send("four@example.com", **templated)
    assert outside("mail", to="four@example.com")["subject"] == "Welcome to Acme"
    # Templates are those of the project, which has none at first.
    refused(NotFoundError, 404, mail.send, "five@example.com", **templated)
    # Only the project's owner sets the sender of mails, and each has one recipient.
    for beside in (
        {"from_address": "me@example.com"},
        {"cc": ["six@example.com"]},
        {"bcc": ["six@example.com"]},
    ):
        refused(
            ValidationError, 400, mail.send, "five@example.com", subject="Hello", text="There", **beside
        )
    refused(AuthError, 403, connect(PUBLISHABLE_KEY).mail.send, "five@example.com", **templated)


def try_client():
    with connect(PUBLISHABLE_KEY) as client:
        refused(AuthError, 401, client.db.get_all, "notes")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            assert client.connect(SECRET_KEY, base=BASE) is client
        assert len(told) == 1
        client.db.get_all("notes")
        try:
            client.auth.social_start_url("github")
        except ValueError:
            pass
        else:
            raise AssertionError("a secret key belongs into no address")


try_auth()
try_database()
try_storage()
try_mail()
try_client()
print(json.dumps({"methods": len(PUBLIC), "missed": sorted(set(PUBLIC) - called)}))
