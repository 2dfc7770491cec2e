package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// rows are the benchmarks of the library that the table has, by name, with the unit of their ratio.
var rows = []struct{ name, unit, says string }{
	{"BenchmarkFirstSignature/100MB", "x-floor", "first signature of 100 MB from cold / copy, SHA-256, one RSA-2048 operation"},
	{"BenchmarkFirstSignature/100KB", "x-floor", "first signature of 100 KB from cold / the same"},
	{"BenchmarkLaterSignature", "x-100KB", "fifth signature of 100 MB / of 100 KB, library alone"},
}

// library runs the benchmarks of signing, without a service.
func library() error {
	out, err := exec.Command("go", "test", "-run", "^$", "-bench", "^Benchmark(First|Later)Signature$", "-benchtime", "20x", "./pades").Output()
	if err != nil {
		os.Stderr.Write(out)
		return fmt.Errorf("benchmarks of ./pades: %w", err)
	}
	for _, row := range rows {
		ratio, took, ok := metrics(string(out), row.name, row.unit)
		if !ok {
			return fmt.Errorf("no benchmark %s", row.name)
		}
		fmt.Printf("| %s | %s | %s ms |\n", row.says, ratio, took)
	}
	return nil
}

// metrics finds a benchmark's ratio and the time of one signature in what go test printed.
func metrics(out, name, unit string) (ratio, took string, ok bool) {
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != name && !strings.HasPrefix(words[0], name+"-") {
			continue
		}
		for i, w := range words[1:] {
			switch w {
			case unit:
				ratio = words[i]
			case "ms/signature":
				took = words[i]
			}
		}
	}
	return ratio, took, ratio != "" && took != ""
}
