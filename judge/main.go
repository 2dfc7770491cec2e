package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	work := flag.String("work", "build/judge", "folder for files, trust and reports")
	flag.Parse()
	if err := run(*work); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

func run(work string) error {
	h, err := newHouse()
	if err != nil {
		return err
	}
	all, err := samples(h)
	if err != nil {
		return err
	}
	args, err := h.trust(filepath.Join(work, "trust"))
	if err != nil {
		return err
	}
	made := filepath.Join(work, "made")
	if err := os.MkdirAll(made, 0o755); err != nil {
		return err
	}
	for _, s := range all {
		if err := os.WriteFile(filepath.Join(made, s.name), s.paper.b, 0o600); err != nil {
			return err
		}
	}
	fmt.Println(args)
	return nil
}
