package workflow_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
)

func TestADocumentThatCannotBeExpiredDoesNotHoldUpTheOthers(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx := context.Background()
	until := h.now().Add(time.Hour)
	var all []contract.DocumentID
	for range 3 {
		id := h.draftOf(true, 0)
		if _, err := h.Describe(ctx, h.owner, id, 0, contract.Description{ExpiresAt: &until}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Finalize(ctx, h.owner, id, contract.FinalizeOptions{}); err != nil {
			t.Fatal(err)
		}
		all = append(all, id)
	}
	h.later(2 * time.Hour)
	h.store.refuseOf = map[contract.DocumentID]error{all[0]: errCrash}
	if err := h.Expire(ctx); !errors.Is(err, errCrash) || !strings.Contains(err.Error(), "expire document 1:") {
		t.Errorf("expire: %v", err)
	}
	if a, b, c := h.read(all[0]).State, h.read(all[1]).State, h.read(all[2]).State; a != contract.Processing || b != contract.Expired || c != contract.Expired {
		t.Errorf("the documents are %s, %s and %s", a, b, c)
	}
	// An outage ends the sweep: the next document would fail as well.
	h.store.refuseOf = map[contract.DocumentID]error{all[0]: errNoDatabase}
	if err := h.Expire(ctx); !errors.Is(err, errNoDatabase) {
		t.Errorf("expire during an outage: %v", err)
	}
	h.store.refuseOf = nil
	if err := h.Expire(ctx); err != nil || h.read(all[0]).State != contract.Expired {
		t.Errorf("afterwards: %v", err)
	}
}
