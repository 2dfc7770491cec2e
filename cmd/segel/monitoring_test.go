package main

import (
	"context"
	"crypto/tls"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/emeterai/sandbox"
)

// readRepository reads a file by its path in the repository.
func readRepository(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// namedMetrics returns the names in a text that look like those of metrics, without the suffixes of histograms.
func namedMetrics(text string) map[string]bool {
	found := map[string]bool{}
	for _, name := range regexp.MustCompile(`\b(?:segel|go|process)_[a-z0-9_]*[a-z0-9]\b`).FindAllString(text, -1) {
		found[name] = true
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if of, cut := strings.CutSuffix(name, suffix); cut && strings.HasSuffix(of, "_seconds") {
				delete(found, name)
				found[of] = true
			}
		}
	}
	return found
}

// certificateUntil is a certificate that ends at a time.
type certificateUntil time.Time

func (c certificateUntil) NotAfter() time.Time    { return time.Time(c) }
func (c certificateUntil) TLSConfig() *tls.Config { return nil }
func (c certificateUntil) Run(context.Context)    {}
func (c certificateUntil) Reload(context.Context) {}

// TestDocsAlertsAndDashboardNameTheMetricsThatExist compares the metrics of a service in which everything was used once with those that
// docs/metrics.md, the alerts and the dashboard name, in both directions for the docs.
func TestDocsAlertsAndDashboardNameTheMetricsThatExist(t *testing.T) {
	t.Parallel()
	s := start(t, append(officeOf(t, "cloud", sandbox.Plan{}), "SEGEL_CONVERT", "http://127.0.0.1:9", "SEGEL_QUOTA_LOW", "1000000")...)
	owner := s.person(t, "Pemilik", "PT Contoh")
	id := owner.upload(simple(), owner.as("signer", 1))
	owner.place(id, owner.at("emet", 100, 100, 160, 160)).ok()
	owner.verb("finalize-docs", id).ok()
	owner.completed(id)

	if err := s.metrics.Register(certificateGauge{certificateUntil(time.Now())}); err != nil { // as with TLS
		t.Fatal(err)
	}
	families, err := s.metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	exist := map[string]bool{}
	for _, f := range families {
		exist[f.GetName()] = true
	}
	docs := namedMetrics(readRepository(t, "docs/metrics.md"))
	for _, name := range slices.Sorted(maps.Keys(exist)) {
		if strings.HasPrefix(name, "segel_") && !docs[name] {
			t.Errorf("docs/metrics.md lacks %s", name)
		}
	}
	for _, file := range []string{
		"docs/metrics.md", "docs/operations.md", "docs/outages.md", "docs/performance.md", "docs/scale.md",
		"deploy/prometheus/alerts.yaml", "deploy/prometheus/alerts_test.yaml", "deploy/grafana/segel.json",
	} {
		for name := range namedMetrics(readRepository(t, file)) {
			if !exist[name] {
				t.Errorf("%s names %s, which does not exist", file, name)
			}
		}
	}
}

// TestEveryAlertHasASectionAndATest compares the alerts with the sections of docs/operations.md and the series in which they fire.
func TestEveryAlertHasASectionAndATest(t *testing.T) {
	t.Parallel()
	rules, tests, docs := readRepository(t, "deploy/prometheus/alerts.yaml"), readRepository(t, "deploy/prometheus/alerts_test.yaml"), readRepository(t, "docs/operations.md")
	names := func(pattern, text string) []string {
		var all []string
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		slices.Sort(all)
		return all
	}
	alerts := names(`- alert: (\w+)`, rules)
	if len(alerts) < 25 {
		t.Fatalf("%d alerts: %v", len(alerts), alerts)
	}
	if got := names(`(?m)^### (Segel\w+)$`, docs); !slices.Equal(got, alerts) {
		t.Errorf("docs/operations.md has the sections %v, the alerts are %v", got, alerts)
	}
	if got := names(`alertname="(\w+)"`, tests); !slices.Equal(got, alerts) {
		t.Errorf("the tests let %v fire, the alerts are %v", got, alerts)
	}
	var anchors []string
	for _, a := range alerts {
		anchors = append(anchors, "docs/operations.md#"+strings.ToLower(a))
	}
	if got := names(`runbook: (\S+)`, rules); !slices.Equal(got, anchors) {
		t.Errorf("runbooks are %v, want %v", got, anchors)
	}
	for _, severity := range names(`severity: (\w+)`, rules) {
		if !slices.Contains([]string{"critical", "warning", "info"}, severity) {
			t.Errorf("severity %s", severity)
		}
	}
	_, sections, _ := strings.Cut(docs, "\n## Alerts\n")
	sections, _, _ = strings.Cut(sections, "\n## ")
	for _, section := range strings.Split(sections, "\n### ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		m := regexp.MustCompile(`- alert: ` + name + `\n(?:.*\n)*?\s+labels: \{severity: (\w+)\}`).FindStringSubmatch(rules)
		if len(m) != 2 || !strings.HasPrefix(strings.TrimSpace(text), "*"+strings.ToUpper(m[1][:1])+m[1][1:]+".*") || name != "SegelCertificateExpiresSoon" && (!strings.Contains(text, "- Look at: ") || !strings.Contains(text, "- Do: ")) {
			t.Errorf("the section of %s does not say how severe it is (%v), what to look at, and what to do", name, m)
		}
	}
}
