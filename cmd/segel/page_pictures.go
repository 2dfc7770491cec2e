package main

import (
	"context"
	"fmt"

	"segel/internal/config"
	"segel/internal/render"
	"segel/internal/workflow"
)

// openPagePictures opens what draws pages. Without it, the web app shows pages from the file alone, and the log says why; if the
// configuration explicitly requires it, the start fails.
func (a *app) openPagePictures(ctx context.Context) error {
	if a.conf.PagePictures == config.PicturesOff {
		return nil
	}
	open := render.OpenInBackground // the start does not wait for the test
	if a.conf.PagePictures == config.PicturesPoppler {
		open = render.Open
	}
	r, err := open(ctx, render.Limits{})
	if err != nil && a.conf.PagePictures == config.PicturesAuto {
		a.log.Warn("no pictures of pages will be drawn", "reason", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("pictures of pages: %w", err)
	}
	a.workflow.PagePictures = workflow.NewPagePictures(r, a.conf.MaxPagePictures)
	return nil
}
