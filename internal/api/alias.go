package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// pathAlias is a further path of an endpoint. Both paths are split into segments. A segment in braces of the further
// path matches any segment, which is carried over by its name.
type pathAlias struct{ from, to []string }

type pathAliases []pathAlias

// addAliases reads the configured table of further paths. Paths of endpoints take precedence, so a further path may
// be anything outside /v1/.
func (s *server) addAliases(table map[string]string) error {
	// This order puts a fixed segment before one in braces at the same position, since a brace sorts after letters
	// and digits.
	for _, from := range slices.Sorted(maps.Keys(table)) {
		to := s.pinService(table[from])
		if !slices.ContainsFunc(s.endpoints, func(e endpoint) bool { return e.path == to }) {
			return fmt.Errorf("path %q leads to %q, which no endpoint has", from, table[from])
		}
		if !strings.HasPrefix(from, "/") || strings.HasPrefix(from, "/v1/") {
			return fmt.Errorf("path %q: a further path begins with / and not with /v1/", from)
		}
		a := pathAlias{strings.Split(from, "/"), strings.Split(to, "/")}
		if err := a.checkNames(); err != nil {
			return fmt.Errorf("path %q: %w", from, err)
		}
		s.aliases = append(s.aliases, a)
	}
	return nil
}

func (a pathAlias) checkNames() error {
	for _, segment := range a.from {
		if strings.ContainsAny(segment, "{}") && bracedName(segment) == "" {
			return fmt.Errorf("%q is neither a segment nor a name in braces", segment)
		}
	}
	for _, segment := range a.to {
		if n := bracedName(segment); n != "" && n != "service" && !slices.Contains(a.from, segment) {
			return fmt.Errorf("%s is missing", segment)
		}
	}
	return nil
}

// bracedName returns the name of a segment in braces, or an empty string for any other segment.
func bracedName(segment string) string {
	inner, open := strings.CutPrefix(segment, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !open || !closed || strings.ContainsAny(inner, "{}") {
		return ""
	}
	return inner
}

// resolvePath returns the endpoint's path for a further path. Both are escaped.
func (list pathAliases) resolvePath(path string) (string, bool) {
	if len(list) == 0 {
		return "", false
	}
	segments := strings.Split(path, "/")
	for _, a := range list {
		if to, ok := a.resolveSegments(segments); ok {
			return to, true
		}
	}
	return "", false
}

func (a pathAlias) resolveSegments(segments []string) (string, bool) {
	if len(segments) != len(a.from) {
		return "", false
	}
	named := map[string]string{"service": "service"} // any value will do when no segment is configured
	for i, segment := range segments {
		switch n := bracedName(a.from[i]); {
		case n != "" && segment != "":
			named[n] = segment
		case segment != a.from[i]:
			return "", false
		}
	}
	to := slices.Clone(a.to)
	for i := range to {
		if n := bracedName(to[i]); n != "" {
			to[i] = named[n]
		}
	}
	return strings.Join(to, "/"), true
}
