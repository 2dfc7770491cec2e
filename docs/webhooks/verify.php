<?php

declare(strict_types=1);

// Checks a message from Segel. The arguments are the secret of the webhook and the headers webhook-id, webhook-timestamp and
// webhook-signature; the body of the request is read from standard input, byte for byte as it arrived. In a web server that is
// file_get_contents('php://input').

const TOLERANCE = 5 * 60; // seconds that a message may be old, or of the future

/** Returns whether the message was signed with the secret at about that time. */
function verify(string $secret, string $id, string $timestamp, string $signatures, string $body, int $now): bool
{
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    if ($key === false || !ctype_digit($timestamp) || abs($now - (int) $timestamp) > TOLERANCE) {
        return false;
    }
    $want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $signature) { // two while a secret is being replaced
        if (hash_equals($want, $signature)) {
            return true;
        }
    }
    return false;
}

[, $secret, $id, $timestamp, $signatures] = $argv;
if (!verify($secret, $id, $timestamp, $signatures, file_get_contents('php://stdin'), time())) {
    fwrite(STDERR, "the message is too old, of the future, or no signature is right\n");
    exit(1);
}
echo "ok\n";
