package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

func main() {
	work := flag.String("work", "build/judge", "folder of the judges, and for files and trust")
	table := flag.String("table", "judge/explained.txt", "disagreements that have a reason")
	folder := flag.String("pdfs", os.Getenv("SEGEL_PDFS"), "folder of more files to sign")
	flag.Parse()
	if err := run(*work, *table, *folder); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

func run(work, tableFile, folder string) error {
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
		if given, refused, err = corpus(h, folder, out); err != nil {
			return err
		}
		r.asked("ours", len(given)+len(refused))
		r.add(refused...)
	}
	trust, err := h.trust(filepath.Join(work, "trust"))
	if err != nil {
		return err
	}
	judgeAll(r, work, trust, made, given)
	return r.print(folder != "")
}

// judgeAll asks every judge about every file that is his business. The strangers, who take long to start, have a process
// each and work side by side.
func judgeAll(r *report, work string, trust []string, made, given []item) {
	all := append(made[:len(made):len(made)], given...)
	root := filepath.Join(work, "trust", "root.pem")
	java := func(class string, args ...string) []string {
		return append([]string{"java", "-Xshare:auto", "-XX:+UseSerialGC", "-cp", filepath.Join(work, "java/classes") + ":" + filepath.Join(work, "java/lib") + "/*", class}, args...)
	}
	const limit = 2 * time.Minute
	pyhanko := &stranger{name: "pyhanko", command: append([]string{filepath.Join(work, "pyhanko/bin/python"), "judge/pyhanko/verdicts.py"}, trust...), limit: limit}
	dss := &stranger{name: "dss", command: java("judge.Dss", trust...), limit: limit}
	vera := &stranger{name: "verapdf", command: java("judge.Vera"), limit: limit}
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
		r.each("pyhanko", signed, func(it item, no complain) { ask(pyhanko, it, it.pyhanko, it.harmedPyhanko, no) })
		pyhanko.stop()
		r.each("verapdf", archives, func(it item, no complain) { ask(vera, it, it.vera, nil, no) })
		vera.stop()
	})
	wg.Go(func() {
		r.each("dss", signed, func(it item, no complain) { ask(dss, it, it.dss, it.harmedDSS, no) })
		dss.stop()
	})
	wg.Go(func() {
		r.each("pdfsig", signed, item.pdfsig)
		r.each("qpdf", all, item.qpdf)
		r.each("mutool", made, item.mutool)
		r.each("openssl", made, func(it item, no complain) { it.openssl(root, no) })
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
