package sniff

import (
	"net/url"
	"path"
	"strings"
)

// graph is what parts and relations say of each other. They come in any order, so it is judged at the end.
type graph struct {
	parts    map[string]bool // by name in lower case: whether it is something else than markup
	markup   map[string]bool // parts that somebody reads as markup
	outside  map[end]bool    // relations of hyperlinks that lead out of the package
	pictures map[end]bool    // relations by which something else than a hyperlink is shown
}

// end is a relation, as the part knows it.
type end struct{ part, id string }

// maxEnds is more than any real document has of either kind.
const maxEnds = 1 << 17

func newGraph(entries []entry) *graph {
	g := &graph{parts: map[string]bool{}, markup: map[string]bool{}, outside: map[end]bool{}, pictures: map[end]bool{}}
	for _, e := range entries {
		g.parts[strings.ToLower(e.name)] = false
	}
	return g
}

// binary notes a part that was not read as markup.
func (g *graph) binary(part string) { g.parts[strings.ToLower(part)] = true }

// opaque are the kinds of relations whose targets need not be markup; those of all others are read as such.
var opaque = map[string]bool{
	"image": true, "hdphoto": true, "font": true, "thumbnail": true, "audio": true, "video": true, "media": true, "model3d": true,
	"package": true, "printersettings": true, "attachedtoolbars": true, "origin": true, "hyperlink": true,
}

// asks notes a relation inside the package.
func (g *graph) asks(list, kind, target string) {
	unescaped, err := url.PathUnescape(target)
	if err != nil || opaque[kind] {
		return
	}
	if !strings.HasPrefix(unescaped, "/") {
		unescaped = path.Join(folder(list), unescaped)
	}
	full := strings.ToLower(strings.TrimPrefix(path.Clean(unescaped), "/"))
	if _, there := g.parts[full]; there {
		g.markup[full] = true
	}
}

// leads notes the relation of a hyperlink that leads out of the package.
func (g *graph) leads(list, id string) error {
	return note(g.outside, end{path.Join(folder(list), strings.TrimSuffix(path.Base(list), path.Ext(list))), id})
}

// clicked are the elements that only a click follows.
var clicked = map[string]bool{"hyperlink": true, "hlinkClick": true, "hlinkHover": true, "hlinkMouseOver": true}

// shows notes the relations that an element names.
func (g *graph) shows(part string, e element) error {
	if clicked[e.name] {
		return nil
	}
	for _, a := range e.attributes {
		if strings.HasSuffix(a.Name.Space, "/relationships") || a.Name.Local == "relid" {
			if err := note(g.pictures, end{part, a.Value}); err != nil {
				return err
			}
		}
	}
	return nil
}

func note(ends map[end]bool, e end) error {
	if len(ends) == maxEnds {
		return refuse(TooComplex, "more than %d relations", maxEnds)
	}
	ends[end{strings.ToLower(e.part), e.id}] = true
	return nil
}

// judge refuses a hyperlink's relation by which something is shown: readers go by its name, not by its kind. And it
// refuses what is read as markup, but not by us.
func (g *graph) judge() error {
	for e := range g.outside {
		if g.pictures[e] {
			return refuse(Links, "part %q: relation %q of a hyperlink is shown", e.part, e.id)
		}
	}
	for part := range g.markup {
		if g.parts[part] {
			return refuse(Damaged, "part %q should be markup", part)
		}
	}
	return nil
}
