package contract

import (
	"slices"
	"testing"
)

func TestEveryProblemOfADocumentThatWaitsHasAReasonForMonitors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		step    WaitingStep
		problem string
		want    WaitingReason
	}{
		{StepConverted, "", WaitsForConversion},
		{StepStamped, "", WaitsForStamp},
		{StepSealed, "", WaitsForSeal},
		{StepStamped, "stamp.office_down: 14:00", WaitsForOffice},
		{StepStamped, "stamp.office_busy: 93", WaitsForOffice},
		{StepStamped, "stamp.return_refused", WaitsForOffice},
		{StepStamped, "stamp.office_quota", WaitsForOfficeAccount},
		{StepStamped, "stamp.office_config: 17: unknown kind", WaitsForOfficeAccount},
		{StepStamped, "stamp.file_missing", WaitsForFile},
		{StepStamped, "stamp.file_changed", WaitsForFile},
		{StepSealed, "closing.file_changed", WaitsForFile},
		{StepStamped, "closing.clock_in_doubt", WaitsForClockRepair},
		{StepSealed, "closing.clock: 2026-03-02T05:00:00Z", WaitsForClockRepair},
		{StepSealed, "closing.timestamp", WaitsForTimestamp},
		{StepSealed, "closing.proof", WaitsForRevocation},
		{StepSealed, "closing.unexpected", WaitsForOther},
		{StepStamped, "words of an earlier release", WaitsForOther},
	} {
		if got := ClassifyWait(c.step, c.problem); got != c.want || !slices.Contains(WaitingReasons, got) {
			t.Errorf("%s, %q: %s, want %s", c.step, c.problem, got, c.want)
		}
	}
}
