// Command interop makes files with our library, has programs of strangers judge them, and compares their verdicts with
// what is expected. README.md of its folder says who they are and what they have to say.
package main
