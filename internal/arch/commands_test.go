package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	quotedCommand = regexp.MustCompile("`(segel|make)\\s+([^`]+)`") // may break over lines
	codeLine      = regexp.MustCompile(`(?m)^(?: {4}|\t).*$`)
	codeCommand   = regexp.MustCompile(`(?:^|[\s/(])(segel|make) +([a-z][^;&#)]*)`)
	plainWord     = regexp.MustCompile(`^[a-z][a-z0-9-]*(\|[a-z][a-z0-9-]*)*$`)
	formatName    = regexp.MustCompile(`^segel [a-z ]+ [0-9]+$`) // the first line of a stored format, as "segel reconciliation 1"
	target        = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`)
)

func TestCommandsAndTargetsThatTheDocsNameExist(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	known := knownCommands(t, root)
	seen := 0
	for doc, text := range readDocs(t, root, "*.md", "docs/*.md", "docs/*/*.md", "interop/*.md", "web/*.md") {
		n, unknown := known.unknownIn(text)
		seen += n
		for _, u := range unknown {
			t.Errorf("%s names %s", doc, u)
		}
	}
	if seen < 200 {
		t.Errorf("only %d commands and targets found in the docs", seen)
	}
}

func TestCommandsAndTargetsThatDoNotExistAreFound(t *testing.T) {
	t.Parallel()
	known := knownCommands(t, filepath.Join("..", ".."))
	for text, want := range map[string]string{
		"use `segel webhook rotate`":                      "segel webhook rotate, but segel webhook has no command rotate",
		"use `segel user\n  disable|remove`":              "segel user disable|remove, but segel user has no command remove",
		"`segel lists`":                                   "segel lists, but segel has no command lists",
		"    sudo -u segel segel org lists --config FILE": "segel org lists --config FILE, but segel org has no command lists",
		"    A=b segel blobs move; echo":                  "segel blobs move, but segel blobs has no command move",
		"`make test-s3 test-s4`":                          "make test-s3 test-s4, but there is no target test-s4",
		"    make runs # builds":                          "make runs, but there is no target runs",
		"`segel webhook list --org NAME`":                 "",
		"`segel user reset FILE`":                         "", // an alias
		"`segel backup s3://backups` and `segel fsck`":    "",
		"`make fault NODES=2` and `make`":                 "",
		"the first line is `segel reconciliation 1`":      "",
		"`systemctl enable segel`, and a user `segel`":    "",
	} {
		_, unknown := known.unknownIn(text)
		if got := strings.Join(unknown, "; "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCommandsThatThisProgramNamesExist looks at the texts and comments of all packages: remedies and settings tell operators what to run. Only a word
// after a command that has subcommands can be told from the words of a sentence.
func TestCommandsThatThisProgramNamesExist(t *testing.T) {
	t.Parallel()
	known := knownCommands(t, filepath.Join("..", ".."))
	named := regexp.MustCompile(`\bsegel ([a-z][a-z-]*) ([a-z][a-z-]*)`)
	seen := 0
	check := func(file, text string) {
		for _, m := range named.FindAllStringSubmatch(strings.Join(strings.Fields(text), " "), -1) {
			n := known.segel.sub[m[1]]
			if n == nil || len(n.sub) == 0 || n.takes {
				continue
			}
			if seen++; n.sub[m[2]] == nil {
				t.Errorf("%s names segel %s %s, which does not exist", file, m[1], m[2])
			}
		}
	}
	for file, f := range parseFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, c := range f.Comments {
			check(file, c.Text())
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				check(file, l.Value)
			}
			return true
		})
	}
	if seen < 20 {
		t.Errorf("only %d commands found", seen)
	}
}

// commandNode is a command of the program, with its subcommands by name.
type commandNode struct {
	sub   map[string]*commandNode
	takes bool // arguments too, for a subcommand that is the default
}

// commands are the commands of segel, and the targets of the Makefile.
type commands struct {
	segel   *commandNode
	targets map[string]bool
}

// knownCommands reads the commands from the struct tags of cmd/segel, as kong does.
func knownCommands(t *testing.T, root string) commands {
	t.Helper()
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	known := commands{targets: map[string]bool{}}
	for _, m := range target.FindAllStringSubmatch(string(makefile), -1) {
		known.targets[m[1]] = true
	}
	files, err := filepath.Glob(filepath.Join(root, "cmd", "segel", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	structs := map[string]*ast.StructType{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok {
				if of, ok := s.Type.(*ast.StructType); ok {
					structs[s.Name.Name] = of
				}
			}
			return true
		})
	}
	if structs["command"] == nil {
		t.Fatal("cmd/segel has no struct command")
	}
	known.segel = newCommandNode(structs, structs["command"])
	if len(known.segel.sub) < 20 || len(known.targets) < 30 {
		t.Fatalf("%d commands, %d targets", len(known.segel.sub), len(known.targets))
	}
	return known
}

func newCommandNode(structs map[string]*ast.StructType, of *ast.StructType) *commandNode {
	n := &commandNode{sub: map[string]*commandNode{}}
	if of == nil {
		return n
	}
	for _, field := range of.Fields.List {
		if field.Tag == nil || len(field.Names) != 1 {
			continue
		}
		tag := reflect.StructTag(strings.Trim(field.Tag.Value, "`"))
		if _, ok := tag.Lookup("cmd"); !ok {
			continue
		}
		name, _ := field.Type.(*ast.Ident)
		sub := &commandNode{}
		if name != nil {
			sub = newCommandNode(structs, structs[name.Name])
		}
		names := []string{commandName(field.Names[0].Name)}
		if given := tag.Get("name"); given != "" {
			names[0] = given
		}
		if aliases := tag.Get("aliases"); aliases != "" {
			names = append(names, strings.Split(aliases, ",")...)
		}
		for _, s := range names {
			n.sub[s] = sub
		}
		if _, ok := tag.Lookup("default"); ok {
			n.takes = true
		}
	}
	return n
}

// commandName is the name that kong gives to a command: that of the field in lower case, with dashes between words.
func commandName(field string) string {
	var b strings.Builder
	for i, r := range field {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// unknownIn returns how many commands and targets a page names in code, and those that do not exist.
func (c commands) unknownIn(text string) (seen int, unknown []string) {
	var found [][]string
	found = append(found, quotedCommand.FindAllStringSubmatch(text, -1)...)
	for _, line := range codeLine.FindAllString(text, -1) {
		line = strings.ReplaceAll(line, "-u segel ", "") // a user
		found = append(found, codeCommand.FindAllStringSubmatch(line, -1)...)
	}
	for _, m := range found {
		words := strings.Fields(m[2])
		if formatName.MatchString(m[1] + " " + strings.Join(words, " ")) {
			continue
		}
		seen++
		says := c.firstUnknown(m[1], words)
		if says != "" {
			unknown = append(unknown, fmt.Sprintf("%s %s, but %s", m[1], strings.Join(words, " "), says))
		}
	}
	return seen, unknown
}

// firstUnknown says what of a command line does not exist, or nothing.
func (c commands) firstUnknown(program string, words []string) string {
	at, n := program, c.segel
	for _, word := range words {
		word = strings.TrimRight(word, ".,:;")
		if strings.Contains(word, "=") && program == "make" {
			continue // a variable
		}
		if !plainWord.MatchString(word) {
			return "" // an argument or a flag: the rest is not commands
		}
		if program == "make" {
			if !c.targets[word] {
				return "there is no target " + word
			}
			continue
		}
		if len(n.sub) == 0 {
			return "" // arguments
		}
		next := n
		for alternative := range strings.SplitSeq(word, "|") {
			sub, ok := n.sub[alternative]
			switch {
			case !ok && n.takes:
				return "" // an argument of the default command
			case !ok:
				return fmt.Sprintf("%s has no command %s", at, alternative)
			}
			next = sub
		}
		at, n = at+" "+word, next
	}
	return ""
}
