package contract

import "time"

// AwaitsPeople reports whether people still have something to do: the owner of a draft, or signers and approvers.
func (d *Document) AwaitsPeople() bool { return d.State == Draft || d.AwaitsSigners() }

// AwaitsSigners reports whether signatures or approvals of a document that was sent are missing.
func (d *Document) AwaitsSigners() bool { return d.State == Processing && !d.FullySigned() }

// IsOverdue reports whether the deadline has passed while people still had something to do. From that moment on
// people's operations are refused as on an expired document, whether or not the sweep that calls [Expire] has run.
func (d *Document) IsOverdue(now time.Time) bool { return d.AwaitsPeople() && d.isPastDeadline(now) }

// isPastDeadline reports whether the document's deadline has passed.
func (d *Document) isPastDeadline(now time.Time) bool {
	return !d.ExpiresAt.IsZero() && !now.Before(d.ExpiresAt)
}

// NextJob returns the work that the service has to do for the document: stamps first, then completion. It is empty if there is none, or
// people have to act first.
func (d *Document) NextJob() JobKind {
	switch {
	case d.State == Draft && d.Conversion.State == Converting:
		return JobConvert
	case d.State != Processing || !d.FullySigned():
		return ""
	case d.NextStamp() >= 0:
		return JobStamp
	}
	return JobComplete
}

// WaitingStep is what the service does next with a document that waits for it, or did when it failed.
type WaitingStep string

// The steps.
const (
	StepConverted WaitingStep = "converted" // a Word document becomes a PDF
	StepStamped   WaitingStep = "stamped"
	StepSealed    WaitingStep = "sealed"
)

// WaitingSteps lists the steps in their order.
var WaitingSteps = []WaitingStep{StepConverted, StepStamped, StepSealed}

// WaitingStep returns the step that a document waits for, which matters only while it does.
func (d *Document) WaitingStep() WaitingStep {
	switch {
	case d.State == Draft:
		return StepConverted
	case d.NextStamp() >= 0:
		return StepStamped
	}
	return StepSealed
}

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
