// Command compose checks a compose file against the schema of the Compose Specification, as docker compose does before it starts anything. It
// has a separate module, so that what it needs is not part of ours.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: compose FILE")
		os.Exit(2)
	}
	if err := checkFile(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "compose:", err)
		os.Exit(1)
	}
}

// checkFile reads a file with the variables of the environment, which has to set those that the file requires.
func checkFile(file string) error {
	o, err := cli.NewProjectOptions([]string{file}, cli.WithOsEnv)
	if err != nil {
		return err
	}
	p, err := o.LoadProject(context.Background())
	if err != nil {
		return err
	}
	names := p.ServiceNames()
	slices.Sort(names)
	fmt.Printf("%s is valid: %v\n", file, names)
	return nil
}
