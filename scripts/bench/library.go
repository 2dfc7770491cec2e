package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// rows are the library benchmarks in the table, by name, with the units of their ratio and time.
var rows = []struct{ name, ratio, took, says string }{
	{"BenchmarkFirstSignature/100MB", "x-floor", "ms/signature", "first signature of 100 MB from cold / copy, SHA-256, one RSA-2048 operation"},
	{"BenchmarkFirstSignature/100KB", "x-floor", "ms/signature", "first signature of 100 KB from cold / the same"},
	{"BenchmarkLaterSignature", "x-100KB", "ms/signature", "fifth signature of 100 MB / of 100 KB, library alone"},
	{"BenchmarkVerdict/100MB", "x-floor", "ms/verdict", "verdict on 50 signatures on 100 MB / SHA-256 of the file and each of 205 public-key operations once"},
	{"BenchmarkVerdict/100KB", "x-floor", "ms/verdict", "verdict on 50 signatures on 100 KB / the same"},
	{"BenchmarkEncrypted/folder/100KB/write", "x-plain", "ms/encrypted", "write a file of 100 KB with encryption / without, in a folder"},
	{"BenchmarkEncrypted/folder/10MB/write", "x-plain", "ms/encrypted", "write a file of 10 MB with encryption / without, in a folder"},
	{"BenchmarkEncrypted/folder/100KB/read", "x-plain", "ms/encrypted", "read a file of 100 KB with encryption / without, from a folder, in memory of the system"},
	{"BenchmarkEncrypted/folder/10MB/read", "x-plain", "ms/encrypted", "read a file of 10 MB with encryption / without, from a folder, in memory of the system"},
	{"BenchmarkEncrypted/bucket/100KB/write", "x-plain", "ms/encrypted", "write a file of 100 KB with encryption / without, in a bucket on this machine"},
	{"BenchmarkEncrypted/bucket/10MB/write", "x-plain", "ms/encrypted", "write a file of 10 MB with encryption / without, in a bucket on this machine"},
	{"BenchmarkEncrypted/bucket/100KB/read", "x-plain", "ms/encrypted", "read a file of 100 KB with encryption / without, from a bucket on this machine"},
	{"BenchmarkEncrypted/bucket/10MB/read", "x-plain", "ms/encrypted", "read a file of 10 MB with encryption / without, from a bucket on this machine"},
}

// measureLibrary runs the benchmarks of signing and validation, without a service. It uses one processor: work of the garbage
// collector on another, idle processor would not be counted.
func measureLibrary() error {
	var out strings.Builder
	for _, run := range [][]string{
		{"-bench", "^Benchmark(First|Later)Signature$", "-benchtime", "20x", "./pades"},
		{"-bench", "^BenchmarkVerdict$", "-benchtime", "40x", "-cpu", "1", "./pades/validate"},
		{"-bench", "^BenchmarkEncrypted$", "-benchtime", "40x", "./internal/blob/encrypted"},
	} {
		printed, err := exec.Command("go", append([]string{"test", "-run", "^$"}, run...)...).Output()
		if err != nil {
			os.Stderr.Write(printed)
			return fmt.Errorf("benchmarks of %s: %w", run[len(run)-1], err)
		}
		out.Write(printed)
	}
	for _, row := range rows {
		ratio, took, ok := findMetrics(out.String(), row.name, row.ratio, row.took)
		if !ok {
			return fmt.Errorf("no benchmark %s", row.name)
		}
		fmt.Printf("| %s | %s | %s ms |\n", row.says, ratio, took)
	}
	return nil
}

// findMetrics finds a benchmark's ratio and time in the output of go test.
func findMetrics(out, name, ratioUnit, timeUnit string) (ratio, took string, ok bool) {
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != name && !strings.HasPrefix(words[0], name+"-") {
			continue
		}
		for i, w := range words[1:] {
			switch w {
			case ratioUnit:
				ratio = words[i]
			case timeUnit:
				took = words[i]
			}
		}
	}
	return ratio, took, ratio != "" && took != ""
}
