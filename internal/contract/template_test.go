package contract

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// asTenant is the copied file of d with a placeholder in the place of second, who is a signer.
func asTenant(d *Document) CopiedFile {
	f := copied(d)
	f.Participants[1].Person = Person{ID: "tenant", Name: "Penyewa"}
	f.Participants[1].Guest, f.Participants[1].Placeholder = true, true
	return f
}

// newTemplate makes a template of a document with boxes of two signers. Second is a placeholder.
func newTemplate(t *testing.T) *Document {
	t.Helper()
	d := placeBoxes(t, newDraft(t, withDeadline), stampRequest("first"), signRequest("second"))
	c, err := MakeTemplate(d, asTenant(d), "", owner, limits, t0)
	made := applyChange(t, c, err)
	made.ID = 8
	return made
}

func TestATemplateHasTheFileThePeopleAndTheBoxesAndNoDeadline(t *testing.T) {
	t.Parallel()
	d := placeBoxes(t, newDraft(t, withDeadline), stampRequest("first"), signRequest("second"))
	sent := sharedWithLegal(t, finalizeDraft(t, d))
	for name, from := range map[string]*Document{"draft": d, "document in progress": sent, "template": newTemplate(t)} {
		c, err := MakeTemplate(from, asTenant(from), "Sewa", inTeam(owner), limits, t0)
		if err != nil {
			t.Fatal(name, err)
		}
		made := c.After
		if !made.Template || made.State != Draft || made.Title != "Sewa" || !made.ExpiresAt.IsZero() || made.Team != (Team{}) || made.Owner != owner.Person || len(c.Jobs)+len(c.Quota) != 0 {
			t.Errorf("%s: %+v", name, made)
		}
		if len(made.Placements) != 2 || made.Placements[1].Person != "tenant" {
			t.Errorf("%s: boxes %v", name, made.Placements)
		}
		if e := c.Events[0]; e.Type != EventTemplateMade || e.Details["copy_of"] == "" || len(FeedTypesOf(e)) != 0 {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if _, err := MakeTemplate(newDraft(t, asWord), copied(d), "", owner, limits, t0); !errors.Is(err, ErrConverting) {
		t.Error("of a document without a PDF:", err)
	}
}

func TestATemplateIsRefusedEverythingThatIsDoneWithDocumentsThatAreSent(t *testing.T) {
	t.Parallel()
	template := sharedWithLegal(t, newTemplate(t))
	draft := sharedWithLegal(t, newDraft(t))
	unshared := template.copyDocument()
	unshared.Team = Team{}
	for _, op := range Operations {
		allowed := slices.Contains(templateOperations, op)
		for who, by := range map[string]Actor{"the service": {}, "owner": inTeam(owner), "sender": withRole(inTeam(user), RoleSender), "member": withRole(inTeam(user), RoleMember), "auditor": withRole(inTeam(user), RoleAuditor)} {
			want := ErrTemplate
			got := template.Authorise(by, op)
			if allowed {
				// As with a draft of the team.
				if wanted := draft.Authorise(by, op); !errors.Is(got, wanted) && got != wanted {
					t.Errorf("%s by %s: %v, of a draft %v", op, who, got, wanted)
				}
				continue
			}
			if !errors.Is(got, want) {
				t.Errorf("%s by %s: %v", op, who, got)
			}
		}
		for who, by := range map[string]Actor{"colleague": user, "auditor": withRole(user, RoleAuditor), "person of the template": first, "other organisation": outsider, "guest": guest} {
			if err := unshared.Authorise(by, op); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s by a %s: %v", op, who, err)
			}
		}
	}
	if _, _, err := Finalize(newTemplate(t), FinalizeOptions{}, Actor{}, t0); !errors.Is(err, ErrTemplate) {
		t.Error("finalize by the service:", err)
	}
	deadline := t0.Add(time.Hour)
	if _, err := Describe(newTemplate(t), Description{ExpiresAt: &deadline}, owner, limits, t0); KindOf(err) != Invalid {
		t.Error("a deadline:", err)
	}
}

func TestADraftOfATemplateBelongsToItsMakerAndWaitsForItsPlaceholders(t *testing.T) {
	t.Parallel()
	template := sharedWithLegal(t, newTemplate(t))
	colleague := withRole(inTeam(user), RoleSender)
	c, err := UseTemplate(template, copied2(template, nil), nil, "Sewa Toko", colleague, limits, t0)
	draft := applyChange(t, c, err)
	draft.ID = 9
	if draft.Template || draft.Owner != colleague.Person || draft.Team != (Team{}) || draft.Title != "Sewa Toko" || c.Events[0].Type != EventUploaded || c.Events[0].Details["from_template"] != "8" {
		t.Errorf("%+v, %+v", draft, c.Events[0])
	}
	var refusal *Error
	if _, _, err := Finalize(draft, FinalizeOptions{AcceptFindings: []FindingCode{FindingJavaScript}}, colleague, t0); !errors.As(err, &refusal) || !errors.Is(err, ErrPlaceholders) || refusal.Args["names"] != "Penyewa" {
		t.Errorf("with a placeholder: %v", err)
	}
	people := slices.Clone(draft.Participants)
	at := slices.IndexFunc(people, func(p Participant) bool { return p.Placeholder })
	former := people[at].ID
	people[at] = Participant{Person: newPerson("tenant2"), Role: Signer, Number: 2, Guest: true}
	fill := []FilledPlaceholder{{former, "tenant2", "guest[0].fills"}}
	c, err = FillParticipants(draft, people, nil, fill, nil, colleague, limits, t0)
	filled := applyChange(t, c, err)
	if len(filled.Placements) != 2 || filled.Placements[1].Person != "tenant2" {
		t.Errorf("boxes after filling: %v", filled.Placements)
	}
	if _, _, err := Finalize(filled, FinalizeOptions{AcceptFindings: []FindingCode{FindingJavaScript}}, colleague, t0); err != nil {
		t.Error("filled:", err)
	}
	for name, fill := range map[string][]FilledPlaceholder{"twice": append(fill, fill[0]), "a person": {{first.ID, "tenant2", "x"}}, "unknown": {{"nobody", "tenant2", "x"}}} {
		if _, err := FillParticipants(draft, people, nil, fill, nil, colleague, limits, t0); KindOf(err) != Invalid {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := UseTemplate(template, copied2(template, nil), fill, "", colleague, limits, t0); KindOf(err) != Invalid {
			t.Errorf("%s at once: %v", name, err)
		}
	}
	if _, err := UseTemplate(newDraft(t), CopiedFile{}, nil, "", owner, limits, t0); !errors.Is(err, ErrNotTemplate) {
		t.Error("of a document:", err)
	}
}

// copied2 is [copied] for a template, whose placeholders keep their names. Filled has people by the identifier of their placeholder.
func copied2(d *Document, filled map[PersonID]Participant) CopiedFile {
	f := copied(d)
	for i, p := range d.Participants {
		switch by, found := filled[p.ID]; {
		case found:
			f.Participants[i] = by
		case p.Placeholder:
			f.Participants[i].Placeholder, f.Participants[i].ID = true, "open "+p.ID
		}
	}
	return f
}

func TestPlaceholdersHaveNoAddressAndDifferentNames(t *testing.T) {
	t.Parallel()
	role := func(id PersonID, name string) Participant {
		return Participant{Person: Person{ID: id, Name: name, Email: "left@example.test"}, Role: Signer, Number: 1, Guest: true, Placeholder: true}
	}
	c, err := SetParticipants(newDraft(t), []Participant{role("a", "Penyewa"), role("b", "Pemilik")}, nil, nil, owner, limits, t0)
	if d := applyChange(t, c, err); d.Participants[0].Email != "" || !d.Participants[0].Placeholder {
		t.Errorf("%+v", d.Participants[0])
	}
	for name, people := range map[string][]Participant{"same name": {role("a", "Penyewa"), role("b", "PENYEWA")}, "no name": {role("a", " ")}} {
		if _, err := SetParticipants(newDraft(t), people, nil, nil, owner, limits, t0); KindOf(err) != Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestATransferredTemplateIsReportedToNoOtherSystem(t *testing.T) {
	t.Parallel()
	for want, d := range map[int]*Document{0: newTemplate(t), 1: newDraft(t)} {
		c, _, err := Transfer(d, owner.ID, user.Person, nil, Actor{}, t0)
		if err != nil || len(FeedTypesOf(c.Events[0])) != want {
			t.Errorf("%v %+v", err, c.Events)
		}
	}
}
