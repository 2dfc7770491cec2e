package formtest

import (
	"fmt"
	"strings"

	"segel/pdf"
)

// size of the text in a box of that height.
func textBaseline(height float64) float64 { return height/2 - 4.1 }

// fillAcrobat writes an appearance as Adobe Acrobat does.
func fillAcrobat(f *Filler, w pdf.Dict, text string) {
	f.SetAppearance(w, lineContent(f.widgetBox(w), text))
}

// fillPDFJS writes an appearance as pdf.js does: the background and the border first, and no clip.
func fillPDFJS(f *Filler, w pdf.Dict, text string) {
	box := f.widgetBox(w)
	mk, _ := f.D.Dict(w["MK"])
	frame, anew := "", pdf.Dict{}
	if mk["R"] != nil {
		anew["R"] = mk["R"]
	}
	if mk["BG"] != nil {
		// It rounds colours and writes the characteristics of the widget anew with them.
		frame = fmt.Sprintf("0.75 0.86 1 rg 0 0 %g %g re f ", box.Width(), box.Height())
		anew["BG"] = pdf.Array{pdf.Real(.75), pdf.Real(.86), pdf.Integer(1)}
	}
	if mk["BC"] != nil {
		frame += fmt.Sprintf("1 w 0 G 0 0 %g %g re S ", box.Width(), box.Height())
		anew["BC"] = pdf.Array{pdf.Integer(0), pdf.Integer(0), pdf.Integer(0)}
	}
	if len(anew) > 0 {
		w["MK"] = anew
	}
	st := f.SetAppearance(w, fmt.Sprintf("/Tx BMC q %sBT /Helv 12 Tf 0 g 1 0 0 1 0 0 Tm 2 5.67 Td (%s) Tj ET Q EMC", frame, escapeLiteral(text)))
	delete(st.Dict, "Type")
	if mk["R"] != nil {
		st.Dict["Matrix"] = pdf.Array{pdf.Integer(0), pdf.Integer(1), pdf.Integer(-1), pdf.Integer(0), pdf.Real(box.Height()), pdf.Integer(0)}
	}
	w["M"] = pdf.TextString("D:20261122090000")
}

// fillPDFBox writes an appearance as Apache PDFBox does: into the stream that is there, between BMC and EMC.
func fillPDFBox(f *Filler, w pdf.Dict, text string) {
	box := f.widgetBox(w)
	content := fmt.Sprintf("/Tx BMC\nq\n1 1 %g %g re\nW\nn\nBT\n/Helv 12 Tf\n/DeviceGray cs\n0 sc\n2 %g Td\n(%s) Tj\nET\nQ\nEMC\n", box.Width()-2, box.Height()-2, textBaseline(box.Height()), escapeLiteral(text))
	looks, err := f.D.Dict(w["AP"])
	if err != nil {
		f.Err = err
		return
	}
	if ref := looks.Ref("N"); !ref.IsZero() {
		f.U.Set(ref, newAppearance(box, f.usualResources(), content))
		return
	}
	f.SetAppearance(w, content)
}

// fillIText writes an appearance as iText does: marked twice, its border of four areas, its font under another name. It writes
// the default appearance anew and leaves out that text is black.
func fillIText(f *Filler, w pdf.Dict, text string) {
	box := f.widgetBox(w)
	mk, _ := f.D.Dict(w["MK"])
	frame := ""
	if mk["BG"] != nil {
		frame = fmt.Sprintf("q\n0.75293 0.86275 1 rg\n0 0 %g %g re\nf\nQ\n", box.Width(), box.Height())
	}
	if mk["BC"] != nil {
		x, y := box.Width(), box.Height()
		for _, side := range [][10]float64{
			{1, y - 1, x - 1, y - 1, x, y, 0, y, 1, y - 1}, {x - 1, y - 1, x - 1, 1, x, 0, x, y, x - 1, y - 1},
			{x - 1, 1, 1, 1, 0, 0, x, 0, x - 1, 1}, {1, 1, 1, y - 1, 0, y, 0, 0, 1, 1},
		} {
			frame += fmt.Sprintf("q\n%g %g m\n%g %g l\n%g %g l\n%g %g l\n%g %g l\nf\nQ\n", side[0], side[1], side[2], side[3], side[4], side[5], side[6], side[7], side[8], side[9])
		}
	}
	f.SetAppearanceIn(w, pdf.Dict{"Font": pdf.Dict{"F1": f.Font("Helv")}}, fmt.Sprintf(
		"%s/Tx BMC\nq\nn\nq\n0 0 %g %g re\nW\nn\n/Tx BMC\nq\nn\nq\nBT\n/F1 12 Tf\n2 6.32 Td\n(%s)Tj\nET\nQ\nQ\nEMC\nQ\nQ\nEMC\n", frame, box.Width(), box.Height(), escapeLiteral(text)))
	if style, ok := w["DA"].(pdf.String); ok {
		w["DA"] = pdf.TextString(strings.TrimSuffix(style.Text(), " 0 g"))
	}
}

// combContent is the appearance of a comb, one glyph in each cell.
func combContent(box pdf.Rect, text string, of int) string {
	width := box.Width() / float64(of)
	s := fmt.Sprintf("/Tx BMC \nq\n1 1 %g %g re\nW\nn\nBT\n/Helv 12 Tf\n0 g\n%g %g Td\n", box.Width()-2, box.Height()-2, width/2-3.3, textBaseline(box.Height()))
	for i, r := range text {
		if i > 0 {
			s += fmt.Sprintf("%g 0 Td\n", width)
		}
		s += fmt.Sprintf("(%s) Tj\n", escapeLiteral(string(r)))
	}
	return s + "ET\nQ\nEMC\n"
}

// linesContent is the appearance of a field of several lines.
func linesContent(box pdf.Rect, all ...string) string {
	s := fmt.Sprintf("/Tx BMC \nq\n1 1 %g %g re\nW\nn\nBT\n/Helv 10 Tf\n0 g\n2 %g Td\n", box.Width()-2, box.Height()-2, box.Height()-12)
	for i, l := range all {
		if i > 0 {
			s += "0 -11.56 Td\n"
		}
		s += fmt.Sprintf("(%s) Tj\n", escapeLiteral(l))
	}
	return s + "ET\nQ\nEMC\n"
}
