package jobs

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/riverqueue/river/riverdriver"
)

var update = flag.Bool("update", false, "record the interface of River's drivers")

// TestDriverInterfaceOfRiverIsTheOneThatWasRead fails when a release of River changes what this package uses of its
// drivers, which River does not count as a breaking change. A new method or member may mean that a call does less than
// before: read River's changes and this package first, and then record the new interface with -update.
func TestDriverInterfaceOfRiverIsTheOneThatWasRead(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	describe := func(of reflect.Type, methods ...string) {
		b.WriteString(of.String() + "\n")
		for i := range of.NumMethod() {
			if m := of.Method(i); len(methods) == 0 || slices.Contains(methods, m.Name) {
				b.WriteString("\t" + m.Name + strings.TrimPrefix(m.Type.String(), "func") + "\n")
			}
		}
		if of.Kind() == reflect.Struct {
			for i := range of.NumField() {
				b.WriteString("\t" + of.Field(i).Name + " " + of.Field(i).Type.String() + "\n")
			}
		}
	}
	describe(reflect.TypeFor[riverdriver.Driver[any]](), "GetExecutor", "GetListener", "SupportsListener", "SupportsListenNotify", "DatabaseName")
	describe(reflect.TypeFor[riverdriver.Executor](), "Begin", "Exec", "QueryRow", "JobGetAvailable", "JobGetStuck", "JobRescueMany", "JobSchedule",
		"JobSetStateIfRunningMany", "LeaderGetElectedLeader", "LeaderResign")
	describe(reflect.TypeFor[riverdriver.Listener]())
	for _, of := range []any{
		riverdriver.JobGetAvailableParams{}, riverdriver.JobGetStuckParams{}, riverdriver.JobRescueManyParams{}, riverdriver.JobScheduleParams{},
		riverdriver.JobScheduleResult{}, riverdriver.JobSetStateIfRunningManyParams{}, riverdriver.LeaderGetElectedLeaderParams{},
		riverdriver.LeaderResignParams{}, riverdriver.Leader{}, riverdriver.GetListenenerParams{}, riverdriver.Notification{},
	} {
		describe(reflect.TypeOf(of))
	}
	file := filepath.Join("testdata", "river.txt")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the interface is now\n%s", b.String())
	}
}
