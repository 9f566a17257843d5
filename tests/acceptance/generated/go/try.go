// Uses the client that OpenAPI Generator makes from a project's document.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"

	"example.com/try/corbel"
)

func main() {
	configuration := corbel.NewConfiguration()
	configuration.Servers = corbel.ServerConfigurations{{URL: os.Getenv("CORBEL_URL")}}
	client := corbel.NewAPIClient(configuration)
	keys := map[string]corbel.APIKey{"apiKey": {Key: os.Getenv("CORBEL_KEY")}}
	ctx := context.WithValue(context.Background(), corbel.ContextAPIKeys, keys)

	list := func(request corbel.ApiPostsListRequest) corbel.PostsList {
		answer, _, err := request.Sort("views").Execute()
		check(err)
		return answer.Data
	}
	posts := func() corbel.ApiPostsListRequest { return client.PostsAPI.PostsList(ctx) }

	first := list(posts().Limit(100))
	filtered := list(posts().ViewsGt(3))

	four, one := 4.0, "One"
	where, err := json.Marshal(corbel.PostsWhere{Or: []corbel.PostsWhere{
		{Views: &corbel.NumberFilter{NumberCondition: &corbel.NumberCondition{Gt: &four}}},
		{Title: &corbel.StringFilter{String: &one}},
	}})
	check(err)
	asked := list(posts().Where(string(where)))

	tag := "new"
	six := corbel.NewPostsCreate("Six")
	six.SetSlug("six")
	six.SetViews(16_777_217)
	six.SetTags([]*string{&tag})
	six.SetPlace(*corbel.NewPostsCreatePlace("Bern"))
	made, _, err := client.PostsAPI.PostsCreate(ctx).PostsCreate(*six).Execute()
	check(err)
	post := made.Data

	pages := [][]string{}
	for request := posts().Limit(4); ; {
		page := list(request)
		pages = append(pages, titles(page))
		cursor := page.NextCursor.Get()
		if cursor == nil {
			break
		}
		request = request.Cursor(*cursor)
	}

	more := &corbel.NumberOperator{NumberOperatorAnyOf: corbel.NewNumberOperatorAnyOf(1)}
	patch := corbel.PostsPatch{Views: &corbel.OptionalNumberChange{NumberOperator: more}}
	patched, _, err := client.PostsAPI.PostsPatch(ctx, post.Id).PostsPatch(patch).Execute()
	check(err)

	comment := *corbel.NewCommentsCreate(post.Id, "First")
	_, _, err = client.CommentsAPI.CommentsCreate(ctx).CommentsCreate(comment).Execute()
	check(err)
	comments, _, err := client.CommentsAPI.CommentsList(ctx).PostId(post.Id).Populate("postId").Execute()
	check(err)
	commented := comments.Data.Items[0].PostId.PostsShownDocument

	_, response, err := client.PostsAPI.PostsCreate(ctx).PostsCreate(*six).Execute()
	var refused *corbel.GenericOpenAPIError
	if !errors.As(err, &refused) {
		log.Fatal("nothing was refused")
	}
	var refusal corbel.Refusal
	check(json.Unmarshal(refused.Body(), &refusal))

	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"listed":    titles(first),
		"total":     first.Total,
		"filtered":  titles(filtered),
		"asked":     titles(asked),
		"created":   []any{post.Title, post.Tags, post.Place.City},
		"createdIn": post.CreatedAt.Year(),
		"pages":     pages,
		"patched":   patched.Data.Views.Get(),
		"commented": commented.Title,
		"refused":   []any{response.StatusCode, refusal.Code},
	}))
}

func titles(page corbel.PostsList) []string {
	found := []string{}
	for _, post := range page.Items {
		found = append(found, post.Title)
	}
	return found
}

// Ends the program on an error, with the response of a refusal.
func check(err error) {
	var refused *corbel.GenericOpenAPIError
	if errors.As(err, &refused) {
		log.Fatalf("%s: %s", err, refused.Body())
	}
	if err != nil {
		log.Fatal(err)
	}
}
