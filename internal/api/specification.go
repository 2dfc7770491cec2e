package api

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Specification returns the content of /openapi.json, indented and without a fixed address. The web app's client is
// generated from it.
func Specification() ([]byte, error) {
	s := &server{Options: Options{}.withDefaults()}
	s.registerAll()
	if err := s.writeSpecification(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, s.spec, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the specification: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
