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

// phases of the job whose costs are compared.
var phases = []struct {
	name       string
	operations []operation
}{{"upload to guest login", preparing}, {"sign to completed", closing}}

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
		env, on, stop, err := o.openDatabase(ctx)
		if err != nil {
			return err
		}
		defer stop()
		of := o
		of.binary, of.documents = binary, o.documents*o.rounds
		l, err := startLoad(of, filepath.Join(dir, fmt.Sprint(i)), append(env, "SEGEL_EVIDENCE="+config.EvidenceOnRequest))
		if err != nil {
			return err
		}
		defer l.Stop()
		l.documents = o.documents
		if err := l.warmUp(ctx); err != nil {
			return err
		}
		if i == 0 {
			fmt.Printf("%d rounds of %d documents of %d KiB, %d clients, on %s\n%s beside %s\n\n", o.rounds, o.documents, o.size>>10, o.clients, on, o.against, o.binary)
		}
		loads[i] = l
	}
	rounds := make([][][]costs, len(phases)) // by phase and program
	for p := range rounds {
		rounds[p] = make([][]costs, len(loads))
	}
	for r := range o.rounds {
		for turn := range loads {
			i := (r + turn) % len(loads) // each begins every other round
			documents := make([]document, o.documents)
			for p, phase := range phases {
				c, err := loads[i].measurePhase(ctx, phase.operations, documents)
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

// measurePhase returns what the operations cost for each of the documents, without waiting for completion.
func (l *load) measurePhase(ctx context.Context, operations []operation, documents []document) (costs, error) {
	before, err := l.readCosts(ctx)
	if err != nil {
		return costs{}, err
	}
	if _, err := l.runAll(ctx, operations, documents); err != nil {
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
