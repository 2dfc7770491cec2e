package api

import "segel/internal/contract"

// balanceAnswer is the organisation's remaining quota.
type balanceAnswer struct {
	Code    int         `json:"code" doc:"equals the HTTP status" example:"200"`
	Success bool        `json:"success" doc:"always true"`
	Msg     string      `json:"msg" doc:"a sentence in the language of the request"`
	Data    balanceData `json:"data"`
}

type balanceData struct {
	Emet int `json:"emet" doc:"duty stamps left" example:"12"`
	Esgn int `json:"esgn" doc:"signatures left" example:"340"`
}

func (s *server) registerBalance() {
	serveGet(s, endpoint{
		path: "/v1/econtract/web_app/client_balance", id: "balance", group: groupAccount,
		summary: "What the organisation may still spend",
	}, func(c *call) (balanceAnswer, error) {
		quota, err := c.Workflow.Balance(c.r.Context(), c.by)
		if err != nil {
			return balanceAnswer{}, err
		}
		return balanceAnswer{
			Code: 200, Success: true, Msg: c.sentenceOf("done.balance"),
			Data: balanceData{Emet: quota[contract.UnitStamp].Left(), Esgn: quota[contract.UnitSignature].Left()},
		}, nil
	})
}
