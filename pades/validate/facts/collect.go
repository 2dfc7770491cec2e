package facts

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"segel/pades/validate/formfield"
	"segel/pdf"
)

// readSignatures lists the signed fields of the form, including malformed ones.
func (r *reader) readSignatures() error {
	fields, err := r.d.Fields()
	if err != nil {
		if !pdf.IsFault(err) {
			return err
		}
		r.addWarning(Warning{Code: WarnForm, Detail: err.Error()})
		r.noteUnsignable(err)
	}
	for _, f := range fields {
		signed, err := r.d.IsSigned(f)
		if err != nil {
			return err
		}
		if !signed {
			continue
		}
		holder := pdf.AsRef(f.Value)
		if holder.IsZero() {
			holder = f.Ref
		}
		twice := r.d.RequireSingleReading(holder)
		value, err := r.d.Resolve(f.Value)
		if err != nil && !pdf.IsFault(err) {
			return err
		}
		if len(r.file.Signatures) == r.o.Limits.Signatures {
			r.addWarning(Warning{Code: WarnForm, Detail: fmt.Sprintf("more than %d signatures", r.o.Limits.Signatures)})
			r.noteUnsignable(newTooLargeError("more than %d signatures", r.o.Limits.Signatures))
			break
		}
		s := &Signature{Field: f.Name, FieldRef: f.Ref, Ref: pdf.AsRef(f.Value), Kind: Approval, fieldDict: f.Dict}
		if dict, ok := value.(pdf.Dict); ok {
			s.dict = dict
			if twice != nil && pdf.IsFault(twice) {
				s.markBroken(KeyTwice, twice.Error())
			}
			if err := r.readSignature(s, f); err != nil {
				return err
			}
		} else {
			s.markBroken(DictionaryUnreadable, fmt.Sprint(err))
		}
		if err := r.readPermissions(s, f); err != nil {
			return err
		}
		r.file.Signatures = append(r.file.Signatures, s)
	}
	r.checkShared()
	slices.SortStableFunc(r.file.Signatures, func(a, b *Signature) int { return cmp.Compare(a.gapAt, b.gapAt) })
	r.orderPermissions()
	return nil
}

// readSignature reads one signature dictionary.
func (r *reader) readSignature(s *Signature, f *pdf.Field) error {
	dict := s.dict
	s.Filter, _ = r.d.Name(dict["Filter"])
	s.SubFilter, _ = r.d.Name(dict["SubFilter"])
	switch f := Form(s.SubFilter); f {
	case FormCAdES, FormDetached, FormSHA1, FormRSA, FormRFC3161:
		s.Form = f
	}
	kind, err := r.d.Name(dict["Type"])
	switch {
	case err != nil || kind != "" && kind != "Sig" && kind != "DocTimeStamp":
		s.markBroken(TypeWrong, string(kind))
	case s.Form == FormRFC3161:
		s.Kind = Timestamp
	case kind == "DocTimeStamp":
		s.markBroken(TypeWrong, "a timestamp of /SubFilter "+string(s.SubFilter))
	}
	for _, t := range []struct {
		key pdf.Name
		to  *string
	}{{"Name", &s.Name}, {"Reason", &s.Reason}, {"Location", &s.Location}, {"ContactInfo", &s.ContactInfo}, {"M", &s.M}} {
		if v, err := r.d.String(dict[t.key]); err == nil {
			*t.to = v.Text()
		}
	}
	s.Claimed, _ = parseDate(s.M)
	if contents, direct := dict["Contents"].(pdf.String); direct {
		s.Contents = contents.Bytes
		s.gapAt, s.gapEnd = contents.FileRange()
	}
	if err := r.checkContents(s); err != nil {
		return err
	}
	r.readRange(s, dict["ByteRange"])
	r.locateWidget(s, f)
	return nil
}

// checkShared finds dictionaries that several fields refer to, and several with the same place in the file.
func (r *reader) checkShared() {
	byRef, byPlace := map[pdf.Ref][]*Signature{}, map[int64][]*Signature{}
	for _, s := range r.file.Signatures {
		if !s.Ref.IsZero() {
			byRef[s.Ref] = append(byRef[s.Ref], s)
		}
		byPlace[s.gapAt] = append(byPlace[s.gapAt], s)
	}
	for _, of := range byRef {
		for _, s := range of[1:] {
			of[0].markBroken(FieldShared, s.Field)
			s.markBroken(FieldShared, of[0].Field)
		}
	}
	for at, of := range byPlace {
		for _, s := range of[1:] {
			if at == 0 || s.Ref == of[0].Ref && !s.Ref.IsZero() {
				continue
			}
			of[0].markBroken(ContentsShared, s.Field)
			s.markBroken(ContentsShared, of[0].Field)
		}
	}
}

// locateWidget finds the page and the box of a field.
func (r *reader) locateWidget(s *Signature, f *pdf.Field) {
	for _, w := range f.Widgets {
		box, err := r.d.Rect(w.Dict["Rect"])
		if err != nil {
			continue
		}
		flags, _ := r.d.Integer(w.Dict["F"])
		s.Box, s.Visible = box, !box.Empty() && formfield.Shows(flags)
		page := r.pageOf(w)
		if page == nil {
			return
		}
		s.Page, s.Shown = page.Number, page.FromUser(box)
		return
	}
}

// pageOf finds the page that lists a widget.
func (r *reader) pageOf(w pdf.Widget) *pdf.Page {
	if r.pages == nil {
		r.pages = map[pdf.Ref]int{}
		number := 0
		for p, err := range r.d.Pages() {
			if err != nil {
				break
			}
			number++
			annots, _ := r.d.Array(p.Dict["Annots"])
			for _, o := range annots {
				if ref := pdf.AsRef(o); !ref.IsZero() && r.pages[ref] == 0 {
					r.pages[ref] = number
				}
			}
		}
	}
	number := r.pages[w.Ref]
	if w.Ref.IsZero() || number == 0 {
		return nil
	}
	p, err := r.d.Page(number)
	if err != nil {
		return nil
	}
	return p
}

// parseDate parses a date such as D:20261121090000+07'00' (ISO 32000-2 §7.9.4). Omitted parts have their least value,
// and a missing zone is UTC.
func parseDate(s string) (time.Time, bool) {
	s = trimDate(s)
	for _, layout := range []string{"20060102150405-0700", "20060102150405Z", "20060102150405", "200601021504-0700", "200601021504", "20060102", "200601", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// trimDate removes the prefix and the apostrophes of a date.
func trimDate(s string) string {
	var b []byte
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'' || c == ' ' || (c == 'D' || c == ':') && i < 2:
		case c == 'Z' && i+1 < len(s): // Z00'00' is Z
			return string(append(b, 'Z'))
		default:
			b = append(b, c)
		}
	}
	return string(b)
}
