package api

import (
	"archive/zip"
	"encoding/json"
	"io"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// exportOwnData sends everything that is stored about the caller.
func (c *call) exportOwnData() error { return c.exportPerson("") }

// exportPersonData sends an administrator what is stored about a person.
func (c *call) exportPersonData() error {
	return c.exportPerson(c.pathPerson())
}

// exportPerson sends a ZIP archive with one file of JSON for each kind of record: an array of objects. It is written while the records are read,
// so an error on the way cuts the connection.
func (c *call) exportPerson(id contract.PersonID) error {
	now := c.Clock()
	archive := &personalArchive{zip: zip.NewWriter(&attachment{call: c, mime: zipType, name: now.In(contract.Jakarta).Format("segel-data-20060102-150405") + ".zip"}), at: now}
	if err := c.Identity.ExportPerson(c.r.Context(), c.by, id, archive.addRecord); err != nil {
		return c.abortAnswer(err)
	}
	if err := archive.finish(); err != nil {
		return c.abortAnswer(err)
	}
	return nil
}

// personalArchive writes records into the files of an archive.
type personalArchive struct {
	zip  *zip.Writer
	at   time.Time
	kind string // of the open file; empty: none
	file io.Writer
}

// addRecord adds a record. Those of a kind have to follow each other.
func (a *personalArchive) addRecord(kind string, r store.PersonalRecord) error {
	before := ",\n"
	if kind != a.kind {
		if err := a.closeFile(); err != nil {
			return err
		}
		file, err := a.zip.CreateHeader(&zip.FileHeader{Name: kind + ".json", Method: zip.Deflate, Modified: a.at})
		if err != nil {
			return err
		}
		a.kind, a.file, before = kind, file, "[\n"
	}
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = a.file.Write(append([]byte(before), b...))
	return err
}

func (a *personalArchive) closeFile() error {
	if a.kind == "" {
		return nil
	}
	_, err := io.WriteString(a.file, "\n]\n")
	return err
}

func (a *personalArchive) finish() error {
	if err := a.closeFile(); err != nil {
		return err
	}
	return a.zip.Close()
}
