package identity

import (
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

func TestAnInvitationThatIsRevokedWhileItIsSentAgainStaysRevoked(t *testing.T) {
	t.Parallel()
	g := guard(t)
	g.linkKey = [32]byte{3}
	added, err := g.AddUser(t.Context(), NewUser{Name: "Admin", Email: "admin@contoh.id", Password: password, Organisation: "Contoh", Role: contract.RoleAdmin})
	g.must(err)
	by := contract.Actor{Person: added.Account.Person, Organisation: added.Account.Organisation, Role: contract.RoleAdmin, Admin: true}
	i, err := g.Invite(t.Context(), by, NewInvitation{Email: "wati@contoh.id"})
	g.must(err)
	revoked := false
	g.clock = func() time.Time { // is asked between reading the invitation and replacing it
		if !revoked {
			revoked = true
			g.must(g.RevokeInvitation(t.Context(), by, i.ID))
		}
		return g.now
	}
	_, err = g.ResendInvitation(t.Context(), by, i.ID)
	g.refused("sending again what is revoked meanwhile", err, contract.ErrNoInvitation)
	open, err := g.db.ListInvitations(t.Context(), store.InvitationQuery{Organisation: by.Organisation, Limit: 9})
	if g.must(err); !revoked || open.Total != 0 {
		t.Errorf("%d invitations are open", open.Total)
	}
}
