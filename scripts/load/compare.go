package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"segel/internal/config"
)

// phase is a part of the way of a document, whose costs are told apart.
type phase struct {
	name       string
	operations []operation
	wait       func(*load, context.Context) error // for all documents, after the operations; nil: each operation waits for its document
}

var (
	phases = []phase{{"upload to guest login", preparing, nil}, {"sign to completed", closing, nil}}
	// Stamping orders are finalized at once, as measureStamps does.
	orderPhases = []phase{
		{"upload and place", []operation{{"upload and place", func(l *load, _ context.Context, d *document) error { return l.uploadOrder(l.owner, d) }}}, nil},
		{"finalize to completed", []operation{{"finalize", (*load).finalize}}, (*load).waitAllCompleted},
	}
)

// comparedPhases returns the phases of what is compared.
func (o options) comparedPhases() []phase {
	if o.stamps {
		return orderPhases
	}
	return phases
}

// describe says what is compared.
func (o options) describe() string {
	if o.stamps {
		return fmt.Sprintf("stamping orders, which an office answers after %v,", officeTime)
	}
	return "documents"
}

// compare measures the service beside another program in short rounds in turn, so that what else the machine does meets both alike. The
// least processor time of all rounds says what a program needs; more is what other programs took of caches and cores. Evidence
// certificates are left out: a job of one round must not end in another.
func compare(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "segel-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binaries := []string{o.against, o.binary}
	loads := make([]*load, len(binaries))
	for i, binary := range binaries {
		l, on, stop, err := o.startCompared(ctx, binary, filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			return fmt.Errorf("%s: %w", binary, err)
		}
		defer stop()
		if i == 0 {
			fmt.Printf("%d rounds of %d %s of %d KiB, %d clients, on %s\n%s beside %s\n\n", o.rounds, o.documents, o.describe(), o.size>>10, o.clients, on, o.against, o.binary)
		}
		loads[i] = l
	}
	phases := o.comparedPhases()
	rounds := make([][][]costs, len(phases)) // by phase and program
	for p := range rounds {
		rounds[p] = make([][]costs, len(loads))
	}
	for r := range o.rounds {
		for turn := range loads {
			i := (r + turn) % len(loads) // each begins every other round
			documents := make([]document, o.documents)
			for p, phase := range phases {
				c, err := loads[i].measurePhase(ctx, phase, documents)
				if err != nil {
					return fmt.Errorf("%s: %w", loads[i].binary, err)
				}
				rounds[p][i] = append(rounds[p][i], c)
			}
		}
	}
	fmt.Println("| for each document | before, least; half | after, least; half | after / before, least; half |\n|---|---|---|---|")
	for p, phase := range phases {
		if err := printComparison(phase.name, rounds[p][0], rounds[p][1]); err != nil {
			return err
		}
	}
	whole := make([][]costs, len(loads))
	for i := range loads {
		for r := range o.rounds {
			var sum costs
			for p := range phases {
				sum = sum.plus(rounds[p][i][r])
			}
			whole[i] = append(whole[i], sum)
		}
	}
	return printComparison("whole job", whole[0], whole[1])
}

// startCompared starts a program with its database and, for stamping orders, with an office of the program that is measured, and warms it up.
func (o options) startCompared(ctx context.Context, binary, data string) (l *load, on string, stop func(), err error) {
	env, on, closeDatabase, err := o.openDatabase(ctx)
	if err != nil {
		return nil, "", nil, err
	}
	ends := []func(){closeDatabase}
	endAll := func() {
		for _, end := range slices.Backward(ends) {
			end()
		}
	}
	defer func() {
		if err != nil {
			endAll()
		}
	}()
	if o.stamps {
		office, err := o.startOffice(officeTime)
		if err != nil {
			return nil, "", nil, err
		}
		ends = append(ends, office.stop)
		env = append(env, office.env(officeSlots, officeSlots)...)
	}
	of := o
	of.binary, of.documents = binary, o.documents*o.rounds
	if l, err = startLoad(of, data, append(env, "SEGEL_EVIDENCE="+config.EvidenceOnRequest)); err != nil {
		return nil, "", nil, err
	}
	ends = append(ends, func() { l.Stop() })
	l.documents = o.documents
	if !o.stamps {
		return l, on, endAll, l.warmUp(ctx)
	}
	warm := 2 * o.clients
	if err := l.Grant(l.Data, "Segel", of.documents+warm, 1); err != nil {
		return nil, "", nil, err
	}
	documents := make([]document, warm)
	for _, phase := range orderPhases {
		if err := l.runPhase(ctx, phase, documents); err != nil {
			return nil, "", nil, err
		}
	}
	return l, on, endAll, nil
}

// runPhase takes documents through a phase.
func (l *load) runPhase(ctx context.Context, p phase, documents []document) error {
	if _, err := l.runAll(ctx, p.operations, documents); err != nil || p.wait == nil {
		return err
	}
	return p.wait(l, ctx)
}

// measurePhase returns what a phase costs for each of the documents, without waiting for completion.
func (l *load) measurePhase(ctx context.Context, p phase, documents []document) (costs, error) {
	before, err := l.readCosts(ctx)
	if err != nil {
		return costs{}, err
	}
	if err := l.runPhase(ctx, p, documents); err != nil {
		return costs{}, err
	}
	after, err := l.readCosts(ctx)
	c := after.minus(before)
	return c.minus(l.wait.times(c.waits)).times(1 / float64(len(documents))), err
}

// printComparison prints the least and the median of each cost of two programs.
func printComparison(what string, before, after []costs) error {
	if len(before) == 0 || len(after) == 0 {
		return errors.New("nothing was measured")
	}
	for _, cost := range []struct {
		name string
		of   func(costs) float64
	}{
		{"processor time, ms", func(c costs) float64 { return c.cpu * 1000 }},
		{"allocations", func(c costs) float64 { return c.mallocs }},
		{"KiB allocated", func(c costs) float64 { return c.bytes / 1024 }},
		{"statements", func(c costs) float64 { return c.statements }},
		{"round trips", func(c costs) float64 { return c.trips }},
		{"syncs", func(c costs) float64 { return c.syncs }},
		{"commits", func(c costs) float64 { return c.commits }},
	} {
		values := func(of []costs) (least, median float64) {
			v := make([]float64, len(of))
			for i, c := range of {
				v[i] = cost.of(c)
			}
			slices.Sort(v)
			return v[0], v[len(v)/2]
		}
		least0, median0 := values(before)
		least1, median1 := values(after)
		if median0 == 0 {
			continue
		}
		fmt.Printf("| %s, %s | %.1f; %.1f | %.1f; %.1f | %.2f; %.2f |\n", what, cost.name, least0, median0, least1, median1, least1/least0, median1/median0)
	}
	return nil
}
