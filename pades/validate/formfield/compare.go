package formfield

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"segel/pdf"
	"segel/pdf/content"
)

// Outcome is what became of a field between two states of a file.
type Outcome uint8

// The outcomes, from the best to the worst.
const (
	// Kept: the value and the painting of the widgets are unchanged.
	Kept Outcome = iota
	// Shown: the value changed, and the widgets show it or leave it to readers.
	Shown
	// NotCompared: the value changed, and whether the widgets show it cannot be determined. They paint only text, in
	// fonts that the form had.
	NotCompared
	// AppearanceChanged: the value is unchanged, but a widget shows something else.
	AppearanceChanged
	// Differs: the value changed, but a widget shows something else, or more.
	Differs
	// Unreadable: one of the states cannot be read.
	Unreadable
)

// Result is an outcome with its reason in English.
type Result struct {
	Outcome Outcome
	Detail  string
}

func (a Result) worseResult(b Result) Result {
	if b.Outcome > a.Outcome {
		return b
	}
	return a
}

// Options of Compare.
type Options struct {
	// Old and New read appearances of the two states.
	Old, New *content.Reader
	// Unchanged reports whether an object is the same in both states.
	Unchanged func(pdf.Ref) bool
	// Placed reports whether a page lists the widget with that object number; others are not visible.
	Placed func(uint32) bool
	// AddedLater reports whether a font of the form's resources in the old state was added after the form was signed;
	// nil: none was.
	AddedLater func(font pdf.Object) bool
}

// comparison is one field in two states.
type comparison struct {
	old, new *Field
	o        Options
	objects  *objectComparer
	former   map[uint32][]content.Path // what widgets painted before besides text, by number
	fonts    []pdf.Object              // earlier fonts; nil before the first use
}

// Compare determines what became of a field. Both states list the same widgets in the same order, and differ only in
// what filling in changes: value, appearances and selections.
func Compare(before, after *Field, o Options) Result {
	c := &comparison{old: before, new: after, o: o, former: map[uint32][]content.Path{}, objects: &objectComparer{old: before.d, new: after.d, unchanged: o.Unchanged, work: after.work}}
	r := c.compareStates()
	if after.work.Left < 0 {
		return Result{Unreadable, errTooMuch.Error()}
	}
	return r
}

func (c *comparison) compareStates() Result {
	before, after := c.old, c.new
	if len(before.Widgets) != len(after.Widgets) {
		return Result{Differs, "another number of widgets"}
	}
	values, err := c.compareValues()
	switch {
	case err != nil:
		return Result{Unreadable, err.Error()}
	case values:
		return c.compareUnchanged()
	case after.fieldsBelow:
		return Result{Differs, "the value of fields below it"}
	case after.form.xfa:
		return Result{Differs, "a field of an XFA form"}
	}
	switch after.Type {
	case "Tx":
		return c.compareRefilled(c.compareText)
	case "Ch":
		if c.isList() {
			return c.compareRefilledList()
		}
		return c.compareRefilled(c.compareText)
	case "Btn":
		return c.compareButton()
	}
	return Result{Differs, "a field of unknown type"}
}

var errValue = errors.New("not a text value")

// compareValues reports whether the value is unchanged. An empty text equals a missing value.
func (c *comparison) compareValues() (bool, error) {
	a, err := c.old.valueTexts()
	if err != nil {
		return false, err
	}
	b, err := c.new.valueTexts()
	return slices.Equal(a, b), err
}

// valueTexts returns the texts of the value that are not empty: the elements of an array, or the single value.
func (f *Field) valueTexts() ([]string, error) {
	list, isList := f.Value.(pdf.Array)
	if !isList {
		list = pdf.Array{f.Value}
	}
	if len(list) > maxOptions {
		return nil, errTooMuch
	}
	var texts []string
	for _, o := range list {
		v, err := f.d.Resolve(o)
		if err != nil {
			return nil, err
		}
		s, ok := textOf(f.d, v)
		if !ok {
			return nil, errValue
		}
		if s != "" {
			texts = append(texts, s)
		}
	}
	return texts, nil
}

// compareUnchanged checks a field with an unchanged value: what it shows must be unchanged too.
func (c *comparison) compareUnchanged() Result {
	all := Result{Outcome: Kept}
	for i, w := range c.new.Widgets {
		all = all.worseResult(c.compareUnchangedWidget(c.old.Widgets[i], w))
	}
	switch {
	case !c.objects.equalObjects(c.old.richText, c.new.richText, 0):
		all = all.worseResult(Result{AppearanceChanged, "/RV"})
	case !c.objects.equalObjects(c.old.indices, c.new.indices, 0) && c.new.Type == "Ch" && !c.selectsValue():
		all = all.worseResult(Result{AppearanceChanged, "/I"})
	}
	return all
}

func (c *comparison) compareUnchangedWidget(was, is Widget) Result {
	if a, b := c.old.appearanceState(was), c.new.appearanceState(is); a != b {
		states, err := c.listStates(is)
		if err != nil {
			return Result{Unreadable, err.Error()}
		}
		if implied := c.new.Type == "Btn" && a == "" && b == c.impliedState(is); len(states) > 0 && !implied {
			return Result{AppearanceChanged, "/AS"}
		}
	}
	if c.objects.equalAppearances(was, is) {
		return Result{Outcome: Kept}
	}
	if isAbsent(was.dict["AP"]) && (c.new.Type == "Tx" || c.new.Type == "Ch" && !c.isList()) {
		// Readers drew the value before. Now the file does, and must show the same.
		if r := c.compareWidgetText(was, is, c.compareText); r.Outcome == Shown {
			return Result{Outcome: Kept}
		}
	}
	return Result{AppearanceChanged, "/AP"}
}

// compareRefilled checks a text field with another value.
func (c *comparison) compareRefilled(compare func(*content.Appearance, []line) Result) Result {
	all := Result{Outcome: Shown}
	if r := c.compareRichText(); r.Outcome > all.Outcome {
		return r
	}
	if c.new.Type == "Ch" && !c.objects.equalObjects(c.old.indices, c.new.indices, 0) && !c.selectsValue() {
		return Result{Differs, "/I selects something else"}
	}
	for i, w := range c.new.Widgets {
		if w.visible && c.o.Placed(w.Number) {
			all = all.worseResult(c.compareWidgetText(c.old.Widgets[i], w, compare))
		}
	}
	return all
}

// compareWidgetText checks what one widget shows of a text value.
func (c *comparison) compareWidgetText(was, is Widget, compare func(*content.Appearance, []line) Result) Result {
	looks, err := c.new.listAppearances(is)
	if err != nil {
		return Result{Unreadable, err.Error()}
	}
	if len(looks) == 0 {
		return Result{Outcome: Shown} // readers draw it
	}
	if c.new.form.needAppearances && c.objects.equalAppearances(was, is) {
		return Result{NotCompared, "/NeedAppearances: readers draw it"}
	}
	normal := false
	all := Result{Outcome: Shown}
	is.rotation = c.appearanceRotation(was, is, looks)
	for _, look := range looks {
		normal = normal || look.kind == "N"
		all = all.worseResult(c.compareAppearance(look, is, compare))
	}
	if !normal {
		return Result{Differs, "no normal appearance"}
	}
	return all
}

// appearanceRotation returns the rotation of a widget: from its characteristics, or from the matrix of its appearance
// if the former appearance had the same.
func (c *comparison) appearanceRotation(was, is Widget, looks []appearance) int {
	before, err := c.old.listAppearances(was)
	if err != nil || len(before) == 0 || len(looks) == 0 {
		return is.rotation
	}
	m := looks[0].stream.Dict["Matrix"]
	if isAbsent(m) || !c.objects.equalObjects(before[0].stream.Dict["Matrix"], m, 0) {
		return is.rotation
	}
	list, err := c.new.d.Array(m)
	if err != nil || len(list) != 6 {
		return is.rotation
	}
	a, err1 := c.new.d.Number(list[0])
	b, err2 := c.new.d.Number(list[1])
	switch {
	case err1 != nil || err2 != nil:
		return is.rotation
	case math.Abs(b) > math.Abs(a) && b > 0:
		return 90
	case math.Abs(b) > math.Abs(a):
		return 270
	case a < 0:
		return 180
	}
	return 0
}

func (c *comparison) compareAppearance(look appearance, w Widget, compare func(*content.Appearance, []line) Result) Result {
	a, err := c.o.New.ReadAppearance(look.stream, w.rect, w.rotation)
	var told *content.IncompleteError
	if err != nil && (!errors.As(err, &told) || told.Reason != content.NoFont) {
		return Result{Unreadable, err.Error()}
	}
	lines := linesOf(a)
	r := c.checkLegible(a, w, lines)
	if r.Outcome == Differs && c.new.barcode {
		return Result{NotCompared, "a barcode"}
	}
	if r.Outcome == Differs {
		return r
	}
	return r.worseResult(compare(a, lines))
}

// formerPaths lists what a widget painted before besides text.
func (c *comparison) formerPaths(w Widget) []content.Path {
	if known, ok := c.former[w.Number]; ok {
		return known
	}
	var paths []content.Path
	for _, was := range c.old.Widgets {
		if was.Number != w.Number {
			continue
		}
		looks, _ := c.old.listAppearances(was) // an unreadable appearance paints nothing
		for _, look := range looks {
			if a, _ := c.o.Old.ReadAppearance(look.stream, was.rect, was.rotation); a != nil {
				paths = append(paths, a.Paths...)
			}
		}
	}
	c.former[w.Number] = paths
	return paths
}

// compareText compares the text of an appearance with the value.
func (c *comparison) compareText(a *content.Appearance, lines []line) Result {
	value, ok := textOf(c.new.d, c.new.Value)
	if !ok {
		return Result{Unreadable, errValue.Error()}
	}
	shown := shownText(lines)
	if c.new.Flags&flagPassword != 0 && c.new.Type == "Tx" && isMasked(shown) {
		return Result{Outcome: Shown}
	}
	best := matchNone
	for _, want := range c.acceptableTexts(value) {
		best = max(best, c.matchText(shown, foldText(want)))
	}
	switch {
	case best == matchWhole && isCutOff(a, lines, c.new):
		return Result{Differs, "only a part of the value"}
	case best == matchWhole:
		return Result{Outcome: Shown}
	case best == matchPossible:
		return Result{NotCompared, "glyphs that cannot be read"}
	case best == matchPrefix && len(lines) > 0 && c.fillsField(a, lines):
		return Result{NotCompared, "the beginning of the value"}
	case c.new.format != nil:
		return c.new.format.compareFormatted(value, string(shown))
	case hasShapedScript(foldText(value)) && (hasShapedScript(shown) || slices.Contains(shown, unreadGlyph)):
		return Result{NotCompared, "a script with shaped letters"}
	}
	return Result{Differs, "it shows " + quoteText(shown)}
}

// quoteText quotes the beginning of a text.
func quoteText(s []rune) string {
	const most = 40
	if len(s) > most {
		return strconv.Quote(string(s[:most])) + "..."
	}
	return strconv.Quote(string(s))
}

// acceptableTexts lists what a field may show for a value: the value, the label of an option, or as much as fits.
func (c *comparison) acceptableTexts(value string) []string {
	all := []string{value}
	if c.new.Type == "Ch" {
		for _, o := range c.new.options {
			if o.export == value {
				all = append(all, o.label)
			}
		}
	}
	if runes := []rune(value); c.new.maxLen > 0 && len(runes) > c.new.maxLen {
		all = append(all, string(runes[:c.new.maxLen]))
	}
	return all
}

func (c *comparison) matchText(shown, want []rune) matchLevel {
	if c.isComb() {
		shown, want = withoutSpaces(shown), withoutSpaces(want)
	}
	return matchRunes(shown, want)
}

// isMasked reports whether a text consists of one password mark per character.
func isMasked(shown []rune) bool {
	const marks = "*\u2022\u25CF\u2219\u26AB\uF06C" // the last one is that of ZapfDingbats
	return !slices.ContainsFunc(shown, func(r rune) bool { return r != shown[0] || !strings.ContainsRune(marks, r) })
}

// isCutOff reports whether text lies outside of the clip although there is room for it, or is cut at the wrong end, so
// that the visible part is another text. Text longer than its field is cut at its end.
func isCutOff(a *content.Appearance, lines []line, f *Field) bool {
	hidden := 0
	for _, l := range lines {
		for _, g := range l {
			if g.VisibleShare < leastSeen {
				hidden++
			}
		}
	}
	switch {
	case hidden == 0:
		return false
	case len(lines) > 1:
		return areLinesCutOff(a, lines)
	}
	l := lines[0]
	first, last := l[0].VisibleShare >= leastSeen, l[len(l)-1].VisibleShare >= leastSeen
	switch {
	case f.quadding == 2 && !last, f.quadding != 1 && f.quadding != 2 && !first:
		return true
	}
	return seenWidth(l) < 0.5*a.Width
}

// areLinesCutOff is isCutOff for several lines: the visible ones come first and fill the field.
func areLinesCutOff(a *content.Appearance, lines []line) bool {
	seen, lowest, size := true, a.Height, 0.0
	for i, l := range lines {
		whole := seenWidth(l) > 0
		if whole && !seen || i == 0 && (!whole || l[0].VisibleShare < leastSeen) {
			return true
		}
		if seen = whole; seen {
			lowest, size = l[0].Y, l[0].Size
		}
		if isPartlyHidden(l) && seenWidth(l) < 0.5*a.Width {
			return true
		}
	}
	return !seen && lowest > 2.5*size
}

// isPartlyHidden reports whether some glyphs of a line are visible and some are not.
func isPartlyHidden(l line) bool {
	seen := slices.ContainsFunc(l, func(g placedGlyph) bool { return g.VisibleShare >= leastSeen })
	return seen && slices.ContainsFunc(l, func(g placedGlyph) bool { return g.VisibleShare < leastSeen })
}

// seenWidth is the width of the visible glyphs of a line.
func seenWidth(l line) float64 {
	from, to, any := 0.0, 0.0, false
	for _, g := range l {
		if g.VisibleShare < leastSeen {
			continue
		}
		if !any {
			from, any = g.X, true
		}
		to = max(to, g.EndX)
	}
	return to - from
}

// fillsField reports whether text fills its field, so that no more of it fits.
func (c *comparison) fillsField(a *content.Appearance, lines []line) bool {
	border := 0.0
	for _, w := range c.new.Widgets {
		border = max(border, w.border)
	}
	last := lines[len(lines)-1]
	if len(lines) == 1 && a.Height-2*border < 2.5*last[0].Size && c.new.Flags&flagMultiline == 0 {
		return last[len(last)-1].EndX > 0.85*(a.Width-border)
	}
	return last[0].Y-border < 2*last[0].Size
}
