package sqlstore

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// crashing is the environment variable with the database to which a process of this program writes until it is killed.
const crashing = "SEGEL_TEST_WRITE_UNTIL_KILLED"

// writeUntilKilled uploads documents and prints the number of each once it is committed.
func writeUntilKilled(dsn string) error {
	ctx := context.Background()
	s, err := Open(ctx, dsn, Options{})
	if err != nil {
		return err
	}
	if err := s.CreateOrganisation(ctx, store.Organisation{ID: "org", Name: "org"}); err != nil {
		return err
	}
	for i := 0; ; i++ {
		c, err := uploading(i)
		if err != nil {
			return err
		}
		c.Jobs = []contract.Job{{Kind: contract.JobStamp}}
		d, err := s.Commit(ctx, c)
		if err != nil {
			return err
		}
		fmt.Println(d.ID)
	}
}

func TestWhatWasCommittedOutlivesAProcessThatIsKilled(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		writer := exec.CommandContext(t.Context(), self)
		writer.Env = append(os.Environ(), crashing+"="+dsn)
		writer.Stderr = os.Stderr
		out, err := writer.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		said := 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if said, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(err)
			}
			if said == 50 {
				if err := writer.Process.Kill(); err != nil { // in the middle of a later commit
					t.Fatal(err)
				}
			}
		}
		_ = writer.Wait() // killed

		s := openTest(t, dsn)
		l, err := s.List(t.Context(), store.ListQuery{Person: "owner", Box: store.Outbox, Limit: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		events, _, err := s.Size(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// One more may have been committed without being printed. The first event recorded the organisation.
		if n := len(l.Documents); said < 50 || n < said || n > said+1 || l.Total != n || events != 1+int64(n) {
			t.Errorf("%d were said to be committed; there are %d, counted as %d, with %d events", said, n, l.Total, events)
		}
		if err := s.CheckLog(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
