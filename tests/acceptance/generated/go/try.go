// What an application does by the client that oapi-codegen makes of the document.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"example.com/try/corbel"
)

func main() {
	withKey := corbel.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("x-api-key", os.Getenv("CORBEL_KEY"))
		return nil
	})
	client, err := corbel.NewClientWithResponses(os.Getenv("CORBEL_URL"), withKey)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	sort := "views"

	page := func(cursor *string, limit int) corbel.DocumentList {
		params := &corbel.ListDocumentsParams{Sort: &sort, Limit: &limit, Cursor: cursor}
		answer, err := client.ListDocumentsWithResponse(ctx, "posts", params)
		if err != nil {
			log.Fatal(err)
		}
		if answer.JSON200 == nil {
			log.Fatalf("%s: %s", answer.Status(), answer.Body)
		}
		return answer.JSON200.Data
	}

	first := page(nil, 100)

	input := corbel.DocumentInput{"title": "Six", "views": 6}
	made, err := client.CreateDocumentWithResponse(ctx, "posts", nil, input)
	if err != nil {
		log.Fatal(err)
	}
	if made.JSON201 == nil {
		log.Fatalf("%s: %s", made.Status(), made.Body)
	}
	document := made.JSON201.Data

	pages := [][]any{}
	for cursor := (*string)(nil); ; {
		data := page(cursor, 4)
		pages = append(pages, titles(data.Items))
		if cursor = data.NextCursor; cursor == nil {
			break
		}
	}

	refused, err := client.ListDocumentsWithResponse(ctx, "nothing", nil)
	if err != nil {
		log.Fatal(err)
	}
	if refused.JSON404 == nil {
		log.Fatalf("%s: %s", refused.Status(), refused.Body)
	}

	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"listed":    titles(first.Items),
		"total":     first.Total,
		"created":   document.AdditionalProperties["title"],
		"createdIn": document.CreatedAt.Year(),
		"pages":     pages,
		"refused":   []any{refused.StatusCode(), refused.JSON404.Code},
	})
}

func titles(documents []corbel.ShownDocument) []any {
	found := []any{}
	for _, document := range documents {
		found = append(found, document.AdditionalProperties["title"])
	}
	return found
}
