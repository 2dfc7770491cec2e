package audit

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"segel/internal/contract"
)

// leafV1 begins every leaf of the first form.
const leafV1 = "segel-event-1\n"

// DetailRecords is the detail under which [contract.Event.Records] is in a leaf.
const DetailRecords = "records"

// Limits of what [ParseLeaf] accepts.
const (
	maxLeaf    = 1 << 20
	maxDetails = 1000
)

// ErrLeaf is what [ParseLeaf] answers for anything but the canonical form of an event.
var ErrLeaf = errors.New("not a leaf")

// EncodeLeaf returns the canonical bytes of an event. Its time counts to the microsecond; what is finer is cut off.
// The hash of a leaf is in every later root, so the form of version 1 never changes.
func EncodeLeaf(e contract.Event) []byte {
	b := []byte(leafV1)
	b = appendField(b, string(e.Type))
	b = appendField(b, strconv.FormatInt(int64(e.Document), 10))
	b = appendField(b, strconv.FormatInt(e.At.UnixMicro(), 10))
	b = appendField(b, string(e.Person.ID))
	b = appendField(b, e.Person.Name)
	b = appendField(b, e.Person.Email)
	b = appendField(b, e.IP)
	details := e.Details
	if e.Records != "" {
		details = maps.Clone(details)
		if details == nil {
			details = map[string]string{}
		}
		details[DetailRecords] = e.Records
	}
	for _, name := range slices.Sorted(maps.Keys(details)) {
		b = appendField(b, name)
		b = appendField(b, details[name])
	}
	return b
}

// appendField appends a netstring: the length in bytes, a colon, the bytes, a comma.
func appendField(b []byte, s string) []byte {
	b = strconv.AppendInt(b, int64(len(s)), 10)
	b = append(b, ':')
	b = append(b, s...)
	return append(b, ',')
}

// ParseLeaf reads the event of a leaf. Only the canonical form is accepted: Leaf(ParseLeaf(b)) is b.
func ParseLeaf(b []byte) (contract.Event, error) {
	if len(b) > maxLeaf {
		return contract.Event{}, fmt.Errorf("%w: longer than %d bytes", ErrLeaf, maxLeaf)
	}
	rest, ok := strings.CutPrefix(string(b), leafV1)
	if !ok {
		return contract.Event{}, fmt.Errorf("%w: unknown version", ErrLeaf)
	}
	var fields []string
	for rest != "" {
		var f string
		if f, rest, ok = cutField(rest); !ok || len(fields) > 7+2*maxDetails {
			return contract.Event{}, fmt.Errorf("%w: field %d", ErrLeaf, len(fields))
		}
		fields = append(fields, f)
	}
	if len(fields) < 7 || len(fields)%2 == 0 {
		return contract.Event{}, fmt.Errorf("%w: %d fields", ErrLeaf, len(fields))
	}
	document, err1 := strconv.ParseInt(fields[1], 10, 64)
	at, err2 := strconv.ParseInt(fields[2], 10, 64)
	if err1 != nil || err2 != nil {
		return contract.Event{}, fmt.Errorf("%w: number of document or time", ErrLeaf)
	}
	e := contract.Event{
		Type:     contract.EventType(fields[0]),
		Document: contract.DocumentID(document),
		At:       time.UnixMicro(at).UTC(),
		Person:   contract.Person{ID: contract.PersonID(fields[3]), Name: fields[4], Email: fields[5]},
		IP:       fields[6],
	}
	for i := 7; i < len(fields); i += 2 {
		if fields[i] == DetailRecords && fields[i+1] != "" {
			e.Records = fields[i+1]
			continue
		}
		if e.Details == nil {
			e.Details = map[string]string{}
		}
		e.Details[fields[i]] = fields[i+1]
	}
	if string(EncodeLeaf(e)) != string(b) { // numbers written otherwise, details out of order or twice
		return contract.Event{}, fmt.Errorf("%w: not canonical", ErrLeaf)
	}
	return e, nil
}

func cutField(s string) (field, rest string, ok bool) {
	length, after, found := strings.Cut(s, ":")
	n, err := strconv.Atoi(length)
	if !found || err != nil || n < 0 || n >= len(after) || after[n] != ',' {
		return "", "", false
	}
	return after[:n], after[n+1:], true
}
