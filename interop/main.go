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
	table, err := readExplanations(tableFile)
	if err != nil {
		return err
	}
	h, err := newPKI()
	if err != nil {
		return err
	}
	made, err := writeSamples(h, filepath.Join(work, "made"))
	if err != nil {
		return err
	}
	suspects, err := writeSuspects(h, filepath.Join(work, "suspects"))
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
		if err := resetDir(out); err != nil {
			return err
		}
		var refused []finding
		if given, refused, err = signCorpus(h, folder, out, every); err != nil {
			return err
		}
		r.recordQueries("ours", len(given)+len(refused))
		r.addFindings(refused...)
	}
	trust, err := h.writeTrust(filepath.Join(work, "trust"))
	if err != nil {
		return err
	}
	j := newValidators(work, trust)
	j.checkAll(r, made, given)
	if binary != "" {
		err = j.compareAll(r, h, work, binary, folder, every, made)
	}
	j.stop()
	if binary != "" && err == nil {
		// What a signature of another form brings along is to be seen, so nobody is given more than the root.
		bare := newValidators(work, trust[:2])
		err = bare.compareForms(r, h, work, binary)
		bare.stop()
	}
	if err != nil {
		return err
	}
	return r.printSummary(folder != "" && binary != "" && every == 1)
}

// validators are those who live in processes of their own.
type validators struct {
	root               string // the certificate they trust
	pyhanko, dss, vera *validatorProcess
}

func newValidators(work string, trust []string) *validators {
	java := func(class string, args ...string) []string {
		path := filepath.Join(work, "java/classes") + ":" + filepath.Join(work, "java/lib") + "/*"
		return append([]string{"java", "-XX:+UseSerialGC", "-cp", path, class}, args...)
	}
	const limit = 2 * time.Minute
	return &validators{
		root:    filepath.Join(work, "trust", "root.pem"),
		pyhanko: &validatorProcess{name: "pyhanko", command: append([]string{filepath.Join(work, "pyhanko/bin/python"), "interop/pyhanko/verdicts.py"}, trust...), limit: limit},
		dss:     &validatorProcess{name: "dss", command: java("interop.Dss", trust...), limit: limit},
		vera:    &validatorProcess{name: "verapdf", command: java("interop.Vera"), limit: limit},
	}
}

func (j *validators) stop() {
	for _, s := range []*validatorProcess{j.pyhanko, j.dss, j.vera} {
		s.stop()
	}
}

// compareAll holds our own verdicts against the others', about made files, tampered ones, and those of the folder.
func (j *validators) compareAll(r *report, h *pki, work, binary, folder string, every int, made []item) error {
	roots, err := h.writeRoots(work)
	if err != nil {
		return err
	}
	tampered, err := writeMutants(h, filepath.Join(work, "mutants"))
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, it := range tampered {
		names[it.name] = true
	}
	harmless, misleading, err := writeWriterFiles(h, filepath.Join(work, "writers"))
	if err != nil {
		return err
	}
	for _, it := range misleading {
		names[it.name] = true
	}
	fillings, err := writeFillings(h, filepath.Join(work, "fillings"), every)
	if err != nil {
		return err
	}
	odds, err := writeOddFiles(h, filepath.Join(work, "odds"), every)
	if err != nil {
		return err
	}
	for _, it := range odds.tampered {
		names[it.name] = true
	}
	items := slices.Concat(made, tampered, harmless, misleading, fillings, odds.sealed, odds.tampered)
	if folder != "" {
		files, err := listPDFFiles(folder, every)
		if err != nil {
			return err
		}
		items = append(items, files...)
	}
	j.compareFiles(r, binary, roots, items, names)
	return nil
}

// compareForms holds our verdicts against the others' about signatures of forms that others make.
func (j *validators) compareForms(r *report, h *pki, work, binary string) error {
	roots, err := h.writeRoots(work)
	if err != nil {
		return err
	}
	made, tampered, err := writeForms(h, filepath.Join(work, "forms"))
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, it := range tampered {
		names[it.name] = true
	}
	j.compareFiles(r, binary, roots, append(made, tampered...), names)
	return nil
}

// checkAll asks every judge about every file that is his business. The strangers, who take long, work side by side.
func (j *validators) checkAll(r *report, made, given []item) {
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
		r.checkEach("pyhanko", signed, func(it item, no reportFunc) { checkWith(j.pyhanko, it, it.checkPyhanko, it.checkUnharmedPyhanko, no) })
		r.checkEach("verapdf", archives, func(it item, no reportFunc) { checkWith(j.vera, it, it.checkVeraPDF, nil, no) })
	})
	wg.Go(func() {
		r.checkEach("dss", signed, func(it item, no reportFunc) { checkWith(j.dss, it, it.checkDSS, it.checkUnharmedDSS, no) })
	})
	wg.Go(func() {
		r.checkEach("pdfsig", signed, item.checkPdfsig)
		r.checkEach("qpdf", all, item.checkQpdf)
		r.checkEach("mutool", made, item.checkMutool)
		r.checkEach("openssl", made, func(it item, no reportFunc) { it.checkOpenssl(j.root, no) })
		for _, program := range []string{"pdftoppm", "mutool"} {
			r.checkEach(program+" page 1", given, func(it item, no reportFunc) { it.checkRendering(program, no) })
		}
	})
	wg.Wait()
}

// checkWith has a stranger look at an item, and holds his answer against what is expected; and against his answer about the
// file before, if it was another's. One who says nothing of that one cannot be asked whether it was harmed.
func checkWith[A any](s *validatorProcess, it item, hold func(A, reportFunc), harmed func(before, after A, no reportFunc), no reportFunc) {
	var after, before A
	if err := s.queryFile(it.path, &after); err != nil {
		no("%v", err)
		return
	}
	hold(after, no)
	if it.before == "" || harmed == nil {
		return
	}
	if err := s.queryFile(it.before, &before); err == nil {
		harmed(before, after, no)
	}
}

// resetDir makes an empty folder.
func resetDir(dir string) error {
	return errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755))
}
