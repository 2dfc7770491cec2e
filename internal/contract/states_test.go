package contract

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write docs/states.md anew")

// situation is a document in a state that the rules distinguish.
type situation struct {
	name string
	make func(*testing.T) *Document
}

var situations = []situation{
	{"draft", func(t *testing.T) *Document { return placeBoxes(t, newDraft(t), stampRequest("first")) }},
	{"template", newTemplate},
	{"draft, converting", func(t *testing.T) *Document { return newDraft(t, asWord) }},
	{"draft, not convertible", func(t *testing.T) *Document {
		c, _ := RecordConvertFailure(newDraft(t, asWord), "file.word_damaged", t0)
		return applyChange(t, c, nil)
	}},
	{"processing, signatures owed", finalizedWithStamps},
	{"processing, stamp due", signedByAll},
	{"processing, seal due", func(t *testing.T) *Document { return affixNextStamp(t, signedByAll(t)) }},
	{"failed", func(t *testing.T) *Document {
		d := bindNextStamp(t, signedByAll(t))
		c, err := RecordStampFailure(d, 0, Failure{Text: "the office says no", Final: true}, t0)
		return applyChange(t, c, err)
	}},
	{"completed", func(t *testing.T) *Document { return completeDocument(t, affixNextStamp(t, signedByAll(t))) }},
	{"rejected", func(t *testing.T) *Document {
		c, err := Reject(finalizedWithStamps(t), "too dear", first, limits, t0)
		return applyChange(t, c, err)
	}},
	{"canceled", func(t *testing.T) *Document {
		c, err := Cancel(finalizedWithStamps(t), "", owner, limits, t0)
		return applyChange(t, c, err)
	}},
	{"expired", func(t *testing.T) *Document {
		d := finalizeDraft(t, placeBoxes(t, newDraft(t, withDeadline), stampRequest("first")))
		c, _ := Expire(d, t0.Add(2*time.Hour))
		return applyChange(t, c, nil)
	}},
}

func finalizedWithStamps(t *testing.T) *Document {
	return finalizeDraft(t, placeBoxes(t, newDraft(t), stampRequest("first")))
}

func signedByAll(t *testing.T) *Document {
	return signAs(t, signAs(t, finalizedWithStamps(t), first), second)
}

// verbs are the operations on a document, each by the person who may do it.
var verbs = []struct {
	name string
	try  func(*Document) (Change, bool, error)
}{
	{"participants-docs", func(d *Document) (Change, bool, error) {
		return change1(SetParticipants(d, d.Participants, nil, nil, owner, limits, t0))
	}},
	{"describe-docs", func(d *Document) (Change, bool, error) {
		return change1(Describe(d, Description{Title: &d.Title}, owner, limits, t0))
	}},
	{"placement-docs", func(d *Document) (Change, bool, error) {
		c, _, err := Place(d, []PlaceRequest{stampRequest("first")}, a4, owner, limits, t0)
		return c, true, err
	}},
	{"delete", func(d *Document) (Change, bool, error) { return change1(Delete(d, owner, t0)) }},
	{"finalize-docs", func(d *Document) (Change, bool, error) { return Finalize(d, FinalizeOptions{}, owner, t0) }},
	{"sign-docs", func(d *Document) (Change, bool, error) { return change1(IntendSign(d, ShownPages{}, first, t0)) }},
	{"approve-docs", func(d *Document) (Change, bool, error) {
		approved := d.copyDocument()
		if p := approved.Participant(first.ID); p != nil {
			p.Capacity = Approver
		}
		return change1(Approve(&approved, ShownPages{Digest: d.Current().Digest}, attestationOf(&approved, first), first, t0))
	}},
	{"reject-docs", func(d *Document) (Change, bool, error) { return change1(Reject(d, "no", first, limits, t0)) }},
	{"delegate-docs", func(d *Document) (Change, bool, error) {
		allowed := d.copyDocument()
		allowed.Delivery.Delegation = true
		return change1(Delegate(&allowed, delegate, "", "", first, limits, t0))
	}},
	{"cancel-docs", func(d *Document) (Change, bool, error) { return change1(Cancel(d, "", owner, limits, t0)) }},
	{"remind-docs", func(d *Document) (Change, bool, error) { return change1(Remind(d, owner, t0)) }},
	{"guest-link-docs", func(d *Document) (Change, bool, error) {
		return change1(IssueGuestLink(d, "guest", [32]byte{1}, owner, t0))
	}},
	{"guest-revoke-docs", func(d *Document) (Change, bool, error) { return change1(RevokeGuestLink(d, "guest", owner, t0)) }},
	{"restamp-docs", func(d *Document) (Change, bool, error) { return change1(Restamp(d, RestampOptions{}, owner, t0)) }},
	{"restamp-docs with new_serial", func(d *Document) (Change, bool, error) {
		return change1(Restamp(d, RestampOptions{ReplaceSerial: "SPESIMEN-0"}, owner, t0))
	}},
	{"copy-docs", func(d *Document) (Change, bool, error) {
		return change1(Copy(d, CopiedFile{Participants: d.Participants, Original: Revision{Kind: RevisionBase, End: 9}, PDF: &ExaminedPDF{Pages: 2}}, owner, limits, t0))
	}},
	{"team-docs", func(d *Document) (Change, bool, error) { return ShareWithTeam(d, legal.ID, inTeam(owner), t0) }},
	{"template-docs", func(d *Document) (Change, bool, error) {
		return change1(MakeTemplate(d, CopiedFile{Participants: d.Participants, Original: Revision{Kind: RevisionBase, End: 9}, PDF: &ExaminedPDF{Pages: 2}}, "", owner, limits, t0))
	}},
	{"use-template-docs", func(d *Document) (Change, bool, error) {
		return change1(UseTemplate(d, CopiedFile{Participants: d.Participants, Original: Revision{Kind: RevisionBase, End: 9}, PDF: &ExaminedPDF{Pages: 2}}, nil, "", owner, limits, t0))
	}},
	{"retry-docs", func(d *Document) (Change, bool, error) { return change1(RetryByOwner(d, owner, t0)) }},
	{"(convert)", func(d *Document) (Change, bool, error) {
		return Convert(d, nextRevision(&Document{}, 9), 2, nil, nil, limits, t0)
	}},
	{"(order a serial)", func(d *Document) (Change, bool, error) { return change1(OrderSerial(d, 0, "order", t0)) }},
	{"(claim a free serial)", func(d *Document) (Change, bool, error) {
		return change1(ClaimSerial(d, 0, StampSerial{Serial: "FREE", Organisation: d.Organisation, State: SerialFree}, true, t0))
	}},
	{"(stamp refused for good)", func(d *Document) (Change, bool, error) {
		return change1(RecordStampFailure(d, 0, Failure{Text: "no", Final: true}, t0))
	}},
	{"(complete)", func(d *Document) (Change, bool, error) {
		return change1(Complete(d, []Revision{nextRevision(d, 1)}, t0))
	}},
	{"(fail closing)", func(d *Document) (Change, bool, error) {
		return change1(FailClosing(d, Problem{Code: ProblemRevoked}, t0))
	}},
	{"(renew)", func(d *Document) (Change, bool, error) {
		return change1(Renew(d, []Revision{nextRevision(d, 1)}, t0.AddDate(1, 0, 0), t0))
	}},
	{"(expire)", func(d *Document) (Change, bool, error) {
		d = &Document{State: d.State, Mode: d.Mode, Participants: d.Participants, FinalizedAt: d.FinalizedAt, ExpiresAt: t0}
		c, changed := Expire(d, t0)
		return c, changed, nil
	}},
}

func change1(c Change, err error) (Change, bool, error) { return c, true, err }

// TestEveryVerbInEveryStateDoesWhatTheMatrixSays prints the matrix and compares it with docs/states.md.
func TestEveryVerbInEveryStateDoesWhatTheMatrixSays(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(statesHead)
	b.WriteString("| verb |")
	for _, s := range situations {
		b.WriteString(" " + s.name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(situations)) + "\n")
	for _, v := range verbs {
		b.WriteString("| `" + v.name + "` |")
		for _, s := range situations {
			fmt.Fprintf(&b, " %s |", describeOutcome(v.try(s.make(t))))
		}
		b.WriteString("\n")
	}
	file := filepath.Join("..", "..", "docs", "states.md")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("docs/states.md is not what the rules do; go test ./internal/contract -update writes it:\n%s", b.String())
	}
}

func describeOutcome(c Change, changed bool, err error) string {
	switch {
	case err != nil:
		return strings.SplitN(err.Error(), ";", 2)[0]
	case !changed:
		return "nothing to do"
	case c.Delete:
		return "**gone**"
	}
	return "**" + string(c.After.State) + "**"
}

const statesHead = `# States

Written by ` + "`go test ./internal/contract -update`" + ` from the rules themselves.

` + "```" + `
draft ──finalize──▶ processing ──last signature, last stamp, seal──▶ completed (its timestamp is renewed)
  │                   │  │  ▲ │
  │ delete            │  │  │ └─ stamp refused for good, or no way to seal ─▶ failed ─ restamp ─▶ processing
  ▼                   │  │  └ tries again by itself                             └──── cancel ──▶ canceled
 gone                 │  └─ a signer declines ─▶ rejected
                      ├─ the owner takes it back ─▶ canceled
                      └─ time runs out (a draft's too) ─▶ expired
` + "```" + `

A refusal is named by its code. A cell in bold is the state that the verb leads to. Verbs in parentheses are the
service's own work. ` + "`sign-docs`" + ` here is the first signer's, and ` + "`approve-docs`" + ` the first signer's
if they were an approver; the document has two signers in sequence, a viewer, a
guest, and one duty stamp.

`
