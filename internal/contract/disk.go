package contract

// DiskState is how much space is free for the data. Values are part of the interface.
type DiskState string

// The states.
const (
	DiskFine   DiskState = "fine"
	DiskScarce DiskState = "scarce" // nothing is refused yet
	DiskLow    DiskState = "low"    // new files are refused, so that signatures under way can end
	DiskFull   DiskState = "full"   // nothing can be stored
)

// DiskFinding is what a process found about the disks of the data: the figures of the worst one.
type DiskFinding struct {
	State    DiskState // empty: the disks could not be read
	Free     int64     // bytes
	Reserved int64     // bytes that are kept for signatures
}
