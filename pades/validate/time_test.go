package validate

import (
	"testing"
	"time"
)

// signed is a file with a signature of Budi of 1 June 2025, with a timestamp on it.
func signed(t *testing.T, w *world) *paper {
	p := w.paper()
	p.sign(w.budi, w.tsa.token(date(2025, 6, 1), content[:]))
	return p
}

// proved adds what shows that nobody was revoked by then.
func proved(p *paper, at time.Time) *paper {
	w := p.w
	p.prove([][]byte{w.budi.good(at), w.issuing.good(at)}, w.timeRoot.list(at))
	return p
}

func TestLevelsAreReachedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.paper()
	p.sign(w.budi)
	is(t, p.judge(date(2025, 6, 2)), 0, TryLater, LevelB)
	p = signed(t, w)
	is(t, p.judge(date(2025, 6, 2)), 0, TryLater, LevelB) // nobody says whether the clock was revoked
	p = proved(signed(t, w), date(2025, 6, 2))
	is(t, p.judge(date(2025, 6, 2)), 0, "", LevelLT)
	p.archive(w.tsa, date(2025, 6, 3))
	r := p.judge(date(2025, 6, 4))
	is(t, r, 0, "", LevelLTA)
	is(t, r, 1, "", LevelNone)
	if !r.Passed() || r.Integrity != IntactLater || r.Signatures[1].Integrity != Intact {
		t.Errorf("passed %v, %s, %s", r.Passed(), r.Integrity, r.Signatures[1].Integrity)
	}
}

func TestCertificateThatEndedIsFineInsideATimestamp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.archive(w.tsa, date(2025, 6, 3))
	is(t, p.judge(date(2029, 1, 1)), 0, "", LevelLTA)
}

func TestCertificateThatEndedIsOutOfBoundsWithoutATimestamp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.paper()
	p.sign(w.budi)
	p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
	is(t, p.judge(date(2025, 6, 3)), 0, "", LevelB)
	is(t, p.judge(date(2026, 1, 2)), 0, OutOfBoundsNoPOE, LevelB)
}
