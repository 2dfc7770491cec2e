package api

import (
	"context"
	"errors"

	"segel/internal/contract"
	"segel/internal/workflow"
)

// AdaptWorkflow adapts the workflow service to [Workflow], with stagings and contents that tests can make too.
func AdaptWorkflow(s *workflow.Service) Workflow { return workflowAdapter{s} }

type workflowAdapter struct{ *workflow.Service }

func (o workflowAdapter) Stage(ctx context.Context) (Staging, error) {
	st, err := o.Service.Stage(ctx)
	if err != nil {
		return nil, err
	}
	return st, nil
}

func (o workflowAdapter) Upload(ctx context.Context, by contract.Actor, r UploadRequest) (contract.Document, error) {
	file, ok := r.File.(*workflow.Staging)
	if !ok {
		return contract.Document{}, errors.New("the file was not staged by this workflow")
	}
	return o.Service.Upload(ctx, by, workflow.UploadRequest{
		Title: r.Title, Filename: r.Filename, Parallel: r.Parallel, People: r.People, ExpiresAt: r.ExpiresAt, File: file,
	})
}

func (o workflowAdapter) Preview(ctx context.Context, by contract.Actor, id contract.DocumentID) (*Content, error) {
	return contentOf(o.Service.Preview(ctx, by, id))
}

func (o workflowAdapter) Download(ctx context.Context, by contract.Actor, id contract.DocumentID) (*Content, error) {
	return contentOf(o.Service.Download(ctx, by, id))
}

func (o workflowAdapter) Original(ctx context.Context, by contract.Actor, id contract.DocumentID) (*Content, error) {
	return contentOf(o.Service.Original(ctx, by, id))
}

func (o workflowAdapter) Evidence(ctx context.Context, by contract.Actor, serial string) (*Content, error) {
	return contentOf(o.Service.Evidence(ctx, by, serial))
}

func contentOf(c *workflow.Content, err error) (*Content, error) {
	if err != nil {
		return nil, err
	}
	return &Content{ReadSeekCloser: c, Name: c.Name, Digest: c.Digest, Modified: c.Modified, Specimen: c.Document.Specimen}, nil
}
