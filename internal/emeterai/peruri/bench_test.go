package peruri

import (
	"context"
	"encoding/hex"
	"fmt"
	"testing"

	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/internal/emeterai/sandbox"
	"segel/pdf/pdftest"
)

// BenchmarkTakeAndStamp compares the office in process with the same office behind its protocol.
func BenchmarkTakeAndStamp(b *testing.B) {
	office := openTestOffice(b, b.TempDir(), 0, sandbox.Plan{})
	for name, s := range map[string]emeterai.Stamper{
		"in process": office.office, "adapter": office.openDriver(office.driverOptions(Adapter)), "cloud": office.openDriver(office.driverOptions(Cloud)),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			file := pdftest.Table(2)
			for i := range b.N {
				o := emeteraitest.NewOrder(hex.EncodeToString(fmt.Append(nil, name, b.N, i)))
				serial, err := s.BuySerial(context.Background(), o)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.Stamp(context.Background(), emeteraitest.NewRequest(b, serial, file)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
