package formfield

import (
	"errors"
	"slices"

	"segel/pdf"
	"segel/pdf/content"
)

var errNoOption = errors.New("a value that is not among the options")

// selectedOptions lists the indexes of the options that the value names, in order.
func (f *Field) selectedOptions() ([]int, error) {
	texts, err := f.valueTexts()
	if err != nil {
		return nil, err
	}
	var all []int
	for _, text := range texts {
		i := slices.IndexFunc(f.options, func(o option) bool { return o.export == text })
		if i < 0 {
			return nil, errNoOption
		}
		all = append(all, i)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// selectsValue reports whether /I selects what the value names (ISO 32000-2 §12.7.5.4). A typed value of a combo box
// has no index.
func (c *comparison) selectsValue() bool {
	if isAbsent(c.new.indices) {
		return true
	}
	list, ok := c.new.indices.(pdf.Array)
	if !ok || len(list) > maxOptions {
		return false
	}
	var chosen []string
	for _, o := range list {
		i, err := c.new.d.Integer(o)
		if err != nil || i < 0 || i >= int64(len(c.new.options)) {
			return false
		}
		chosen = append(chosen, c.new.options[i].export)
	}
	want, err := c.new.selectedOptions()
	if errors.Is(err, errNoOption) {
		return len(chosen) == 0
	}
	if err != nil {
		return false
	}
	var exports []string
	for _, i := range want {
		exports = append(exports, c.new.options[i].export)
	}
	slices.Sort(chosen)
	slices.Sort(exports)
	return slices.Equal(slices.Compact(chosen), slices.Compact(exports))
}

// compareRefilledList checks a list box with another selection.
func (c *comparison) compareRefilledList() Result {
	if !c.selectsValue() {
		return Result{Differs, "/I selects something else"}
	}
	chosen, err := c.new.selectedOptions()
	if err != nil {
		return Result{Differs, err.Error()}
	}
	return c.compareRefilled(func(a *content.Appearance, lines []line) Result { return c.compareList(a, lines, chosen) })
}

// compareList compares the lines of a list box with its options: consecutive labels, of which exactly the selected ones
// are highlighted.
func (c *comparison) compareList(a *content.Appearance, lines []line, chosen []int) Result {
	from, agrees := c.matchOptions(lines)
	switch agrees {
	case matchNone:
		if c.isWrapped(lines) {
			return Result{NotCompared, "options of several lines"}
		}
		return Result{Differs, "it shows other options"}
	case matchPossible:
		return Result{NotCompared, "glyphs that cannot be read"}
	}
	marked := 0
	for i, l := range lines {
		is := isHighlighted(a, lines, l)
		if is {
			marked++
		}
		if is && !slices.Contains(chosen, from+i) {
			return Result{Differs, "it highlights another option"}
		}
	}
	shown := 0
	for _, i := range chosen {
		if i >= from && i < from+len(lines) {
			shown++
		}
	}
	switch {
	case shown < len(chosen) && marked == shown && from > 0 && from == c.old.topIndex && from == c.new.topIndex:
		return Result{NotCompared, "the selection is scrolled out of view"}
	case shown < len(chosen):
		return Result{Differs, "it does not show the selection"}
	case marked == 0 && shown > 0 && shown < len(lines):
		return Result{NotCompared, "it highlights nothing"}
	case marked < shown && marked > 0:
		return Result{Differs, "it does not highlight the whole selection"}
	}
	return Result{Outcome: Shown}
}

// matchOptions finds the options whose labels the lines show.
func (c *comparison) matchOptions(lines []line) (from int, agrees matchLevel) {
	if len(lines) == 0 {
		return 0, matchWhole
	}
	labels := make([][]rune, len(c.new.options))
	for i, o := range c.new.options {
		labels[i] = foldText(o.label)
	}
	best := matchNone
	for i := 0; i+len(lines) <= len(labels); i++ {
		got := matchWhole
		for k, l := range lines {
			if got = min(got, matchRunes(l.readText(), labels[i+k])); got <= matchPrefix {
				got = matchNone // a label that is partly shown is another one
				break
			}
		}
		if got > best || got == matchWhole && best == matchWhole && c.new.topIndex == i {
			from, best = i, got
		}
	}
	return from, best
}

// isWrapped reports whether the lines are the labels of all options, some on several lines.
func (c *comparison) isWrapped(lines []line) bool {
	var all []rune
	for _, o := range c.new.options {
		all = append(all, foldText(o.label)...)
	}
	return slices.Equal(withoutSpaces(shownText(lines)), withoutSpaces(all))
}

// isHighlighted reports whether a line has a filled area behind it.
func isHighlighted(a *content.Appearance, lines []line, l line) bool {
	g := l[0]
	x, y := (g.Box.LLX+g.Box.URX)/2, g.Y+0.3*g.Size
	for _, p := range a.Paths {
		if !p.Filled || !p.Rectangle || p.Order > g.Order || len(lines) > 1 && p.Box.Height() > 0.95*a.Height {
			continue
		}
		if p.Box.Contains(x, y) {
			return true
		}
	}
	return false
}
