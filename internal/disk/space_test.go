package disk

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"segel/internal/outage"
)

func TestAFileSystemThatHangsDelaysCallersOnceAndHasOneCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		answered := make(chan struct{})
		r := &spaceReader{wait: 2 * time.Second, read: func(folder string) (Space, error) {
			if folder == "data" {
				return Space{Free: 3}, nil
			}
			calls.Add(1)
			<-answered
			return Space{Free: 7}, nil
		}}
		m := &Monitor{Folders: []string{"shared"}, Look: r.readSpace}
		began := time.Now()
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if _, _, err := m.Check(); outage.Of(err) == nil {
					t.Errorf("it was checked: %v", err)
				}
			})
		}
		all.Wait()
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("callers waited %v", took)
		}
		began = time.Now()
		if err := m.Require(1); outage.Of(err) == nil || time.Since(began) != 0 {
			t.Errorf("while the call is in progress: %v after %v", err, time.Since(began))
		}
		if s, err := r.readSpace("data"); err != nil || s.Free != 3 {
			t.Errorf("another folder: %+v, %v", s, err)
		}
		if n := calls.Load(); n != 1 {
			t.Errorf("%d calls are in progress", n)
		}
		close(answered)
		synctest.Wait()
		if s, err := r.readSpace("shared"); err != nil || s.Free != 7 || calls.Load() != 2 {
			t.Errorf("when it answers again: %+v, %v, %d calls", s, err, calls.Load())
		}
	})
}
