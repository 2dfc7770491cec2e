package pdftest

import "fmt"

// InspectCase is a file of one page with something in it that its readers may not see or expect, or that only looks so.
type InspectCase struct {
	Name string
	File []byte
	// Kinds are those of package inspect that are to be found, and no others.
	Kinds []string
	// WholeFile says that what is found belongs to the file and not to its page.
	WholeFile bool
}

// pageParts is what a Suspect has beside an empty page: objects are numbered from 10 on.
type pageParts struct {
	content   string
	resources string // beside the font F1
	page      string // entries
	catalog   string // entries
	objects   []body
}

// priceText is what the page says.
const priceText = "BT /F1 24 Tf 72 720 Td (Harga 1.000.000) Tj ET "

func (s pageParts) buildFile() []byte {
	resources := "<< /Font << /F1 3 0 R >> " + s.resources + " >>"
	all := []body{
		{CatalogNumber, "<< /Type /Catalog /Pages 2 0 R " + s.catalog + " >>", nil},
		{PagesNumber, "<< /Type /Pages /Kids [5 0 R] /Count 1 >>", nil},
		{FontNumber, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>", nil},
		{InfoNumber, "<< /Title (A suspect) >>", nil},
		{FirstPageNumber, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 6 0 R /Resources " + resources + " " + s.page + " >>", nil},
		{FirstPageNumber + 1, "", []byte(s.content)},
	}
	b := newBuilder("1.7")
	for _, o := range append(all, s.objects...) {
		b.writeBody(o)
	}
	return b.finishWithTable("/Info 4 0 R")
}

func objectBody(number int, text string) body { return body{number, text, nil} }

func streamBody(number int, entries, data string) body { return body{number, entries, []byte(data)} }

// formBody is a form XObject that shows a price of its own.
func formBody(number int, entries string) body {
	return streamBody(number, "/Type /XObject /Subtype /Form /BBox [0 0 300 30] /Resources << /Font << /F1 3 0 R >> >> "+entries, "BT /F1 20 Tf 2 6 Td (Harga 9.000.000) Tj ET")
}

// coveringFormBody is a form XObject that covers what is below with white and shows a price of its own.
func coveringFormBody(number int) body {
	return streamBody(number, "/Type /XObject /Subtype /Form /BBox [0 0 300 40] /Resources << /Font << /F1 3 0 R >> >>", "1 g 0 0 300 40 re f 0 g BT /F1 20 Tf 2 6 Td (Harga 9.000.000) Tj ET")
}

func pixelBody(number int, entries string) body {
	return streamBody(number, "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 "+entries, "x")
}

func annotationBody(number int, kind, entries string) body {
	return objectBody(number, "<< /Type /Annot /Subtype /"+kind+" /Rect [60 700 360 740] "+entries+" >>")
}

// Layers that are configured in one way or another; 10 0 R is the layer.
const (
	notPrinted  = "/OCProperties << /OCGs [10 0 R] /D << /AS [<< /Event /Print /OCGs [10 0 R] /Category [/Print] >>] >> >>"
	onlyPrinted = "/OCProperties << /OCGs [10 0 R] /D << /OFF [10 0 R] /AS [<< /Event /Print /OCGs [10 0 R] /Category [/Print] >>] >> >>"
)

func layerBody(usage string) body {
	return objectBody(10, "<< /Type /OCG /Name (Lapisan) /Usage << "+usage+" >> >>")
}

const (
	inLayer     = "/OC /L BDC BT /F1 24 Tf 72 600 Td (Harga 9.000.000) Tj ET EMC "
	printOff    = "/Print << /PrintState /OFF >>"
	printOn     = "/Print << /PrintState /ON >>"
	properties  = "/Properties << /L 10 0 R >>"
	onePagePlus = "/Annots [20 0 R]"
)

// SuspectCases are files with content that is hidden, acts or is not what it seems, one way of doing so each.
func SuspectCases() []InspectCase {
	page := func(name string, s pageParts, kinds ...string) InspectCase {
		return InspectCase{Name: name, File: s.buildFile(), Kinds: kinds}
	}
	whole := func(name string, s pageParts, kinds ...string) InspectCase {
		return InspectCase{Name: name, File: s.buildFile(), Kinds: kinds, WholeFile: true}
	}
	// withAction starts an action by a link on the page.
	withAction := func(action string) pageParts {
		return pageParts{content: priceText, page: onePagePlus, objects: []body{annotationBody(20, "Link", "/F 4 /Border [0 0 0] /A "+action)}}
	}
	withAnnotation := func(kind, entries string, more ...body) pageParts {
		return pageParts{content: priceText, page: onePagePlus, objects: append([]body{annotationBody(20, kind, entries)}, more...)}
	}
	return []InspectCase{
		page("layer that is printed only", pageParts{content: priceText + inLayer, resources: properties, catalog: onlyPrinted, objects: []body{layerBody(printOn)}}, "print_differs", "hidden_layer"),
		page("layer that is not printed", pageParts{content: priceText + inLayer, resources: properties, catalog: notPrinted, objects: []body{layerBody(printOff)}}, "print_differs"),
		page("layer that its usage keeps from being printed", pageParts{content: priceText + inLayer, resources: properties, catalog: "/OCProperties << /OCGs [10 0 R] /D << >> >>", objects: []body{layerBody(printOff)}}, "print_differs"),
		page("layer of a form", pageParts{content: priceText + "/X Do", resources: "/XObject << /X 11 0 R >>", catalog: notPrinted, objects: []body{layerBody(printOff), formBody(11, "/OC 10 0 R")}}, "print_differs"),
		page("layer of a form within a form", pageParts{content: priceText + "/Y Do", resources: "/XObject << /Y 12 0 R >>", catalog: notPrinted, objects: []body{
			layerBody(printOff), formBody(11, "/OC 10 0 R"), streamBody(12, "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X 11 0 R >> >>", "/X Do"),
		}}, "print_differs"),
		page("layer of an image", pageParts{content: priceText + "q 100 0 0 100 72 500 cm /I Do Q", resources: "/XObject << /I 11 0 R >>", catalog: notPrinted, objects: []body{layerBody(printOff), pixelBody(11, "/OC 10 0 R")}}, "print_differs"),
		page("membership of what is off", pageParts{content: priceText + "/OC /M BDC " + priceText + "EMC", resources: "/Properties << /M 11 0 R >>", catalog: notPrinted, objects: []body{
			layerBody(printOff), objectBody(11, "<< /Type /OCMD /OCGs [10 0 R] /P /AllOff >>"),
		}}, "print_differs", "hidden_layer"),
		page("expression of visibility", pageParts{content: priceText + "/OC /M BDC " + priceText + "EMC", resources: "/Properties << /M 11 0 R >>", catalog: notPrinted, objects: []body{
			layerBody(printOff), objectBody(11, "<< /Type /OCMD /VE [/Not [/And 10 0 R]] >>"),
		}}, "print_differs", "hidden_layer"),
		page("base state", pageParts{content: priceText + inLayer, resources: properties, objects: []body{layerBody(printOff)},
			catalog: "/OCProperties << /OCGs [10 0 R] /D << /BaseState /OFF /ON [10 0 R] /AS [<< /Event /Print /OCGs [10 0 R] /Category [/Print] >>] >> >>"}, "print_differs"),
		page("layer of an annotation", pageParts{content: priceText, page: onePagePlus, catalog: notPrinted, objects: []body{layerBody(printOff), annotationBody(20, "Stamp", "/F 4 /OC 10 0 R /AP << /N 21 0 R >>"), formBody(21, "")}}, "print_differs"),
		page("layer within an appearance", pageParts{content: priceText, page: onePagePlus, catalog: notPrinted, objects: []body{
			layerBody(printOff), annotationBody(20, "Stamp", "/F 4 /AP << /N 21 0 R >>"),
			streamBody(21, "/Type /XObject /Subtype /Form /BBox [0 0 300 30] /Resources << /Font << /F1 3 0 R >> /Properties << /L 10 0 R >> >>", "/OC /L BDC BT /F1 20 Tf 2 6 Td (Harga 9) Tj ET EMC"),
		}}, "print_differs"),
		page("layer within a pattern", pageParts{content: priceText + "/Pattern cs /P scn 72 500 200 50 re f", resources: "/Pattern << /P 11 0 R >>", catalog: notPrinted, objects: []body{
			layerBody(printOff), streamBody(11, "/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 200 50] /XStep 200 /YStep 50 /Resources << /Font << /F1 3 0 R >> /Properties << /L 10 0 R >> >>",
				"/OC /L BDC BT /F1 20 Tf 2 6 Td (Harga 9) Tj ET EMC"),
		}}, "print_differs"),
		page("layer within a glyph", pageParts{content: priceText + "BT /T 24 Tf 72 500 Td (1) Tj ET", resources: "/Font << /F1 3 0 R /T 11 0 R >>", catalog: notPrinted, objects: []body{
			layerBody(printOff),
			objectBody(11, "<< /Type /Font /Subtype /Type3 /FontMatrix [.001 0 0 .001 0 0] /FontBBox [0 0 1000 1000] /FirstChar 49 /LastChar 49 /Widths [1000] /CharProcs << /one 12 0 R >> "+
				"/Encoding << /Type /Encoding /Differences [49 /one] >> /Resources << /Properties << /L 10 0 R >> >> >>"),
			streamBody(12, "", "1000 0 d0 400 0 100 900 re f /OC /L BDC 0 800 900 100 re f EMC"),
		}}, "print_differs"),
		page("layer within a mask", pageParts{content: priceText + "/G gs " + "BT /F1 24 Tf 72 500 Td (Harga 9) Tj ET", resources: "/ExtGState << /G << /SMask << /S /Luminosity /G 11 0 R >> >> >>", catalog: notPrinted, objects: []body{
			layerBody(printOff), streamBody(11, "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency /CS /DeviceGray >> /Resources << /Properties << /L 10 0 R >> >>", "/OC /L BDC 1 g 0 0 600 800 re f EMC"),
		}}, "print_differs"),
		page("annotation that is printed only", withAnnotation("Stamp", "/F 36 /AP << /N 21 0 R >>", coveringFormBody(21)), "print_differs", "covered_text"),
		page("free text that is printed only", withAnnotation("FreeText", "/F 36 /DA (/Helv 12 Tf 0 g) /Contents (Harga 9)"), "print_differs"),
		page("field that is printed only", pageParts{content: priceText, page: onePagePlus, catalog: "/AcroForm << /Fields [20 0 R] >>", objects: []body{
			annotationBody(20, "Widget", "/FT /Tx /T (harga) /V (9) /F 36 /AP << /N 21 0 R >>"), formBody(21, ""),
		}}, "print_differs"),
		page("free text that is not printed", withAnnotation("FreeText", "/F 0 /DA (/Helv 12 Tf 0 g) /Contents (Harga 9) /AP << /N 21 0 R >>", coveringFormBody(21)), "print_differs", "covered_text"),
		page("field that is not printed and covers text", pageParts{content: priceText, page: onePagePlus, catalog: "/AcroForm << /Fields [20 0 R] >>", objects: []body{
			annotationBody(20, "Widget", "/FT /Tx /T (harga) /V (9) /F 0 /AP << /N 21 0 R >>"), coveringFormBody(21),
		}}, "print_differs", "covered_text"),
		page("alternate image for printing", pageParts{content: priceText + "q 100 0 0 100 72 500 cm /I Do Q", resources: "/XObject << /I 11 0 R >>", objects: []body{
			pixelBody(11, "/Alternates [<< /Image 12 0 R /DefaultForPrinting true >>]"), pixelBody(12, ""),
		}}, "print_differs"),
		page("PostScript for printers", pageParts{content: priceText + "/X Do", resources: "/XObject << /X 11 0 R >>", objects: []body{streamBody(11, "/Type /XObject /Subtype /PS", "/Helvetica findfont 20 scalefont setfont 72 500 moveto (9) show")}}, "print_differs"),

		page("layer of a magnification", pageParts{content: priceText + inLayer, resources: properties, objects: []body{layerBody("/Zoom << /min 4 >>")},
			catalog: "/OCProperties << /OCGs [10 0 R] /D << /AS [<< /Event /View /OCGs [10 0 R] /Category [/Zoom] >>] >> >>"}, "view_varies"),
		page("layer of a language", pageParts{content: priceText + inLayer, resources: properties, objects: []body{layerBody("/Language << /Lang (en) >>")},
			catalog: "/OCProperties << /OCGs [10 0 R] /D << /AS [<< /Event /View /OCGs [10 0 R] /Category [/Language] >>] >> >>"}, "view_varies"),
		page("layer of a user", pageParts{content: priceText + inLayer, resources: properties, objects: []body{layerBody("/User << /Type /Ind /Name (Budi) >>")},
			catalog: "/OCProperties << /OCGs [10 0 R] /D << /AS [<< /Event /View /OCGs [10 0 R] /Category [/User] >>] >> >>"}, "view_varies"),
		page("layer that some readers show", pageParts{content: priceText + inLayer, resources: properties, catalog: "/OCProperties << /OCGs [10 0 R] /D << >> >>",
			objects: []body{layerBody("/View << /ViewState /OFF >> " + printOff)}}, "view_varies"),
		whole("action that switches a layer when the file is opened", pageParts{content: priceText + inLayer, resources: properties, objects: []body{layerBody("")},
			catalog: "/OCProperties << /OCGs [10 0 R] /D << >> >> /OpenAction << /S /SetOCGState /State [/OFF 10 0 R] >>"}, "view_varies", "actions"),
		page("action that hides an annotation when the page is opened", pageParts{content: priceText, page: onePagePlus + " /AA << /O << /S /Hide /T 20 0 R >> >>", objects: []body{
			annotationBody(20, "Stamp", "/F 4 /AP << /N 21 0 R >>"), formBody(21, ""),
		}}, "view_varies", "actions"),

		page("content that is another file", pageParts{content: priceText, page: "/Contents [6 0 R 11 0 R]", objects: []body{streamBody(11, "/F (isi.txt)", "")}}, "external"),
		page("image that is another file", pageParts{content: priceText + "q 100 0 0 100 72 500 cm /I Do Q", resources: "/XObject << /I 11 0 R >>", objects: []body{pixelBody(11, "/F << /Type /Filespec /F (gambar.bin) >>")}}, "external"),
		page("page of another file", pageParts{content: priceText + "/X Do", resources: "/XObject << /X 11 0 R >>", objects: []body{formBody(11, "/Ref << /F (lain.pdf) /Page 0 >>")}}, "external"),
		page("picture of a print shop", pageParts{content: priceText + "q 100 0 0 100 72 500 cm /I Do Q", resources: "/XObject << /I 11 0 R >>", objects: []body{pixelBody(11, "/OPI << /2.0 << /Type /OPI /Version 2.0 /F (besar.tif) >> >>")}}, "external"),

		page("launch by a link", withAction("<< /S /Launch /F (calc.exe) >>"), "launch"),
		page("launch on one system", withAction("<< /S /Launch /Win << /F (calc.exe) >> >>"), "launch"),
		page("launch behind another action", withAction("<< /S /GoTo /D [5 0 R /Fit] /Next [<< /S /URI /URI (https://contoh.id) /Next << /S /Launch /F (calc.exe) >> >>] >>"), "launch"),
		whole("launch when the file is opened", pageParts{content: priceText, catalog: "/OpenAction << /S /Launch /F (calc.exe) >>"}, "launch", "actions"),
		whole("launch by a bookmark", pageParts{content: priceText, catalog: "/Outlines 11 0 R", objects: []body{
			objectBody(11, "<< /Type /Outlines /First 12 0 R /Last 12 0 R /Count 1 >>"), objectBody(12, "<< /Title (Bab) /Parent 11 0 R /A << /S /Launch /F (calc.exe) >> >>"),
		}}, "launch"),

		whole("scripts of the file", pageParts{content: priceText, catalog: "/Names << /JavaScript << /Names [(a) << /S /JavaScript /JS (app.alert\\(1\\)) >>] >> >>"}, "javascript", "actions"),
		whole("script when the file is opened", pageParts{content: priceText, catalog: "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"}, "javascript", "actions"),
		page("script of a field", pageParts{content: priceText, page: onePagePlus, catalog: "/AcroForm << /Fields [20 0 R] >>", objects: []body{
			annotationBody(20, "Widget", "/FT /Tx /T (harga) /F 4 /AA << /F << /S /JavaScript /JS (event.value = 9) >> >>"),
		}}, "javascript", "actions"),
		page("script in a link", withAction("<< /S /URI /URI (javascript:alert\\(1\\)) >>"), "javascript"),
		page("form that is sent", withAction("<< /S /SubmitForm /F << /FS /URL /F (https://contoh.id) >> >>"), "submit_form"),
		page("form that is filled from a file", withAction("<< /S /ImportData /F (data.fdf) >>"), "import_data"),
		page("link to another document", withAction("<< /S /GoToR /F (lain.pdf) /D [0 /Fit] >>"), "other_document"),
		page("link into an embedded document", withAction("<< /S /GoToE /T << /R /C /N (a) >> /D [0 /Fit] >>"), "other_document"),
		page("link to a file", withAction("<< /S /URI /URI (file:///etc/passwd) >>"), "file_uri"),
		page("relative link to a file", func() pageParts {
			s := withAction("<< /S /URI /URI (passwd) >>")
			s.catalog = "/URI << /Base (file:///etc/) >>"
			return s
		}(), "file_uri"),

		page("rich media", withAnnotation("RichMedia", "/F 4 /RichMediaContent << >>"), "media"),
		page("three dimensions", withAnnotation("3D", "/F 4 /3DD << >>"), "media"),
		page("film", withAnnotation("Movie", "/F 4 /Movie << /F (film.mov) >>"), "media"),
		page("sound", withAnnotation("Sound", "/F 4 /Sound 21 0 R", streamBody(21, "/Type /Sound /R 8000", "x")), "media"),
		page("rendition", withAnnotation("Screen", "/F 4 /A << /S /Rendition /OP 0 >>"), "media"),
		whole("form in XML", pageParts{content: priceText, catalog: "/AcroForm << /Fields [] /XFA 11 0 R >>", objects: []body{streamBody(11, "", "<xdp/>")}}, "xfa"),
		whole("embedded file", pageParts{content: priceText, catalog: "/Names << /EmbeddedFiles << /Names [(a) 11 0 R] >> >>", objects: []body{
			objectBody(11, "<< /Type /Filespec /F (faktur.xml) /UF (faktur.xml) /EF << /F 12 0 R >> >>"), streamBody(12, "/Type /EmbeddedFile", "<faktur/>"),
		}}, "embedded_file"),
		page("attached file", pageParts{content: priceText, page: onePagePlus, objects: []body{
			objectBody(20, "<< /Type /Annot /Subtype /FileAttachment /Rect [60 100 80 120] /F 4 /FS 21 0 R /AP << /N 23 0 R >> >>"),
			objectBody(21, "<< /Type /Filespec /F (faktur.xml) /EF << /F 22 0 R >> >>"), streamBody(22, "/Type /EmbeddedFile", "<faktur/>"),
			streamBody(23, "/Type /XObject /Subtype /Form /BBox [0 0 20 20]", "4 4 m 16 16 l S"),
		}}, "embedded_file"),
		whole("portfolio", pageParts{content: priceText, catalog: "/Collection << /View /D /D (a) >>"}, "portfolio"),

		page("text in a layer that is off", pageParts{content: priceText + inLayer, resources: properties, catalog: "/OCProperties << /OCGs [10 0 R] /D << /OFF [10 0 R] >> >>", objects: []body{layerBody("")}}, "hidden_layer"),
		page("text that is not painted", pageParts{content: priceText + "BT 3 Tr /F1 24 Tf 72 600 Td (Harga 9) Tj ET"}, "invisible_text"),
		page("white text", pageParts{content: priceText + "1 g BT /F1 24 Tf 72 600 Td (Harga 9) Tj ET"}, "invisible_text"),
		page("text below an area", pageParts{content: priceText + "0.9 g 60 700 400 60 re f"}, "covered_text"),
		page("text outside of the page", pageParts{content: priceText + "BT /F1 24 Tf 72 900 Td (Harga 9) Tj ET"}, "outside_page"),
		page("text outside of the crop box", pageParts{content: priceText + "BT /F1 24 Tf 72 20 Td (Harga 9) Tj ET", page: "/CropBox [0 100 600 800]"}, "outside_page"),
		page("9 that says 1", pageParts{content: priceText + "BT /N 24 Tf 72 600 Td (9) Tj ET", resources: "/Font << /F1 3 0 R /N 11 0 R >>", objects: []body{
			objectBody(11, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 12 0 R >>"),
			streamBody(12, "", "1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <39> <0031> endbfchar"),
		}}, "unreliable_text"),
		page("9 by another name", pageParts{content: priceText + "BT /N 24 Tf 72 600 Td (1) Tj ET", resources: "/Font << /F1 3 0 R /N 11 0 R >>", objects: []body{
			objectBody(11, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding /Differences [49 /nine] >> /ToUnicode 12 0 R >>"),
			streamBody(12, "", "1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <31> <0031> endbfchar"),
		}}, "unreliable_text"),
		page("one drawing for two digits", pageParts{content: priceText + "BT /T 24 Tf 72 600 Td (19) Tj ET", resources: "/Font << /F1 3 0 R /T 11 0 R >>", objects: []body{
			objectBody(11, "<< /Type /Font /Subtype /Type3 /FontMatrix [.001 0 0 .001 0 0] /FontBBox [0 0 1000 1000] /FirstChar 49 /LastChar 57 /Widths [600 0 0 0 0 0 0 0 600] /CharProcs << /g1 13 0 R /g9 13 0 R >> "+
				"/Encoding << /Type /Encoding /Differences [49 /g1 57 /g9] >> /ToUnicode 12 0 R >>"),
			streamBody(12, "", "1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <31> <0031> <39> <0039> endbfchar"), streamBody(13, "", "600 0 d0 200 0 100 900 re f"),
		}}, "unreliable_text"),
	}
}

// HarmlessCases are files that have what a Suspect has, and nothing that readers would not see: what harmless files do.
func HarmlessCases() []InspectCase {
	page := func(name string, s pageParts, kinds ...string) InspectCase {
		return InspectCase{Name: name, File: s.buildFile(), Kinds: kinds}
	}
	withAnnotation := func(kind, entries string, more ...body) pageParts {
		return pageParts{content: priceText, page: onePagePlus, objects: append([]body{annotationBody(20, kind, entries)}, more...)}
	}
	unicode := func(pairs string, n int) string {
		return fmt.Sprintf("1 begincodespacerange <00> <ff> endcodespacerange %d beginbfchar %s endbfchar", n, pairs)
	}
	return []InspectCase{
		page("plain", pageParts{content: priceText}),
		page("layer that is shown everywhere", pageParts{content: priceText + inLayer, resources: properties, catalog: notPrinted, objects: []body{layerBody(printOn + " /View << /ViewState /ON >>")}}),
		page("two layers that show the same", pageParts{content: "/OC /L BDC " + priceText + "EMC /OC /M BDC " + priceText + "EMC", resources: "/Properties << /L 10 0 R /M 11 0 R >>", objects: []body{
			layerBody("/View << /ViewState /ON >> " + printOff), objectBody(11, "<< /Type /OCG /Name (Cetak) /Usage << "+printOn+" /View << /ViewState /OFF >> >> >>"),
		}, catalog: "/OCProperties << /OCGs [10 0 R 11 0 R] /D << /AS [<< /Event /Print /OCGs [10 0 R 11 0 R] /Category [/Print] >> << /Event /View /OCGs [10 0 R 11 0 R] /Category [/View] >>] >> >>"}, "hidden_layer"),
		page("layer with nothing in it that is not printed", pageParts{content: priceText + "/OC /L BDC EMC", resources: properties, catalog: notPrinted, objects: []body{layerBody(printOff)}}),
		page("layer that is not printed and lies outside of the page", pageParts{content: priceText + "/OC /L BDC 700 900 9 9 re f EMC", resources: properties, catalog: notPrinted, objects: []body{layerBody(printOff)}}),
		page("link", withAnnotation("Link", "/Border [0 0 1] /A << /S /URI /URI (https://contoh.id) >>")),
		page("link within the file", withAnnotation("Link", "/A << /S /GoTo /D [5 0 R /Fit] >>")),
		page("note", withAnnotation("Text", "/Contents (Catatan) /AP << /N 21 0 R >>", streamBody(21, "/Type /XObject /Subtype /Form /BBox [0 0 20 20]", "1 1 0 rg 0 0 m 20 0 l 10 20 l f")), "screen_only"),
		page("button that is not printed", pageParts{content: priceText, page: onePagePlus, catalog: "/AcroForm << /Fields [20 0 R] >>", objects: []body{
			objectBody(20, "<< /Type /Annot /Subtype /Widget /FT /Btn /Ff 65536 /T (cetak) /Rect [60 100 160 140] /F 0 /AP << /N 21 0 R >> >>"), coveringFormBody(21),
		}}, "screen_only"),
		page("field that is not printed", pageParts{content: priceText, page: onePagePlus, catalog: "/AcroForm << /Fields [20 0 R] >>", objects: []body{
			objectBody(20, "<< /Type /Annot /Subtype /Widget /FT /Tx /T (nama) /V (Siti) /Rect [60 100 360 140] /AP << /N 21 0 R >> >>"), coveringFormBody(21),
		}}, "screen_only"),
		page("field over a dotted line", pageParts{content: priceText + "BT /F1 12 Tf 72 110 Td (..........) Tj ET", page: onePagePlus, catalog: "/AcroForm << /Fields [20 0 R] >>", objects: []body{
			objectBody(20, "<< /Type /Annot /Subtype /Widget /FT /Tx /T (nama) /V (Siti) /Rect [60 100 360 140] /AP << /N 21 0 R >> >>"), coveringFormBody(21),
		}}, "screen_only", "covered_text"),
		page("signature field that is not to be seen", pageParts{content: priceText, page: onePagePlus, catalog: "/AcroForm << /Fields [20 0 R] >>", objects: []body{
			annotationBody(20, "Widget", "/FT /Sig /T (ttd) /F 36"),
		}}),
		page("popup", withAnnotation("Popup", "/F 36")),
		page("stamp that is printed", pageParts{content: priceText, page: onePagePlus, objects: []body{
			objectBody(20, "<< /Type /Annot /Subtype /Stamp /Rect [60 100 360 140] /F 4 /AP << /N 21 0 R >> >>"), coveringFormBody(21),
		}}),
		page("alternate image for screens", pageParts{content: priceText + "q 100 0 0 100 72 500 cm /I Do Q", resources: "/XObject << /I 11 0 R >>", objects: []body{pixelBody(11, "/Alternates [<< /Image 12 0 R >>]"), pixelBody(12, "")}}),
		page("filter that is abbreviated", pageParts{content: priceText, page: "/Contents [6 0 R 11 0 R]", objects: []body{streamBody(11, "/F /ASCIIHexDecode /Filter /ASCIIHexDecode", ">")}}),
		page("actions that nothing refers to", pageParts{content: priceText, objects: []body{objectBody(11, "<< /S /Launch /F (calc.exe) >>"), streamBody(12, "/F (isi.txt)", "")}}),
		page("destination when the file is opened", pageParts{content: priceText, catalog: "/OpenAction [5 0 R /Fit]"}),
		page("scan that was read by a machine", pageParts{content: "q 600 0 0 800 0 0 cm /I Do Q BT 3 Tr /F1 24 Tf 72 600 Td (Harga 9) Tj ET", resources: "/XObject << /I 11 0 R >>", objects: []body{pixelBody(11, "")}}, "invisible_text"),
		page("white text on black", pageParts{content: priceText + "0 g 60 590 400 60 re f 1 g BT /F1 24 Tf 72 600 Td (Harga 9) Tj ET"}),
		page("ligature, dash and Greek letter", pageParts{content: priceText + "BT /N 24 Tf 72 600 Td (abc) Tj ET", resources: "/Font << /F1 3 0 R /N 11 0 R >>", objects: []body{
			objectBody(11, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding /Differences [97 /fi /hyphen /A] >> /ToUnicode 12 0 R >>"),
			streamBody(12, "", unicode("<61> <00660069> <62> <2010> <63> <0391>", 3)),
		}}),
		page("symbols of a font of symbols", pageParts{content: priceText + "BT /N 24 Tf 72 600 Td (a4) Tj ET", resources: "/Font << /F1 3 0 R /N 11 0 R >>", objects: []body{
			objectBody(11, "<< /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats /ToUnicode 12 0 R >>"), streamBody(12, "", unicode("<61> <2741> <34> <2714>", 2)),
		}}),
		page("glyphs by number", pageParts{content: priceText + "BT /T 24 Tf 72 600 Td (ab) Tj ET", resources: "/Font << /F1 3 0 R /T 11 0 R >>", objects: []body{
			objectBody(11, "<< /Type /Font /Subtype /Type3 /FontMatrix [.001 0 0 .001 0 0] /FontBBox [0 0 1000 1000] /FirstChar 97 /LastChar 98 /Widths [600 600] /CharProcs << /a 13 0 R /b 14 0 R >> "+
				"/Encoding << /Type /Encoding /Differences [97 /a /b] >> /ToUnicode 12 0 R >>"),
			streamBody(12, "", unicode("<61> <0041> <62> <0039>", 2)), streamBody(13, "", "600 0 d0 200 0 100 900 re f"), streamBody(14, "", "600 0 d0 0 0 500 100 re f"),
		}}),
	}
}
