package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/pades"
	"segel/pdf"
)

// File is the open file of a document, parsed at most once. It stays open while revisions are added to it.
type File struct {
	*blob.Stack
	Reader    io.ReaderAt // the stack behind a cache of small reads
	cache     *cachedReader
	CheckedAt time.Time // when all bytes were last found present
	last      contract.Revision
	doc       *pdf.Document // nil: not parsed
	// foreign: doc came with a revision of the stamp office and may number new objects lower than the revision demands, so
	// Source does not offer it.
	foreign bool
	random  io.Reader // for new objects
}

// OpenFile opens a document up to its last given revision, if every blob is present. The caller closes it. Errors:
// [ErrFileMissing]; [ErrFileChanged] if the records of the revisions contradict each other.
func (s *Documents) OpenFile(ctx context.Context, revisions []contract.Revision) (*File, error) {
	stack, err := s.OpenRevisions(ctx, revisions)
	if err != nil {
		return nil, BlobRefusal(err)
	}
	if err := stack.CheckPresent(); err != nil {
		return nil, errors.Join(BlobRefusal(err), stack.Close())
	}
	cache := &cachedReader{r: stack}
	return &File{Stack: stack, Reader: cache, cache: cache, CheckedAt: s.Clock(), last: revisions[len(revisions)-1], random: s.Random}, nil
}

// ReadFinished returns the whole file of a document, or nil if it has more than limit bytes.
func (s *Documents) ReadFinished(ctx context.Context, d *contract.Document, limit int64) ([]byte, error) {
	if len(d.Revisions) == 0 || d.Current().End > limit {
		return nil, nil
	}
	return s.ReadWhole(ctx, d.Revisions)
}

// ReadWhole returns all bytes of the file of these revisions.
func (s *Documents) ReadWhole(ctx context.Context, revisions []contract.Revision) ([]byte, error) {
	stack, err := s.OpenRevisions(ctx, revisions)
	if err != nil {
		return nil, BlobRefusal(err)
	}
	defer stack.Close()
	b := make([]byte, revisions[len(revisions)-1].End)
	if _, err := stack.ReadAt(b, 0); err != nil && err != io.EOF {
		return nil, BlobRefusal(err)
	}
	return b, nil
}

// Close closes the file and returns the buffers of its cache. Later reads fail with [blob.ErrClosed], those of the parsed
// document too.
func (f *File) Close() error {
	err := f.Stack.Close()
	f.cache.releaseBlocks()
	return err
}

// EndsWith reports whether the file ends with that revision.
func (f *File) EndsWith(r contract.Revision) bool { return f.last.Tail.Key == r.Tail.Key }

// AppendRevision adds a stored revision, and the parsed document up to it if the caller has it.
func (f *File) AppendRevision(r contract.Revision, doc *pdf.Document) error {
	if err := f.AppendSegment(fileSegment(r.Tail)); err != nil {
		return err
	}
	f.last, f.doc, f.foreign = r, doc, doc != nil && r.Kind == contract.RevisionStamp
	return nil
}

// PDF returns the parsed file. The options count for the first call after the file has grown.
func (f *File) PDF(o pdf.Options) (*pdf.Document, error) {
	if f.doc != nil {
		return f.doc, nil
	}
	o.NextObject, o.Random = f.last.NextObject, f.random
	doc, err := pdf.Open(f.Reader, f.Size(), o)
	if err == nil {
		f.doc = doc
	}
	return doc, err
}

// Source returns the parsed file as the source of the document's next revision. If the file cannot be parsed, the step
// that uses the source parses it again and reports the error.
func (f *File) Source(current contract.Revision) pades.Source {
	src := pades.Source{R: f.Reader, Size: f.Size(), Midstate: current.Midstate, OpenOptions: pdf.Options{NextObject: current.NextObject, Random: f.random}}
	if !f.foreign {
		src.Opened, _ = f.PDF(pdf.Options{})
	}
	return src
}

// EnsureAppendable returns the document as the next revision of its open file needs it: with a midstate that matches the
// digest, see [Documents.EnsureMidstate], and with the number of the next object. The values are not stored.
func (s *Documents) EnsureAppendable(ctx context.Context, d contract.Document, f *File) (contract.Document, error) {
	d, err := s.EnsureMidstate(ctx, d)
	if err != nil {
		return d, err
	}
	return f.readNextObject(d)
}

// readNextObject returns the document with the next object number of its current revision, read from the file if the
// revision was stored without it. The next revision is stored with it.
func (f *File) readNextObject(d contract.Document) (contract.Document, error) {
	if len(d.Revisions) == 0 || d.Current().NextObject != 0 {
		return d, nil
	}
	doc, err := f.PDF(pdf.Options{})
	if err != nil {
		return d, fmt.Errorf("open document %d: %w", d.ID, err)
	}
	next, err := doc.NextObject()
	if err != nil {
		return d, fmt.Errorf("number objects of document %d: %w", d.ID, err)
	}
	d.Revisions = slices.Clone(d.Revisions)
	d.Revisions[len(d.Revisions)-1].NextObject = next
	return d, nil
}

// OpenRevisions opens the file of a document as the concatenation of its revisions. Blobs are opened when they are read.
func (s *Documents) OpenRevisions(ctx context.Context, revisions []contract.Revision) (*blob.Stack, error) {
	segments := make([]blob.Segment, len(revisions))
	for i, r := range revisions {
		segments[i] = fileSegment(r.Tail)
	}
	f, err := blob.OpenStack(ctx, s.Blobs, segments)
	if err != nil {
		return nil, fmt.Errorf("open document file: %w", err)
	}
	return f, nil
}

func fileSegment(f contract.File) blob.Segment {
	return blob.Segment{Key: blob.Key(f.Key), Size: f.Size, Sums: f.Sums}
}

// Content is a file to be read. Every chunk is hashed again before its bytes are returned: if the stored bytes changed,
// reading fails.
type Content struct {
	io.ReadSeeker
	io.Closer // releases the blobs of the file

	Name     string // file name as uploaded
	Size     int64
	Digest   [32]byte // SHA-256 of the whole file
	Modified time.Time
	Document contract.Document
}

// alarmedReader raises an alarm when the bytes that it reads are not those that were recorded, once.
type alarmedReader struct {
	io.ReadSeeker
	raise  func(error)
	raised bool
}

func (r *alarmedReader) Read(p []byte) (int, error) {
	n, err := r.ReadSeeker.Read(p)
	var corrupt *blob.CorruptError
	if !r.raised && errors.As(err, &corrupt) {
		r.raised = true
		r.raise(err)
	}
	return n, err
}

// OpenContent opens the file of these revisions to be read. The caller closes it. Errors: those of OpenFile, because
// nothing has been sent yet and a missing file can still be refused.
func (s *Documents) OpenContent(ctx context.Context, d contract.Document, revisions []contract.Revision) (*Content, error) {
	f, err := s.OpenFile(ctx, revisions)
	if err != nil {
		return nil, err
	}
	last := revisions[len(revisions)-1]
	return &Content{ReadSeeker: &alarmedReader{ReadSeeker: f.VerifiedReader(), raise: func(err error) {
		s.RaiseAlarm(ctx, AlarmBytes, "stored bytes of a document are not those that were recorded; a download failed", "document", d.ID, "error", err)
	}}, Closer: f, Name: d.Filename, Size: f.Size(), Digest: last.Digest, Modified: last.At, Document: d}, nil
}

// EnsureMidstate checks that the midstate of the document's current revision finishes as that revision's digest. Every
// step that extends the document resumes from this state, so it calls EnsureMidstate first: a signature made from the
// state of other bytes does not verify.
//
// If the midstate does not match and the stored bytes have the recorded digest, it is rebuilt from the bytes, which are
// read once. The rebuilt state is in the returned document and not stored: the next commit adds a revision with its own
// state, and the state of an earlier revision is never read again. Errors: [ErrFileMissing]; [ErrFileChanged] if the bytes
// do not have the recorded digest either. Nothing may be signed after an error.
func (s *Documents) EnsureMidstate(ctx context.Context, d contract.Document) (contract.Document, error) {
	current := d.Current()
	_, err := blob.ResumeHash(current.Midstate, current.End, current.Digest)
	if err == nil {
		return d, nil
	}
	digest, err := s.DigestBytes(ctx, d.Revisions)
	if err != nil {
		return d, err
	}
	if digest.DocumentSum != current.Digest || digest.End != current.End {
		s.RaiseAlarm(ctx, AlarmBytes, "stored bytes of a document do not have the recorded digest", "document", d.ID)
		return d, ErrFileChanged.WithCause(fmt.Errorf("document %d has %d bytes with digest %x, recorded are %d with %x", d.ID, digest.End, digest.DocumentSum, current.End, current.Digest))
	}
	s.RaiseAlarm(ctx, AlarmMidstate, "midstate of a revision did not match its digest and was rebuilt from the bytes", "document", d.ID, "revision", len(d.Revisions)-1)
	d.Revisions = slices.Clone(d.Revisions) // others may share them
	d.Revisions[len(d.Revisions)-1].Midstate = digest.Midstate
	return d, nil
}

// DigestBytes reads a document's file from end to end and returns its digest.
func (s *Documents) DigestBytes(ctx context.Context, revisions []contract.Revision) (blob.Digest, error) {
	f, err := s.OpenFile(ctx, revisions)
	if err != nil {
		return blob.Digest{}, err
	}
	defer f.Close()
	digester := blob.NewDigester()
	if _, err := io.Copy(digester, io.NewSectionReader(Interruptible{ctx, f.Stack}, 0, f.Size())); err != nil {
		return blob.Digest{}, BlobRefusal(fmt.Errorf("read document to digest it: %w", err))
	}
	return digester.Digest(), nil
}

// Interruptible reads until the context is done.
type Interruptible struct {
	Ctx context.Context
	R   io.ReaderAt
}

// ReadAt implements io.ReaderAt.
func (w Interruptible) ReadAt(p []byte, at int64) (int, error) {
	if err := w.Ctx.Err(); err != nil {
		return 0, err
	}
	return w.R.ReadAt(p, at)
}
