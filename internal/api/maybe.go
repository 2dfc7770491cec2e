package api

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// maybe is an object or null. The specification would show a plain pointer as an object that is never null.
type maybe[T any] struct{ is *T }

func (m maybe[T]) MarshalJSON() ([]byte, error) { return json.Marshal(m.is) }

func (maybe[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{r.Schema(typeOf[T](), true, ""), {Type: "null"}}}
}
