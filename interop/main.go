package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

func main() {
	work := flag.String("work", "build/interop", "folder of the judges, and for files and trust")
	table := flag.String("table", "interop/explained.txt", "disagreements that have a reason")
	folder := flag.String("pdfs", os.Getenv("SEGEL_PDFS"), "folder of more files to sign")
	binary := flag.String("segel", "", "our program, to compare its verdicts with those of the others; empty: no comparison")
	every := flag.Int("every", 1, "take one in so many files of the folder")
	flag.Parse()
	if err := run(*work, *table, *folder, *binary, *every); err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		os.Exit(1)
	}
}

func run(work, tableFile, folder, binary string, every int) error {
	table, err := readTable(tableFile)
	if err != nil {
		return err
	}
	h, err := newHouse()
	if err != nil {
		return err
	}
	made, err := makeSamples(h, filepath.Join(work, "made"))
	if err != nil {
		return err
	}
	suspects, err := makeSuspects(h, filepath.Join(work, "suspects"))
	if err != nil {
		return err
	}
	made = append(made, suspects...)
	r := newReport(table)
	var given []item
	if folder == "" {
		fmt.Println("SEGEL_PDFS is not set: only files made here are judged")
	} else {
		out := filepath.Join(work, "corpus")
		if err := emptied(out); err != nil {
			return err
		}
		var refused []finding
		if given, refused, err = corpus(h, folder, out, every); err != nil {
			return err
		}
		r.asked("ours", len(given)+len(refused))
		r.add(refused...)
	}
	trust, err := h.trust(filepath.Join(work, "trust"))
	if err != nil {
		return err
	}
	j := newJudges(work, trust)
	j.judge(r, made, given)
	if binary != "" {
		err = j.beside(r, h, work, binary, folder, every, made)
	}
	j.stop()
	if binary != "" && err == nil {
		// What a signature of another form brings along is to be seen, so nobody is given more than the root.
		bare := newJudges(work, trust[:2])
		err = bare.forms(r, h, work, binary)
		bare.stop()
	}
	if err != nil {
		return err
	}
	return r.print(folder != "" && binary != "" && every == 1)
}

// judges are those who live in processes of their own.
type judges struct {
	root               string // the certificate they trust
	pyhanko, dss, vera *stranger
}

func newJudges(work string, trust []string) *judges {
	java := func(class string, args ...string) []string {
		path := filepath.Join(work, "java/classes") + ":" + filepath.Join(work, "java/lib") + "/*"
		return append([]string{"java", "-XX:+UseSerialGC", "-cp", path, class}, args...)
	}
	const limit = 2 * time.Minute
	return &judges{
		root:    filepath.Join(work, "trust", "root.pem"),
		pyhanko: &stranger{name: "pyhanko", command: append([]string{filepath.Join(work, "pyhanko/bin/python"), "interop/pyhanko/verdicts.py"}, trust...), limit: limit},
		dss:     &stranger{name: "dss", command: java("interop.Dss", trust...), limit: limit},
		vera:    &stranger{name: "verapdf", command: java("interop.Vera"), limit: limit},
	}
}

func (j *judges) stop() {
	for _, s := range []*stranger{j.pyhanko, j.dss, j.vera} {
		s.stop()
	}
}

// beside holds our own verdicts against the others', about made files, tampered ones, and those of the folder.
func (j *judges) beside(r *report, h *house, work, binary, folder string, every int, made []item) error {
	roots, err := h.roots(work)
	if err != nil {
		return err
	}
	tampered, err := mutants(h, filepath.Join(work, "mutants"))
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, it := range tampered {
		names[it.name] = true
	}
	harmless, misleading, err := writers(h, filepath.Join(work, "writers"))
	if err != nil {
		return err
	}
	for _, it := range misleading {
		names[it.name] = true
	}
	fillings, err := makeFillings(h, filepath.Join(work, "fillings"), every)
	if err != nil {
		return err
	}
	odds, err := makeOdds(h, filepath.Join(work, "odds"), every)
	if err != nil {
		return err
	}
	for _, it := range odds.attacked {
		names[it.name] = true
	}
	items := slices.Concat(made, tampered, harmless, misleading, fillings, odds.sealed, odds.attacked)
	if folder != "" {
		files, err := pdfFiles(folder, every)
		if err != nil {
			return err
		}
		items = append(items, files...)
	}
	j.compare(r, binary, roots, items, names)
	return nil
}

// forms holds our verdicts against the others' about signatures of forms that others make.
func (j *judges) forms(r *report, h *house, work, binary string) error {
	roots, err := h.roots(work)
	if err != nil {
		return err
	}
	made, tampered, err := makeForms(h, filepath.Join(work, "forms"))
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, it := range tampered {
		names[it.name] = true
	}
	j.compare(r, binary, roots, append(made, tampered...), names)
	return nil
}

// judge asks every judge about every file that is his business. The strangers, who take long, work side by side.
func (j *judges) judge(r *report, made, given []item) {
	all := append(made[:len(made):len(made)], given...)
	var archives, signed []item
	for _, it := range all {
		if it.flavour != "" {
			archives = append(archives, it)
		}
		if len(it.levels) > 0 {
			signed = append(signed, it)
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		r.each("pyhanko", signed, func(it item, no complain) { ask(j.pyhanko, it, it.pyhanko, it.harmedPyhanko, no) })
		r.each("verapdf", archives, func(it item, no complain) { ask(j.vera, it, it.vera, nil, no) })
	})
	wg.Go(func() {
		r.each("dss", signed, func(it item, no complain) { ask(j.dss, it, it.dss, it.harmedDSS, no) })
	})
	wg.Go(func() {
		r.each("pdfsig", signed, item.pdfsig)
		r.each("qpdf", all, item.qpdf)
		r.each("mutool", made, item.mutool)
		r.each("openssl", made, func(it item, no complain) { it.openssl(j.root, no) })
		for _, program := range []string{"pdftoppm", "mutool"} {
			r.each(program+" page 1", given, func(it item, no complain) { it.drawn(program, no) })
		}
	})
	wg.Wait()
}

// ask has a stranger look at an item, and holds his answer against what is expected; and against his answer about the
// file before, if it was another's. One who says nothing of that one cannot be asked whether it was harmed.
func ask[A any](s *stranger, it item, hold func(A, complain), harmed func(before, after A, no complain), no complain) {
	var after, before A
	if err := s.ask(it.path, &after); err != nil {
		no("%v", err)
		return
	}
	hold(after, no)
	if it.before == "" || harmed == nil {
		return
	}
	if err := s.ask(it.before, &before); err == nil {
		harmed(before, after, no)
	}
}

// emptied makes an empty folder.
func emptied(dir string) error {
	return errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755))
}
