package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// alias is a further path of an endpoint, both in segments. A segment in braces of the further path stands for
// any one, and is carried over by its name.
type alias struct{ from, to []string }

type aliases []alias

// alias reads the configured table. The paths an endpoint has come after it, so a further path may be anything
// that is not below /v1/.
func (s *server) alias(table map[string]string) error {
	// In this order a segment goes before braces in its place, since a brace sorts behind letters and digits.
	for _, from := range slices.Sorted(maps.Keys(table)) {
		to := s.pinned(table[from])
		if !slices.ContainsFunc(s.endpoints, func(e endpoint) bool { return e.path == to }) {
			return fmt.Errorf("path %q leads to %q, which no endpoint has", from, table[from])
		}
		if !strings.HasPrefix(from, "/") || strings.HasPrefix(from, "/v1/") {
			return fmt.Errorf("path %q: a further path begins with / and not with /v1/", from)
		}
		a := alias{strings.Split(from, "/"), strings.Split(to, "/")}
		if err := a.check(); err != nil {
			return fmt.Errorf("path %q: %w", from, err)
		}
		s.aliases = append(s.aliases, a)
	}
	return nil
}

func (a alias) check() error {
	for _, segment := range a.from {
		if strings.ContainsAny(segment, "{}") && braced(segment) == "" {
			return fmt.Errorf("%q is neither a segment nor a name in braces", segment)
		}
	}
	for _, segment := range a.to {
		if n := braced(segment); n != "" && n != "service" && !slices.Contains(a.from, segment) {
			return fmt.Errorf("%s is missing", segment)
		}
	}
	return nil
}

// braced returns the name of a segment in braces, and nothing for any other.
func braced(segment string) string {
	inner, open := strings.CutPrefix(segment, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !open || !closed || strings.ContainsAny(inner, "{}") {
		return ""
	}
	return inner
}

// lead returns the path that a further path stands for, both escaped.
func (list aliases) lead(path string) (string, bool) {
	if len(list) == 0 {
		return "", false
	}
	segments := strings.Split(path, "/")
	for _, a := range list {
		if to, ok := a.lead(segments); ok {
			return to, true
		}
	}
	return "", false
}

func (a alias) lead(segments []string) (string, bool) {
	if len(segments) != len(a.from) {
		return "", false
	}
	named := map[string]string{"service": "service"} // any one will do where none is pinned
	for i, segment := range segments {
		switch n := braced(a.from[i]); {
		case n != "" && segment != "":
			named[n] = segment
		case segment != a.from[i]:
			return "", false
		}
	}
	to := slices.Clone(a.to)
	for i := range to {
		if n := braced(to[i]); n != "" {
			to[i] = named[n]
		}
	}
	return strings.Join(to, "/"), true
}
