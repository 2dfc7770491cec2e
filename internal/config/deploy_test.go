package config

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

func TestTheComposeFileSetsOnlySettingsThatExist(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^\s+(SEGEL_[A-Z0-9_]+):`).FindAllSubmatch(b, -1) {
		all = append(all, string(m[1])+"=x")
	}
	if !slices.Contains(all, "SEGEL_DATABASE=x") || !slices.Contains(all, "SEGEL_MASTER_KEY=x") {
		t.Fatalf("settings of the file: %v", all)
	}
	if unknown := unknownNames(all); len(unknown) > 0 {
		t.Errorf("%v do not exist", unknown)
	}
}
