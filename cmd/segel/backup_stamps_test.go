package main

import (
	"context"
	"path/filepath"
	"testing"

	"segel/internal/contract"
	"segel/internal/emeterai/sandbox"
)

func TestWhatWasBoughtSinceTheBackupIsNotBoughtAgainAfterTheRestoration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	c := newCounter(t, data)
	ordered := func() contract.DocumentID { // nothing was asked of the office yet
		id := c.owner.upload(simple())
		c.owner.place(id, c.owner.at("emet", 100, 100, 160, 160)).ok()
		c.owner.verb("finalize-docs", id).ok()
		return contract.DocumentID(id)
	}
	waits := ordered()
	inDoubt, _ := c.stamped(always(sandbox.CallBuy, sandbox.FaultLost, ""))
	bound, had := c.stamped(always(sandbox.CallStamp, sandbox.FaultLost, ""))
	if s := c.stamp(inDoubt); s.State != contract.StampRequested || had.State != contract.StampBound {
		t.Fatalf("before the backup: %s and %s", s.State, had.State)
	}
	phrase := passphrase(t, "kata sandi cadangan")
	backups := filepath.Join(dir, "backups")
	makeBackup(t, data, c.bureau.conf, 0, backups, "--passphrase-file", phrase)

	// What the backup does not know: all stamps are affixed, and a document is made and stamped.
	serials := map[contract.DocumentID]string{}
	for _, id := range []contract.DocumentID{waits, inDoubt, bound} {
		c.again(id)
		s := c.stamp(id)
		if s.State != contract.StampAffixed {
			t.Fatalf("document %d: %s", id, s.State)
		}
		serials[id] = s.Serial
	}
	_, lost := c.stamped()
	before := len(c.list())
	c.stop()

	elsewhere := filepath.Join(dir, "elsewhere")
	runSegel(t, 0, c.bureau.conf, "restore", "--data", elsewhere, backups, "--passphrase-file", phrase)
	c.service = starting{idle: true, data: elsewhere, set: c.bureau.conf}.start(t)
	if err := c.openOffice(); err != nil {
		t.Fatal(err)
	}
	for id, want := range serials {
		c.again(id)
		if s := c.stamp(id); s.State != contract.StampAffixed || s.Serial != want {
			t.Errorf("document %d: %s with %q, want %q", id, s.State, s.Serial, want)
		}
	}
	if n := len(c.list()); n != before {
		t.Errorf("the account has %d serials, before the restoration %d", n, before)
	}
	last, err := c.store.LastReconciliation(context.Background())
	if err != nil || last.Problem != "" {
		t.Fatalf("%+v, %v", last, err)
	}
	found := map[string]contract.DifferenceKind{}
	for _, d := range last.Differences {
		found[d.Serial] = d.Kind
	}
	if found[lost.Serial] != contract.DifferUnknownAffixed {
		t.Errorf("the serial of the lost document is reported as %q", found[lost.Serial])
	}
}
