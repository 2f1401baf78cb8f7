// The words that recovery passphrases are made of, as the file beside has them.
#pragma once

/// BIP 39's English list: 2,048 lower-case words of three to eight letters, sorted, each with a
/// line feed behind it, and no two with the same first four letters. `english.txt` is the file of
/// that name in python-mnemonic 0.21, which is the BIP's, byte for byte.
const unsigned char *_Nonnull bip39_english(void);
