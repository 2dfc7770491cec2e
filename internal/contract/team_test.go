package contract

import (
	"errors"
	"slices"
	"testing"
)

var legal = Team{ID: "legal", Name: "Legal"}

// inTeam returns an actor as a member of the team.
func inTeam(a Actor) Actor {
	a.Teams = []Team{{ID: "other", Name: "Other"}, legal}
	return a
}

func withRole(a Actor, r AccountRole) Actor {
	a.Role = r
	return a
}

func sharedWithLegal(t *testing.T, d *Document) *Document {
	t.Helper()
	c, changed, err := ShareWithTeam(d, legal.ID, inTeam(owner), t0)
	if err == nil && !changed {
		t.Fatal("shared before")
	}
	return applyChange(t, c, err)
}

func TestMembersReadTheDocumentsOfTheirTeamAndSendersActForTheOwner(t *testing.T) {
	t.Parallel()
	personal := []Operation{OpGuestLink, OpEmbed, OpShare, OpDelete}
	for state, d := range map[string]*Document{"draft": newDraft(t), "finalized": finalizeDraft(t, placeBoxes(t, newDraft(t), signRequest("first")))} {
		d = sharedWithLegal(t, d)
		elsewhere := inTeam(user)
		elsewhere.Organisation = "other"
		embedded := inTeam(user)
		embedded.Embed = &EmbedGrant{Document: d.ID, Purpose: EmbedView}
		guestMember := inTeam(guest)
		reader := user
		reader.Teams = []Team{{ID: "other", Name: "Legal"}}
		for _, op := range Operations {
			for who, by := range map[string]Actor{"no member": user, "member of another team": reader, "member in another organisation": elsewhere, "in an embedded page": embedded} {
				if err := d.Authorise(by, op); !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrEmbedPurpose) {
					t.Errorf("%s of a %s as %s: %v", op, state, who, err)
				}
			}
			without := d.copyDocument()
			without.Team = Team{}
			if got, want := d.Authorise(guestMember, op), without.Authorise(guest, op); !errors.Is(got, want) && got != want {
				t.Errorf("%s of a %s as a guest who claims to be a member: %v, want %v", op, state, got, want)
			}
			owns := slices.Contains(ownerOnly, op)
			for _, role := range AccountRoles {
				var want error
				switch {
				case slices.Contains(guestOnly, op):
					want = ErrGuestsOnly
				case slices.Contains(personal, op):
					want = ErrNotOwner
				case owns && op != OpAuditTrail && op != OpOriginal && (role == RoleMember || role == RoleAuditor):
					want = ErrRole
				}
				if err := d.Authorise(withRole(inTeam(user), role), op); !errors.Is(err, want) && err != want {
					t.Errorf("%s of a %s as a member with the role %s: %v, want %v", op, state, role, err, want)
				}
			}
		}
	}
}

func TestTheOwnerSharesWithTheirOwnTeamsAlone(t *testing.T) {
	t.Parallel()
	d := newDraft(t)
	for _, c := range []struct {
		who  string
		by   Actor
		to   TeamID
		want error
	}{
		{"owner who is not a member", owner, legal.ID, ErrNoTeam}, {"owner", inTeam(owner), "unknown", ErrNoTeam}, {"colleague", inTeam(user), legal.ID, ErrNotFound},
	} {
		if _, _, err := ShareWithTeam(d, c.to, c.by, t0); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.who, err, c.want)
		}
	}
	d = sharedWithLegal(t, d)
	if _, changed, err := ShareWithTeam(d, legal.ID, inTeam(owner), t0); changed || err != nil {
		t.Error("again:", changed, err)
	}
	if _, _, err := ShareWithTeam(d, "", inTeam(user), t0); !errors.Is(err, ErrNotOwner) {
		t.Error("a member takes it out:", err)
	}
	c, changed, err := ShareWithTeam(d, "", owner, t0) // who left the team
	if !changed || err != nil || c.After.Team != (Team{}) || c.Events[0].Type != EventTeamChanged || c.Events[0].Details["former"] != string(legal.ID) {
		t.Errorf("taken out: %t %v %+v", changed, err, c.Events)
	}
}

func TestADocumentIsCreatedInATeamOfItsOwnerAlone(t *testing.T) {
	t.Parallel()
	u := Upload{Title: "Sewa", Filename: "sewa.pdf", Pages: 1, Base: Revision{Kind: RevisionBase, Tail: File{Key: "base", Size: 1000}, End: 1000}}
	for _, c := range []struct {
		by    Actor
		to    TeamID
		want  Team
		err   error
		count int // of events
	}{{inTeam(owner), legal.ID, legal, nil, 2}, {inTeam(owner), "", Team{}, nil, 1}, {inTeam(owner), "unknown", Team{}, ErrNoTeam, 0}, {owner, legal.ID, Team{}, ErrNoTeam, 0}} {
		u.Team = c.to
		change, err := Create(u, c.by, limits, t0)
		if !errors.Is(err, c.err) || change.After.Team != c.want || len(change.Events) != c.count {
			t.Errorf("in %q: %v in %v with %+v", c.to, err, change.After.Team, change.Events)
		}
	}
}

func TestADocumentStaysInItsTeamIfTheNextOwnerIsAMember(t *testing.T) {
	t.Parallel()
	d := sharedWithLegal(t, newDraft(t))
	for _, c := range []struct {
		teams []Team
		want  Team
	}{{inTeam(user).Teams, legal}, {nil, Team{}}} {
		change, _, err := Transfer(d, owner.ID, user.Person, c.teams, Actor{}, t0)
		if err != nil || change.After.Team != c.want {
			t.Errorf("with %v: %v %v", c.teams, change.After.Team, err)
		}
	}
}

func TestACopyStaysInTheTeamOfItsMaker(t *testing.T) {
	t.Parallel()
	c, err := Cancel(finalizeDraft(t, placeBoxes(t, newDraft(t), signRequest("first"))), "", owner, limits, t0)
	d := sharedWithLegal(t, applyChange(t, c, err))
	for who, by := range map[string]Actor{"member": inTeam(user), "owner who left the team": owner} {
		made, err := Copy(d, CopiedFile{Participants: d.Participants, Original: Revision{Kind: RevisionBase, End: 9}, PDF: &ExaminedPDF{Pages: 2}}, by, limits, t0)
		if want := d.IsSharedWith(by); err != nil || (made.After.Team == legal) != want || made.After.Owner != by.Person {
			t.Errorf("%s: %v, %+v of %+v", who, err, made.After.Team, made.After.Owner)
		}
	}
}

func TestAddressesAreHiddenFromMembersWhoMayNotActForTheOwner(t *testing.T) {
	t.Parallel()
	d := sharedWithLegal(t, newDraft(t, func(u *Upload) { u.Delivery.HideAddresses = true }))
	for role, want := range map[AccountRole]bool{RoleSender: true, RoleMember: false} {
		if got := d.SeesAddresses(withRole(inTeam(user), role)); got != want {
			t.Errorf("as %s: %t", role, got)
		}
	}
}
