package contract

import (
	"fmt"
	"math/big"
	"strings"
	"time"
)

const base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// NewName makes a document's internal name, <file stem>-<unix ms>-<22 base58 characters>. Names are unique
// by their 128 random bits.
func NewName(filename string, now time.Time, entropy [16]byte) string {
	n := new(big.Int).SetBytes(entropy[:])
	radix, digit := big.NewInt(58), new(big.Int)
	random := make([]byte, 22)
	for i := range random {
		n.DivMod(n, radix, digit)
		random[len(random)-1-i] = base58Alphabet[digit.Int64()]
	}
	return fmt.Sprintf("%s-%013d-%s", strings.ReplaceAll(fileStem(filename), " ", "_"), now.UnixMilli(), random)
}
