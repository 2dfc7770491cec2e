package pdf

import (
	"io"
)

var errNotYet = &Error{Kind: Unsupported, Msg: "not built yet"}

// Document is an open file.
type Document struct{ size int64 }

func Open(r io.ReaderAt, size int64, o Options) (*Document, error) { return nil, errNotYet }

func (d *Document) Size() int64                             { return d.size }
func (d *Document) Trailer() Dict                           { return nil }
func (d *Document) Root() (Ref, Dict, error)                { return Ref{}, nil, errNotYet }
func (d *Document) Object(ref Ref) (Object, error)          { return nil, errNotYet }
func (d *Document) Resolve(o Object) (Object, error)        { return nil, errNotYet }
func (d *Document) Dict(o Object) (Dict, error)             { return nil, errNotYet } // of a stream: its dictionary
func (d *Document) Array(o Object) (Array, error)           { return nil, errNotYet }
func (d *Document) Integer(o Object) (int64, error)         { return 0, errNotYet }
func (d *Document) Number(o Object) (float64, error)        { return 0, errNotYet }
func (d *Document) Name(o Object) (Name, error)             { return "", errNotYet }
func (d *Document) String(o Object) (String, error)         { return String{}, errNotYet }
func (d *Document) Boolean(o Object) (bool, error)          { return false, errNotYet }
func (d *Document) Stream(o Object) (*Stream, error)        { return nil, errNotYet }
func (d *Document) Decode(s *Stream) ([]byte, error)        { return nil, errNotYet }
func (d *Document) Raw(s *Stream) ([]byte, error)           { return nil, errNotYet }
func (d *Document) PageCount() (int, error)                 { return 0, errNotYet }
func (d *Document) Page(number int) (*Page, error)          { return nil, errNotYet }
func (d *Document) Fields() ([]*Field, error)               { return nil, errNotYet }
func (d *Document) Signatures() ([]*Signature, error)       { return nil, errNotYet }
func (d *Document) Revisions() []Revision                   { return nil }
func (d *Document) Changed(r Revision) ([]Entry, error)     { return nil, errNotYet }
func (d *Document) Facts() Facts                            { return Facts{} }
func (d *Document) ActiveContent() ([]ActiveContent, error) { return nil, errNotYet }
func (d *Document) Check() error                            { return errNotYet }
func (d *Document) NewUpdate() (*Update, error)             { return nil, errNotYet }

// TextString encodes s as a text string: ASCII as it is, else UTF-16BE with mark.
func TextString(s string) String { return String{} }

// Text decodes a text string (PDFDocEncoding, UTF-16 or UTF-8 with mark).
func (s String) Text() string { return "" }

type Rect struct{ LLX, LLY, URX, URY float64 }

type Page struct {
	Number            int
	Ref               Ref
	Dict              Dict
	MediaBox, CropBox Rect
	Rotate            int // 0, 90, 180 or 270
	UserUnit          float64
}

func (p *Page) Displayed() (width, height float64) { return 0, 0 }
func (p *Page) ToUser(displayed Rect) Rect         { return Rect{} }
func (p *Page) FromUser(user Rect) Rect            { return Rect{} }

type Field struct {
	Name    string // fully qualified
	Ref     Ref    // zero if the field is a direct object
	Parent  Ref
	Type    Name // Btn, Tx, Ch, Sig, inherited
	Flags   int64
	Value   Object // inherited, unresolved
	Dict    Dict
	Widgets []Widget
}

type Widget struct {
	Ref  Ref
	Dict Dict
}

type Signature struct {
	Field                   *Field
	Ref                     Ref // of the signature dictionary; zero if direct
	Dict                    Dict
	Type                    Name // Sig or DocTimeStamp
	Filter, SubFilter       Name
	ByteRange               []int64
	Contents                []byte
	ContentsAt, ContentsEnd int64 // span of the hexadecimal string with brackets; zero if unknown
}

type Revision struct {
	StartXref int64 // offset of the newest section of the revision
	EOF       int64 // offset just behind its %%EOF
	End       int64 // the same, behind the end of line that follows, if any
}

type Entry struct {
	Ref       Ref
	Free      bool
	Offset    int64  // of a plain object
	Container uint32 // object stream that holds it, or 0
}

type Update struct{}

func (u *Update) Add(o Object) Ref                                  { return Ref{} }
func (u *Update) Reserve() Ref                                      { return Ref{} }
func (u *Update) Set(ref Ref, o Object)                             {}
func (u *Update) Get(ref Ref) (Object, error)                       { return nil, errNotYet }
func (u *Update) Resolve(o Object) (Object, error)                  { return nil, errNotYet }
func (u *Update) Edit(ref Ref) (Dict, error)                        { return nil, errNotYet } // change the map in place
func (u *Update) EditIn(owner Ref, key Name) (Dict, error)          { return nil, errNotYet } // direct, indirect or missing dictionary under key
func (u *Update) Append(owner Ref, key Name, items ...Object) error { return errNotYet }      // direct, indirect or missing array under key
func (u *Update) Build() (*Tail, error)                             { return nil, errNotYet }

type Tail struct {
	At    int64 // absolute offset of Bytes[0]: the size of the file
	Bytes []byte
}

func (t *Tail) Hole(h *Hole) (at int64, n int, err error) { return 0, 0, errNotYet }
func (t *Tail) Fill(h *Hole, b []byte) error              { return errNotYet }

type XRefStyle uint8

const (
	XRefTable XRefStyle = iota + 1
	XRefStream
	XRefHybrid
)

type Facts struct {
	Version       string // the higher of header and catalog, such as "1.7"
	HeaderVersion string
	HeaderOffset  int64 // bytes before %PDF-
	JunkAfter     int64 // bytes behind the last %%EOF and its end of line
	Encrypted     bool
	Repaired      bool
	Linearized    bool
	XRefStyle     XRefStyle // of the newest section
	HasForm       bool
	HasXFA        bool
	HasDSS        bool
	Tagged        bool
	PDFA          string // such as "2b"; empty if not claimed
	DocMDP        int    // 0 none, 1 to 3
	Tolerated     []string
}

type ActiveContent struct {
	Reason string // such as "javascript", "launch"
	Ref    Ref
}
