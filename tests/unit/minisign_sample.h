/* A key pair made for the tests and a signature by minisign 0.11: minisign -G -W, then minisign -S -t 'a comment' over "hello\n". */
#ifndef TESTS_MINISIGN_SAMPLE_H
#define TESTS_MINISIGN_SAMPLE_H

static const char SAMPLE_PUBLIC[] = "RWRZTSLoWF6uK45f0axapg/Kp5VCtO6KgbglXA1GUgt4fgwromNZ3ZuK";
static const char SAMPLE_SECRET[] =
    "untrusted comment: minisign encrypted secret key\n"
    "RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWU0i6FheritEnoHzD8WH69uQg9eC6WwBjbMmSHqEFm5/Zd3kileTuo5f0axapg/Kp5VCtO6KgbglXA1GUgt4fgwromNZ3ZuKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n";
static const char SAMPLE_SIGNATURE[] =
    "untrusted comment: signature from minisign secret key\n"
    "RURZTSLoWF6uK8D3xHRHjiUUNiArtqQXClqgDGGASu8iIw9k2AYr07M5tP4cU+2CZus+QBqdtPM3mNog3TRRYNGLxQLrJhvfgQY=\n"
    "trusted comment: a comment\n"
    "qmvdvUGAJhXq5cR3lVFYaiqC8BTDVTk2PwcMGEkkRNYNXmPy3ENUNYGtpodpXh4zV2pF5AW/L4bF5n6gx9KsDg==\n";

#endif
