package formfield

import (
	"math"
	"slices"
	"strconv"

	"segel/pdf"
	"segel/pdf/content"
)

// compareButton judges a check box or radio buttons that are switched: states that were there are selected, and those that the
// value names (ISO 32000-2 §12.7.5.2).
func (c *comparison) compareButton() Result {
	if c.new.Flags&flagPushButton != 0 {
		return Result{Differs, "a push button with a value"}
	}
	value, ok := textOf(c.new.d, c.new.Value)
	if !ok {
		return Result{Unreadable, errValue.Error()}
	}
	on, offered := 0, 0
	for i, w := range c.new.Widgets {
		if !c.o.Placed(w.Number) {
			continue
		}
		states, err := c.listStates(w)
		if err != nil {
			return Result{Unreadable, err.Error()}
		}
		if !c.objects.equalAppearances(c.old.Widgets[i], w) {
			if what := c.checkRedrawn(c.old.Widgets[i], w); what != "" {
				return Result{Differs, what}
			}
		}
		state, named := c.new.appearanceState(w), c.stateForValue(w, states, value)
		if isAbsent(w.dict["AP"]) && isAbsent(c.old.Widgets[i].dict["AP"]) {
			named, states = pdf.Name(value), []pdf.Name{pdf.Name(value)} // readers draw it
		}
		if named != "" {
			offered++
		}
		switch {
		case state == "" || state == "Off":
		case !slices.Contains(states, state):
			return Result{Differs, "a state without an appearance"}
		case state != named:
			return Result{Differs, "it shows another state"}
		default:
			on++
		}
	}
	switch {
	case value == "" || value == "Off":
	case on == 0 && slices.ContainsFunc(c.new.Widgets, func(w Widget) bool { return w.visible && c.o.Placed(w.Number) }):
		return Result{Differs, "it shows that nothing is selected"}
	case on < offered && c.isUnison():
		return Result{Differs, "it does not show all that is selected"}
	}
	return Result{Outcome: Shown}
}

// checkRedrawn returns what is wrong with the appearances of a check box that a program has made anew, as some do: they have the
// states that were there, and paint the mark that the box has by its characteristics where it is on, and none where it is
// off. It is empty if nothing is.
func (c *comparison) checkRedrawn(was, is Widget) string {
	const other = "another appearance of a state"
	if c.new.Flags&flagRadio != 0 {
		return other
	}
	before, err1 := c.old.listAppearances(was)
	after, err2 := c.new.listAppearances(is)
	if err1 != nil || err2 != nil {
		return other
	}
	for _, look := range after {
		had := slices.ContainsFunc(before, func(b appearance) bool { return b.kind == look.kind && b.state == look.state })
		if look.state == "" || !had && look.state != "Off" {
			return other
		}
		a, err := c.o.New.ReadAppearance(look.stream, is.rect, is.rotation)
		if err != nil {
			return other
		}
		lines := linesOf(a)
		want := c.stateSymbol(is, look.state)
		if want != "" && len(lines) == 0 && isSingleMark(a) {
			continue // it is drawn in files that have to bring their fonts along
		}
		if r := c.checkLegible(a, is, lines); r.Outcome != Shown {
			return r.Detail
		}
		if string(shownText(lines)) != want {
			return other
		}
	}
	return ""
}

// isSingleMark reports whether an appearance draws one sign and nothing else: a shape of few points, or two lines that cross,
// in the middle of its box. It may be a check mark or a cross, and is no word.
func isSingleMark(a *content.Appearance) bool {
	if len(a.Unclear) > 0 || a.Pictures > 0 || len(a.Paths) == 0 || len(a.Paths) > 2 {
		return false
	}
	for _, p := range a.Paths {
		x, y := (p.Box.LLX+p.Box.URX)/2/a.Width, (p.Box.LLY+p.Box.URY)/2/a.Height
		wide := p.Box.Width() > 0.35*a.Width && p.Box.Height() > 0.35*a.Height
		if len(a.Paths) == 2 && p.Points > 2 || p.Points > 24 || !wide || math.Abs(x-0.5) > 0.2 || math.Abs(y-0.5) > 0.2 {
			return false
		}
		white := content.Color{Red: 1, Green: 1, Blue: 1, Known: true}
		if p.Color.Contrast(white) < leastContrast {
			return false
		}
	}
	return true
}

// stateSymbol is what a check box shows in a state: a symbol of ZapfDingbats, the check mark if /MK /CA says no other.
func (c *comparison) stateSymbol(w Widget, state pdf.Name) string {
	if state == "Off" {
		return ""
	}
	code := rune('4')
	characteristics, err := c.new.d.Dict(w.dict["MK"])
	if s, err2 := c.new.d.String(characteristics["CA"]); err == nil && err2 == nil && len(s.Bytes) == 1 {
		code = rune(s.Bytes[0])
	}
	return string(0xF000 + code)
}

// isUnison reports whether all buttons with the state that the value names are on together: check boxes, and radio buttons
// that say so.
func (c *comparison) isUnison() bool {
	return c.new.Flags&flagRadio == 0 || c.new.Flags&flagRadioUnison != 0
}

// listStates lists the states of the normal appearance of a widget.
func (c *comparison) listStates(w Widget) ([]pdf.Name, error) {
	looks, err := c.new.listAppearances(w)
	if err != nil {
		return nil, err
	}
	var all []pdf.Name
	for _, look := range looks {
		if look.kind == "N" && look.state != "" {
			all = append(all, look.state)
		}
	}
	return all, nil
}

// stateForValue is the state of a widget that a value names: its own name, or that of its place if /Opt says what it stands for.
func (c *comparison) stateForValue(w Widget, states []pdf.Name, value string) pdf.Name {
	if value == "" || value == "Off" {
		return ""
	}
	if slices.Contains(states, pdf.Name(value)) {
		return pdf.Name(value)
	}
	i := slices.IndexFunc(c.new.Widgets, func(o Widget) bool { return o.Number == w.Number && o.Number != 0 })
	if i < 0 || i >= len(c.new.options) || c.new.options[i].export != value {
		return ""
	}
	if place := pdf.Name(strconv.Itoa(i)); slices.Contains(states, place) {
		return place
	}
	others := slices.DeleteFunc(slices.Clone(states), func(s pdf.Name) bool { return s == "Off" })
	if len(others) == 1 {
		return others[0]
	}
	return ""
}

// impliedState is the state of a widget that says none by the value of its field.
func (c *comparison) impliedState(w Widget) pdf.Name {
	value, _ := textOf(c.new.d, c.new.Value)
	states, err := c.listStates(w)
	if err != nil {
		return ""
	}
	if named := c.stateForValue(w, states, value); named != "" {
		return named
	}
	return "Off"
}
