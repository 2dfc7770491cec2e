package workflow

import (
	"bytes"
	"testing"
	"time"
)

func TestKeysOfTrialsAreUsedAgainForAWhileUnderOtherNames(t *testing.T) {
	t.Parallel()
	var all throwawayCache
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	at := func(now time.Time) *throwawayCredentials {
		made, err := all.credentialsAt(now)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range made.chain {
			if now.Before(c.NotBefore) || now.After(c.NotAfter) {
				t.Errorf("at %s: a certificate from %s to %s", now, c.NotBefore, c.NotAfter)
			}
		}
		if !made.timestamper.Clock().Equal(now) {
			t.Errorf("at %s: the time is %s", now, made.timestamper.Clock())
		}
		return made
	}
	first, second, late := at(now), at(now.Add(throwawayLifetime)), at(now.Add(throwawayLifetime+time.Second))
	if first.key != second.key || second.key == late.key {
		t.Error("keys are used only once, or for too long")
	}
	if bytes.Equal(first.serial, second.serial) {
		t.Error("two trials have the same field names")
	}
	if back := at(now); back.key == late.key {
		t.Error("a trial uses keys of a later time")
	}
}
