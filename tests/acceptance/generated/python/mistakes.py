"""Mistakes that mypy must refuse. It fails if an expected error does not occur."""

import corbel

posts = corbel.PostsApi()

# A number is not a text.
posts.posts_list(views_gt="3")  # type: ignore[arg-type]

# There is no filter of that name.
posts.posts_list(views_above=3)  # type: ignore[call-arg]

# A title is required.
corbel.PostsCreate(slug="six")  # type: ignore[call-arg]

# Tags are texts.
corbel.PostsCreate(title="Six", tags=[6])  # type: ignore[list-item]

# No such field is declared.
corbel.PostsCreate(title="Six", veiws=6)  # type: ignore[call-arg]
posts.posts_get("66f1a0c2e4b0a1b2c3d4e5f6").data.headline  # type: ignore[attr-defined]

# There is no collection of that name.
corbel.PoetsApi()  # type: ignore[attr-defined]
