// Command passwords generates the list of common passwords that internal/identity refuses.
//
// The source is packages/languages/common/src/passwords.json of https://github.com/zxcvbn-ts/zxcvbn (MIT licence): an array
// of passwords from published leaks, the most frequent one first. Run it at the root of this module:
//
//	go run ./scripts/passwords -commit COMMIT passwords.json > internal/identity/commonpasswords/list.txt
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A password is compared as a whole and without digits and punctuation at its ends, so entries shorter than the minimum length
// of a password matter too, because people build on them.
const (
	longEntry  = 8    // characters; all entries of this length and above are taken
	shortEntry = 6    // characters; of these, only the most frequent ones
	frequent   = 5000 // how many of the most frequent entries count as frequent
)

func main() {
	commit := flag.String("commit", "", "commit of the source")
	flag.Parse()
	if err := run(*commit, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "passwords:", err)
		os.Exit(1)
	}
}

func run(commit, file string) error {
	if commit == "" || file == "" {
		return errors.New("want -commit COMMIT and the path of passwords.json")
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var entries []string
	if err := json.Unmarshal(raw, &entries); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	var list []string
	for i, e := range entries {
		e = strings.ToLower(e)
		long := len(e) >= longEntry || len(e) >= shortEntry && i < frequent
		if long && !strings.ContainsFunc(e, func(r rune) bool { return r <= ' ' || r > '~' || r == '#' }) {
			list = append(list, e)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)

	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintf(out, "# %d common passwords in lower case, sorted. Made by scripts/passwords; do not edit.\n", len(list))
	fmt.Fprintf(out, "# Source: https://github.com/zxcvbn-ts/zxcvbn at %s, packages/languages/common/src/passwords.json.\n", commit)
	fmt.Fprintln(out, "# Licence: MIT, see LICENSE in this folder.")
	for _, e := range list {
		fmt.Fprintln(out, e)
	}
	return out.Flush()
}
