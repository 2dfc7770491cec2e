// Command names measures the names and lengths of the functions of a Go module, without tests: the share of names that
// are one lower-case word, the share of those that three or more functions have, the mean length of a name, and lines per
// function. With -list it prints the one-word names of each package.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	list := flag.Bool("list", false, "print the one-word names of each package")
	flag.Parse()
	root := cmp.Or(flag.Arg(0), ".")
	functions, err := readFunctions(root)
	if err == nil && len(functions) == 0 {
		err = fmt.Errorf("%s has no function", root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "names:", err)
		os.Exit(1)
	}
	printMeasures(functions)
	if *list {
		printOneWordNames(functions)
	}
}

// function is a declared function or method.
type function struct {
	dir   string // of its package, relative to the module
	name  string
	lines int // from "func" to the closing brace, inclusive
}

var oneWord = regexp.MustCompile(`^[a-z]+$`)

// readFunctions parses all Go files below root except tests, test data, and hidden or installed folders.
func readFunctions(root string) ([]function, error) {
	var functions []function
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if n := e.Name(); path != root && (n == "testdata" || n == "node_modules" || n == "build" || strings.HasPrefix(n, ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				lines := files.Position(d.End()).Line - files.Position(d.Pos()).Line + 1
				functions = append(functions, function{dir, d.Name.Name, lines})
			}
		}
		return nil
	})
	return functions, err
}

func printMeasures(functions []function) {
	uses, length, one := map[string]int{}, 0, 0
	lines := make([]int, 0, len(functions))
	for _, f := range functions {
		length += len(f.name)
		lines = append(lines, f.lines)
		if oneWord.MatchString(f.name) {
			one++
			uses[f.name]++
		}
	}
	shared := 0
	for _, n := range uses {
		if n >= 3 {
			shared += n
		}
	}
	slices.Sort(lines)
	total := len(functions)
	fmt.Printf("functions                              %d\n", total)
	fmt.Printf("named by one lower-case word           %.1f %%\n", percent(one, total))
	fmt.Printf("... by a word of three or more         %.1f %%\n", percent(shared, total))
	fmt.Printf("mean length of a name                  %.1f\n", float64(length)/float64(total))
	fmt.Printf("lines per function, median, p99, max   %d, %d, %d\n", lines[total/2], lines[total*99/100], lines[total-1])
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(of) }

func printOneWordNames(functions []function) {
	packages := map[string][]string{}
	for _, f := range functions {
		if oneWord.MatchString(f.name) {
			packages[f.dir] = append(packages[f.dir], f.name)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		slices.Sort(packages[dir])
		fmt.Printf("%s: %s\n", dir, strings.Join(packages[dir], " "))
	}
}
