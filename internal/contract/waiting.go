package contract

// WaitingReason is a class of the reasons why documents wait for the service. Monitors count by it, so it has few values.
type WaitingReason string

// The reasons. Documents that wait for their turn, and have met no problem, have the name of the step.
const (
	WaitsForConversion    WaitingReason = "conversion"
	WaitsForStamp         WaitingReason = "stamp"
	WaitsForSeal          WaitingReason = "seal"
	WaitsForOffice        WaitingReason = "office"         // the stamp office does not answer, or not as it should
	WaitsForOfficeAccount WaitingReason = "office_account" // the account at the stamp office is empty, locked or not set up
	WaitsForTimestamp     WaitingReason = "timestamp"      // no time-stamp authority answers
	WaitsForRevocation    WaitingReason = "revocation"     // no revocation data of a certificate can be fetched
	WaitsForClockRepair   WaitingReason = "clock"          // a clock is wrong
	WaitsForFile          WaitingReason = "file"           // bytes of the document are missing or changed
	WaitsForOther         WaitingReason = "other"          // another problem, which the log and the document state
)

// WaitingReasons lists the reasons.
var WaitingReasons = []WaitingReason{
	WaitsForConversion, WaitsForStamp, WaitsForSeal, WaitsForOffice, WaitsForOfficeAccount, WaitsForTimestamp, WaitsForRevocation, WaitsForClockRepair, WaitsForFile, WaitsForOther,
}

// ClassifyWait returns why a document waits for a step. Problem is what it records: [Stamp.Problem] of the next stamp, or [Document.Reason].
func ClassifyWait(step WaitingStep, problem string) WaitingReason {
	switch {
	case step == StepConverted:
		return WaitsForConversion
	case problem == "" && step == StepStamped:
		return WaitsForStamp
	case problem == "":
		return WaitsForSeal
	}
	switch ParseProblem(problem).Code {
	case ProblemClockInDoubt, ProblemSignedAhead, ProblemSignedFarAhead:
		return WaitsForClockRepair
	case ProblemTimestamp:
		return WaitsForTimestamp
	case ProblemRevocationData:
		return WaitsForRevocation
	case ProblemStampFileMissing, ProblemStampFileChanged, ProblemClosingFileMissing, ProblemClosingFileChanged:
		return WaitsForFile
	case ProblemOfficeQuota, ProblemOfficeAccount, ProblemOfficeConfig:
		return WaitsForOfficeAccount
	case ProblemOfficeDown, ProblemOfficeUnreachable, ProblemOfficeBusy, ProblemOfficeRefused, ProblemReturnRefused, ProblemReturnIncomplete:
		return WaitsForOffice
	}
	return WaitsForOther
}
