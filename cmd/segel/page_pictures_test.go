package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"strings"
	"sync"
	"testing"

	"segel/internal/isolation/isolationtest"
	"segel/internal/render"
	"segel/pdf/pdftest"
)

// draws skips a test if Poppler or its sandbox is unavailable, unless SEGEL_REQUIRE_CONVERT requires them.
func draws(t *testing.T) {
	t.Helper()
	_, err := render.Open(t.Context(), render.Limits{})
	isolationtest.Require(t, err)
}

func TestPagesAreDrawnForThoseWhoMaySeeThem(t *testing.T) {
	t.Parallel()
	draws(t)
	s := start(t, "SEGEL_PAGE_PICTURES", "poppler")
	owner, signer, other := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", ""), s.person(t, "Rudi Hartono", "")
	id := idOf(owner.do("POST", uploadPath, body(t, pdftest.Rotated(), object{"signer": []object{signer.as("signer", 1)}})))
	owner.verb("finalize-docs", id).ok()

	pages := signer.get("pages", id).ok().object("data")
	sizes := pages["sizes"].([]any)
	if pages["pictures"] != true || len(sizes) == 0 {
		t.Fatalf("pages: %v", pages)
	}
	first := sizes[0].(map[string]any)
	before := pages["digest"].(string)
	picture := func(c *client, digest, page, width string) *answer {
		return c.do("GET", fmt.Sprintf(documentPath+"page-picture/%d?digest=%s&page=%s&width=%s", id, digest, page, width), nil)
	}
	a := picture(signer, before, "1", "720")
	size, _, err := image.DecodeConfig(bytes.NewReader(a.body))
	if err != nil || a.status != http.StatusOK {
		t.Fatalf("%d, %v", a.status, err)
	}
	if got, want := float64(size.Height)/float64(size.Width), first["height"].(float64)/first["width"].(float64); got < want*0.99 || got > want*1.01 || size.Width < 718 || size.Width > 722 {
		t.Errorf("picture of %d by %d, page %v", size.Width, size.Height, first)
	}
	if said, want := a.header.Get("Page-Size"), fmt.Sprintf("%.2f %.2f", first["width"], first["height"]); said != want {
		t.Errorf("Page-Size: %s, want %s", said, want)
	}
	if c := a.header.Get("Cache-Control"); c != "private, no-cache" {
		t.Errorf("Cache-Control: %s", c)
	}

	// The signature makes another revision; pictures of the former one stay what they were.
	signer.verb("sign-docs", id).ok()
	if after := signer.get("pages", id).ok().object("data")["digest"]; after == before {
		t.Error("a signature does not change the digest")
	}
	if again := picture(signer, before, "1", "720"); !bytes.Equal(again.body, a.body) {
		t.Error("the picture of the former revision changed")
	}
	for name, c := range map[string]struct {
		by                  *client
		digest, page, width string
		status              int
	}{
		"another person":  {other, before, "1", "720", http.StatusNotFound},
		"another file":    {signer, strings.Repeat("0a", 32), "1", "720", http.StatusNotFound},
		"no such page":    {signer, before, "99", "720", http.StatusNotFound},
		"page 0":          {signer, before, "0", "720", http.StatusUnprocessableEntity},
		"any width":       {signer, before, "1", "721", http.StatusUnprocessableEntity},
		"without digest":  {signer, "", "1", "720", http.StatusUnprocessableEntity},
		"bad but unknown": {other, "", "0", "1", http.StatusNotFound},
	} {
		if a := picture(c.by, c.digest, c.page, c.width); a.status != c.status {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
}

func TestOnePictureIsDrawnOnceForManyRequests(t *testing.T) {
	t.Parallel()
	draws(t)
	s := start(t, "SEGEL_PAGE_PICTURES", "poppler")
	owner := s.person(t, "Sari Wulandari", "")
	id := idOf(owner.do("POST", uploadPath, body(t, pdftest.Table(3), nil)))
	digest := owner.get("pages", id).ok().object("data")["digest"]
	var wait sync.WaitGroup
	errs := make(chan error, 40)
	for i := range cap(errs) {
		wait.Go(func() {
			a := owner.do("GET", fmt.Sprintf(documentPath+"page-picture/%d?digest=%s&page=%d&width=360", id, digest, 1+i%2), nil)
			if a.status != http.StatusOK {
				errs <- errors.New(string(a.body))
			}
		})
	}
	wait.Wait()
	close(errs)
	for err := range errs {
		t.Error(err) // without joining, more would wait than may
	}
}

func TestWithoutARendererThePagesAreListed(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_PAGE_PICTURES", "off")
	owner := s.person(t, "Sari Wulandari", "")
	id := idOf(owner.do("POST", uploadPath, body(t, pdftest.Table(3), nil)))
	pages := owner.get("pages", id).ok().object("data")
	if pages["pictures"] != false || pages["count"] != 3.0 || len(pages["sizes"].([]any)) != 1 {
		t.Errorf("%v", pages)
	}
	owner.do("GET", fmt.Sprintf(documentPath+"page-picture/%d?digest=%s&page=1&width=360", id, pages["digest"]), nil).is(http.StatusNotFound, "page.no_picture")
}
