package main

import (
	"bytes"
	"crypto"
	"encoding/asn1"
	"fmt"
	"slices"
	"time"

	"segel/pdf"
)

// signedBytes is what a signature of any form is made of: the bytes of the file that it is about.
type signedBytes []byte

func (s signedBytes) computeDigest(h crypto.Hash) []byte {
	d := h.New()
	d.Write(s)
	return d.Sum(nil)
}

// addForm signs field A with a dictionary of any form; contents makes what stands in /Contents.
func (p *testFile) addForm(subFilter pdf.Name, more pdf.Dict, contents func(signedBytes) ([]byte, error)) *testFile {
	if p.err != nil {
		return p
	}
	tail, err := p.buildFormTail(subFilter, more, contents)
	if err != nil {
		p.err = fmt.Errorf("form %s: %w", subFilter, err)
		return p
	}
	p.b, p.state = append(p.b, tail...), nil
	return p
}

func (p *testFile) buildFormTail(subFilter pdf.Name, more pdf.Dict, contents func(signedBytes) ([]byte, error)) ([]byte, error) {
	d, err := pdf.Open(bytes.NewReader(p.b), int64(len(p.b)), pdf.Options{})
	if err != nil {
		return nil, err
	}
	fields, err := d.Fields()
	if err != nil {
		return nil, err
	}
	u := d.NewUpdate()
	byteRange, hole := &pdf.Hole{Len: 60}, &pdf.Hole{Len: 30002, Hex: true}
	value := pdf.Dict{
		"Type": pdf.Name("Sig"), "Filter": pdf.Name("Adobe.PPKLite"), "SubFilter": subFilter, "ByteRange": byteRange, "Contents": hole,
		"M": pdf.String{Bytes: []byte(time.Now().UTC().Format("D:20060102150405Z"))},
	}
	for k, v := range more {
		value[k] = v
	}
	if value["Type"] == pdf.Name("DocTimeStamp") {
		delete(value, "M")
	}
	field, err := u.Edit(fields[0].Ref)
	if err != nil {
		return nil, err
	}
	field["V"] = u.Add(value)
	tail, err := u.Build()
	if err != nil {
		return nil, err
	}
	at, length, err := tail.Hole(hole)
	if err != nil {
		return nil, err
	}
	end, behind := tail.At+int64(len(tail.Bytes)), at+int64(length)
	if err := tail.Fill(byteRange, fmt.Appendf(nil, "[0 %d %d %d]", at, behind, end-behind)); err != nil {
		return nil, err
	}
	whole := append(slices.Clone(p.b), tail.Bytes...)
	b, err := contents(slices.Concat(whole[:at], whole[behind:]))
	if err != nil {
		return nil, err
	}
	return tail.Bytes, tail.Fill(hole, b)
}

// encodeBER writes DER by the basic encoding rules: every length marked at its end or longer than need be, every string of
// octets in pieces. What is in keep stays as it is.
func encodeBER(der []byte, keep ...[]byte) ([]byte, error) {
	var out []byte
	for len(der) > 0 {
		var v asn1.RawValue
		rest, err := asn1.Unmarshal(der, &v)
		if err != nil {
			return nil, err
		}
		der = rest
		switch first := v.FullBytes[0]; {
		case slices.ContainsFunc(keep, func(k []byte) bool { return bytes.Equal(k, v.FullBytes) }):
			out = append(out, v.FullBytes...)
		case v.IsCompound:
			inner, err := encodeBER(v.Bytes, keep...)
			if err != nil {
				return nil, err
			}
			out = slices.Concat(out, []byte{first, 0x80}, inner, []byte{0, 0})
		case v.Class == asn1.ClassUniversal && v.Tag == asn1.TagOctetString && len(v.Bytes) > 1:
			half := len(v.Bytes) / 2
			out = append(out, 0x24, 0x80)
			for _, piece := range [][]byte{v.Bytes[:half], v.Bytes[half:]} {
				out = append(out, 0x04, 0x82, byte(len(piece)>>8), byte(len(piece)))
				out = append(out, piece...)
			}
			out = append(out, 0, 0)
		default:
			out = append(out, first, 0x82, byte(len(v.Bytes)>>8), byte(len(v.Bytes)))
			out = append(out, v.Bytes...)
		}
	}
	return out, nil
}
