package libreoffice

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/convert"
	"segel/internal/convert/converttest"
)

// BenchmarkWait measures what a user waits for, in turns with a LibreOffice that has no fence and is kept running:
// the same file again and again, the most favourable case there is. Between two documents there is time to start the
// next process, as there is between users.
func BenchmarkWait(b *testing.B) {
	o, err := Open(b.Context(), Options{Spare: 1})
	if err != nil {
		b.Skip(err)
	}
	defer o.Close()
	bare, err := Open(b.Context(), Options{Spare: 1, Unsandboxed: true})
	if err != nil {
		b.Skip(err)
	}
	defer bare.Close()
	p := <-bare.ready
	defer bare.replaceProcess(p)
	contract := func(paragraphs int) []byte {
		text := "Pihak Pertama menyewakan kepada Pihak Kedua ruang usaha seluas 120 m2 di lantai dasar gedung dengan harga dan jangka waktu yang disepakati."
		return converttest.Document{Body: strings.Repeat(converttest.Paragraphs(text), paragraphs)}.Bytes()
	}
	for name, file := range map[string][]byte{"2 pages": contract(60), "10 pages": contract(300), "sample": converttest.Sample()} {
		b.Run(name, func(b *testing.B) {
			var ours, warm []time.Duration
			for n := 0; b.Loop(); n++ {
				document := fmt.Sprintf("%s-%d.docx", strings.ReplaceAll(name, " ", "-"), n)
				if _, err := p.job.writeInput(document, bytes.NewReader(file)); err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				if err := p.convertFile(b.Context(), convert.DOCX, document, bare.options, &bytes.Buffer{}); err != nil {
					b.Fatal(err)
				}
				if n > 0 {
					warm = append(warm, time.Since(start))
				}
				o.workers.Wait() // until the next process is ready
				start = time.Now()
				if err := o.Convert(b.Context(), convert.DOCX, bytes.NewReader(file), &bytes.Buffer{}); err != nil {
					b.Fatal(err)
				}
				ours = append(ours, time.Since(start))
				o.workers.Wait()
			}
			if len(warm) == 0 {
				return
			}
			slices.Sort(ours)
			slices.Sort(warm)
			x, y := ours[len(ours)/2], warm[len(warm)/2]
			b.ReportMetric(float64(x.Microseconds())/1000, "ms-p50")
			b.ReportMetric(float64(y.Microseconds())/1000, "ms-bare-p50")
			b.ReportMetric(float64(x)/float64(y), "ratio")
		})
	}
}
