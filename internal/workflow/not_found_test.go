package workflow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
)

// recordingReads records the queries of an operation about documents.
type recordingReads struct {
	workflow.Store
	asked []string
}

func (r *recordingReads) DocumentFor(ctx context.Context, id contract.DocumentID, person contract.PersonID) (contract.Document, error) {
	r.asked = append(r.asked, "document for")
	return r.Store.DocumentFor(ctx, id, person)
}

func (r *recordingReads) DocumentOf(ctx context.Context, id contract.DocumentID, o contract.OrganisationID) (contract.Document, error) {
	r.asked = append(r.asked, "document of "+string(o))
	return r.Store.DocumentOf(ctx, id, o)
}

func (r *recordingReads) Document(ctx context.Context, id contract.DocumentID) (contract.Document, error) {
	r.asked = append(r.asked, "document")
	return r.Store.Document(ctx, id)
}

func (r *recordingReads) ReadSigning(ctx context.Context, q store.SigningQuery) (store.Signing, error) {
	r.asked = append(r.asked, "signing for")
	if q.Person == "" {
		r.asked = append(r.asked, "signing for anyone")
	}
	return r.Store.ReadSigning(ctx, q)
}

// drawnLinks returns the same link each time.
type drawnLinks struct{}

func (drawnLinks) NewGuestLink() (string, [32]byte, error) {
	return "https://segel.example/guest#x", [32]byte{1}, nil
}

func (drawnLinks) NewEmbedAddress(contract.OrganisationID) (string, [32]byte, error) {
	return "https://segel.example/embed/o#x", [32]byte{2}, nil
}

func (drawnLinks) NewEmbedToken() (string, [32]byte, error) { return "x", [32]byte{3}, nil }

func (drawnLinks) DeriveCode(contract.GuestCode) (string, error) { return "123456", nil }

// TestAnotherPersonsDocumentIsAsMuchWorkAsOneThatDoesNotExist compares the queries of each operation.
func TestAnotherPersonsDocumentIsAsMuchWorkAsOneThatDoesNotExist(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx := context.Background()
	outsider := h.person(h.owner.Organisation, "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a09", "Orang Lain")
	draft := h.draftOf(true, 1)
	active := h.draft(true, 1)
	if _, err := h.Finalize(ctx, h.owner, active, contract.FinalizeOptions{}); err != nil {
		t.Fatal(err)
	}
	reads := &recordingReads{Store: h.Service.Store}
	h.useStore(reads)
	h.Links = drawnLinks{}
	guest := contract.Actor{Person: contract.Person{ID: "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a0a"}, Guest: draft + 1000}
	asked := func(by contract.Actor, id contract.DocumentID) map[string][]string {
		all := map[string][]string{}
		for name, verb := range map[string]func() error{
			"detail":   func() error { _, err := h.LoadAuthorised(ctx, by, contract.OpDetail, id); return err },
			"code":     func() error { _, err := h.OrderGuestCode(ctx, by, id); return err },
			"prove":    func() error { _, err := h.ProveContact(ctx, by, id, "123456"); return err },
			"correct":  func() error { _, err := h.CorrectGuest(ctx, by, id, guest.ID, contract.GuestCorrection{}); return err },
			"trail":    func() error { _, err := h.AuditTrail(ctx, by, id); return err },
			"preview":  func() error { _, err := h.Preview(ctx, by, id); return err },
			"download": func() error { _, err := h.Download(ctx, by, id); return err },
			"original": func() error { _, err := h.Original(ctx, by, id); return err },
			"events":   func() error { _, err := h.WaitForChange(ctx, by, id, 0); return err },
			"place":    func() error { _, err := h.Place(ctx, by, id, 0, nil); return err },
			"people":   func() error { _, err := h.SetParticipants(ctx, by, id, 0, nil, nil); return err },
			"describe": func() error { _, err := h.Describe(ctx, by, id, 0, contract.Description{}); return err },
			"finalize": func() error { _, err := h.Finalize(ctx, by, id, contract.FinalizeOptions{}); return err },
			"sign":     func() error { _, err := h.Sign(ctx, by, id, workflow.SignRequest{}); return err },
			"embed": func() error {
				_, err := h.RequestEmbed(ctx, by, id, contract.EmbedRequest{Purpose: contract.EmbedView})
				return err
			},
			"reject":  func() error { _, err := h.Reject(ctx, by, id, "no", contract.GivenFactor{}); return err },
			"cancel":  func() error { _, err := h.Cancel(ctx, by, id, "no"); return err },
			"remind":  func() error { _, err := h.Remind(ctx, by, id); return err },
			"restamp": func() error { _, err := h.Restamp(ctx, by, id, false); return err },
			"retry":   func() error { _, err := h.RetryOwn(ctx, by, id); return err },
			"link":    func() error { _, err := h.GuestLink(ctx, by, id, "x"); return err },
			"revoke":  func() error { _, err := h.RevokeGuestLink(ctx, by, id, "x"); return err },
			"delete":  func() error { _, err := h.Delete(ctx, by, id); return err },
		} {
			reads.asked = nil
			if err := verb(); !errors.Is(err, contract.ErrNotFound) {
				t.Errorf("%s of %d: %v", name, id, err)
			}
			all[name] = slices.Clone(reads.asked)
		}
		return all
	}
	for who, c := range map[string]struct {
		by  contract.Actor
		ids []contract.DocumentID
	}{
		"another user":    {outsider, []contract.DocumentID{draft, active}},
		"a signer":        {h.signer, []contract.DocumentID{draft}},
		"another's guest": {guest, []contract.DocumentID{draft, active}},
	} {
		missing := asked(c.by, 999_999)
		for _, id := range c.ids {
			if got := asked(c.by, id); fmt.Sprint(got) != fmt.Sprint(missing) {
				t.Errorf("%s: queries for document %d: %v, for a missing one: %v", who, id, got, missing)
			}
		}
		for name, q := range missing {
			want := "document for"
			if name == "sign" {
				want = "signing for"
			}
			if !slices.Equal(q, []string{want}) {
				t.Errorf("%s as %s queries %v", name, who, q)
			}
		}
	}
}

// TestAnAdministratorsRetryReadsNoDocumentOfAnotherOrganisation looks for other reads than that of a document of their organisation.
func TestAnAdministratorsRetryReadsNoDocumentOfAnotherOrganisation(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.draft(true, 1)
	reads := &recordingReads{Store: h.Service.Store}
	h.useStore(reads)
	admin := contract.Actor{Person: contract.Person{ID: "admin"}, Organisation: "another", Admin: true, OrganisationState: contract.OrganisationActive}
	for _, id := range []contract.DocumentID{id, id + 1000} {
		reads.asked = nil
		if _, err := h.Retry(t.Context(), admin, id); !errors.Is(err, contract.ErrNotFound) {
			t.Errorf("retry of %d: %v", id, err)
		}
		if !slices.Equal(reads.asked, []string{"document of another"}) {
			t.Errorf("retry of %d queries %q", id, reads.asked)
		}
	}
}
