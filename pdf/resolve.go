package pdf

// resolver is what both a Document and an Update are.
type resolver interface {
	Resolve(Object) (Object, error)
}

// resolveAs resolves o and asserts its type. A null object yields the zero value and
// no error, as a missing entry does.
func resolveAs[T Object](r resolver, o Object) (T, error) {
	var zero T
	v, err := r.Resolve(o)
	if err != nil {
		return zero, err
	}
	switch t := v.(type) {
	case Null:
		return zero, nil
	case T:
		return t, nil
	}
	at := int64(-1)
	if s, ok := v.(String); ok {
		at = s.start
	}
	return zero, damaged(at, "want %s, found %s", typeName(zero), typeName(v))
}

// Dict resolves o to a dictionary, or to the dictionary of a stream. This and
// the like return the zero value and no error if o is missing or null, and an
// error that is ErrDamaged if it is something else.
func (d *Document) Dict(o Object) (Dict, error) { return resolveDict(d, o) }

func resolveDict(r resolver, o Object) (Dict, error) {
	v, err := r.Resolve(o)
	if err != nil {
		return nil, err
	}
	if s, ok := v.(*Stream); ok {
		return s.Dict, nil
	}
	return resolveAs[Dict](r, v)
}

// Array resolves o to an array.
func (d *Document) Array(o Object) (Array, error) { return resolveAs[Array](d, o) }

// Name resolves o to a name.
func (d *Document) Name(o Object) (Name, error) { return resolveAs[Name](d, o) }

// String resolves o to a string.
func (d *Document) String(o Object) (String, error) { return resolveAs[String](d, o) }

// Boolean resolves o to a boolean.
func (d *Document) Boolean(o Object) (bool, error) {
	b, err := resolveAs[Boolean](d, o)
	return bool(b), err
}

// Integer resolves o to an integer. A real number with no fraction is one.
func (d *Document) Integer(o Object) (int64, error) {
	v, err := d.Resolve(o)
	if r, ok := v.(Real); ok && err == nil && r == Real(int64(r)) {
		return int64(r), nil
	}
	if err != nil {
		return 0, err
	}
	i, err := resolveAs[Integer](d, v)
	return int64(i), err
}

// Number resolves o to a number.
func (d *Document) Number(o Object) (float64, error) {
	v, err := d.Resolve(o)
	if i, ok := v.(Integer); ok && err == nil {
		return float64(i), nil
	}
	if err != nil {
		return 0, err
	}
	r, err := resolveAs[Real](d, v)
	return float64(r), err
}

// Stream resolves o to a stream, or nil.
func (d *Document) Stream(o Object) (*Stream, error) { return resolveAs[*Stream](d, o) }
