package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

func TestALockCoversTheFieldsThatItNamesAndThoseBelow(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b.c", "b.c.d", ""}
	include, exclude := pdf.NewFieldLock(pdf.LockInclude, names), pdf.NewFieldLock(pdf.LockExclude, names)
	for field, want := range map[string]bool{
		"a": true, "a.x": true, "a.x.y": true, "ab": false, "b": false, "b.c": true, "b.cd": false, "b.c.x": true, "c": false, "": true, ".x": true, "b.": false,
	} {
		if include.Covers(field) != want || exclude.Covers(field) == want {
			t.Errorf("%q: %t and %t", field, include.Covers(field), exclude.Covers(field))
		}
	}
}

// TestALongNameOfAFieldCostsALockLittle would take an hour if each part of the name were looked up.
func TestALongNameOfAFieldCostsALockLittle(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("%0*d", i+1, 7))
	}
	if pdf.NewFieldLock(pdf.LockInclude, names).Covers(strings.Repeat(".", 8<<20)) {
		t.Error("it is covered")
	}
}

// TestNamesThatManyLocksShareTakeBoundedMemory has 40 signatures with 50 locks each, all of one name of 100 KB.
func TestNamesThatManyLocksShareTakeBoundedMemory(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(1)
	d := open(t, file)
	u := d.NewUpdate()
	name := u.Add(pdf.String{Bytes: []byte(strings.Repeat("a", 100_000))})
	params := u.Add(pdf.Dict{"Action": pdf.Name("Include"), "Fields": pdf.Array{name}})
	var transforms pdf.Array
	for range 50 {
		transforms = append(transforms, pdf.Dict{"TransformMethod": pdf.Name("FieldMDP"), "TransformParams": params})
	}
	value := u.Add(pdf.Dict{"Type": pdf.Name("Sig"), "Reference": transforms})
	tail, err := u.Build()
	if err != nil {
		t.Fatal(err)
	}
	d = open(t, append(file, tail.Bytes...))
	bytes, strictest := 0, 0
	for range 40 {
		p, err := d.ReadPermissions(&pdf.Field{Value: value})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range p.Locks {
			for _, n := range l.Fields {
				bytes += len(n)
			}
			if l.Action == pdf.LockAll {
				strictest++
			}
		}
		if strictest > 0 && p.Unreadable == nil {
			t.Fatal("it is not said why a lock counts as the strictest")
		}
	}
	if bytes == 0 || bytes > 64<<20 || strictest == 0 {
		t.Errorf("the names take %d bytes, and %d locks count as the strictest", bytes, strictest)
	}
}
