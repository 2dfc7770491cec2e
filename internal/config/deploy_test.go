package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDeploymentsSetOnlySettingsThatExist reads the files that set settings, also those that are commented out.
func TestDeploymentsSetOnlySettingsThatExist(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ files, least string }{
		{"../../deploy/compose.yaml", "SEGEL_DATABASE"},
		{"../../deploy/Dockerfile", "SEGEL_DATA_DIR"},
		{"../../deploy/systemd/segel.service", "SEGEL_CONFIG"},
		{"../../deploy/systemd/segel.env", "SEGEL_PUBLIC_URL"},
		{"../../deploy/systemd/strict.conf", "SEGEL_CONVERT"},
		{"../../deploy/helm/segel/values.yaml", "SEGEL_MAIL_SERVERS"},
		{"../../deploy/helm/segel/values.schema.json", "SEGEL_DATABASE"},
		{"../../deploy/helm/segel/templates/*", "SEGEL_MASTER_KEY"},
	} {
		names, err := filepath.Glob(c.files)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`SEGEL_[A-Z0-9]+(_[A-Z0-9]+)*\b`).FindAll(b, -1) {
				all = append(all, string(m)+"=x")
			}
		}
		if !slices.Contains(all, c.least+"=x") {
			t.Errorf("settings of %s: %v", c.files, all)
		}
		if unknown := unknownNames(all); len(unknown) > 0 {
			t.Errorf("%s: %v do not exist", c.files, unknown)
		}
	}
}

// TestTheChartTakesNoSecretInItsValues compares the settings that the schema refuses among those without secrets with the secret ones.
func TestTheChartTakesNoSecretInItsValues(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../deploy/helm/segel/values.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct {
			Settings struct {
				PropertyNames struct {
					Not struct{ Enum []string }
				}
			}
		}
	}
	if err := json.Unmarshal(b, &schema); err != nil {
		t.Fatal(err)
	}
	for _, m := range listSettings() {
		if m.secret && !slices.Contains(schema.Properties.Settings.PropertyNames.Not.Enum, m.name) {
			t.Errorf("%s is secret and accepted in values: add it to the names that deploy/helm/segel/values.schema.json refuses in settings", m.name)
		}
	}
}

// TestTheMonitorOfTheChartNamesTheJobThatAlertsSelect follows the job from a label of the pods, whose name the monitor states, to the queries.
func TestTheMonitorOfTheChartNamesTheJobThatAlertsSelect(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		b, err := os.ReadFile("../../deploy/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	find := func(name, pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(read(name))
		if m == nil {
			t.Fatalf("%s has no %s", name, pattern)
		}
		return m[1]
	}
	label := find("helm/segel/templates/podmonitor.yaml", `\n  jobLabel: (\S+)`)
	job := find("helm/segel/templates/_helpers.tpl", `(?s)define "segel.selector".*?\n`+regexp.QuoteMeta(label)+`: (\S+)\n`)
	for _, name := range []string{"prometheus/alerts.yaml", "grafana/segel.json"} {
		text := strings.ReplaceAll(read(name), `\"`, `"`)
		if all := strings.Count(text, "job="); all == 0 || strings.Count(text, `job="`+job+`"`) != all {
			t.Errorf("the job of the pods is %q, and %s selects others", job, name)
		}
	}
	if own := find("prometheus/prometheus.yaml", `job_name: (\S+)`); own != job {
		t.Errorf("prometheus.yaml has the job %q", own)
	}
}
