package pdf

import (
	"slices"
	"strings"
	"sync"
)

// parser builds objects from tokens. It looks at most two tokens ahead, which
// is what telling "1 0 R" from two integers takes.
type parser struct {
	lx     *lexer
	stack  []Object // elements of the arrays that are open
	ahead  [2]token
	held   int
	failed error     // of the lexer, behind the tokens that are held
	depth  int       // nesting still allowed
	values int       // values still allowed
	once   bool      // a key that a dictionary states twice is an error
	reader *Document // is told of references; nil: nobody asks
}

func newParser(lx *lexer, l Limits) *parser {
	return &parser{lx: lx, depth: l.Depth, values: l.Values}
}

// parsers wait for the next object, with their lexers.
var parsers = sync.Pool{New: func() any { return &parser{lx: &lexer{}} }}

// parser borrows one for an object of the document, which release gives back.
func (d *Document) parser(lx lexer) *parser {
	p := parsers.Get().(*parser)
	*p.lx = lx
	p.depth, p.values, p.once, p.reader = d.limits.Depth, d.limits.Values, d.once, d
	return p
}

// maxStack bounds the elements of one array that wait on the stack, and what a parser keeps room for while it waits.
const maxStack = 1 << 10

// release gives the parser back. Afterwards it is of no use to whoever borrowed it.
func (p *parser) release() {
	p.lx.release()
	stack := p.stack
	if cap(stack) > 2*maxStack {
		stack = nil
	}
	clear(stack) // of an object that broke off; closed arrays leave nothing behind
	*p = parser{lx: p.lx, stack: stack[:0]}
	parsers.Put(p)
}

func (p *parser) next() (token, error) {
	if p.held > 0 {
		t := p.ahead[0]
		p.ahead[0] = p.ahead[1]
		p.held--
		return t, nil
	}
	if p.failed != nil {
		return token{}, p.failed
	}
	return p.lx.next()
}

// look returns the token i places ahead. An error met there is reported by
// next when its turn comes.
func (p *parser) look(i int) (token, error) {
	for p.held <= i {
		if p.failed != nil {
			return token{}, p.failed
		}
		t, err := p.lx.next()
		if err != nil {
			p.failed = err
			return token{}, err
		}
		p.ahead[p.held] = t
		p.held++
	}
	return p.ahead[i], nil
}

// offset is where the next token is looked for.
func (p *parser) offset() int64 {
	if p.held > 0 {
		return p.ahead[0].start
	}
	return p.lx.offset()
}

func (p *parser) object() (Object, error) {
	t, err := p.next()
	if err != nil {
		return nil, err
	}
	return p.objectFrom(t)
}

func (p *parser) objectFrom(t token) (Object, error) {
	if p.values--; p.values < 0 {
		return nil, tooLarge(t.start, "too many values in one object")
	}
	switch t.kind {
	case tokInteger:
		return p.integerOrRef(t)
	case tokReal:
		return Real(t.real), nil
	case tokName:
		if o := nameOf[t.text]; o != nil {
			return o, nil
		}
		return Name(t.text), nil
	case tokString:
		return String{Bytes: t.bytes, Hex: t.hex, start: t.start, end: t.end}, nil
	case tokArrayOpen:
		return p.array(t)
	case tokDictOpen:
		return p.dict(t)
	case tokKeyword:
		return keyword(t)
	case tokEnd:
		return nil, damaged(t.start, "object without end")
	}
	return nil, damaged(t.start, "unexpected bracket")
}

func keyword(t token) (Object, error) {
	switch t.text {
	case "null":
		return Null{}, nil
	case "true":
		return Boolean(true), nil
	case "false":
		return Boolean(false), nil
	}
	return nil, damaged(t.start, "unexpected word %q", strings.ToValidUTF8(t.text, "?"))
}

func (p *parser) integerOrRef(t token) (Object, error) {
	if t.num < 0 || t.num > 1<<32-1 {
		return Integer(t.num), nil
	}
	g, err := p.look(0)
	if err != nil || g.kind != tokInteger || g.num < 0 || g.num > 65535 {
		return Integer(t.num), nil
	}
	if r, err := p.look(1); err != nil || !r.is("R") {
		return Integer(t.num), nil
	}
	p.held = 0
	if p.reader != nil {
		p.reader.references.note(uint32(t.num))
	}
	return Ref{Number: uint32(t.num), Generation: uint16(g.num)}, nil
}

func (p *parser) array(open token) (Object, error) {
	if err := p.enter(open); err != nil {
		return nil, err
	}
	defer func() { p.depth++ }()
	var parts []Array
	from := len(p.stack)
	for {
		t, err := p.next()
		if err != nil {
			return nil, err
		}
		if t.kind == tokArrayClose {
			return join(parts, p.take(from)), nil
		}
		v, err := p.objectFrom(t)
		if err != nil {
			return nil, err
		}
		if p.stack = append(p.stack, v); len(p.stack)-from == maxStack {
			parts = append(parts, p.take(from))
		}
	}
}

// take returns what is on the stack from an index on, in the room that it takes.
func (p *parser) take(from int) Array {
	a := make(Array, len(p.stack)-from)
	copy(a, p.stack[from:])
	clear(p.stack[from:])
	p.stack = p.stack[:from]
	return a
}

// join makes one array of several. Files have some of 100,000 elements, and one that grows while it is read takes more
// than twice the room for a moment.
func join(parts []Array, last Array) Array {
	if len(parts) == 0 {
		return last
	}
	return slices.Concat(append(parts, last)...)
}

func (p *parser) dict(open token) (Object, error) {
	if err := p.enter(open); err != nil {
		return nil, err
	}
	defer func() { p.depth++ }()
	d := Dict{}
	var nulls map[string]bool // keys that are stated and not kept
	for {
		t, err := p.next()
		if err != nil {
			return nil, err
		}
		if t.kind == tokDictClose {
			return d, nil
		}
		if t.kind != tokName {
			return nil, damaged(t.start, "dictionary key is no name")
		}
		v, err := p.object()
		if err != nil {
			return nil, err
		}
		if p.once && (d[Name(t.text)] != nil || nulls[t.text]) {
			return nil, damaged(t.start, "/%s is stated twice", strings.ToValidUTF8(t.text, "?"))
		}
		if v == (Null{}) {
			if nulls == nil {
				nulls = map[string]bool{}
			}
			nulls[t.text] = true
			continue
		}
		d[Name(t.text)] = v
	}
}

func (p *parser) enter(open token) error {
	if p.depth--; p.depth < 0 {
		p.depth++
		return tooLarge(open.start, "objects nested too deeply")
	}
	return nil
}
