package workflow

import (
	"errors"

	"segel/internal/contract"
	"segel/internal/emeterai"
)

// reasonOf tells people why a stamp waits or was refused: a code that has a sentence in every language, and behind it
// the office's own words where they say more than the sentence. What went wrong on the way to the office ("login: EOF")
// helps nobody but the operator, who finds it in the log and among the attempts.
func reasonOf(cause error) string {
	switch problem := fileProblem(cause); {
	case errors.Is(problem, errFileMissing):
		return contract.FileMissing
	case errors.Is(problem, errFileChanged):
		return contract.FileChanged
	}
	var p *emeterai.Problem
	if !errors.As(cause, &p) {
		return "stamp.office_unreachable"
	}
	switch p.Class {
	case emeterai.Quota:
		return "stamp.office_quota"
	case emeterai.Login:
		return "stamp.office_account"
	case emeterai.Config:
		return withOfficeText("stamp.office_config", p)
	case emeterai.Refused:
		return withOfficeText("stamp.office_refused", p)
	case emeterai.Quarantine:
		return "stamp.return_refused"
	case emeterai.NeedsPerson, emeterai.Permanent:
		return permanentReason(p)
	}
	switch p.Code {
	case emeterai.CodeDown, emeterai.CodeAnswer, "":
		return "stamp.office_unreachable"
	case emeterai.CodeReturn:
		return "stamp.return_incomplete"
	}
	return withOfficeText("stamp.office_busy", p)
}

// permanentReason tells what a person has to mend before it is of use to try again.
func permanentReason(p *emeterai.Problem) string {
	switch p.Code {
	case emeterai.CodeElsewhere:
		return "stamp.serial_elsewhere"
	case emeterai.CodeSerialUncertain:
		return "stamp.serial_uncertain"
	case emeterai.CodePicture:
		return "stamp.picture_lost"
	case emeterai.CodePlace:
		return "stamp.no_place"
	}
	return withOfficeText("stamp.office_refused", p)
}

// withOfficeText adds what the office said under a code of its own, which is a number; under a code of ours the words are
// ours, and made for the log.
func withOfficeText(code string, p *emeterai.Problem) string {
	if p.Text == "" || p.Code == "" || p.Code[0] < '0' || p.Code[0] > '9' {
		return code
	}
	return code + ": " + p.Text
}
