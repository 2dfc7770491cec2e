package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"regexp"
	"time"
)

// fileID is the form of the name of an upload and of its stamped file. They are private files of the office with
// random names, and are removed after a day.
var fileID = regexp.MustCompile(`^[A-Z2-7]{26}$`)

func (s *Server) hasUpload(id string) bool {
	if !fileID.MatchString(id) {
		return false
	}
	_, err := s.own.Stat(id + ".src")
	return err == nil
}

// handleUpload stores a file.
func (s *Server) handleUpload(_ context.Context, r *http.Request, _ Fault) answer {
	parts, err := r.MultipartReader()
	if err != nil {
		return refuseWith(http.StatusBadRequest, codeError, "%v", err)
	}
	s.removeOldUploads()
	id, name, shown := rand.Text(), "", ""
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return refuseWith(http.StatusBadRequest, codeError, "%v", err)
		}
		switch p.FormName() {
		case "token":
			var b bytes.Buffer
			if _, err := io.CopyN(&b, p, maxRequest); err != nil && !errors.Is(err, io.EOF) {
				return refuseWith(http.StatusBadRequest, codeError, "%v", err)
			}
			shown = b.String()
		case "file":
			if name = p.FileName(); !s.storeUpload(id, p) {
				return refuseWith(http.StatusBadRequest, codeError, "the file is cut off or too large")
			}
		}
	}
	if _, ok := s.findUser(shown); !ok {
		_ = s.own.Remove(id + ".src")
		return unauthorisedAnswer(CallUpload)
	}
	if name == "" {
		return refuseWith(http.StatusBadRequest, codeError, "file is missing")
	}
	return answer{body: map[string]string{"statusCode": codeOK, "id": id, "name": name}}
}

func (s *Server) storeUpload(id string, r io.Reader) bool {
	out, err := folderFile{s.own, id + ".src"}.createFile()
	if err != nil {
		return false
	}
	n, err := io.Copy(out, io.LimitReader(r, s.o.MaxFile+1))
	if errors.Join(err, out.Close()) == nil && n <= s.o.MaxFile {
		return true
	}
	_ = s.own.Remove(id + ".src")
	return false
}

// removeOldUploads removes old files. What cannot be removed is tried again.
func (s *Server) removeOldUploads() {
	dir, err := s.own.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	all, err := dir.ReadDir(-1)
	if err != nil {
		return
	}
	for _, e := range all {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > uploadsKept {
			_ = s.own.Remove(e.Name())
		}
	}
}

// signUploaded stamps a file that was uploaded.
func (s *Server) signUploaded(ctx context.Context, r *http.Request, f Fault) answer {
	var in signRequest
	if err := decodeBody(r, &in); err != nil {
		return notSigned(signEmpty, "%v", err).asAnswer()
	}
	if in.OnPrem == nil || *in.OnPrem || in.DocID == "" {
		return notSigned(signEmpty, "onPrem or docId is missing").asAnswer()
	}
	if !s.hasUpload(in.DocID) {
		return notSigned(signUnparsed, "docId %q was not uploaded", in.DocID).asAnswer()
	}
	if err := s.adapter.Acquire(ctx, 1); err != nil {
		return explainFailure(err).asAnswer()
	}
	defer s.adapter.Release(1)
	id := rand.Text()
	out := s.signFile(ctx, in, f, folderFile{s.own, in.DocID + ".src"}, folderFile{s.own, id + ".pdf"})
	if out.Code == codeOK {
		out.URLFile = "/files/" + id
	}
	return out.asAnswer()
}

// handleFile sends a stamped file.
func (s *Server) handleFile(_ context.Context, r *http.Request, _ string) answer {
	id := r.PathValue("id")
	if !fileID.MatchString(id) {
		return refuseWith(http.StatusNotFound, codeError, "there is no such file")
	}
	f, err := s.own.Open(id + ".pdf")
	if err != nil {
		return refuseWith(http.StatusNotFound, codeError, "there is no such file")
	}
	return answer{file: f}
}
