package notify

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"segel/internal/contract"
)

// sizedFiles has a finished file and an evidence certificate of these sizes.
type sizedFiles struct {
	finished, evidence int64
	fails              error // of the certificate
	reads              int
}

func (f *sizedFiles) ReadFinished(_ context.Context, _ *contract.Document, limit int64) ([]byte, error) {
	f.reads++
	return f.upTo(f.finished, limit), nil
}

func (f *sizedFiles) ReadEvidence(_ context.Context, _ *contract.Document, limit int64) ([]byte, error) {
	f.reads++
	if f.fails != nil {
		return nil, f.fails
	}
	return f.upTo(f.evidence, limit), nil
}

func (*sizedFiles) upTo(size, limit int64) []byte {
	if size > limit {
		return nil
	}
	return make([]byte, size)
}

func TestTheCertificateIsAttachedIfItFitsBesideTheContract(t *testing.T) {
	t.Parallel()
	const contractName, certificateName = "Sewa-signed.pdf", "Sewa-evidence.pdf"
	for name, c := range map[string]struct {
		files sizedFiles
		want  []string
	}{
		"both fit":                  {sizedFiles{finished: 1000, evidence: 200}, []string{contractName, certificateName}},
		"both fill the limit":       {sizedFiles{finished: maxAttached - 200, evidence: 200}, []string{contractName, certificateName}},
		"the certificate is larger": {sizedFiles{finished: maxAttached - 199, evidence: 200}, []string{contractName}},
		"the contract is larger":    {sizedFiles{finished: maxAttached + 1, evidence: 200}, nil},
		"the certificate fails":     {sizedFiles{finished: 1000, fails: errors.New("no timestamp")}, []string{contractName}},
	} {
		s := &Service{Files: &c.files, Log: slog.New(slog.DiscardHandler)}
		files := &finishedFiles{of: &contract.Document{Title: "Sewa"}}
		for range 3 {
			attached, err := s.readAttachments(t.Context(), files)
			if err != nil || len(attached) != len(c.want) {
				t.Fatalf("%s: %d attachments, %v", name, len(attached), err)
			}
			for i, a := range attached {
				if a.Name != c.want[i] {
					t.Errorf("%s: %s is attached, want %s", name, a.Name, c.want[i])
				}
			}
		}
		if c.files.reads > 2 {
			t.Errorf("%s: files were read %d times for three messages", name, c.files.reads)
		}
	}
}

func TestAStoppedJobSendsNoMailWithoutTheCertificate(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	files := &sizedFiles{finished: 1000, fails: context.Canceled}
	s := &Service{Files: files, Log: slog.New(slog.DiscardHandler)}
	f := &finishedFiles{of: &contract.Document{}}
	if attached, err := s.readAttachments(ctx, f); !errors.Is(err, context.Canceled) || attached != nil {
		t.Errorf("%d attachments, %v", len(attached), err)
	}
}
