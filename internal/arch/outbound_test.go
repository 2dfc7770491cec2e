package arch

import (
	"go/ast"
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

// unguarded are the ways of the standard library to reach another machine. They are used by internal/outbound, and
// where no address comes from a request: by tests and what serves them, and by scripts.
var unguarded = map[string][]string{
	"net/http": {"Client", "Transport", "DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm"},
	"net": {
		"Dialer", "Dial", "DialTimeout", "DialTCP", "DialUDP", "DialUnix", "DialIP",
		// A name server is another machine, and answers what its owner likes.
		"Resolver", "DefaultResolver", "LookupHost", "LookupIP", "LookupAddr", "LookupTXT", "LookupMX", "LookupNS", "LookupCNAME", "LookupSRV", "ResolveTCPAddr", "ResolveUDPAddr", "ResolveIPAddr",
	},
	"net/smtp":   {"Dial", "SendMail"},
	"crypto/tls": {"Dialer", "Dial", "DialWithDialer"},
}

// inside are the files that connect to a process that they started themselves, by a socket in a separate folder.
var inside = []string{"internal/convert/libreoffice/pipe.go"}

func TestOnlyOnePackageReachesOtherMachines(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	found := 0
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if e.IsDir() && (slices.Contains([]string{"testdata", "node_modules", "build"}, e.Name()) || strings.HasPrefix(e.Name(), ".") && file != root ||
			slices.Contains([]string{"scripts", "interop"}, rel) || slices.Contains(tests, rel)) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || slices.Contains(inside, rel) {
			return nil
		}
		uses, err := unguardedIn(file)
		if err != nil {
			return err
		}
		if path.Dir(rel) == "internal/outbound" {
			found += len(uses)
			return nil
		}
		for _, use := range uses {
			t.Errorf("%s: %s reaches other machines past internal/outbound", rel, use)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("not even internal/outbound was found to reach other machines: this test sees nothing")
	}
}

// unguardedIn lists what a file uses of unguarded. A pointer to a client that somebody else made is fine.
func unguardedIn(file string) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	names := map[string]string{} // of the packages, as the file calls them
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		if unguarded[p] == nil {
			continue
		}
		name := path.Base(p)
		if i.Name != nil {
			name = i.Name.Name
		}
		names[name] = p
	}
	var uses []string
	ast.Inspect(f, func(n ast.Node) bool {
		if _, pointer := n.(*ast.StarExpr); pointer {
			return false
		}
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && slices.Contains(unguarded[names[x.Name]], s.Sel.Name) {
			uses = append(uses, x.Name+"."+s.Sel.Name)
		}
		return true
	})
	return uses, nil
}
