package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// FileVariable names a file of settings, see [ReadFile]. It is not a setting itself: a file names no other file.
const FileVariable = envPrefix + "CONFIG"

// kubernetes matches the variables that Kubernetes gives a container about services whose name begins with ours, such as
// SEGEL_PORT=tcp://10.0.0.1:8080. A variable like SEGEL_MAIL_PORT=587 is none of them.
var kubernetes = regexp.MustCompile(`^SEGEL_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST=|SERVICE_PORT(?:_[A-Z0-9_]+)?=|PORT=(?:tcp|udp|sctp)://|PORT_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?=)`)

// unknownNames returns the names in an environment that have our prefix and a value but are not settings.
func unknownNames(environ []string) []string {
	var unknown []string
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		if strings.HasPrefix(name, envPrefix) && value != "" && !isKnown(name) && name != FileVariable && !kubernetes.MatchString(line) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

func isKnown(name string) bool { return slices.Contains(knownNames(), name) }

// knownNames returns the names of all settings, and of the files that secrets may come from.
func knownNames() []string {
	var all []string
	for _, m := range listSettings() {
		all = append(all, m.name)
		if m.secret && !isSetting(m.name+"_FILE") {
			all = append(all, m.name+"_FILE")
		}
	}
	return all
}

// unknownError is the error for a name that is not a setting. A misspelled setting that is ignored would have an effect that no one expects.
func unknownError(name string) error {
	nearest, distance := "", len(name)
	for _, known := range knownNames() {
		if d := editDistance(name, known); d < distance {
			nearest, distance = known, d
		}
	}
	if distance > (len(name)-len(envPrefix))/2 {
		return fmt.Errorf("%s is not a setting; segel config prints them all", name)
	}
	return fmt.Errorf("%s is not a setting; did you mean %s?", name, nearest)
}

// editDistance returns how many bytes have to be inserted, removed or replaced to make one text of the other (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1) // of the part of a that was read: the distances to each part of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
