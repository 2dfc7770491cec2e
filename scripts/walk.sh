#!/usr/bin/env bash
# walk.sh URL EMAIL PASSWORD CONTRACT.pdf [SIGNED.pdf]
# Has one guest sign a contract over the HTTP interface, from the upload to the finished file, with curl alone.
# docs/interface.md describes each request, docs/walk.md the functions behind it.
set -euo pipefail
[ $# -ge 4 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
url=$1 email=$2 password=$3 contract=$4 signed=${5:-signed.pdf}
sign=$url/v1/econtract/demo/sign documents=$url/v1/econtract/web_app/document

# request prints the answer, or fails and prints the service's refusal to standard error.
request() { # request TOKEN CURL-ARGUMENTS...
  local token=$1 answer; shift
  answer=$(curl -sS --fail-with-body ${token:+-H "x-access-token: $token"} "$@") || { echo "$answer" >&2; return 1; }
  echo "$answer"
}
post() { request "$1" "$2" -H 'Content-Type: application/json' -d "$3"; } # post TOKEN URL BODY
# member prints the first JSON member of that name: text without its quotes, or a number.
member() { grep -o "\"$1\":\(\"[^\"]*\"\|[0-9]*\)" | head -n 1 | cut -d: -f2- | tr -d '"'; }

echo "1. log in as the owner"
owner=$(post "" "$url/v1/auth/login" "{\"email\":\"$email\",\"password\":\"$password\"}" | member token)

echo "2. upload the contract, and name a guest who signs it"
document=$(request "$owner" "$sign/upload-docs" -F "document=@$contract;type=application/pdf" \
  -F 'guest={"name":"Budi Santoso","email":"budi@example.test","role":"signer","number":1}' | member document_id)

echo "3. finalize document $document: from here on its content does not change"
post "$owner" "$sign/finalize-docs" "{\"document_id\":$document}" >/dev/null

echo "4. ask for the guest's link; the owner hands it over"
guest=$(request "$owner" "$documents/signers/$document" | member user_id)
link=$(post "$owner" "$sign/guest-link-docs" "{\"document_id\":$document,\"user_id\":\"$guest\"}" | member url)

echo "5. the guest opens the link and signs"
token=$(post "" "$url/v1/auth/guest" "{\"link\":\"$link\"}" | member token)
post "$token" "$sign/sign-docs" "{\"document_id\":$document}" >/dev/null

echo "6. wait for the seal, the validation data and the document timestamp"
for _ in $(seq 120); do
  status=$(request "$owner" "$documents/status/$document" | member status)
  [ "$status" = processing ] || break
  sleep 0.5
done
[ "$status" = completed ] || { echo "the document is $status" >&2; exit 1; }

echo "7. download $signed"
request "$owner" "$documents/download/$document" -o "$signed"
if command -v pdfsig >/dev/null; then pdfsig -nocert "$signed" | grep -E '^Signature|Signature Validation|document signed'; fi
