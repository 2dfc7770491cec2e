package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/export"
	"segel/internal/text"
	"segel/internal/workflow"
)

// maxArchived is how many documents one archive may have.
const maxArchived = 200

const zipType = "application/zip"

// sendArchive sends the finished files of several documents as one ZIP archive.
//
// All documents are checked first, so that the length of the answer is known and browsers show how far they are. A file that cannot be
// read to its end after that cuts the connection, as in a single download. A slow client holds this request and one open file.
func (c *call) sendArchive() error {
	q := c.parseQuery()
	ids := q.parseIDs("ids", maxArchived)
	c.chooseLanguage(q)
	if err := q.bad.asError(); err != nil {
		return err
	}
	checks, err := c.Workflow.CheckDownloads(c.r.Context(), c.by, ids)
	if err != nil {
		return err
	}
	files := c.archiveFiles(checks)
	if len(files) == 0 {
		if slices.ContainsFunc(checks, func(d workflow.DownloadCheck) bool { return !errors.Is(d.Problem, contract.ErrRemoved) }) {
			return contract.ErrNotCompleted
		}
		return contract.ErrRemoved
	}
	size, err := export.ArchiveSize(files)
	if err != nil {
		return err
	}
	piece := sendBuffers.Get().(*[sendBufferSize]byte)
	defer sendBuffers.Put(piece)
	c.w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	a := &attachment{call: c, mime: zipType, name: c.Clock().In(contract.Jakarta).Format("segel-20060102-150405") + ".zip"}
	if err := export.WriteArchive(a, files, piece[:]); err != nil {
		c.w.Header().Del("Content-Length") // of the refusal, if nothing was sent yet
		return c.abortAnswer(err)
	}
	return nil
}

// archiveFiles returns the files of an archive, none if no document can be downloaded. The last one says what is missing.
func (c *call) archiveFiles(checks []workflow.DownloadCheck) []export.ArchiveFile {
	var files []export.ArchiveFile
	var names export.FileNames
	var notes strings.Builder
	for _, check := range checks {
		d := check.Document
		if check.Problem != nil {
			args := map[string]any{"id": check.ID, "title": d.Title, "reason": text.Sentence(c.language, check.Problem.Code, check.Problem.Args)}
			line := text.Sentence(c.language, "archive.notes_line", args)
			if d.Title != "" {
				line = text.Sentence(c.language, "archive.notes_named", args)
			}
			notes.WriteString(line + "\r\n")
			continue
		}
		files = append(files, export.ArchiveFile{
			Name: names.Add(export.SignedStem(&d), ".pdf"), Size: d.Current().End, Modified: d.Current().At,
			Open: func() (io.ReadCloser, error) { return c.openResult(c.r.Context(), d) },
		})
	}
	if len(files) > 0 && notes.Len() > 0 {
		said := []byte(c.sentenceOf("archive.notes_lead") + "\r\n\r\n" + notes.String())
		files = append(files, export.ArchiveFile{
			Name: names.Add(export.FileStem(c.sentenceOf("archive.notes")), ".txt"), Size: int64(len(said)), Modified: c.Clock(),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(said)), nil },
		})
	}
	return files
}

// openResult opens the finished file of a document that was checked. It asks again: the caller may have lost access meanwhile.
func (c *call) openResult(ctx context.Context, d contract.Document) (io.ReadCloser, error) {
	content, err := c.Workflow.Download(ctx, c.by, d.ID)
	if err != nil {
		return nil, err
	}
	if content.Digest != d.Current().Digest { // renewed since
		content.Close()
		return nil, fmt.Errorf("document %d has another revision than it had", d.ID)
	}
	return content, nil
}

// parseIDs reads the numbers of documents, separated by commas, each once. A value that is not a number is refused.
func (q *query) parseIDs(name string, limit int) []contract.DocumentID {
	var ids []contract.DocumentID
	known := map[contract.DocumentID]bool{}
	for part := range strings.SplitSeq(q.Get(name), ",") {
		n, ok := parseInteger(part)
		switch id := contract.DocumentID(n); {
		case part == "" && q.Get(name) == "":
			q.bad.add(name, "value.required")
		case !ok:
			q.bad.add(name, "value.not_integer")
			return nil
		case !known[id]:
			known[id] = true
			ids = append(ids, id)
		}
		if len(ids) > limit {
			q.bad.add(name, "value.too_many", "limit", limit)
			return nil
		}
	}
	return ids
}

var queryLanguages = []text.Language{text.Indonesian, text.English}

// chooseLanguage reads the language of a file from the query: a link cannot have a header.
func (c *call) chooseLanguage(q *query) {
	if l := parseChoice(q, "language", queryLanguages); l != "" {
		c.language = l
	}
}

func languageParam(of string) *huma.Param {
	return choiceParam("language", "The language of "+of+"; otherwise that of Accept-Language.", queryLanguages)
}

func archiveParams() []*huma.Param {
	return []*huma.Param{
		{Name: "ids", In: "query", Required: true, Description: fmt.Sprintf("Numbers of documents, separated by commas, at most %d.", maxArchived), Schema: textSchema(), Example: "1207,1208"},
		languageParam("the text file"),
	}
}

func archiveAnswer() map[string]*huma.Response {
	return map[string]*huma.Response{strconv.Itoa(http.StatusOK): {
		Description: "The archive.", Content: map[string]*huma.MediaType{zipType: {Schema: &huma.Schema{Type: "string", Format: "binary"}}},
	}}
}
