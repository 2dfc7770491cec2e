package main

import (
	"context"
	"errors"

	"segel/internal/api"
	"segel/internal/contract"
	"segel/internal/workflow"
)

// wire is the workflow as the api takes it: the same verbs, with the api's own names for what streams.
type wire struct{ *workflow.Service }

func (w wire) Stage(ctx context.Context) (api.Staging, error) {
	s, err := w.Service.Stage(ctx)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (w wire) Upload(ctx context.Context, by contract.Actor, r api.UploadRequest) (contract.Document, error) {
	file, ok := r.File.(*workflow.Staging)
	if !ok {
		return contract.Document{}, errors.New("upload of a file that was staged elsewhere")
	}
	return w.Service.Upload(ctx, by, workflow.UploadRequest{
		Title: r.Title, Filename: r.Filename, Parallel: r.Parallel, People: r.People, ExpiresAt: r.ExpiresAt, File: file,
	})
}

func (w wire) Preview(ctx context.Context, by contract.Actor, id contract.DocumentID) (*api.Content, error) {
	return content(w.Service.Preview(ctx, by, id))
}

func (w wire) Download(ctx context.Context, by contract.Actor, id contract.DocumentID) (*api.Content, error) {
	return content(w.Service.Download(ctx, by, id))
}

func (w wire) Original(ctx context.Context, by contract.Actor, id contract.DocumentID) (*api.Content, error) {
	return content(w.Service.Original(ctx, by, id))
}

func content(c *workflow.Content, err error) (*api.Content, error) {
	if err != nil {
		return nil, err
	}
	return &api.Content{ReadSeekCloser: c, Name: c.Name, Digest: c.Digest, Modified: c.Modified, Specimen: c.Document.Specimen}, nil
}
