package workflow

import (
	"errors"

	"segel/internal/contract"
	"segel/internal/emeterai"
)

// reasonOf returns the reason for people why a stamp waits or was refused: a code with a sentence in every language,
// followed by the stamp office's own text if it says more. Transport problems ("login: EOF") only help operators, who
// find them in the log and in the attempts.
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

// permanentReason returns what a person has to repair before a retry can succeed.
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

// withOfficeText adds the stamp office's text if the code is the office's own, which is a number. Under our codes the
// text is ours and written for the log.
func withOfficeText(code string, p *emeterai.Problem) string {
	if p.Text == "" || p.Code == "" || p.Code[0] < '0' || p.Code[0] > '9' {
		return code
	}
	return code + ": " + p.Text
}
