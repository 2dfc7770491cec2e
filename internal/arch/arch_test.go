package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "segel"

// table lists every package and what of this module it may import. A package that is not in it fails the
// test: a new package is added here on purpose. Libraries (pdf, der, cms, certpath, tsp, revocation, pades) import libraries only.
// Tests may import what they like of this module. The api takes values of the store's contract (which list, how
// much quota) and never calls a store: there is none in its hands.
var table = map[string][]string{
	"pdf":              {},
	"pdf/pdftest":      {"pdf"},
	"pdf/content":      {"pdf"},
	"pdf/fontfile":     {},
	"pdf/inspect":      {"pdf", "pdf/content", "pdf/fontfile"},
	"memo":             {},
	"der":              {},
	"cms":              {"der", "memo"},
	"tsp":              {"cms", "der", "memo"},
	"certpath":         {"cms", "der", "memo"},
	"breaker":          {},
	"revocation":       {"breaker", "cms", "certpath", "der", "memo"},
	"pades":            {"pdf", "cms", "certpath", "tsp", "revocation", "pades/..."},
	"pades/appearance": {"pdf", "pades/font"},
	"pades/font":       {"pdf"},

	"pades/validate":       {"pdf", "pdf/inspect", "cms", "certpath", "tsp", "revocation", "pades/validate/..."},
	"pades/validate/diff":  {"pdf", "pdf/content", "pades/validate/formfield"},
	"pades/validate/facts": {"pdf", "pdf/content", "pdf/inspect", "cms", "der", "tsp", "revocation", "pades/validate/diff", "pades/validate/formfield"},

	"pades/validate/formfield":          {"pdf", "pdf/content"},
	"pades/validate/formfield/formtest": {"pdf", "pdf/pdftest"},

	"internal/admission":              {},
	"internal/contract":               {},
	"internal/text":                   {"internal/contract"},
	"internal/text/verdict":           {"internal/authstatement", "internal/contract", "internal/text", "internal/emeterai", "pades/validate", "pades/validate/facts"},
	"internal/config":                 {"internal/contract"},
	"internal/audit":                  {"internal/contract"},
	"internal/backup":                 {"internal/blob", "internal/contract"},
	"internal/blob":                   {},
	"internal/blob/file":              {"internal/blob", "internal/durable", "internal/outage"},
	"internal/blob/encrypted":         {"internal/blob", "internal/contract", "internal/credential", "internal/store"},
	"internal/blob/moving":            {"internal/blob"},
	"internal/blob/s3":                {"internal/blob", "internal/outage"},
	"internal/blob/s3/s3test":         {},
	"internal/blob/blobtest":          {"internal/blob"},
	"internal/disk":                   {"internal/contract", "internal/outage"},
	"internal/doctor":                 {"internal/contract", "internal/disk", "internal/outbound", "internal/isolation", "internal/store"},
	"internal/outage":                 {},
	"internal/store":                  {"internal/contract"},
	"internal/store/storetest":        {"internal/contract", "internal/store", "internal/audit", "internal/process"},
	"internal/store/storetest/pgtest": {},
	"internal/store/sqlstore":         {"internal/contract", "internal/store", "internal/audit", "internal/durable", "internal/jobs", "internal/outage", "internal/process"},
	"internal/jobs":                   {"internal/contract", "internal/process", "internal/outage", "internal/tracing"},
	"internal/monitor":                {"internal/api", "internal/contract", "internal/convert", "internal/disk", "internal/store"},
	"internal/tracing":                {},
	"internal/tracing/otlp":           {},
	"internal/process":                {"internal/contract", "internal/durable", "internal/store"},
	"internal/process/processtest":    {"internal/process"},
	"internal/convert":                {},
	"internal/isolation":              {},
	"internal/render":                 {"internal/isolation"},
	"internal/convert/libreoffice":    {"internal/convert", "internal/durable", "internal/isolation"},
	"internal/convert/gotenberg":      {"internal/convert"},
	"internal/convert/sniff":          {"internal/convert"},
	"internal/convert/converttest":    {"internal/convert"},
	"internal/credential":             {"internal/durable"},
	"internal/durable":                {},
	"internal/hashworker":             {},
	"internal/programfile":            {},
	"internal/https":                  {},
	"internal/https/httpstest":        {},
	"internal/outbound":               {},
	"internal/notify":                 {"internal/contract", "internal/export", "internal/process", "internal/store", "internal/text"},
	"internal/notify/compose":         {"internal/contract", "internal/notify", "internal/text"},
	"internal/notify/smtp":            {"internal/notify"},
	"internal/notify/phone":           {"internal/contract", "internal/notify", "internal/text"},
	"internal/notify/webhook":         {"internal/contract", "internal/outbound", "internal/process", "internal/store"},
	"docs/webhooks":                   {},
	"internal/installation":           {"internal/store"},
	"internal/authstatement":          {"cms"},
	"internal/authority":              {"der", "cms", "certpath", "tsp", "revocation", "internal/credential", "internal/durable"},
	"internal/authority/filestest":    {"internal/authority", "internal/credential"},
	"internal/authority/signtest":     {"pdf", "pades", "internal/authority"},
	"internal/report":                 {"internal/text", "internal/text/verdict", "pades/appearance", "pdf"},
	"internal/specimen":               {"internal/contract", "pades/appearance"},
	"internal/branding":               {"internal/contract", "pades/appearance"},
	"internal/identity":               {"internal/admission", "internal/contract", "internal/passkey", "internal/store", "internal/specimen"},
	"internal/passkey":                {},
	"internal/passkey/passkeytest":    {},
	"internal/oidc":                   {},
	"internal/oidc/oidctest":          {},
	"internal/sso":                    {"internal/contract", "internal/identity", "internal/oidc", "internal/outbound", "internal/store"},
	"internal/scim":                   {"internal/contract", "internal/identity", "internal/outage", "internal/sso", "internal/store"},
	"internal/emeterai":               {"pdf", "pades", "pades/...", "cms"},
	"internal/emeterai/emeteraitest":  {"pdf", "pdf/pdftest", "pades", "internal/emeterai"},
	"internal/emeterai/peruri":        {"breaker", "internal/admission", "pdf", "pades", "internal/contract", "internal/durable", "internal/emeterai"},
	"internal/emeterai/sandbox":       {"pdf", "pades", "pades/...", "cms", "tsp", "revocation", "internal/emeterai", "internal/authority", "internal/credential", "internal/durable"},
	"internal/documents":              {"internal/admission", "pdf", "pades", "pades/...", "tsp", "internal/contract", "internal/store", "internal/blob", "internal/emeterai", "internal/outage"},
	"internal/stamping":               {"pdf", "pades/validate/facts", "internal/documents", "internal/contract", "internal/store", "internal/blob", "internal/emeterai", "internal/outage"},
	"internal/workflow":               {"internal/audit", "internal/authstatement", "internal/evidence", "internal/credential", "internal/documents", "internal/stamping", "internal/admission", "pdf", "pdf/content", "pdf/inspect", "pades", "pades/...", "cms", "tsp", "revocation", "internal/contract", "internal/store", "internal/blob", "internal/emeterai", "internal/specimen", "internal/branding", "internal/convert", "internal/convert/sniff", "internal/outage"},
	"internal/evidence":               {"internal/contract", "internal/audit", "internal/text", "pades/appearance", "pdf"},
	"internal/export":                 {"internal/contract", "internal/store", "internal/workflow"},
	"internal/api":                    {"internal/admission", "internal/contract", "internal/store", "internal/text", "internal/text/verdict", "internal/workflow", "internal/identity", "internal/notify", "internal/notify/webhook", "internal/process", "internal/scim", "internal/sso", "internal/specimen", "internal/branding", "internal/export", "internal/report", "internal/api/intake", "internal/outage", "pades/validate", "internal/coding", "internal/tracing"},
	"internal/api/intake":             {},
	"internal/arch":                   {},
	"internal/coding":                 {},
	"web":                             {"internal/coding"},
	"cmd/segel":                       {"..."},
	"interop":                         {"internal/authstatement", "cms", "pdf", "pdf/pdftest", "pades", "pades/...", "internal/authority", "internal/evidence", "interop/explained", "interop/validator"},
	"interop/explained":               {},
	"interop/validator":               {},
	"interop/cost":                    {"pades", "pades/validate", "pdf/pdftest", "internal/authority", "scripts/running"},
	"scripts/running":                 {"internal/blob/s3/s3test"},
	"scripts/compose":                 {},
	"scripts/dist":                    {},
	"scripts/helm":                    {},
	"scripts/cluster":                 {"internal/blob/s3/s3test", "internal/store/storetest/pgtest", "pdf/pdftest", "scripts/running"},
	"scripts/mailbox":                 {},
	"scripts/names":                   {},
	"scripts/palette":                 {},
	"scripts/passwords":               {},
	"scripts/demo":                    {"pdf/pdftest", "scripts/running"},
	"scripts/enumerate":               {"internal/api", "internal/passkey/passkeytest", "pdf/pdftest", "scripts/running"},
	"scripts/bench":                   {"pdf/pdftest", "internal/store/storetest/pgtest", "scripts/running"},
	"scripts/rehearsal":               {"interop/explained", "interop/validator", "pades/validate/facts", "pdf", "pdf/pdftest", "tsp", "scripts/running"},
	"scripts/upgrade":                 {"pdf/pdftest", "scripts/running"},
	"scripts/fault":                   {"internal/blob/s3/s3test", "pdf", "pdf/pdftest", "pades/validate", "internal/authority", "internal/emeterai", "internal/store/storetest/pgtest", "scripts/running"},
	"scripts/failures":                {"internal/blob/s3/s3test", "internal/convert/converttest", "internal/store/storetest/pgtest", "pdf/pdftest", "scripts/running"},
	"scripts/load":                    {"internal/blob/s3/s3test", "internal/config", "pdf/pdftest", "internal/store/storetest/pgtest", "scripts/running"},
	"scripts/simulate":                {},
	"scripts/monitoring":              {},

	"internal/isolation/isolationtest":    {},
	"internal/emeterai/peruri/recordtest": {},
}

// tests are the packages that only tests import.
var tests = []string{"pdf/pdftest", "internal/blob/blobtest", "internal/blob/s3/s3test", "internal/store/storetest", "internal/store/storetest/pgtest", "internal/process/processtest", "internal/emeterai/emeteraitest", "internal/convert/converttest", "internal/isolation/isolationtest", "internal/authority/filestest", "internal/emeterai/peruri/recordtest", "internal/authority/signtest", "internal/passkey/passkeytest", "internal/oidc/oidctest", "internal/https/httpstest", "pades/validate/formfield/formtest"}

// implementations are imported by cmd/segel and by tests alone.
var implementations = []string{"internal/store/sqlstore", "internal/blob/file", "internal/blob/s3", "internal/emeterai/peruri", "internal/emeterai/sandbox", "internal/convert/libreoffice", "internal/convert/gotenberg", "internal/render", "internal/notify/smtp", "internal/notify/phone", "internal/tracing/otlp"}

// barred are standard packages that a package must not know.
var barred = map[string][]string{
	"internal/contract":  {"os", "net", "net/http", "database/sql", "io", "io/fs"},
	"internal/documents": {"net/http", "database/sql"},
	"internal/stamping":  {"net/http", "database/sql"},
	"internal/workflow":  {"net/http", "database/sql"},
	"internal/api":       {"database/sql"},
}

func TestEveryPackageImportsOnlyWhatTheTableAllows(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "testdata" || e.Name() == "node_modules" || strings.HasPrefix(e.Name(), ".") && file != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(rel))
		allowed, known := table[pkg]
		if !known {
			t.Errorf("%s: package %s is not in the table of internal/arch", rel, pkg)
			return nil
		}
		seen[pkg] = true
		return checkFile(t, file, pkg, allowed)
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range table {
		if !seen[pkg] {
			t.Errorf("the table of internal/arch has %s, which does not exist", pkg)
		}
	}
}

func checkFile(t *testing.T, file, pkg string, allowed []string) error {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return err
	}
	test := strings.HasSuffix(file, "_test.go")
	for _, s := range f.Imports {
		p, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			return err
		}
		if slices.Contains(barred[pkg], p) && !test {
			t.Errorf("%s: %s must not import %s", file, pkg, p)
		}
		p, ours := strings.CutPrefix(p, module+"/")
		if !ours || p == pkg || test {
			continue
		}
		if slices.Contains(implementations, p) && pkg != "cmd/segel" {
			t.Errorf("%s: only cmd/segel and tests may import %s", file, p)
		}
		if slices.Contains(tests, p) && !slices.Contains(tests, pkg) && !strings.HasPrefix(pkg, "scripts/") && !strings.HasPrefix(pkg, "interop") {
			t.Errorf("%s: only tests may import %s", file, p)
		}
		if !slices.ContainsFunc(allowed, func(a string) bool { return matches(a, p) }) {
			t.Errorf("%s: %s may not import %s", file, pkg, p)
		}
	}
	return nil
}

func matches(pattern, p string) bool {
	if pattern == "..." {
		return true
	}
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return p == prefix || strings.HasPrefix(p, prefix+"/")
	}
	return pattern == p
}
