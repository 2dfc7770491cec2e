package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
)

// ReadFile reads a file of settings, as [Config.FileText] has it, and returns NAME=value lines for [Load]. A value is everything after the
// first equals sign; there are no quotes, and spaces around it do not count. Empty lines and those that begin with # are comments.
func ReadFile(path string) ([]string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var settings []string
	var bad []error
	seen := map[string]int{}
	for i, line := range strings.Split(string(b), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		// The line may hold a secret, so it is not repeated.
		name, value, ok := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !ok || !strings.HasPrefix(name, envPrefix):
			bad = append(bad, fmt.Errorf("%s:%d: must be a comment or %sNAME=value", path, i+1, envPrefix))
		case !isKnown(name):
			bad = append(bad, fmt.Errorf("%s:%d: %w", path, i+1, unknownError(name)))
		case seen[name] > 0:
			bad = append(bad, fmt.Errorf("%s:%d: %s is set in line %d already", path, i+1, name, seen[name]))
		default:
			seen[name] = i + 1
			settings = append(settings, name+"="+value)
		}
	}
	return settings, errors.Join(bad...)
}

// FileText returns the configuration as a file for [ReadFile], with its secrets. A setting at its default is commented out.
func (c Config) FileText() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# Settings of Segel. A command reads this file with --config, or if SEGEL_CONFIG names it. Variables of the environment and flags win.\n\n")
	if err := c.print(&b, false); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
