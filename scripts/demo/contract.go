package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

// walk is one contract in progress. The steps run in the order in which they are listed here.
type walk struct {
	owner, signer *running.Client
	out           string // file for the signed PDF

	budi string // the signer's id
	id   int64  // of the document
}

func (w *walk) findSigner() error {
	var users struct {
		Data struct{ User []struct{ ID string } }
	}
	if err := w.owner.Get("/v1/auth/list_user?search=budi", &users); err != nil {
		return err
	}
	if len(users.Data.User) != 1 {
		return errors.New("the directory does not find Budi")
	}
	w.budi = users.Data.User[0].ID
	return nil
}

func (w *walk) uploadContract() error {
	var uploaded running.UploadAnswer
	err := w.owner.Post(running.UploadPath, running.Object{
		"document_title": "Perjanjian Sewa", "filename": "sewa.pdf", "parallel": 0,
		"document_base64": base64.StdEncoding.EncodeToString(pdftest.Table(2)),
		"signer":          []running.Object{{"id": w.budi, "name": "Budi Santoso", "email": "budi@example.test", "role": "signer", "number": 1}},
	}, &uploaded)
	if err != nil {
		return err
	}
	w.id = uploaded.Response.Data.ID
	printStep("uploaded as document %d, %s", w.id, uploaded.Response.Data.Name)
	return nil
}

// placeBoxes places a signature and a stamp on a page of 612 by 792 points. The interface has each box twice: from the upper
// left, and from the lower left.
func (w *walk) placeBoxes() error {
	placement := func(kind string, left, top, width, height int) running.Object {
		return running.Object{
			"page": 2, "type": kind, "sign": nil, "documentSize": running.Object{"width": 612, "height": 792},
			"user":  running.Object{"speciment": "", "name": "Budi Santoso", "email": nil, "userid": w.budi},
			"props": running.Object{"x": left, "y": top, "w": width, "h": height},
			"emet":  running.Object{"llx": left, "lly": 792 - top - height, "urx": left + width, "ury": 792 - top},
		}
	}
	err := w.owner.Post(running.SignPath+"placement-docs", running.Object{"document_id": w.id, "signers": []running.Object{
		placement("sign", 72, 560, 180, 72), placement("emet", 300, 556, 80, 80),
	}}, nil)
	if err != nil {
		return err
	}
	printStep("placed Budi's signature and one duty stamp on page 2")
	return nil
}

func (w *walk) finalizeContract() error {
	if err := w.owner.PostVerb("finalize-docs", w.id); err != nil {
		return err
	}
	printStep("finalized: quota is reserved, Budi sees it in his inbox")
	return nil
}

// signContract sends the digest of the file that the signer has read, so that they sign exactly that.
func (w *walk) signContract() error {
	seen, err := readFile(w.signer, "preview", w.id)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(seen)
	err = w.signer.Post(running.SignPath+"sign-docs", running.Object{"document_id": w.id, "digest": hex.EncodeToString(digest[:])}, nil)
	if err != nil {
		return err
	}
	printStep("Budi read %d bytes and signed exactly those", len(seen))
	return nil
}

func (w *walk) waitComplete() error {
	completed, err := w.owner.WaitCompleted(w.id)
	if err != nil {
		return err
	}
	printStep("stamped with %s, sealed and timestamped (PAdES B-LTA)", strings.Join(completed.Serials, ", "))
	return nil
}

func (w *walk) downloadSigned() error {
	signed, err := readFile(w.owner, "download", w.id)
	if err != nil {
		return err
	}
	if err := os.WriteFile(w.out, signed, 0o600); err != nil {
		return err
	}
	printStep("the signed PDF, %d bytes: %s", len(signed), w.out)
	return nil
}

func readFile(c *running.Client, kind string, id int64) ([]byte, error) {
	return c.Read(context.Background(), running.Request{Method: "GET", Path: fmt.Sprint(running.DocumentPath, kind, "/", id)})
}
