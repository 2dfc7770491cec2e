package sniff

import (
	"net/url"
	"path"
	"strings"
)

// relationGraph is what parts and relations say of each other. They come in any order, so it is judged at the end.
type relationGraph struct {
	parts    map[string]bool      // by name in lower case: whether it is something else than markup
	markup   map[string]bool      // parts that somebody reads as markup
	outside  map[relationEnd]bool // relations of hyperlinks that lead out of the package
	pictures map[relationEnd]bool // relations by which something else than a hyperlink is shown
}

// relationEnd is a relation, as the part knows it.
type relationEnd struct{ part, id string }

// maxEnds is more than any real document has of either kind.
const maxEnds = 1 << 17

func newRelationGraph(entries []entry) *relationGraph {
	g := &relationGraph{parts: map[string]bool{}, markup: map[string]bool{}, outside: map[relationEnd]bool{}, pictures: map[relationEnd]bool{}}
	for _, e := range entries {
		g.parts[strings.ToLower(e.name)] = false
	}
	return g
}

// addBinary notes a part that was not read as markup.
func (g *relationGraph) addBinary(part string) { g.parts[strings.ToLower(part)] = true }

// opaqueKinds are the kinds of relations whose targets need not be markup; those of all others are read as such.
var opaqueKinds = map[string]bool{
	"image": true, "hdphoto": true, "font": true, "thumbnail": true, "audio": true, "video": true, "media": true, "model3d": true,
	"package": true, "printersettings": true, "attachedtoolbars": true, "origin": true, "hyperlink": true,
}

// addMarkupTarget notes a relation inside the package.
func (g *relationGraph) addMarkupTarget(list, kind, target string) {
	unescaped, err := url.PathUnescape(target)
	if err != nil || opaqueKinds[kind] {
		return
	}
	if !strings.HasPrefix(unescaped, "/") {
		unescaped = path.Join(partFolder(list), unescaped)
	}
	full := strings.ToLower(strings.TrimPrefix(path.Clean(unescaped), "/"))
	if _, there := g.parts[full]; there {
		g.markup[full] = true
	}
}

// addOutsideLink notes the relation of a hyperlink that leads out of the package.
func (g *relationGraph) addOutsideLink(list, id string) error {
	return addRelationEnd(g.outside, relationEnd{path.Join(partFolder(list), strings.TrimSuffix(path.Base(list), path.Ext(list))), id})
}

// clickElements are the elements that only a click follows.
var clickElements = map[string]bool{"hyperlink": true, "hlinkClick": true, "hlinkHover": true, "hlinkMouseOver": true}

// addShown notes the relations that an element names.
func (g *relationGraph) addShown(part string, e element) error {
	if clickElements[e.name] {
		return nil
	}
	for _, a := range e.attributes {
		if strings.HasSuffix(a.Name.Space, "/relationships") || a.Name.Local == "relid" {
			if err := addRelationEnd(g.pictures, relationEnd{part, a.Value}); err != nil {
				return err
			}
		}
	}
	return nil
}

func addRelationEnd(ends map[relationEnd]bool, e relationEnd) error {
	if len(ends) == maxEnds {
		return newRefusal(TooComplex, "more than %d relations", maxEnds)
	}
	ends[relationEnd{strings.ToLower(e.part), e.id}] = true
	return nil
}

// checkRelations refuses a hyperlink's relation by which something is shown: readers go by its name, not by its kind. And it
// refuses what is read as markup, but not by us.
func (g *relationGraph) checkRelations() error {
	for e := range g.outside {
		if g.pictures[e] {
			return newRefusal(Links, "part %q: relation %q of a hyperlink is shown", e.part, e.id)
		}
	}
	for part := range g.markup {
		if g.parts[part] {
			return newRefusal(Damaged, "part %q should be markup", part)
		}
	}
	return nil
}
