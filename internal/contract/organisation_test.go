package contract

import (
	"errors"
	"testing"
)

// TestAnOrganisationThatIsNotActivePermitsNothing runs every operation as people and guests of a suspended and of a closed organisation. The answer
// is the same for every document, so it says nothing about one.
func TestAnOrganisationThatIsNotActivePermitsNothing(t *testing.T) {
	t.Parallel()
	draft, sent := newDraft(t), finalizedWithStamps(t)
	for state, want := range map[OrganisationState]error{OrganisationSuspended: ErrOrganisationSuspended, OrganisationClosed: ErrOrganisationClosed, "of a later release": ErrOrganisationClosed} {
		for _, by := range []Actor{owner, first, guest, outsider} {
			by.OrganisationState = state
			for _, d := range []*Document{draft, sent} {
				for _, op := range Operations {
					if err := d.Authorise(by, op); !errors.Is(err, want) {
						t.Errorf("%s as %s of one that is %s: %v", op, by.ID, state, err)
					}
				}
			}
			if by.Guest != 0 {
				continue
			}
			for _, op := range AccountOperations {
				if err := by.AuthoriseAccount(op); !errors.Is(err, want) {
					t.Errorf("%s as %s of one that is %s: %v", op, by.ID, state, err)
				}
			}
		}
	}
}

func TestAnOrganisationIsClosedForEver(t *testing.T) {
	t.Parallel()
	all := []OrganisationState{OrganisationActive, OrganisationSuspended, OrganisationClosed}
	for _, from := range all {
		for _, to := range all {
			want := error(nil)
			switch {
			case from == to:
				want = ErrSameState
			case from == OrganisationClosed:
				want = ErrOrganisationEnded
			}
			if err := from.CheckNext(to); !errors.Is(err, want) {
				t.Errorf("from %q to %q: %v, want %v", from, to, err, want)
			}
		}
	}
}
