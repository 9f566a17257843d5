"""Uses the client that OpenAPI Generator makes from a project's document."""

import json
import os

import corbel

configuration = corbel.Configuration(
    host=os.environ["CORBEL_URL"], api_key={"apiKey": os.environ["CORBEL_KEY"]}
)
client = corbel.ApiClient(configuration)
posts = corbel.PostsApi(client)
comments = corbel.CommentsApi(client)


def titles(page: corbel.PostsList) -> list[str]:
    return [post.title for post in page.items]


first = posts.posts_list(sort="views", limit=100).data
filtered = posts.posts_list(sort="views", views_gt=3).data

where = corbel.PostsWhere(
    var_or=[
        corbel.PostsWhere(
            views=corbel.NumberFilter(corbel.NumberCondition(gt=4))
        ),
        corbel.PostsWhere(title=corbel.StringFilter("One")),
    ]
)
asked = posts.posts_list(sort="views", where=where.to_json()).data

six = corbel.PostsCreate(
    title="Six",
    slug="six",
    views=16_777_217,
    tags=["new"],
    place=corbel.PostsCreatePlace(city="Bern"),
)
post = posts.posts_create(six).data

pages = []
page = posts.posts_list(sort="views", limit=4).data
pages.append(titles(page))
while page.next_cursor is not None:
    page = posts.posts_list(sort="views", limit=4, cursor=page.next_cursor).data
    pages.append(titles(page))

more = corbel.NumberOperator(corbel.NumberOperatorAnyOf(inc=1))
patch = corbel.PostsPatch(views=corbel.OptionalNumberChange(more))
patched = posts.posts_patch(post.id, patch).data

comments.comments_create(corbel.CommentsCreate(post_id=post.id, text="First"))
found = comments.comments_list(post_id=post.id, populate="postId").data
commented = found.items[0].post_id.actual_instance
assert isinstance(commented, corbel.PostsShownDocument), commented

try:
    posts.posts_create(six)
    raise AssertionError("nothing was refused")
except corbel.exceptions.ConflictException as conflict:
    refused = conflict
refusal = refused.data
assert refusal is not None, refused

print(
    json.dumps(
        {
            "listed": titles(first),
            "total": first.total,
            "filtered": titles(filtered),
            "asked": titles(asked),
            "created": [post.title, post.tags, post.place and post.place.city],
            "createdIn": post.created_at.year,
            "pages": pages,
            "patched": patched.views,
            "commented": commented.title,
            "refused": [refused.status, refusal.code],
        }
    )
)
