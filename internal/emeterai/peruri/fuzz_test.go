package peruri

import "testing"

func FuzzAnswers(f *testing.F) {
	for i, s := range []string{
		`{"statusCode":"00","message":"ok","token":"t","result":{"data":{"login":{"token":"t","user":{"id":7}}}}}`,
		`{"statusCode":"00","result":[{"id":1,"kode":"4b","nama":"Surat Perjanjian"}]}`,
		`{"statusCode":"00","result":{"sn":"0A1B2C3D4E5F6G7H8I9J0K","image":"iVBORw0KGgo="}}`,
		`{"statusCode":"00","id":"1","name":"a.pdf"}`,
		`{"statusCode":"00","result":{"total":1,"data":[{"serialnumber":"0A1B2C3D4E5F6G7H8I9J0K","status":"NOTSTAMP","file":"a.pdf"}]}}`,
		`{"result":{"status":"00","saldo":12,"notstamp":1}}`,
		`{"status":"True","errorCode":"00","errorMessage":null}`,
		`<html>`, `null`, `[]`, `{"statusCode":93}`,
	} {
		f.Add(i, []byte(s))
	}
	f.Fuzz(func(t *testing.T, which int, body []byte) {
		switch which % 7 {
		case 0:
			if token, _, err := parseLogin(body); err == nil && !tokenForm.MatchString(token) {
				t.Errorf("token %q", token)
			}
		case 1:
			if all, err := parseKinds(body); err == nil && len(all) == 0 {
				t.Error("no kinds, and no error")
			}
		case 2:
			if got, err := parseBoughtSerial(body); err == nil && !serialForm().MatchString(got.serial) {
				t.Errorf("serial %q", got.serial)
			}
		case 3:
			if id, err := parseUpload(body); err == nil && id == "" {
				t.Error("no identifier, and no error")
			}
		case 4:
			if all, _, err := parseSerials(body); err == nil {
				for _, s := range all {
					if s.Status == "" {
						t.Error("a serial without status")
					}
				}
			}
		case 5:
			_, _ = parseSaldo(body)
		case 6:
			if got, err := parseSignResult(body); err == nil && !got.ok && got.code == "" {
				t.Error("neither success nor a code")
			}
		}
	})
}
