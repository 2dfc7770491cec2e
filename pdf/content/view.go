package content

import (
	"slices"

	"segel/pdf"
)

// Views is a set of the ways in which readers show a page. Layers may be shown in some of them only, and so may
// annotations and alternate images.
type Views uint16

// The views. Readers disagree on what determines whether a layer is shown, so each kind of reader has a view on a
// screen and one in print.
const (
	Screen       Views = 1 << iota // the default configuration and its automatic states for viewing (ISO 32000-2 §8.11.4)
	screenPlain                    // the default configuration only
	screenUsage                    // as screenPlain, but layers whose usage dictionary switches them off are off
	screenForced                   // a layer's usage dictionary, and the default configuration where it says nothing
	OtherScreen                    // as Screen, at another magnification, for another user or in another language
	Print                          // the default configuration and its automatic states for printing
	printPlain
	printUsage
	printForced

	OnScreen = Screen | screenPlain | screenUsage | screenForced | OtherScreen
	InPrint  = Print | printPlain | printUsage | printForced
	allViews = OnScreen | InPrint
)

// ViewPairs lists, for each kind of reader, the view on a screen and the one in print.
func ViewPairs() [][2]Views {
	return [][2]Views{{Screen, Print}, {screenPlain, printPlain}, {screenUsage, printUsage}, {screenForced, printForced}}
}

// OtherScreenViews lists the views on a screen that may differ from Screen.
func OtherScreenViews() []Views { return []Views{screenPlain, screenUsage, screenForced, OtherScreen} }

// boundList truncates a list.
func (r *Reader) boundList(list pdf.Array, most int) pdf.Array {
	if len(list) > most {
		r.layersIncomplete = true
		return list[:most]
	}
	return list
}

// maxLayers bounds the lists of layers.
const maxLayers = 10_000

// readLayers reads in which views layers are off. Entries that cannot be read hide nothing.
func (r *Reader) readLayers() {
	_, root, err := r.d.Root()
	if err != nil {
		return
	}
	properties, _ := r.d.Dict(root["OCProperties"])
	config, _ := r.d.Dict(properties["D"])
	groups := r.readGroups(properties["OCGs"])
	if base, _ := r.d.Name(config["BaseState"]); base == "OFF" {
		for _, ref := range groups {
			r.layers[ref] = allViews
		}
		for _, ref := range r.readGroups(config["ON"]) {
			delete(r.layers, ref)
		}
	}
	for _, ref := range r.readGroups(config["OFF"]) {
		r.layers[ref] = allViews
	}
	for _, ref := range groups {
		r.applyUsage(ref, config)
	}
	states, _ := r.d.Array(config["AS"])
	for _, o := range r.boundList(states, maxAutoStates) {
		r.applyAutoState(o)
	}
	for ref, off := range r.layers {
		if off == 0 {
			delete(r.layers, ref)
		}
	}
}

// maxAutoStates bounds the usage application dictionaries. A file has up to three.
const maxAutoStates = 100

func (r *Reader) readGroups(o pdf.Object) []pdf.Ref {
	var refs []pdf.Ref
	list, _ := r.d.Array(o)
	for _, o := range r.boundList(list, maxLayers) {
		if ref, ok := o.(pdf.Ref); ok {
			refs = append(refs, ref)
		}
	}
	return refs
}

// applyUsage switches a layer as readers do that use its usage dictionary, or its intent, directly.
func (r *Reader) applyUsage(ref pdf.Ref, config pdf.Dict) {
	group, err := r.d.Dict(ref)
	if err != nil {
		return
	}
	off := r.layers[ref]
	if !r.hasIntent(group["Intent"], config["Intent"]) {
		// By the standard the layer has no effect then; one kind of reader hides its content.
		off = off&^(Screen|screenPlain|OtherScreen|Print|printPlain) | screenForced | printForced
	}
	usage, _ := r.d.Dict(group["Usage"])
	for _, u := range []struct {
		category, state  pdf.Name
		onlyOff, decides Views
	}{{"View", "ViewState", screenUsage, screenForced}, {"Print", "PrintState", printUsage, printForced}} {
		switch r.usageState(usage, u.category, u.state) {
		case "OFF":
			off |= u.onlyOff | u.decides
		case "ON":
			off &^= u.decides
		}
	}
	r.layers[ref] = off
}

func (r *Reader) usageState(usage pdf.Dict, category, state pdf.Name) pdf.Name {
	entry, _ := r.d.Dict(usage[category])
	value, _ := r.d.Name(entry[state])
	return value
}

// hasIntent reports whether a layer's intent is one of the configuration's; both default to View.
func (r *Reader) hasIntent(group, config pdf.Object) bool {
	of := func(o pdf.Object) []pdf.Name {
		v, _ := r.d.Resolve(o)
		switch v := v.(type) {
		case pdf.Name:
			return []pdf.Name{v}
		case pdf.Array:
			var names []pdf.Name
			for _, o := range r.boundList(v, maxAutoStates) {
				if name, err := r.d.Name(o); err == nil {
					names = append(names, name)
				}
			}
			return names
		}
		return []pdf.Name{"View"}
	}
	here := of(config)
	for _, name := range of(group) {
		if name == "All" || slices.Contains(here, name) || slices.Contains(here, "All") {
			return true
		}
	}
	return false
}

// categoryCost is the cost in Limits.Bytes of a category of a layer.
const categoryCost = 16

// applyAutoState applies one usage application dictionary (ISO 32000-2 §8.11.4.4): a layer is on for its event if all
// of its categories recommend it, and off if one recommends that. A layer without recommendations does not change.
func (r *Reader) applyAutoState(o pdf.Object) {
	state, err := r.d.Dict(o)
	if err != nil {
		return
	}
	event, _ := r.d.Name(state["Event"])
	here := map[pdf.Name]Views{"View": Screen, "Print": Print}[event]
	if here == 0 {
		return
	}
	categories, _ := r.d.Array(state["Category"])
	categories = r.boundList(categories, maxAutoStates)
	for _, ref := range r.readGroups(state["OCGs"]) {
		if !r.spendBytes(categoryCost * int64(1+len(categories))) {
			r.layersIncomplete = true
			return
		}
		group, err := r.d.Dict(ref)
		if err != nil {
			continue
		}
		usage, _ := r.d.Dict(group["Usage"])
		var on, off bool
		depends := false // on the user, the language or the magnification
		for _, o := range categories {
			category, _ := r.d.Name(o)
			switch category {
			case "View", "Print", "Export":
				recommended := r.usageState(usage, category, category+"State")
				on, off = on || recommended == "ON", off || recommended == "OFF"
			case "Zoom", "User", "Language":
				depends = depends || usage[category] != nil
			}
		}
		switch {
		case off:
			r.layers[ref] |= here
		case on:
			r.layers[ref] &^= here
		}
		if event == "View" {
			// At another magnification, for another user: as on the screen, or the opposite if the layer depends on that.
			if r.layers[ref] &^= OtherScreen; (r.layers[ref]&Screen != 0) != (depends && !off) {
				r.layers[ref] |= OtherScreen
			}
		}
	}
}

// hiddenViews returns the views in which a layer is off, or in which a membership of several layers hides its content
// by its expression or policy (ISO 32000-2 §8.11.2.2).
func (r *Reader) hiddenViews(o pdf.Object) Views {
	if o == nil {
		return 0
	}
	ref, indirect := o.(pdf.Ref)
	if off, known := r.layers[ref]; indirect && known {
		return off
	}
	if off, known := r.memberships[ref]; indirect && known {
		return off
	}
	dict, err := r.d.Dict(o)
	if err != nil {
		return 0
	}
	off := r.evaluateMembership(dict)
	if indirect && len(r.memberships) < maxLayers {
		r.memberships[ref] = off
	}
	return off
}

func (r *Reader) evaluateMembership(dict pdf.Dict) Views {
	if dict["VE"] != nil {
		if expression, err := r.d.Array(dict["VE"]); err == nil {
			terms := maxTerms
			shown, ok := r.evaluateExpression(expression, 0, &terms)
			if !r.spendBytes(int64(maxTerms - terms)) {
				r.layersIncomplete = true
			}
			if ok {
				return allViews &^ shown
			}
		}
	}
	if dict["OCGs"] == nil {
		return 0
	}
	var groups []pdf.Ref
	if ref, ok := dict["OCGs"].(pdf.Ref); ok {
		if list, err := r.d.Array(ref); err != nil || list == nil {
			groups = []pdf.Ref{ref}
		}
	}
	if groups == nil {
		groups = r.readGroups(dict["OCGs"])
	}
	if len(groups) == 0 {
		return 0
	}
	if !r.spendBytes(int64(len(groups))) {
		r.layersIncomplete = true
		return 0
	}
	every, some := allViews, Views(0) // in which all of them are off, and in which at least one is
	for _, ref := range groups {
		every &= r.layers[ref]
		some |= r.layers[ref]
	}
	switch policy, _ := r.d.Name(dict["P"]); policy {
	case "AllOn":
		return some
	case "AnyOff":
		return allViews &^ some
	case "AllOff":
		return allViews &^ every
	}
	return every
}

// Bounds of a visibility expression.
const (
	maxTerms    = 1000
	maxNegation = 32
)

// evaluateExpression returns the views in which a visibility expression holds. It fails if the expression is malformed
// or too long.
func (r *Reader) evaluateExpression(expression pdf.Array, depth int, terms *int) (shown Views, ok bool) {
	if depth > maxNegation {
		r.layersIncomplete = true
		return 0, false
	}
	if len(expression) < 2 {
		return 0, false
	}
	operator, err := r.d.Name(expression[0])
	if err != nil || operator != "And" && operator != "Or" && operator != "Not" {
		return 0, false
	}
	if operator == "And" {
		shown = allViews
	}
	for _, o := range expression[1:] {
		if *terms--; *terms < 0 {
			r.layersIncomplete = true
			return 0, false
		}
		operand := Views(0)
		v, err := r.d.Resolve(o)
		if err != nil {
			return 0, false
		}
		if inner, isArray := v.(pdf.Array); isArray {
			if operand, ok = r.evaluateExpression(inner, depth+1, terms); !ok {
				return 0, false
			}
		} else if ref, isRef := o.(pdf.Ref); isRef {
			operand = allViews &^ r.layers[ref]
		} else {
			return 0, false
		}
		switch operator {
		case "And":
			shown &= operand
		case "Or":
			shown |= operand
		case "Not":
			return allViews &^ operand, true
		}
	}
	return shown, true
}
