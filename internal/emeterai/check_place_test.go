package emeterai_test

import (
	"context"
	"math"
	"testing"

	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// mapCorners applies a function to every number of a rectangle.
func mapCorners(r pdf.Rect, f func(float64) float64) pdf.Rect {
	return pdf.Rect{LLX: f(r.LLX), LLY: f(r.LLY), URX: f(r.URX), URY: f(r.URY)}
}

func TestJudgeAcceptsWholeNumbersOnAPageCroppedAtAFraction(t *testing.T) {
	t.Parallel()
	for _, rotate := range []int{0, 90, 180, 270} {
		file := pdftest.Pages(pdftest.Page{CropBox: [4]float64{10.4, 20.7, 560.3, 800.2}, Rotate: rotate})
		page, err := openPDF(t, file).Page(1)
		requireNoError(t, err)
		r := emeteraitest.NewRequest(t, serial, file)
		b := r.Box
		exact := page.ToUser(pdf.Rect{LLX: float64(b.LLX), LLY: float64(b.LLY), URX: float64(b.URX), URY: float64(b.URY)})
		judge := func(rect pdf.Rect) error {
			f := honestStamp()
			f.rect = rect
			_, err := emeterai.CheckStampedFile(context.Background(), r, f.affixStamp(t, file))
			return err
		}
		for name, rect := range map[string]pdf.Rect{
			"exact": exact, "rounded": mapCorners(exact, math.Round), "down": mapCorners(exact, math.Floor), "up": mapCorners(exact, math.Ceil),
		} {
			if err := judge(rect); err != nil {
				t.Errorf("turned by %d, %s: %v", rotate, name, err)
			}
		}
		for name, rect := range map[string]pdf.Rect{
			"not whole":      mapCorners(exact, func(x float64) float64 { return x + 0.5 }),
			"a point beside": mapCorners(exact, func(x float64) float64 { return math.Ceil(x) + 1 }),
			"as displayed":   {LLX: float64(b.LLX), LLY: float64(b.LLY), URX: float64(b.URX), URY: float64(b.URY)},
		} {
			if judge(rect) == nil {
				t.Errorf("turned by %d, %s: accepted %v for %v", rotate, name, rect, exact)
			}
		}
	}
}
