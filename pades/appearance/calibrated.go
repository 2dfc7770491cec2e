package appearance

import "segel/pdf"

// calibratedSpaces defines the device colours as what sRGB is, but for its gamma, which is 2.2.
func calibratedSpaces() pdf.Dict {
	white := pdf.Array{pdf.Real(0.9505), pdf.Integer(1), pdf.Real(1.089)}
	return pdf.Dict{
		"DefaultRGB": pdf.Array{pdf.Name("CalRGB"), pdf.Dict{
			"WhitePoint": white, "Gamma": pdf.Array{pdf.Real(2.2), pdf.Real(2.2), pdf.Real(2.2)},
			"Matrix": pdf.Array{
				pdf.Real(0.4124), pdf.Real(0.2126), pdf.Real(0.0193), pdf.Real(0.3576), pdf.Real(0.7152), pdf.Real(0.1192),
				pdf.Real(0.1805), pdf.Real(0.0722), pdf.Real(0.9505),
			},
		}},
		"DefaultGray": pdf.Array{pdf.Name("CalGray"), pdf.Dict{"WhitePoint": white, "Gamma": pdf.Real(2.2)}},
	}
}
