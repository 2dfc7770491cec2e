// Command monitoring checks the files for monitors of deploy with promtool: the rules and their tests, the configuration, and the queries of the
// dashboard, which promtool reads as rules.
//
//	monitoring [FOLDER]
//
// Folder is deploy by default.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	folder := "deploy"
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	if err := checkMonitoring(folder); err != nil {
		fmt.Fprintln(os.Stderr, "check-monitoring:", err)
		os.Exit(1)
	}
}

func checkMonitoring(folder string) error {
	queries, err := readQueries(filepath.Join(folder, "grafana", "segel.json"))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "segel-dashboard-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)                      //nolint:errcheck // it has nothing but the rules made of the queries
	rules, err := json.Marshal(rulesOf(queries)) // YAML too
	if err != nil {
		return err
	}
	asRules := filepath.Join(dir, "dashboard.yaml")
	if err := os.WriteFile(asRules, rules, 0o600); err != nil {
		return err
	}
	in := func(name string) string { return filepath.Join(folder, "prometheus", name) }
	return errors.Join(
		promtool("check", "config", "--syntax-only", in("prometheus.yaml")),
		promtool("check", "rules", "--lint-fatal", in("alerts.yaml"), asRules),
		promtool("test", "rules", in("alerts_test.yaml")),
	)
}

func promtool(args ...string) error {
	c := exec.Command("promtool", args...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("promtool %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// readQueries returns the queries of a dashboard, with a period in place of the variable that Grafana replaces.
func readQueries(file string) ([]string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var dashboard any
	if err := json.Unmarshal(b, &dashboard); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var all []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if q, ok := v["expr"].(string); ok {
				all = append(all, strings.ReplaceAll(q, "$__rate_interval", "5m"))
			}
			for _, member := range v {
				walk(member)
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		}
	}
	walk(dashboard)
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no queries", file)
	}
	return all, nil
}

type rule struct {
	Record string `json:"record"`
	Expr   string `json:"expr"`
}

type group struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

func rulesOf(queries []string) map[string][]group {
	g := group{Name: "dashboard"}
	for i, q := range queries {
		g.Rules = append(g.Rules, rule{fmt.Sprintf("dashboard:query_%d", i), q})
	}
	return map[string][]group{"groups": {g}}
}
