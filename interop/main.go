// Command interop tests interoperability: it signs files with our library, validates them with other programs, and
// compares the verdicts with what is expected. See README.md in its folder.
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

	"segel/interop/validator"
)

func main() {
	work := flag.String("work", "build/interop", "folder of the validators, and for files and certificates")
	table := flag.String("table", "interop/explained.txt", "disagreements that have a reason")
	folder := flag.String("pdfs", os.Getenv("SEGEL_PDFS"), "folder of more files to sign")
	binary := flag.String("segel", "", "our program, to compare its verdicts with those of the others; empty: no comparison")
	every := flag.Int("every", 1, "take one in so many files of the folder; if more than one, compare the verdicts on a third of the files made here")
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
	k, err := newPKI()
	if err != nil {
		return err
	}
	made, err := writeSamples(k, filepath.Join(work, "made"))
	if err != nil {
		return err
	}
	suspects, err := writeSuspects(k, filepath.Join(work, "suspects"))
	if err != nil {
		return err
	}
	made = append(made, suspects...)
	r := newReport(table)
	var given []item
	if folder == "" {
		fmt.Println("SEGEL_PDFS is not set: only files made here are validated")
	} else {
		out := filepath.Join(work, "corpus")
		var refused []finding
		if given, refused, err = signCorpus(k, folder, out, every); err != nil {
			return err
		}
		r.recordQueries("ours", len(given)+len(refused))
		r.addFindings(refused...)
	}
	trust, err := k.writeTrust(filepath.Join(work, "trust"))
	if err != nil {
		return err
	}
	v := newValidators(work, trust)
	v.checkAll(r, made, given)
	if binary != "" {
		err = v.compareAll(r, k, work, binary, folder, every, made)
	}
	v.stop()
	if binary != "" && err == nil {
		// These forms carry their own validation data, so the validators get only the root.
		bare := newValidators(work, trust[:2])
		err = bare.compareForms(r, k, work, binary)
		bare.stop()
	}
	if err != nil {
		return err
	}
	return r.printSummary(folder != "" && binary != "" && every == 1)
}

// validators are the other programs that run as separate processes.
type validators struct {
	root               string // root certificate that they trust
	pyhanko, dss, vera *validator.Process
}

func newValidators(work string, trust []string) *validators {
	const limit = 2 * time.Minute
	return &validators{
		root:    filepath.Join(work, "trust", "root.pem"),
		pyhanko: &validator.Process{Name: "pyhanko", Command: validator.PyHanko(work, trust...), Limit: limit},
		dss:     &validator.Process{Name: "dss", Command: validator.Java(work, "interop.Dss", trust...), Limit: limit},
		vera:    &validator.Process{Name: "verapdf", Command: validator.Java(work, "interop.Vera"), Limit: limit},
	}
}

func (v *validators) stop() {
	for _, s := range []*validator.Process{v.pyhanko, v.dss, v.vera} {
		s.Stop()
	}
}

// compareAll compares our verdicts with those of the others: on sample files, tampered files, and the files of the
// folder.
func (v *validators) compareAll(r *report, k *pki, work, binary, folder string, every int, made []item) error {
	roots, err := k.writeRoots(work)
	if err != nil {
		return err
	}
	tampered, err := writeMutants(k, filepath.Join(work, "mutants"))
	if err != nil {
		return err
	}
	harmless, misleading, err := writeWriterFiles(k, filepath.Join(work, "writers"))
	if err != nil {
		return err
	}
	fillings, err := writeFillings(k, filepath.Join(work, "fillings"), every)
	if err != nil {
		return err
	}
	sealed, attacked, err := writeOddFiles(k, filepath.Join(work, "odds"), every)
	if err != nil {
		return err
	}
	if every > 1 {
		made, tampered, harmless, misleading = oneInThree(made), oneInThree(tampered), oneInThree(harmless), oneInThree(misleading)
	}
	items := slices.Concat(made, tampered, harmless, misleading, fillings, sealed, attacked)
	if folder != "" {
		files, err := listPDFFiles(folder, every)
		if err != nil {
			return err
		}
		items = append(items, files...)
	}
	v.compareFiles(r, binary, roots, items, slices.Concat(tampered, misleading, attacked))
	return nil
}

// compareForms compares our verdicts with those of the others on signatures in forms that other programs make.
func (v *validators) compareForms(r *report, k *pki, work, binary string) error {
	roots, err := k.writeRoots(work)
	if err != nil {
		return err
	}
	made, tampered, err := writeForms(k, filepath.Join(work, "forms"))
	if err != nil {
		return err
	}
	v.compareFiles(r, binary, roots, append(made, tampered...), tampered)
	return nil
}

// oneInThree returns the part of similar files that a run with some of the given files compares.
func oneInThree(all []item) (part []item) {
	for i := 0; i < len(all); i += 3 {
		part = append(part, all[i])
	}
	return part
}

// checkAll runs every validator on its files. The slow ones run concurrently.
func (v *validators) checkAll(r *report, made, given []item) {
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
		r.checkEach("pyhanko", signed, func(it item, fail reportFunc) {
			checkWith(v.pyhanko, it, it.checkPyhanko, it.checkUnharmedPyhanko, fail)
		})
		r.checkEach("verapdf", archives, func(it item, fail reportFunc) { checkWith(v.vera, it, it.checkVeraPDF, nil, fail) })
	})
	wg.Go(func() {
		r.checkEach("dss", signed, func(it item, fail reportFunc) { checkWith(v.dss, it, it.checkDSS, it.checkUnharmedDSS, fail) })
	})
	wg.Go(func() {
		r.checkEach("pdfsig", signed, item.checkPdfsig)
		r.checkEach("qpdf", all, item.checkQpdf)
		r.checkEach("mutool", made, item.checkMutool)
		r.checkEach("openssl", made, func(it item, fail reportFunc) { it.checkOpenssl(v.root, fail) })
		for _, program := range []string{"pdftoppm", "mutool"} {
			r.checkEach(program+" page 1", given, func(it item, fail reportFunc) { it.checkRendering(program, fail) })
		}
	})
	wg.Wait()
}

// checkWith validates an item and compares the answer with what is expected. If the item was signed by others before,
// it also compares with the answer about the file before, unless the validator could not read that one.
func checkWith[A any](s *validator.Process, it item, hold func(A, reportFunc), harmed func(before, after A, fail reportFunc), fail reportFunc) {
	var after, before A
	if err := s.Query(it.path, &after); err != nil {
		fail("%v", err)
		return
	}
	hold(after, fail)
	if it.before == "" || harmed == nil {
		return
	}
	if err := s.Query(it.before, &before); err == nil {
		harmed(before, after, fail)
	}
}

// resetDir makes an empty folder.
func resetDir(dir string) error {
	return errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755))
}
